/** Every kind as it is drawn, as its table, and as it explains itself. */
import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type {
  BatteryResult,
  BurndownResult,
  ChartResult,
  PlannedResult,
  Sprint,
  TableResult,
  VelocityResult,
  Written,
} from '@shell/engine/types';
import type { BoardInfo } from '../boards';
import { LETTER_PX } from '../charts/labels';
import { Explain } from '../explain/Explain';
import { rulesSaid } from '../export/InForce';
import { subjectOf } from '../filter/subject';
import { TileContent } from '../TileContent';
import type { WidgetActions } from '../WidgetBody';
import { choosingRules } from '../words';
import { ItemsBehind } from '../explain/ItemsBehind';
import type { WidgetAnswer } from '../engine';
import { noFilters, type Filters, type JsonObject, type Widget } from '../model';
import { answerOf, coverage, role } from '../testing';
import { configured } from './kind';
import { kindOf } from '.';

// Each chart here has a frame of its own.
beforeAll(() =>
  vi.stubGlobal('requestAnimationFrame', (run: FrameRequestCallback) => (queueMicrotask(() => run(0)), 1)),
);
afterAll(() => vi.unstubAllGlobals());

const boards: BoardInfo[] = ['one', 'two'].map((id) => ({
  id,
  workspaceId: 'w',
  name: `Team ${id}`,
  revision: 1,
  itemCount: 3,
  columns: [
    { id: `${id}-s`, title: 'Sprint', type: 'text', settings: {} },
    { id: `${id}-e`, title: 'Points', type: 'number', settings: {} },
    {
      id: `${id}-d`,
      title: 'Status',
      type: 'status',
      settings: { labels: [{ id: 'x', text: 'Shipped', color: '#00aa55', done: false }] },
    },
  ],
}));
const all = (column: string) => Object.fromEntries(boards.map(({ id }) => [id, [`${id}-${column}`]]));
const cols = { sprint: all('s'), effort: all('e'), done: all('d') };
const widgetOf = (kind: string, settings: JsonObject = {}): Widget => ({
  id: 'w',
  kind,
  title: 'Mine',
  layout: { x: 0, y: 0, w: 6, h: 6 },
  settings,
});
const written = (value: number | null): Written => ({
  value,
  text: value === null ? '—' : `${value}`,
  full: value === null ? '—' : `${value}.0`,
});
const sprint = (key: string, phase: Sprint['phase']): Sprint => ({
  key,
  label: key.toUpperCase(),
  phase,
  from: '2026-11-02',
  to: '2026-11-06',
});

function draw(answer: WidgetAnswer, asTable = false, settings: JsonObject = {}) {
  const onPick = vi.fn();
  const widget = widgetOf(answer.kind, settings);
  const kind = kindOf(answer.kind)!;
  render(
    <kind.View
      {...configured(widget, answer)}
      widget={widget}
      answer={answer}
      boards={boards}
      asTable={asTable}
      onPick={onPick}
    />,
  );
  return onPick;
}
const cells = () =>
  within(screen.getByRole('table'))
    .getAllByRole('row')
    .map((row) => [...row.children].map((cell) => cell.textContent));
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
const hints = () => [...document.querySelectorAll('[data-pick] > title')].map((title) => title.textContent);

