import { fireEvent, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi, type Mock } from 'vitest';
import type { ChartResult } from '@shell/engine/types';
import { NO_VALUES } from '@shell/gen/titles';
import type { BoardInfo, ConnectedBoards } from './boards';
import type { WidgetAnswer } from './engine';
import { Grid } from './Grid';
import type { Widget } from './model';
import { SavedState } from './SavedState';
import { answerOf, coverage, role } from './testing';
import { WidgetBody, type WidgetActions } from './WidgetBody';
import { kindOf } from './widgets';

const costs: BoardInfo = {
  id: 'b1',
  workspaceId: 'w',
  name: 'Costs',
  revision: 1,
  itemCount: 214,
  columns: [{ id: 'c1', title: 'Cost', type: 'number', settings: { currency: 'USD' } }],
};
const connected = (more: Partial<ConnectedBoards> = {}): ConnectedBoards => ({
  infos: [costs],
  missing: [],
  isLoading: false,
  failed: [],
  revision: '1',
  retry: () => {},
  ...more,
});
const figure = { value: 1_234_567.5, text: '$1.2M', full: '$1,234,567.50', format: {} };
const answer = (more: Partial<WidgetAnswer> = {}) =>
  answerOf('numbers', figure, { cols: { value: { b1: ['c1'] } }, ...more });
const widget = (kind: string, settings: Widget['settings'] = {}): Widget => ({
  id: 'w',
  kind,
  title: 'Spent',
  layout: { x: 0, y: 0, w: 3, h: 3 },
  settings,
});

function show(more: {
  kind?: string;
  settings?: Widget['settings'];
  answer?: WidgetAnswer;
  boards?: ConnectedBoards;
  boardIds?: string[];
  error?: unknown;
}) {
  const actions = Object.fromEntries(
    [
      'connectBoards',
      'edit',
      'clearFilters',
      'retry',
      'openBoard',
      'remove',
      'change',
      'reset',
      'explain',
      'onPick',
    ].map((name) => [name, vi.fn()]),
  ) as unknown as { [action in keyof WidgetActions]: Mock<() => void> };
  const kind = more.kind ?? 'numbers';
  render(
    <WidgetBody
      widget={widget(kind, more.settings ?? { function: 'sum' })}
      kind={kindOf(kind)}
      answer={more.answer}
      boards={more.boards ?? connected()}
      boardIds={more.boardIds ?? ['b1']}
      error={more.error ?? null}
      actions={actions}
    />,
  );
  return actions;
}

