import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import type { Filters, InertRule, Rule } from '@shell/engine/types';
import type { Member } from '@shell/members';
import { whyInert } from '@shell/filters/rules';
import { setPreference } from '@shell/preferences';
import { FilterBar } from './FilterBar';
import { fieldsOf } from './rules';

const fields = fieldsOf(
  [
    { id: 'c1', title: 'Points', type: 'number', settings: {} },
    { id: 'c2', title: 'Owner', type: 'people', settings: {} },
    { id: 'c3', title: 'Note', type: 'text', settings: {} },
  ],
  [],
);
const rule = (value?: unknown): Rule => ({
  id: 'r1',
  col: { by: 'ids', ids: { b: ['c1'] } },
  op: '=',
  ...(value === undefined ? {} : { value }),
});
const wrong: readonly InertRule[] = [{ id: 'r1', reason: 'wrong-value' }];
const draw = (one: Rule, onFilter = vi.fn()) => drawAll({ v: 1, people: null, all: [one] }, onFilter);
const members = [
  { id: 'm1', name: 'Ada' },
  { id: 'm2', name: 'Bob' },
];
const drawAll = (filter: Filters, onFilter = vi.fn(), among: readonly Member[] = members) => {
  render(
    <FilterBar
      board="b"
      fields={fields}
      members={among}
      filter={filter}
      onFilter={onFilter}
      search=""
      onSearch={() => undefined}
      inert={wrong}
      matching={3}
      of={3}
      isOpen
      onOpen={() => undefined}
    />,
  );
  return onFilter;
};

it('calls no value wrong before there is one', () => {
  draw(rule());
  expect(screen.queryByText("The value doesn't fit")).toBeNull();
  for (const value of ['', null, [], [1, null], ['']]) expect(whyInert(rule(value), wrong)).toBeUndefined();
  expect(whyInert(rule('five'), wrong)).toBe("The value doesn't fit");
  expect(whyInert(rule(), [{ id: 'r1', reason: 'unknown-column' }])).toBe('The column was deleted');
});

it('counts a rule once it is finished', () => {
  drawAll({
    v: 1,
    people: null,
    all: [
      rule(),
      ask('r2', 'c1', 'between', [1, null]),
      ask('r3', 'c1', 'isEmpty', undefined),
      ask('r4', 'c3', 'is', 'x'),
    ],
  });
  expect(screen.getByRole('button', { name: 'Filter (2)' })).toBeTruthy();
});

it('stores a new rule once it asks for something', async () => {
  const user = userEvent.setup();
  const onFilter = drawAll({ v: 1, people: null, all: [rule(3)] });
  await user.click(screen.getByRole('button', { name: 'Add rule' }));
  const begun = within(screen.getByRole('group', { name: 'Rule 2' }));
  expect(onFilter).not.toHaveBeenCalled();
  await user.type(begun.getByRole('textbox'), 'x');
  expect(onFilter).toHaveBeenCalledOnce();
  expect(onFilter).toHaveBeenCalledWith(
    expect.objectContaining({ all: [rule(3), expect.objectContaining({ value: 'x' })] }),
  );
});

it('forgets a new rule that is removed or cleared before it asks for anything', async () => {
  const user = userEvent.setup();
  const onFilter = drawAll({ v: 1, people: null, all: [rule(3)] });
  await user.click(screen.getByRole('button', { name: 'Add rule' }));
  await user.click(within(screen.getByRole('group', { name: 'Rule 2' })).getByRole('button', { name: 'Remove rule' }));
  expect(screen.queryByRole('group', { name: 'Rule 2' })).toBeNull();
  expect(onFilter).not.toHaveBeenCalled();
});

it('closes its rules on Escape, and a list of choices before them', async () => {
  const user = userEvent.setup();
  const onOpen = vi.fn();
  render(
    <FilterBar
      board="b"
      fields={fields}
      members={members}
      filter={{ v: 1, people: null, all: [rule(3)] }}
      onFilter={vi.fn()}
      search=""
      onSearch={vi.fn()}
      inert={[]}
      matching={3}
      of={3}
      isOpen
      onOpen={onOpen}
    />,
  );
  const comparison = screen.getByRole('button', { name: /Comparison/ });
  await user.click(comparison);
  await user.keyboard('{Escape}');
  // The focus comes back a moment after the list is gone.
  await waitFor(() => expect([screen.queryByRole('listbox'), document.activeElement]).toEqual([null, comparison]));
  expect(onOpen).not.toHaveBeenCalled();
  await user.keyboard('{Escape}');
  expect(onOpen.mock.calls).toEqual([[false]]);
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Filter (1)' }));
});