describe('chart', () => {
  const result = (more: Partial<ChartResult>): ChartResult => ({
    variant: 'column',
    function: 'sum',
    categories: [
      { key: 'done', kind: 'value', label: 'Done', color: '#00aa55' },
      { key: '', kind: 'empty', label: '(empty)' },
    ],
    series: [{ key: '', label: '', values: [3, 1], items: [2, 1], texts: ['3', '1'], fulls: ['3.0', '1.0'] }],
    format: {},
    footnotes: [],
    ...more,
  });
  const stacked = (variant: ChartResult['variant']) =>
    result({
      variant,
      series: [
        { key: 'a', kind: 'value', label: 'Ada', values: [2, 1], items: [1, 1], texts: ['2', '1'], fulls: ['2', '1'] },
        {
          key: '',
          kind: 'empty',
          label: '(empty)',
          values: [1, null],
          items: [1, 0],
          texts: ['1', '—'],
          fulls: ['1', '—'],
        },
      ],
    });

  it.each(['column', 'bar', 'line'] as const)(
    '%s is stacked, named, and each part leads to its items',
    async (variant) => {
      const onPick = draw(answerOf('chart', stacked(variant)));
      expect(screen.getByRole('img').textContent).toContain('2 values');
      expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual(['Ada', '(empty)']);
      const told = hints();
      expect(told).toHaveLength(3);
      await userEvent.click(document.querySelectorAll('[data-pick]')[0]!);
      expect(onPick).toHaveBeenCalledWith(
        { x: { kind: 'value', key: 'done' }, z: { kind: 'value', key: 'a' } },
        told[0],
      );
    },
  );

  it('a line ends at its last date: those without one stand apart, and are named', () => {
    const days = Array.from({ length: 30 }, (_, at) => `2026-11-${String(at + 1).padStart(2, '0')}`);
    const values = [...days.map((_, at) => at), 30];
    const texts = values.map(String);
    const categories = [
      ...days.map((day) => ({ key: day, kind: 'value' as const, label: day })),
      { key: '', kind: 'empty' as const, label: '(empty)' },
    ];
    draw(
      answerOf(
        'chart',
        result({
          variant: 'line',
          bucket: 'day',
          categories,
          series: [{ key: '', label: '', values, items: values, texts, fulls: texts }],
        }),
      ),
    );
    const [first, second, ...more] = document.querySelector('path.chart-path')!.getAttribute('d')!.split('M').slice(1);
    expect([first!.split('L').length, second!.split('L').length, more]).toEqual([30, 1, []]);
    expect([...document.querySelectorAll('.chart-label')].at(-1)?.textContent).toBe('(empty)');
    expect(hints().at(-1)).toBe('(empty): 30');
  });

  it('a line of days names them as people do, each whole, and a value without neighbors is seen', () => {
    const from = Date.UTC(2026, 10, 3);
    const line = (length: number) => {
      const days = Array.from({ length }, (_, at) => new Date(from + at * 86_400_000).toISOString().slice(0, 10));
      const values = days.map((_, at) => (at > 3 && at !== 30 ? null : at));
      const texts = values.map(String);
      draw(
        answerOf(
          'chart',
          result({
            variant: 'line',
            bucket: 'day',
            categories: days.map((day) => ({ key: day, kind: 'value', label: day })),
            series: [{ key: '', label: '', values, items: values.map(Number), texts, fulls: texts }],
          }),
        ),
      );
      return [...document.querySelectorAll('.chart-label')].map((label) => label.textContent);
    };
    expect(line(40)[0]).toBe('Nov 3');
    document.body.replaceChildren();
    // Of several years: no name stands twice, none is cut.
    const names = line(62);
    expect(names[0]).toBe('Nov 3, 2026');
    expect([new Set(names).size, names.join().includes('…')]).toEqual([names.length, false]);
    const [first, second] = [...document.querySelectorAll('.chart-label')].map((label) =>
      Number(label.getAttribute('x')),
    );
    expect(second! - first!).toBeGreaterThan(names[0]!.length * LETTER_PX * 1.5);
    expect([...document.querySelectorAll('.chart-dot')].map((dot) => dot.getAttribute('r'))).toEqual([
      '1.5',
      '1.5',
      '1.5',
      '1.5',
      '3',
    ]);
  });

  it.each(['column', 'bar', 'line'] as const)('%s and its table write days and weeks as people do', (variant) => {
    const days = ['2026-12-28', '2027-01-04'];
    const categories = [
      ...days.map((day) => ({ key: day, kind: 'value' as const, label: day })),
      { key: '', kind: 'empty' as const, label: '(empty)' },
    ];
    const answer = answerOf(
      'chart',
      result({
        variant,
        bucket: 'week',
        categories,
        series: [
          { key: '', label: '', values: [1, 2, 3], items: [1, 2, 3], texts: ['1', '2', '3'], fulls: ['1', '2', '3'] },
        ],
      }),
    );
    draw(answer);
    expect(hints()).toEqual(['Dec 28, 2026: 1', 'Jan 4, 2027: 2', '(empty): 3']);
    document.body.replaceChildren();
    draw(answer, true);
    expect(screen.getAllByRole('rowheader').map((head) => head.textContent)).toEqual([
      'Dec 28, 2026',
      'Jan 4, 2027',
      '(empty)',
    ]);
  });

  it.each(['day', 'month'] as const)('writes its parts by %s as its axis, in the legend and the table', (bucket) => {
    const spans = ['2026-12-28', '2027-01-04'].map((day) =>
      bucket === 'day' ? { key: day, label: day } : { key: `${day.slice(0, 7)}-01`, label: day.slice(0, 7) },
    );
    const categories = spans.map((span) => ({ ...span, kind: 'value' as const }));
    const series = [...categories, { key: '', kind: 'empty' as const, label: '(empty)' }].map((one) => ({
      ...one,
      values: [1, 2],
      items: [1, 2],
      texts: ['1', '2'],
      fulls: ['1', '2'],
    }));
    const answer = answerOf('chart', result({ bucket, seriesBucket: bucket, categories, series }));
    draw(answer, true);
    const heads = screen.getAllByRole('columnheader').map((head) => head.textContent);
    const named = bucket === 'day' ? ['Dec 28, 2026', 'Jan 4, 2027'] : ['Dec 2026', 'Jan 2027'];
    expect(heads.slice(1)).toEqual([...named, '(empty)']);
    expect(screen.getAllByRole('rowheader').map((head) => head.textContent)).toEqual(named);
    document.body.replaceChildren();
    draw(answer);
    for (const name of [...named, '(empty)'])
      expect(screen.getByText(name, { selector: '.chart-legend *' })).toBeTruthy();
  });

  it.each(['pie', 'donut'] as const)('%s has shares that are said and written', async (variant) => {
    const answer = answerOf(
      'chart',
      result({ variant, percents: [75, 25], total: { value: 4e6, text: '$4M', full: '$4,000,000' } }),
    );
    draw(answer);
    expect(hints()).toEqual(['Done: 3.0 (75%)', '(empty): 1.0 (25%)']);
    expect(screen.queryByText('$4M') !== null).toBe(variant === 'donut');
    const onPick = draw(answer, true, { y: { function: 'sum' } });
    expect(cells()).toEqual([
      ['Value', 'Sum', 'Share', 'Items'],
      ['Done', '3.0', '75%', '2'],
      ['(empty)', '1.0', '25%', '1'],
    ]);
    await press('(empty), Sum: 1.0, show items');
    expect(onPick).toHaveBeenCalledWith({ x: { kind: 'empty', key: '' } }, '(empty), Sum: 1.0');
  });

  it('one slice alone is a whole ring, and no number is none', () => {
    draw(
      answerOf(
        'chart',
        result({
          variant: 'pie',
          categories: [{ key: 'a', kind: 'value', label: 'A' }],
          series: [{ key: '', label: '', values: [3], items: [1], texts: ['3'], fulls: ['3'] }],
          percents: [100],
        }),
      ),
    );
    expect(document.querySelector('.chart-mark')?.getAttribute('d')).not.toContain('NaN');
  });

  it('a stack as a table has a column for each part', () => {
    draw(answerOf('chart', stacked('column')), true);
    expect(cells()).toEqual([
      ['Value', 'Ada', '(empty)'],
      ['Done', '2', '1'],
      ['(empty)', '1', '—'],
    ]);
  });
});