describe('each state has its words and one button', () => {
  const cases: [string, Parameters<typeof show>[0], RegExp, string, keyof WidgetActions][] = [
    ['no-boards', { boardIds: [] }, /No boards are connected/, 'Connect boards', 'connectBoards'],
    [
      'none available',
      { boards: connected({ infos: [], missing: ['b1'] }) },
      /No connected boards are available/,
      'Connect boards',
      'connectBoards',
    ],
    [
      'none of its own available',
      {
        boardIds: ['b1', 'gone'],
        settings: { boards: ['gone'] },
        boards: connected({ missing: ['gone'] }),
        answer: answer({ state: { name: 'no-boards' } }),
      },
      /This widget's boards aren't available now/,
      'Edit widget',
      'edit',
    ],
    [
      'none of its own connected',
      { settings: { boards: ['other'] }, answer: answer({ state: { name: 'no-boards' } }) },
      /No boards are selected for this widget/,
      'Choose boards',
      'edit',
    ],
    [
      'error of a board',
      { boards: connected({ failed: [{ id: 'b1', name: 'Costs', error: new Error('No answer.') }] }) },
      /Costs couldn't be loaded. No answer/,
      'Try again',
      'retry',
    ],
    [
      'error of the engine',
      { error: new Error('It broke.') },
      /Couldn't compute this widget. It broke/,
      'Try again',
      'retry',
    ],
    [
      'unmapped',
      { answer: answer({ state: { name: 'unmapped', roles: ['value'] } }) },
      /Choose a number column/,
      'Choose columns',
      'edit',
    ],
    [
      'no column to choose',
      { answer: answer({ state: { name: 'unmapped', roles: ['value'] }, roles: [role('value', 'currency')] }) },
      /This widget needs a number column, and Costs has none/,
      'Count items',
      'change',
    ],
    [
      'no column to choose, nor to do without',
      {
        kind: 'velocity',
        answer: answerOf('velocity', undefined, {
          state: { name: 'unmapped', roles: ['effort'] },
          roles: [role('effort', 'rating')],
        }),
      },
      /This widget needs an effort column, and Costs has none/,
      'Open board',
      'openBoard',
    ],
    [
      'no-items',
      { answer: answer({ state: { name: 'no-items' } }) },
      /board has no items yet/,
      'Open board',
      'openBoard',
    ],
    [
      'all-filtered',
      { answer: answer({ state: { name: 'all-filtered', total: 214 } }) },
      /0 of 214 items match/,
      'Clear filters',
      'clearFilters',
    ],
    [
      'all-filtered by its own rules',
      { answer: answer({ state: { name: 'all-filtered', total: 214 }, reasons: ['own-rules'] }) },
      /0 of 214 items match this widget's rules/,
      'Edit widget',
      'edit',
    ],
    [
      'no-values',
      { answer: answer({ state: { name: 'no-values' } }) },
      /214 items, but none has a value/,
      'Edit widget',
      'edit',
    ],
    [
      'no sprints',
      {
        kind: 'velocity',
        answer: answerOf('velocity', undefined, { state: { name: 'no-values' }, reasons: ['no-sprints'] }),
      },
      /No items in a sprint yet/,
      'Choose columns',
      'edit',
    ],
    [
      'only future sprints',
      {
        kind: 'planned',
        answer: answerOf('planned', undefined, {
          state: { name: 'no-values' },
          reasons: ['only-future-sprints', 'created-after-start'],
        }),
      },
      /No sprint has started yet/,
      'Edit widget',
      'edit',
    ],
    [
      'no done labels',
      {
        kind: 'velocity',
        answer: answerOf('velocity', undefined, { state: { name: 'no-values' }, reasons: ['no-done-labels'] }),
      },
      /No label is marked as done/,
      'Choose labels',
      'edit',
    ],
    [
      'nothing estimated',
      {
        kind: 'burndown',
        answer: answerOf('burndown', undefined, {
          state: { name: 'no-values' },
          reasons: ['nothing-estimated', 'no-history'],
        }),
      },
      /have effort values/,
      'Choose columns',
      'edit',
    ],
    [
      'sprint gone',
      {
        kind: 'burndown',
        answer: answerOf('burndown', undefined, { state: { name: 'no-values' }, reasons: ['sprint-gone'] }),
      },
      /no longer exists/,
      'Show current sprint',
      'change',
    ],
    [
      'undated sprints',
      {
        kind: 'burndown',
        answer: answerOf('burndown', undefined, { state: { name: 'no-values' }, reasons: ['undated-sprints'] }),
      },
      /have no dates/,
      'Set dates',
      'edit',
    ],
    [
      'negative pie',
      {
        kind: 'chart',
        answer: answerOf('chart', undefined, { state: { name: 'no-values' }, reasons: ['negative-pie'] }),
      },
      /negative values/,
      'Show as columns',
      'change',
    ],
    [
      'wrong settings',
      { answer: answer({ state: { name: 'error', boards: [], message: 'invalid type' } }) },
      /This widget's settings are invalid: invalid type/,
      'Reset settings',
      'reset',
    ],
    ['unknown kind', { kind: 'gantt' }, /can't show widgets of type “gantt”/, 'Remove', 'remove'],
  ];
  it.each(cases)('%s', async (_name, given, words, button, action) => {
    const actions = show(given);
    expect(screen.getByText(words)).toBeTruthy();
    const buttons = screen.getAllByRole('button');
    expect(buttons.map((one) => one.textContent)).toEqual([button]);
    await userEvent.click(buttons[0]!);
    expect(actions[action]).toHaveBeenCalledOnce();
  });

  it('sessions of agents appear by themselves: there is no board to open', () => {
    show({
      answer: answer({ state: { name: 'no-items' } }),
      boards: connected({ infos: [{ ...costs, id: 'agent-sessions' }, costs] }),
      settings: { boards: ['agent-sessions'] },
    });
    expect(screen.getByText(/No sessions yet/)).toBeTruthy();
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('opens the board of its own that is empty', async () => {
    const board = (id: string, itemCount: number): BoardInfo => ({ ...costs, id, itemCount });
    const boards = connected({ infos: [board('others', 0), board('unmapped', 9), board('empty', 0)] });
    const { openBoard } = show({
      answer: answer({ state: { name: 'no-items' } }),
      boards,
      settings: { boards: ['unmapped', 'empty'] },
    });
    await userEvent.click(screen.getByRole('button', { name: 'Open board' }));
    expect(openBoard).toHaveBeenCalledWith('empty');
  });

  it('loading says so', () => {
    show({ boards: connected({ isLoading: true }) });
    expect(screen.getByRole('status').textContent).toBe('Loading Spent');
  });
});

describe('numbers', () => {
  it('shows the short figure and tells the whole one', () => {
    show({ answer: answer() });
    expect(screen.getByText('$1.2M').getAttribute('aria-hidden')).toBe('true');
    expect(screen.getByTitle('$1,234,567.50').textContent).toContain('$1,234,567.50');
  });
  it('leads to the items that it is made of', async () => {
    const actions = show({ answer: answer() });
    await userEvent.click(screen.getByRole('button', { name: '$1,234,567.50, show items' }));
    expect(actions.onPick).toHaveBeenCalledWith({}, 'Spent: $1,234,567.50');
  });
  it('leads to the items that it is divided by', async () => {
    const actions = show({ answer: answerOf('numbers', { ...figure, per: 3 }) });
    await userEvent.click(screen.getByRole('button', { name: 'per 3 items' }));
    expect(actions.onPick).toHaveBeenCalledWith({ which: 'met' }, "Spent: items it's divided by");
  });
  it('leads from a share to the items that it is of, and to all', async () => {
    const actions = show({ settings: { ratio: { rules: [] } }, answer: answerOf('numbers', figure) });
    await userEvent.click(screen.getByRole('button', { name: 'match: show matching items' }));
    expect(actions.onPick).toHaveBeenCalledWith({ which: 'met' }, 'Spent: matching items');
  });
  it('says why there is no value also to whoever comes to the remedy only', () => {
    show({ answer: answer({ state: { name: 'no-values' }, reasons: ['none-met'] }) });
    const remedy = screen.getByRole('button', { name: 'Edit widget' });
    const words = document.getElementById(remedy.getAttribute('aria-describedby')!)!.textContent;
    expect([words, remedy.closest('.tile-state')?.getAttribute('title')]).toEqual([
      NO_VALUES['none-met'],
      NO_VALUES['none-met'],
    ]);
  });
  it('says that nothing divides it', () => {
    show({ answer: answer({ state: { name: 'no-values' }, reasons: ['none-met'] }) });
    expect(screen.getByText('No items match the rules to divide by.')).toBeTruthy();
  });
  it('says that units are mixed', () => {
    show({ answer: answer({ reasons: ['mixed-units'] }) });
    expect(screen.getByText(/mixed units/)).toBeTruthy();
  });
  it('shows a dash where there is no value', () => {
    show({ answer: answerOf('numbers', { ...figure, value: null }) });
    expect(screen.getByText('No value')).toBeTruthy();
  });
  it('says how many boards contribute', async () => {
    const actions = show({ answer: answer({ coverage: { ...coverage, boardsUsed: 4, boardsTotal: 5 } }) });
    await userEvent.click(screen.getByRole('button', { name: '4 of 5 boards' }));
    expect(actions.edit).toHaveBeenCalled();
  });
});

describe('chart', () => {
  const drawn = (variant: 'column' | 'bar'): ChartResult => ({
    variant,
    function: 'count',
    categories: [
      { key: 'd', kind: 'value', label: 'Done', color: '#00aa55' },
      { key: 's', kind: 'value', label: 'Stuck', color: '#cc2244' },
    ],
    series: [{ key: '', label: '', values: [5, 2], items: [5, 2], texts: ['5', '2'], fulls: ['5', '2'] }],
    format: {},
    footnotes: [],
  });
  it.each(['column', 'bar'] as const)('as %s is a picture with words, and has a table twin', async (variant) => {
    show({
      kind: 'chart',
      settings: { variant, x: { by: 'board' }, y: { function: 'count' } },
      answer: answerOf('chart', drawn(variant)),
    });
    const picture = screen.getByRole('img');
    expect(picture.textContent).toContain('Number of items by Board, 2 values. Largest: Done 5. Smallest: Stuck 2.');
    await userEvent.click(screen.getByRole('button', { name: 'Show as table' }));
    const rows = within(screen.getByRole('table')).getAllByRole('row');
    expect(rows.map((row) => [...row.children].map((cell) => cell.textContent))).toEqual([
      ['Board', 'Number of items'],
      ['Done', '5'],
      ['Stuck', '2'],
    ]);
    await userEvent.click(screen.getByRole('button', { name: 'Show as chart' }));
    expect(screen.getByRole('img')).toBeTruthy();
  });
});

describe('arranging', () => {
  const widgets = [widget('numbers'), { ...widget('numbers'), id: 'v', layout: { x: 0, y: 3, w: 3, h: 3 } }];
  const draw = () => {
    const onArrange = vi.fn();
    render(
      <Grid
        widgets={widgets}
        titleOf={(id) => (id === 'w' ? 'First' : 'Second')}
        onArrange={onArrange}
        edited={null}
        content={() => null}
        menu={() => null}
        head={null}
      />,
    );
    return onArrange;
  };
  const says = () => screen.getByTestId('grid-says').textContent;

  it('lifts, steers and drops by keyboard, keeps the focus and says what happens', async () => {
    const onArrange = draw();
    const user = userEvent.setup();
    screen.getByRole('button', { name: 'Move First' }).focus();
    await user.keyboard('{Enter}');
    expect(says()).toMatch(/^First lifted, column 1, row 1/);
    await user.keyboard('{ArrowDown}');
    expect(says()).toBe('First, column 1, row 4, 3 by 3');
    expect(onArrange).not.toHaveBeenCalled();
    await user.keyboard('{Enter}');
    expect(onArrange.mock.calls[0]?.[0]).toEqual([
      { id: 'w', x: 0, y: 3, w: 3, h: 3 },
      { id: 'v', x: 0, y: 0, w: 3, h: 3 },
    ]);
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Move First');
    // Reading order is the document's order.
    expect(screen.getAllByRole('region').map((tile) => tile.getAttribute('aria-label'))).toEqual(['Second', 'First']);
  });

  it('Escape puts it back, and resizing has a button of its own', async () => {
    const onArrange = draw();
    const user = userEvent.setup();
    screen.getByRole('button', { name: 'Resize First' }).focus();
    await user.keyboard(' {Shift>}{ArrowRight}{/Shift}');
    expect(says()).toBe('First, column 1, row 1, 7 by 3');
    await user.keyboard('{Escape}');
    expect(says()).toMatch(/restored/);
    await user.keyboard(' {ArrowDown} ');
    expect(onArrange.mock.calls).toHaveLength(1);
    expect(onArrange.mock.calls[0]?.[0][0]).toMatchObject({ w: 3, h: 4 });
  });

  it('is not begun by pointer where the tiles stand in one column', () => {
    const onArrange = draw();
    const frame = screen.getByRole('region', { name: 'First' }).parentElement!;
    Object.defineProperty(frame, 'clientWidth', { value: 300 });
    frame.style.gridTemplateColumns = '1fr';
    fireEvent.pointerDown(screen.getByRole('heading', { name: 'First' }).parentElement!, {
      button: 0,
      clientX: 10,
      clientY: 10,
    });
    fireEvent.pointerMove(window, { clientX: 10, clientY: 200 });
    fireEvent.pointerUp(window);
    expect(says()).toBe('');
    expect(onArrange).not.toHaveBeenCalled();
  });

  it('goes by pointer the same way', () => {
    const onArrange = draw();
    const frame = screen.getByRole('region', { name: 'First' }).parentElement!;
    Object.defineProperty(frame, 'clientWidth', { value: 12 * 50 - 12 });
    frame.style.gridTemplateColumns = '1fr '.repeat(12).trim();
    const head = screen.getByRole('heading', { name: 'First' }).parentElement!;
    fireEvent.pointerDown(head, { button: 0, clientX: 10, clientY: 10 });
    fireEvent.pointerMove(window, { clientX: 12, clientY: 11 });
    expect(says()).toBe('');
    fireEvent.pointerMove(window, { clientX: 160, clientY: 10 });
    fireEvent.pointerUp(window);
    expect(onArrange.mock.calls[0]?.[0][0]).toMatchObject({ id: 'w', x: 3, y: 0 });
  });
});

it('the saved state is said in words', async () => {
  const theirs = vi.fn();
  const draw = (saved: Parameters<typeof SavedState>[0]['saved']) => (
    <SavedState saved={saved} onTakeTheirs={theirs} onKeepMine={() => {}} onRestore={() => {}} />
  );
  const { rerender } = render(draw({ kind: 'saved' }));
  const text = () => screen.getByRole('status').textContent;
  expect(text()).toBe('Saved');
  rerender(draw({ kind: 'saving' }));
  expect(text()).toBe('Saving');
  rerender(draw({ kind: 'offline' }));
  expect(text()).toBe('Offline, saved locally');
  rerender(draw({ kind: 'conflict', clashes: [] }));
  expect(text()).toContain('Conflict');
  await userEvent.click(screen.getByRole('button', { name: 'Use theirs' }));
  expect(theirs).toHaveBeenCalled();
});