it('leaves a rule out by a switch that says whether it is used', async () => {
  const onFilter = draw(rule('five'));
  expect(screen.getByText("The value doesn't fit")).toBeTruthy();
  const use = screen.getByRole<HTMLInputElement>('switch', { name: 'Use rule 1' });
  expect(use.checked).toBe(true);
  await userEvent.setup().click(use);
  expect(onFilter.mock.calls).toEqual([[{ v: 1, people: null, all: [{ ...rule('five'), off: true }] }]]);
});

const ask = (id: string, column: string, op: string, value: unknown): Rule => ({
  id,
  col: { by: 'ids', ids: { b: [column] } },
  op,
  value,
});

it('offers "Me", says that no member is theirs, and takes the one that is chosen', async () => {
  const user = userEvent.setup();
  const onFilter = draw(ask('r1', 'c2', 'anyOf', ['m2', 'gone']));
  expect(screen.queryByText('Me: choose your member')).toBeNull();
  expect(screen.getByRole('button', { name: 'Former member', pressed: true })).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Me' }));
  expect((onFilter.mock.calls[0] as [Filters])[0].all).toMatchObject([{ value: ['m2', 'gone', 'me'] }]);
});

it('says of a rule about "me" which member that is', async () => {
  const user = userEvent.setup();
  draw(ask('r1', 'c2', 'anyOf', ['me']));
  expect(screen.getByText('Me: choose your member')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: /Your member/ }));
  await user.click(screen.getByRole('option', { name: 'Me: Ada' }));
  expect(screen.queryByText('Me: choose your member')).toBeNull();
  expect(localStorage.getItem('pilothouse.me')).toBe('m1');
  act(() => setPreference('me', null));
});

it('says what a rule that says no means for empty cells', () => {
  drawAll({
    v: 1,
    people: null,
    all: [
      ask('r1', 'c3', 'isNot', 'x'),
      ask('r2', 'c1', '!=', 1),
      ask('r3', 'c3', 'is', 'x'),
      ask('r4', 'c2', 'noneOf', ['m1']),
      ask('r5', 'c2', 'noneOf', ['m1', 'none']),
    ],
  });
  const said = screen
    .getAllByRole('group', { name: /^Rule / })
    .map((line) => within(line).queryByText(/mpty cells/)?.textContent ?? null);
  expect(said).toEqual(['Empty cells too', 'No empty cells', null, 'Empty cells too', null]);
});

it('writes rules of which one is enough, and shows, counts and removes people, which it cannot change', async () => {
  const user = userEvent.setup();
  const filter: Filters = {
    v: 1,
    people: { ids: ['m1', 'none'] },
    all: [rule(3), { any: [ask('r2', 'c3', 'contains', 'sail'), ask('r3', 'c2', 'anyOf', ['me', 'm2'])] }],
  };
  const onFilter = drawAll(filter);
  expect(screen.getByRole('button', { name: 'Filter (3)' })).toBeTruthy();
  const group = screen.getByRole('group', { name: 'Any of rules 2 to 3' });
  await user.click(within(group).getAllByRole('button', { name: 'Remove rule' })[1]!);
  await user.click(screen.getByRole('button', { name: 'Remove: a person of the item is Ada or Unassigned' }));
  expect(onFilter.mock.calls).toEqual([
    [{ ...filter, all: [rule(3), ask('r2', 'c3', 'contains', 'sail')] }],
    [{ ...filter, people: null }],
  ]);
});

it('tells members of one name apart', () => {
  const asked: Rule = { id: 'r1', col: { by: 'ids', ids: { b: ['c2'] } }, op: 'anyOf', value: ['me'] };
  drawAll({ v: 1, people: { ids: ['m1'], teams: [] }, all: [asked] }, vi.fn(), [
    { id: 'm1', name: 'Ada', email: 'ada@b.example' },
    { id: 'm2', name: 'Ada', email: '' },
  ]);
  const choices = within(screen.getByRole('group', { name: 'Values' })).getAllByRole('button');
  expect(choices.map((one) => one.textContent)).toEqual(['Me', 'Ada (ada@b.example)', 'Ada (…m2)', 'Unassigned']);
  expect(screen.getByText('a person of the item is Ada (ada@b.example)')).toBeTruthy();
});