describe('sprints', () => {
  const velocity: VelocityResult = {
    measure: 'effort',
    sprints: [
      { ...sprint('s1', 'closed'), completed: written(5), scope: written(8), items: 3 },
      { ...sprint('s2', 'active'), completed: written(2), scope: written(9), items: 4 },
    ],
    average: written(5),
    averageOf: ['s1'],
    format: {},
    footnotes: [{ code: 'no-effort', items: 2 }],
  };

  it('velocity: the active sprint is hatched, the average named, the scope of today', async () => {
    draw(answerOf('velocity', velocity, { cols }));
    expect(screen.getByText('Average 5 over the last closed sprint')).toBeTruthy();
    expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
      'Completed',
      'Active sprint',
      'Scope (today)',
    ]);
    expect([...document.querySelectorAll('[data-look="hatch"]')].length).toBeGreaterThan(1);
    const onPick = draw(answerOf('velocity', velocity, { cols }), true);
    expect(cells()).toEqual([
      ['Sprint', 'Completed', 'Scope (today)'],
      ['S1', '5.0', '8.0'],
      ['S2 (active)', '2.0', '9.0'],
    ]);
    await press('S2 (active), Scope (today): 9.0, show items');
    expect(onPick.mock.lastCall?.[0]).toEqual({ sprint: 's2', which: 'scope' });
  });

  it('velocity by board has a part for each', () => {
    const byBoard = boards.map(({ id, name }, at) => ({ id, name, completed: [written(at ? 3 : 2), written(1)] }));
    draw(answerOf('velocity', { ...velocity, boards: byBoard }, { cols }), true);
    expect(cells()[1]).toEqual(['S1', '5.0', '2.0', '3.0', '8.0']);
  });

  it('planned: four sums and the share, unknown only where there is some', async () => {
    const result: PlannedResult = {
      measure: 'items',
      graceDays: 1,
      sprints: [
        {
          ...sprint('s1', 'closed'),
          plannedDone: written(3),
          plannedOpen: written(1),
          unplannedDone: written(2),
          unplannedOpen: written(0),
          unknownDone: written(0),
          unknownOpen: written(0),
          unplannedPercent: { value: 33.3, text: '33%', full: '33%' },
        },
      ],
      format: {},
      footnotes: [],
    };
    draw(answerOf('planned', result));
    expect(hints()).toEqual(['S1, Planned, done: 3.0', 'S1, Planned, open: 1.0', 'S1, Unplanned, done: 2.0']);
    const onPick = draw(answerOf('planned', result), true);
    expect(cells()).toEqual([
      ['Sprint', 'Planned, done', 'Planned, open', 'Unplanned, done', 'Unplanned, open', 'Unplanned share'],
      ['S1', '3.0', '1.0', '2.0', '0.0', '33%'],
    ]);
    await press('S1, Unplanned, done: 2.0, show items');
    expect(onPick.mock.lastCall?.[0]).toEqual({ sprint: 's1', which: 'unplannedDone' });
  });

  const burndown: BurndownResult = {
    measure: 'effort',
    sprint: sprint('s2', 'active'),
    sprints: [sprint('s2', 'active')],
    graceDays: 1,
    ideal: [10, 5, 0].map((value, at) => ({ ...(at ? { day: `2026-11-0${at + 1}` } : {}), value })),
    days: [
      { day: null, scope: written(10), remaining: written(10) },
      { day: '2026-11-02', scope: written(12), remaining: written(7) },
    ],
    remaining: written(7),
    projection: { perDay: 5, days: 2, day: '2026-11-04' },
    format: {},
    footnotes: [{ code: 'done-without-date', items: 3 }],
  };

  it('burndown: what is left, the scope that grew, the ideal to its end', async () => {
    draw(answerOf('burndown', burndown, { cols, approximate: true }));
    expect(screen.getByText(/^S2 \(active\).*: 7 points left, projected to finish on/, { selector: 'p' })).toBeTruthy();
    expect(screen.getByRole('img').textContent).toMatch(/At the start: 10\.0\. Scope changed: \+2 on/);
    expect(screen.getByText('Today')).toBeTruthy();
    const onPick = draw(answerOf('burndown', burndown, { cols }), true);
    expect(cells().map((row) => row.slice(1))).toEqual([
      ['Remaining', 'Scope', 'Ideal'],
      ['10.0', '10.0', '10'],
      ['7.0', '12.0', '5'],
      ['—', '—', '0'],
    ]);
    await userEvent.click(screen.getByRole('button', { name: /Remaining: 7\.0, show items/ }));
    expect(onPick.mock.lastCall?.[0]).toEqual({ which: 'remaining' });
  });

  it('a burndown that has not begun has an ideal only', () => {
    draw(
      answerOf(
        'burndown',
        { ...burndown, sprint: sprint('s3', 'future'), days: [], remaining: written(null) },
        { cols },
      ),
    );
    expect(screen.getByText(/^S3 \(not started\)/, { selector: 'p' })).toBeTruthy();
    expect(document.querySelectorAll('.chart-dot')).toHaveLength(0);
  });

  it('labels that mean done are chosen by board, and days are given', async () => {
    const kind = kindOf('velocity')!;
    const onChange = vi.fn();
    const answer = answerOf(
      'velocity',
      { ...velocity, sprints: [{ ...velocity.sprints[0]!, phase: 'undated' }] },
      { cols, roles: [role('done', 'status')] },
    );
    const settings = { done: { one: [] }, theirs: 1 };
    render(
      <kind.Editor
        settings={settings}
        roles={answer.roles}
        cols={cols}
        answer={answer}
        boards={boards}
        onChange={onChange}
      />,
    );
    await userEvent.click(screen.getByText('Shipped'));
    expect(onChange).toHaveBeenCalledWith({ done: { one: ['x'] }, theirs: 1 });
    await userEvent.type(screen.getByLabelText('S1, first day'), '2');
    expect(onChange.mock.lastCall?.[0]).toEqual({ ...settings, sprints: [{ key: 's1', from: '2', to: '' }] });
  });

  it('a sprint whose days were given keeps its fields, also where it is no longer shown', () => {
    const kind = kindOf('velocity')!;
    const settings = {
      sprints: [
        { key: 's1', from: '2026-11-02', to: '' },
        { key: 'later', from: '2027-01-01', to: '' },
      ],
    };
    render(
      <kind.Editor
        settings={settings}
        roles={[]}
        cols={cols}
        answer={answerOf('velocity', velocity)}
        boards={boards}
        onChange={() => {}}
      />,
    );
    expect(
      screen.getAllByRole('textbox').map((field) => field.closest('[role="group"]')?.getAttribute('aria-label')),
    ).toEqual(['S1', 'S1', 'later', 'later']);
  });

  it('explains itself: formula, boards, columns, what is approximate and what cannot be known', () => {
    const answer = answerOf('burndown', burndown, {
      cols: { ...cols, done: { one: ['one-d'] } },
      roles: [role('sprint', 'text'), role('done', 'status')],
      approximate: true,
      reasons: ['no-history'],
      coverage: {
        ...coverage,
        boardsTotal: 2,
        itemsUsed: 1,
        itemsTotal: 6,
        itemsSkipped: 2,
        skippedWhy: [
          { reason: 'unmapped', boards: ['two'] },
          { reason: 'other-sprint', items: 2 },
        ],
        inertRules: [
          { id: 'r', reason: 'deleted-label' },
          { id: 'p', reason: 'no-value' },
          { id: 'q', reason: 'lost-label', lost: ['Old', 'Older'] },
          { id: 'q', reason: 'lost-column', lost: ['Ship'] },
        ],
        reach: [{ rule: 'q', boards: 1, of: 2 }],
        labels: [{ label: 'Secret', boards: 1, of: 2 }],
      },
    });
    const filters: Filters = {
      ...noFilters(),
      all: [
        { id: 'r', col: { by: 'title', title: 'Status', type: 'status' } },
        { any: [{ id: 'q', col: { by: 'title', title: 'Team' } }] },
        { id: 'p', col: { by: 'ids', ids: { one: ['one-e'] } } },
      ],
    };
    render(
      <Explain
        widget={widgetOf('burndown')}
        title="Mine"
        kind={kindOf('burndown')!}
        answer={answer}
        boards={boards}
        filters={filters}
        inForce={[]}
        members={new Map()}
        onClose={() => {}}
      />,
    );
    for (const line of [
      /^Remaining on a day/,
      /takes 2 more working days\.$/,
      '1 of 2 boards',
      '1 of 6 items used, 2 matching items skipped',
      '1 board without a column for it',
      '2 items in other sprints',
      'The rule about Status has no effect: the label was deleted.',
      'The rule about Points has no effect: no value yet.',
      'The rule about Team is partly applied: the label was deleted: Old, Older.',
      'The rule about Team is partly applied: the column was deleted on board Ship.',
      "The rule about Team applies to 1 of 2 boards. The others don't have that column.",
      '1 of 2 boards has the label Secret that a rule uses.',
      '3 items done without a completion date.',
      /^There is no history, so each day is estimated/,
      'Items done and then reopened.',
    ]) {
      expect(screen.getByText(line)).toBeTruthy();
    }
    expect(cells()).toEqual([
      ['Board', 'Sprint column', 'Done column'],
      ['Team one', 'Sprint', 'Status'],
      ['Team two', 'Sprint', 'None (board left out)'],
    ]);
  });
});

