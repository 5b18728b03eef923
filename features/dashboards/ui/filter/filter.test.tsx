/** The dashboard's own filter: what it is about, how it is kept, and which boards it reaches. */
import { act, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import type { InertRule, Rule } from '@shell/engine/types';
import type { BoardInfo, Column } from '../boards';
import { inForce } from '../export/InForce';
import { noFilters, readConfig, type Filters } from '../model';
import { RuleList } from '@shell/filters/RuleList';
import { inWords } from '@shell/filters/rules';
import { useRules } from '@shell/filters/useRules';
import { partly, Reach, wrong } from '../toolbar/Reach';
import { coverage } from '../testing';
import { idle, ownRules } from '../words';
import { onlyThis } from '../toolbar/session';
import { Toolbar } from '../toolbar/Toolbar';
import { asked, cleared, typedInto } from './filters';
import { subjectOf } from './subject';

const label = (text: string) => ({ id: text, text, color: '#4a7fd4', done: false });
const column = (id: string, title: string, type: string, labels: string[] = []): Column => ({
  id,
  title,
  type,
  settings: { labels: labels.map(label) },
});
const board = (id: string, name: string, columns: Column[]): BoardInfo => ({
  id,
  workspaceId: 'w',
  name,
  revision: 1,
  itemCount: 2,
  columns,
  groups: [{ name: 'Later' }],
});
const site = board('b1', 'Site', [
  column('c1', 'Status', 'status', ['Open', 'Done']),
  column('c2', 'Owner', 'people'),
  column('c3', 'Note', 'text'),
]);
const app = board('b2', 'App', [
  column('c1', ' status ', 'dropdown', ['done', 'Stuck']),
  column('c2', 'Note', 'number'),
]);
const sales = board('b3', 'Sales', [column('c9', 'Worth', 'number')]);
const subject = subjectOf([site, app, sales]);
const status: Rule = { id: 'r1', col: { by: 'title', title: 'STATUS', type: 'status' }, op: 'anyOf', value: ['Done'] };

describe('what rules are about', () => {
  it('counts columns of one title and family as one, with the labels of all boards', () => {
    expect(subject.fields.map(({ title }) => title)).toEqual([
      'Name',
      'Status',
      'Owner',
      'Note (text)',
      'Note (number)',
      'Worth',
      'Board',
      'Group',
      'Created',
      'Updated',
      'Is a subitem',
    ]);
    const field = subject.fieldOf(status);
    expect(field?.choices).toEqual(['Open', 'Done', 'Stuck']);
    expect(subject.refOf(field!.id)).toEqual({ by: 'title', title: 'Status', type: 'status' });
    expect(subject.fieldOf({ ...status, col: { by: 'ids', ids: { b2: ['c1'] } } })?.id).toBe(field?.id);
    expect(subject.fieldOf({ ...status, col: { by: 'builtin', name: 'board' } })?.choices).toEqual([
      'Site',
      'App',
      'Sales',
    ]);
    expect(subject.fieldOf({ ...status, col: { by: 'title', title: 'Gone', type: 'status' } })).toBeUndefined();
  });

  it('says of a widget which boards a rule reaches, and which it does not', () => {
    const reach = [
      { rule: 'r1', boards: 2, of: 3 },
      { rule: 'people', boards: 1, of: 3 },
      { rule: 'r2', boards: 3, of: 3 },
      { rule: 'r1', boards: 1, of: 3, own: 'per' as const },
    ];
    const worth = { id: 'r1', col: { by: 'title', title: 'Worth', type: 'number' }, op: 'gt', value: 1 };
    const own = ownRules({ per: { rules: [{ strange: true }, { any: [worth, null] }] } } as never);
    expect(partly(reach, { shared: [status], ...own }, subject, [site, app, sales])).toEqual([
      { what: 'Status filter', reached: ['Site', 'App'], others: ['Sales'] },
      { what: 'People', reached: ['Site'], others: ['App', 'Sales'] },
      { what: 'Worth filter', reached: ['Sales'], others: ['Site', 'App'] },
    ]);
    const lost = ['Gone', 'Away'].map((title) => ({ id: title, col: { by: 'title', title, type: 'status' } }));
    expect(
      partly(
        lost.map(({ id }) => ({ rule: id, boards: 0, of: 1 })),
        { shared: lost },
        subject,
        [site],
      ).map(({ what }) => what),
    ).toEqual(['Gone filter', 'Away filter']);
  });
});

it('a widget says which rules do nothing, its own too, whatever they reach', async () => {
  const user = userEvent.setup();
  const nope = { id: 'r1', col: { by: 'title', title: 'Nope', type: 'text' }, op: 'resembles', value: 'a' };
  const begun = { ...status, id: 'r3', value: [] };
  const own = ownRules({ rules: [{ any: [nope, begun] }] } as never);
  const inert: InertRule[] = [
    { id: 'people', reason: 'unknown-member' },
    { id: 'r1', reason: 'deleted-label' },
    { id: 'r1', reason: 'unknown-operator', own: 'rules' },
    { id: 'r3', reason: 'no-value', own: 'rules' },
  ];
  const faults = wrong(inert, { shared: [status], ...own }, subject);
  expect(faults).toEqual([
    { what: 'People', why: 'The member was removed' },
    { what: 'Status filter', why: 'The label was deleted' },
    { what: 'Nope filter', why: 'Unknown comparison' },
  ]);
  const { rerender } = render(<Reach parts={[]} faults={[faults[1]!]} />);
  expect(screen.getByRole('button').textContent).toBe('Status filter: the label was deleted');
  rerender(<Reach parts={[]} faults={[{ what: 'Status filter', why: 'The label was deleted: QA' }]} />);
  expect(screen.getByRole('button').textContent).toBe('Status filter: the label was deleted: QA');
  rerender(<Reach parts={[{ what: 'Worth filter', reached: ['Sales'], others: ['Site'] }]} faults={[faults[1]!]} />);
  await user.click(screen.getByRole('button', { name: '2 filters have problems' }));
  expect([...screen.getByRole('dialog').children].map((one) => one.textContent)).toEqual([
    'Status filterThe label was deleted',
    'Worth filter applies to 1 of 2 boardsWith this columnSalesWithout this columnSite',
  ]);
});

it('a rule of people names them also where its column is gone', () => {
  const rule: Rule = {
    id: 'r',
    col: { by: 'title', title: 'Gone', type: 'people' },
    op: 'anyOf',
    value: ['m1', 'm2', 'me', 'none'],
  };
  expect(inWords(subject, rule, new Map([['m1', 'Anna']]))).toBe(
    'Gone is any of Anna or Former member or Me or Unassigned',
  );
  const byIds: Rule = { ...rule, id: 'r2', col: { by: 'ids', ids: { b: ['c'] } }, value: ['m1', 'Done'] };
  render(<Rules rules={[rule, byIds]} />);
  expect(
    screen.getAllByRole('group', { name: /^Rule/ }).map((line) => line.querySelector('.filter-hint')?.textContent),
  ).toEqual(['Anna or Former member or Me or Unassigned', 'Anna or Done']);
});

function Rules({ rules }: { rules: Rule[] }) {
  const handle = useRules(subject, new Map(), { v: 1, people: null, all: rules }, () => {});
  return <RuleList subject={subject} handle={handle} members={[{ id: 'm1', name: 'Anna' }]} inert={[]} />;
}

describe('how it is kept', () => {
  const strange = { rule: 'of a later version' };
  const stored = readConfig({
    filters: { v: 1, people: 'everyone', all: [strange, status, null, { any: [status, 5] }], later: true },
  }).filters;

  it('asks the engine only what has the form of a filter', () => {
    expect(asked(stored, [])).toEqual({ v: 1, people: null, all: [status] });
    expect(asked({ ...noFilters(), people: { ids: ['me'], teams: ['t'] } }, [status])).toEqual({
      v: 1,
      people: { ids: ['me'], teams: ['t'] },
      all: [status],
    });
    expect(cleared(stored)).toEqual({ v: 1, people: null, all: [], later: true });
  });

  it('takes typing into one rule for one step', () => {
    const typed = (value: unknown): Rule => ({ ...status, value });
    expect(typedInto([typed('a')], [typed('ab')])).toBe('rule r1');
    expect(typedInto([typed(['a'])], [typed(['a', 'b'])])).toBeNull();
    expect(typedInto([typed('a')], [])).toBeNull();
    expect(typedInto([{ any: [status, typed('a')] }], [{ any: [status, typed('ab')] }])).toBe('rule r1');
    expect(typedInto([typed('a'), typed('b')], [typed('x'), typed('y')])).toBeNull();
  });

  it('keeps what another program wrote beside the rules that are changed here, and says that it is not understood', async () => {
    const user = userEvent.setup();
    const read = draw(stored);
    expect(screen.getByText("The people filter isn't supported")).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Filter (4)' }));
    expect(screen.getAllByText('Unsupported: it has no effect')).toHaveLength(3);
    await user.click(within(screen.getByRole('group', { name: 'Rule 1' })).getByRole('switch'));
    expect(read()).toEqual({ ...stored, all: [strange, { ...status, off: true }, null, { any: [status, 5] }] });
  });
});

function draw(filters: Filters, more: { inert?: InertRule[]; count?: { matching: number; of: number } } = {}) {
  let now = filters;
  let write: (elsewhere: Filters) => void;
  function Page() {
    const [held, setHeld] = useState(filters);
    now = held;
    write = setHeld;
    const members = ['Ada', 'Ben'].map((name) => ({ id: name.toLowerCase(), name }));
    return (
      <Toolbar
        subject={subject}
        members={members}
        filters={held}
        onFilters={(change) => setHeld(change)}
        inert={more.inert ?? []}
        count={more.count ?? null}
        session={[]}
        onDrop={() => undefined}
        onClear={() => setHeld(cleared)}
      />
    );
  }
  render(<Page />);
  return Object.assign(() => now, { write: (elsewhere: Filters) => act(() => write(elsewhere)) });
}

describe('the row below the head', () => {
  it('chooses whose items are shown', async () => {
    const user = userEvent.setup();
    const read = draw(noFilters(), { count: { matching: 0, of: 214 } });
    expect(screen.queryByRole('button', { name: 'Clear filters' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'People' }));
    await user.click(screen.getByRole('button', { name: 'Ben' }));
    await user.click(screen.getByRole('button', { name: 'Unassigned' }));
    expect(read().people).toEqual({ ids: ['ben', 'none'] });
    expect(screen.getByRole('button', { name: 'People: Ben, Unassigned' })).toBeTruthy();
    expect(screen.getByText('0 of 214 items match')).toBeTruthy();
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('group', { name: 'People' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Clear filters' }));
    expect(read()).toEqual(noFilters());
  });

  it('writes a rule by the title of its column, and says why one has no effect', async () => {
    const user = userEvent.setup();
    const read = draw(
      { ...noFilters(), all: [{ ...status, value: ['Lost'] } as never] },
      { inert: [{ id: 'r1', reason: 'deleted-label' }] },
    );
    expect(screen.getByText('A rule has no effect')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Filter (1)' }));
    expect(screen.getByText('The label was deleted')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Stuck' }));
    expect(read().all).toEqual([{ ...status, value: ['Lost', 'Stuck'] }]);
    await user.click(screen.getByRole('button', { name: 'Remove rule' }));
    expect(read()).toEqual(noFilters());
  });
});

it('a rule whose column is on no board any more says what it asked, and that it does nothing', async () => {
  const user = userEvent.setup();
  const nope: Rule = { id: 'r1', col: { by: 'title', title: 'Nope', type: 'text' }, op: 'contains', value: 'a' };
  const inert = idle(
    {
      ...coverage,
      inertRules: [{ id: 'r1', reason: 'no-value', own: 'rules' }],
      reach: [
        { rule: 'r1', boards: 0, of: 3 },
        { rule: 'people', boards: 0, of: 3 },
        { rule: 'r2', boards: 0, of: 3, own: 'rules' },
      ],
    },
    'shared',
  );
  expect(inert).toEqual([{ id: 'r1', reason: 'unknown-column' }]);
  draw({ ...noFilters(), all: [nope as never] }, { inert });
  expect(screen.getByText('A rule has no effect')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Filter (1)' }));
  const line = screen.getByRole('group', { name: 'Rule 1' });
  expect(
    within(line)
      .getAllByRole('button', { name: /Column|Comparison/ })
      .map((one) => one.textContent),
  ).toEqual(['Nope', 'contains']);
  expect(within(line).getByText('a')).toBeTruthy();
  expect(within(line).getByText('The column was deleted')).toBeTruthy();
  const said = {
    subject,
    members: new Map(),
    filters: { ...noFilters(), all: [nope as never] },
    session: [],
    inert,
    at_ms: null,
  };
  expect(inForce(said)).toEqual(['Nope contains a (has no effect: the column was deleted)']);
});

it('a chip that is dropped by the keyboard hands the focus to the next one, the last to the filter', async () => {
  const user = userEvent.setup();
  function Page() {
    const [session, setSession] = useState(['Done', 'Open'].map((text) => ({ text, rule: { ...status, id: text } })));
    return (
      <Toolbar
        subject={subject}
        members={[]}
        filters={noFilters()}
        onFilters={() => undefined}
        inert={[]}
        count={null}
        session={session}
        onDrop={(id) => setSession(session.filter(({ rule }) => rule.id !== id))}
        onClear={() => undefined}
      />
    );
  }
  render(<Page />);
  screen.getByRole('button', { name: 'Remove filter: Done' }).focus();
  await user.keyboard('{Enter}');
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Remove filter: Open' }));
  await user.keyboard('{Enter}');
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Filter' }));
});

it('a print says in words what is in force, and what has no effect', () => {
  const now = { subject, members: new Map([['ada', 'Ada']]), filters: noFilters(), session: [], inert: [] };
  expect(inForce({ ...now, at_ms: null })).toEqual([]);
  const all = [
    { ...status, off: true },
    { ...status, id: 'open', value: [] },
    { any: [status, { ...status, id: 'r2', value: ['Lost'] }] },
    { strange: 1 },
  ];
  const filters = { ...noFilters(), people: { ids: ['ada', 'me'] }, all } as never;
  expect(
    inForce({
      ...now,
      filters,
      session: [{ rule: status, text: 'Sails' }],
      inert: [{ id: 'r2', reason: 'deleted-label' }],
      at_ms: null,
    }),
  ).toEqual([
    'People: Ada, Me',
    'Status is any of Done, or Status is any of Lost (has no effect: the label was deleted)',
    'Only Sails',
  ]);
});

it('names the labels that are gone where a rule goes on with the others, and lets them be taken out', async () => {
  const user = userEvent.setup();
  const read = draw(
    { ...noFilters(), all: [{ ...status, value: ['done', 'Secret'] } as never] },
    { inert: [{ id: 'r1', reason: 'lost-label', lost: ['Secret'] }] },
  );
  expect(screen.getByText('A rule is incomplete')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Filter (1)' }));
  expect(screen.getByText('The label was deleted: Secret')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Secret' }));
  expect(read().all).toEqual([{ ...status, value: ['done'] }]);
});

describe('rules of which one is enough', () => {
  const stuck: Rule = { ...status, id: 'r2', value: ['Stuck'] };
  const lines = () => screen.getAllByRole('group', { name: /^Rule / });

  it('are written by Or beside a rule, stored once they choose something, and are plain rules again when one is left', async () => {
    const user = userEvent.setup();
    const read = draw({ ...noFilters(), all: [status as never] });
    await user.click(screen.getByRole('button', { name: 'Filter (1)' }));
    await user.click(screen.getByRole('button', { name: 'Or another rule instead of rule 1' }));
    const group = screen.getByRole('group', { name: 'Any of rules 1 to 2' });
    expect(read().all).toEqual([status]);
    await user.click(
      within(within(group).getByRole('group', { name: 'Rule 2' })).getByRole('button', { name: 'Stuck' }),
    );
    const { id } = (read().all[0] as unknown as { any: Rule[] }).any[1]!;
    expect(read().all).toEqual([
      { any: [status, { id, col: { by: 'title', title: 'Status', type: 'status' }, op: 'anyOf', value: ['Stuck'] }] },
    ]);
    expect(screen.getByRole('button', { name: 'Filter (1)' })).toBeTruthy();
    await user.click(within(lines()[0]!).getByRole('button', { name: 'Remove rule' }));
    expect(read().all).toMatchObject([{ id, value: ['Stuck'] }]);
    expect(screen.queryByRole('group', { name: /^Any of/ })).toBeNull();
  });

  it('begin only beside one that chooses something', async () => {
    const user = userEvent.setup();
    const read = draw(noFilters());
    await user.click(screen.getByRole('button', { name: 'Filter' }));
    await user.click(screen.getByRole('button', { name: 'Add rule' }));
    expect(screen.queryByRole('button', { name: /^Or another rule/ })).toBeNull();
    await user.type(screen.getByRole('textbox', { name: 'Value' }), 'a');
    expect(read().all).toHaveLength(1);
    expect(screen.getByRole('button', { name: 'Or another rule instead of rule 1' })).toBeTruthy();
  });

  it('stay together when the one beside which they were begun is removed', async () => {
    const user = userEvent.setup();
    const read = draw({ ...noFilters(), all: [status as never] });
    await user.click(screen.getByRole('button', { name: 'Filter (1)' }));
    await user.click(screen.getByRole('button', { name: 'Or another rule instead of rule 1' }));
    await user.click(screen.getByRole('button', { name: 'Or another rule instead of rule 2' }));
    await user.click(within(lines()[0]!).getByRole('button', { name: 'Remove rule' }));
    expect(read().all).toEqual([]);
    const group = screen.getByRole('group', { name: 'Any of rules 1 to 2' });
    await user.click(
      within(within(group).getByRole('group', { name: 'Rule 1' })).getByRole('button', { name: 'Open' }),
    );
    await user.click(within(lines()[1]!).getByRole('button', { name: 'Stuck' }));
    expect(read().all).toMatchObject([{ any: [{ value: ['Open'] }, { value: ['Stuck'] }] }]);
  });

  it('keep the focus where the second of them is the first that chooses something, or the one before is removed elsewhere', async () => {
    const user = userEvent.setup();
    const name = { id: 'r9', col: { by: 'builtin', name: 'name' }, op: 'contains', value: 'x' };
    const { write } = draw({ ...noFilters(), all: [name as never] });
    await user.click(screen.getByRole('button', { name: 'Filter (1)' }));
    await user.click(screen.getByRole('button', { name: 'Or another rule instead of rule 1' }));
    await user.click(screen.getByRole('button', { name: 'Or another rule instead of rule 2' }));
    const third = within(lines()[2]!).getByRole<HTMLInputElement>('textbox', { name: 'Value' });
    await user.click(third);
    write({ ...noFilters(), all: [] });
    expect([lines().length, document.activeElement]).toEqual([2, third]);
    await user.keyboard('ab');
    expect([third.value, document.activeElement]).toEqual(['ab', third]);
    expect(screen.getByRole('group', { name: 'Any of rules 1 to 2' }).contains(third)).toBe(true);
  });

  it('stay where they were begun when another one there is removed', async () => {
    const user = userEvent.setup();
    const read = draw({ ...noFilters(), all: [{ any: [status, stuck] } as never] });
    await user.click(screen.getByRole('button', { name: 'Filter (1)' }));
    await user.click(screen.getByRole('button', { name: 'Or another rule instead of rule 2' }));
    await user.click(within(lines()[0]!).getByRole('button', { name: 'Remove rule' }));
    await user.click(within(lines()[1]!).getByRole('button', { name: 'Open' }));
    expect(read().all).toMatchObject([{ any: [{ id: 'r2' }, { value: ['Open'] }] }]);
  });

  it('are edited where they stand, each with its own switch and reason', async () => {
    const user = userEvent.setup();
    const read = draw(
      { ...noFilters(), all: [{ any: [status, stuck] }, { ...status, id: 'r3' }] as never },
      { inert: [{ id: 'r2', reason: 'deleted-label' }] },
    );
    await user.click(screen.getByRole('button', { name: 'Filter (2)' }));
    expect(within(lines()[1]!).getByText('The label was deleted')).toBeTruthy();
    await user.click(within(lines()[1]!).getByRole('switch', { name: 'Use rule 2' }));
    await user.click(within(lines()[0]!).getByRole('button', { name: 'Open' }));
    expect(read().all).toEqual([
      {
        any: [
          { ...status, value: ['Done', 'Open'] },
          { ...stuck, off: true },
        ],
      },
      { ...status, id: 'r3' },
    ]);
  });

  it('leave the focus in the list when they are removed', async () => {
    const user = userEvent.setup();
    draw({ ...noFilters(), all: [status, stuck, { ...status, id: 'r3' }] as never });
    await user.click(screen.getByRole('button', { name: 'Filter (3)' }));
    const removers = () => screen.queryAllByRole('button', { name: 'Remove rule' });
    await user.click(removers()[1]!);
    expect(document.activeElement).toBe(removers()[1]);
    await user.keyboard('{Enter}');
    expect(document.activeElement).toBe(removers()[0]);
    await user.keyboard('{Enter}');
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Add rule' }));
  });
});

it('a value that is typed stays as typed, and follows what else changes it', async () => {
  const user = userEvent.setup();
  const number: Rule = { id: 'r1', col: { by: 'title', title: 'Worth', type: 'number' }, op: '>', value: 1 };
  let put = (_: Filters) => {};
  function Page() {
    const [held, setHeld] = useState<Filters>({ ...noFilters(), all: [number as never] });
    put = setHeld;
    return (
      <Toolbar
        subject={subject}
        members={[]}
        filters={held}
        onFilters={(change) => setHeld(change)}
        inert={[]}
        count={null}
        session={[]}
        onDrop={() => undefined}
        onClear={() => undefined}
      />
    );
  }
  render(<Page />);
  await user.click(screen.getByRole('button', { name: 'Filter (1)' }));
  const field = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Value' });
  await user.type(field(), '2.');
  expect(field().value).toBe('12.');
  act(() => put({ ...noFilters(), all: [number as never] }));
  expect(field().value).toBe('1');
  await user.type(field(), '5');
  expect(field().value).toBe('15');
});

describe('only this', () => {
  const configured = (by: string, x = {}) => ({ settings: { x: { by } }, roles: [], cols: { x } });
  const byStatus = configured('column', { b1: ['c1'], b2: ['c1'] });
  it('is a rule about the columns that the chart compares by', () => {
    const col = { by: 'ids', ids: { b1: ['c1'], b2: ['c1'] } };
    expect(onlyThis('w', byStatus, { kind: 'value', key: 'done', label: 'Done' }, [site, app])).toEqual({
      text: 'Done',
      rule: { id: 'only w', col, op: 'anyOf', value: ['Done'] },
    });
    expect(onlyThis('w', byStatus, { kind: 'empty', key: '', label: '(empty)' }, [site, app])?.rule).toEqual({
      id: 'only w',
      col,
      op: 'isEmpty',
    });
    expect(onlyThis('w', byStatus, { kind: 'other', key: '', label: 'Other (3)' }, [site, app])).toBeNull();
    expect(
      onlyThis('w', configured('board'), { kind: 'value', key: 'b2', label: 'App' }, [site, app])?.rule,
    ).toMatchObject({ col: { by: 'builtin', name: 'board' }, value: ['b2'] });
    expect(
      onlyThis('w', configured('column', { b1: ['c2'] }), { kind: 'value', key: 'ada', label: 'Ada' }, [site])?.rule,
    ).toMatchObject({ op: 'anyOf', value: ['ada'] });
  });
});