it('names the rules of the widget itself by their columns, as those of the dashboard', () => {
  const about = (id: string, title: string) => ({ id, col: { by: 'title', title } });
  const settings = {
    rules: [about('a', 'Team')],
    ratio: { rules: [{ any: [about('a', 'Area')] }] },
    per: { rules: [about('a', 'Phase')] },
  } as JsonObject;
  const inertRules = (['rules', 'ratio', 'per'] as const).map((own) => ({
    id: 'a',
    reason: 'deleted-label' as const,
    own,
  }));
  const answer = answerOf('numbers', undefined, { settings, coverage: { ...coverage, inertRules } });
  render(
    <Explain
      widget={widgetOf('numbers', settings)}
      title="Mine"
      kind={kindOf('numbers')!}
      answer={answer}
      boards={boards}
      filters={noFilters()}
      inForce={['Status is Done']}
      members={new Map()}
      onClose={() => {}}
    />,
  );
  for (const title of ['Team', 'Area', 'Phase'])
    expect(screen.getByText(`The rule about ${title} has no effect: the label was deleted.`)).toBeTruthy();
});

describe('the rules in force', () => {
  const about = (id: string, op: string, value: string) => ({
    id,
    col: { by: 'title', title: 'Status', type: 'status' },
    op,
    value: [value],
  });
  const settings = {
    rules: [about('a', 'anyOf', 'Done'), { ...about('c', 'anyOf', 'Cut'), off: true }],
    ratio: { rules: [about('b', 'noneOf', 'Open')] },
  } as JsonObject;

  it('are said by Explain, those of the widget itself too', () => {
    render(
      <Explain
        widget={widgetOf('numbers', settings)}
        title="Mine"
        kind={kindOf('numbers')!}
        answer={answerOf('numbers', undefined, { settings })}
        boards={boards}
        filters={noFilters()}
        inForce={['People: Ada']}
        members={new Map()}
        onClose={() => {}}
      />,
    );
    for (const line of [
      'People: Ada.',
      'This widget only: Status is any of Done.',
      'An item matches if: Status is none of Open.',
    ])
      expect(screen.getByText(line)).toBeTruthy();
    expect(screen.queryByText(/Cut/)).toBeNull();
  });

  it('stand in the tile, and so on paper and pictures, where they are its own', () => {
    const actions = {} as WidgetActions;
    const rules = rulesSaid(choosingRules(settings), {
      subject: subjectOf(boards),
      members: new Map(),
      inert: [{ id: 'a', reason: 'deleted-label' }],
    });
    render(
      <TileContent
        {...actions}
        widget={widgetOf('numbers', settings)}
        title="Mine"
        kind={kindOf('numbers')}
        answer={undefined}
        boardIds={['one']}
        error={null}
        infos={boards}
        missing={[]}
        isLoading
        failed={[]}
        onlyThis={() => null}
        reach={[]}
        faults={[]}
        rules={rules}
      />,
    );
    expect(screen.getByText('Only: Status is any of Done (has no effect: the label was deleted)')).toBeTruthy();
  });
});

it('burndown tells of recorded days only where there are days that were recorded', () => {
  const formula = (answer: WidgetAnswer) =>
    kindOf('burndown')!.explain(configured(widgetOf('burndown'), answer), boards, answer)[0];
  expect(
    formula(answerOf('burndown', undefined, { state: { name: 'no-values' }, reasons: ['undated-sprints'] })),
  ).toMatch(/^Remaining on a day/);
  expect(formula(answerOf('burndown', undefined, { state: { name: 'unmapped', roles: ['sprint'] } }))).toMatch(
    /^Remaining on a day/,
  );
});

describe('kinds off the menu are drawn where a config names them', () => {
  it('battery: what is done, each label, and its items', async () => {
    const result: BatteryResult = {
      segments: [
        { key: 'done', kind: 'value', label: 'Done', color: '#00aa55', value: 2, items: 2, percent: 66 },
        { key: 'open', kind: 'value', label: 'Open', value: 1, items: 1, percent: 33 },
      ],
      donePercent: 66,
      total: 3,
      footnotes: [],
    };
    draw(answerOf('battery', result));
    expect(screen.getByRole('img').getAttribute('aria-label')).toBe('Mine: 66% done. Done 66%, Open 33%.');
    const onPick = draw(answerOf('battery', result), true);
    expect(cells()).toEqual([
      ['Label', 'Share', 'Items'],
      ['Done', '66%', '2'],
      ['Open', '33%', '1'],
    ]);
    await press('Open, Items: 1, show items');
    expect(onPick.mock.lastCall?.[0]).toEqual({ label: { kind: 'value', key: 'open' } });
  });

  it('table: the items with their cells, whatever these hold', () => {
    const result: TableResult = {
      columns: [
        { title: 'Cost', type: 'number' },
        { title: 'Owner', type: 'people' },
        { title: 'When', type: 'timeline' },
      ],
      rows: [
        {
          boardId: 'one',
          itemId: 'i1',
          name: '',
          group: 'Main',
          cells: [
            { text: '1,200', value: 1200 },
            { text: 'Ada, <b>Bo</b>' },
            { text: '2026-01-01 – 2026-01-02', color: '#00aa55' },
          ],
        },
        { boardId: 'two', itemId: 'i2', name: 'Two', group: '', cells: [null, null, null] },
      ],
      total: 2,
      offset: 0,
    };
    draw(answerOf('table', result));
    expect(cells().slice(1)).toEqual([
      ['Unnamed item', '1,200', 'Ada, <b>Bo</b>', '2026-01-01 – 2026-01-02'],
      ['Two', '', '', ''],
    ]);
  });
});

describe('what a chart is stacked by', () => {
  const kind = kindOf('chart')!;
  const edit = (settings: JsonObject) => {
    const onChange = vi.fn<(next: JsonObject) => void>();
    render(
      <kind.Editor settings={settings} roles={[]} cols={{}} answer={undefined} boards={boards} onChange={onChange} />,
    );
    return onChange;
  };
  const open = (label: RegExp) => userEvent.setup().click(screen.getByRole('button', { name: label }));

  it('cannot be chosen for what does not add up', async () => {
    edit({ variant: 'column', y: { function: 'average' } });
    await open(/Stack by/);
    const option = screen.getByRole('option', { name: /Group/ });
    expect(option.getAttribute('aria-disabled')).toBe('true');
    expect(option.textContent).toContain("Average can't be added up");
  });

  it('goes where the function is changed to one that does not', async () => {
    const onChange = edit({ variant: 'column', y: { function: 'sum' }, z: { by: 'group' } });
    await open(/Function/);
    await userEvent.setup().click(screen.getByRole('option', { name: /Average/ }));
    expect(onChange.mock.lastCall?.[0]).toMatchObject({ y: { function: 'average' }, z: null });
  });
});

describe('the items behind a value', () => {
  const item = (at: number) => ({
    boardId: at % 2 ? 'two' : 'one',
    itemId: `i${at}`,
    name: `Item ${at}`,
    group: 'Main',
  });

  it('are listed a page at a time, each with its board and a link', async () => {
    const load = vi.fn(({ offset = 0, limit = 0 }: { offset?: number; limit?: number }) =>
      Promise.resolve({
        total: 150,
        items: Array.from({ length: Math.min(limit, 150 - offset) }, (_, at) => item(offset + at)),
      }),
    );
    render(<ItemsBehind widget="w" title="Done: 150" part={{ x: 1 }} boards={boards} load={load} onClose={() => {}} />);
    expect((await screen.findByText('Item 0')).getAttribute('href')).toBe('/boards/one?item=i0');
    expect(screen.getAllByText('Team two, Main')).toHaveLength(50);
    expect(screen.getByText('100 of 150 items')).toBeTruthy();
    await press('Show 50 more');
    expect(await screen.findByText('Item 149')).toBeTruthy();
    expect(load.mock.calls.map(([of]) => of)).toEqual([
      { widget: 'w', offset: 0, limit: 100, part: { x: 1 } },
      { widget: 'w', offset: 100, limit: 100, part: { x: 1 } },
    ]);
    expect(screen.queryByRole('button', { name: /^Show/ })).toBeNull();
  });

  it('stay when more cannot be listed, until trying again brings them', async () => {
    const page = (offset: number) => ({
      total: 150,
      items: Array.from({ length: Math.min(100, 150 - offset) }, (_, at) => item(offset + at)),
    });
    const load = vi.fn(({ offset = 0 }: { offset?: number }) => Promise.resolve(page(offset)));
    render(<ItemsBehind widget="w" title="Done" boards={boards} load={load} onClose={() => {}} />);
    await screen.findByText('Item 99');
    load.mockRejectedValueOnce(new Error('The engine ended.'));
    await press('Show 50 more');
    expect((await screen.findByRole('alert')).textContent).toBe("Couldn't load more items. The engine ended.");
    expect(screen.getByText('Item 99')).toBeTruthy();
    await press('Try again');
    expect(await screen.findByText('Item 149')).toBeTruthy();
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('say why they cannot be listed', async () => {
    render(
      <ItemsBehind
        widget="w"
        title="Done"
        boards={boards}
        load={() => Promise.reject(new Error('There is no such category.'))}
        onClose={() => {}}
      />,
    );
    expect((await screen.findByRole('alert')).textContent).toContain('There is no such category.');
  });
});
