import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import type { CellValue, Column } from '../data';
import type { Conflict, Step } from './step';
import { Waiting } from './Waiting';

const columns: Column[] = [
  {
    id: 'c1',
    title: 'Status',
    type: 'status',
    settings: {
      labels: [
        { id: 'l1', text: 'Open', color: '#4a7fd4', done: false },
        { id: 'l2', text: 'Done', color: '#4a7fd4', done: false },
      ],
    },
  },
];
const groups = [{ id: 'g1', name: 'Later' }];
const step = (at: number, over: Partial<Step>): Step => ({
  board: 'b',
  at,
  cells: [],
  add: [],
  archive: [],
  remove: [],
  names: {},
  ...over,
});
const conflict: Conflict = {
  item: 'i1',
  name: 'Hull',
  column: 'c1',
  mine: 'l1',
  theirs: 'l2',
  by: { kind: 'agent', name: 'Session', sessionId: 's1' },
  at: '2026-03-01T12:00:00Z',
};

function shown(
  troubled: Step[],
  waiting = 0,
  now: () => CellValue | undefined = () => undefined,
  behind = 0,
  why: string | null = null,
) {
  const outbox = { waiting, why, troubled, behind, decide: vi.fn(), discard: vi.fn(), retry: vi.fn() };
  render(<Waiting outbox={outbox} columns={columns} groups={groups} members={[]} now={now} />);
  return outbox;
}

it('shows both values with who wrote the other, and keeps the one that is chosen', async () => {
  const troubled = step(1, { problem: { conflicts: [conflict] } });
  const outbox = shown([troubled]);
  expect(screen.getAllByRole('definition').map((one) => one.textContent)).toEqual(['Open', 'Done']);
  expect(screen.getByRole('dialog').textContent).toContain('Status of Hull was changed by a sessions1');
  await userEvent.click(screen.getByRole('button', { name: 'Keep mine, Status of Hull' }));
  expect(outbox.decide).toHaveBeenLastCalledWith(troubled, [conflict], 'mine');
  await userEvent.click(screen.getByRole('button', { name: 'Keep theirs, Status of Hull' }));
  expect(outbox.decide).toHaveBeenLastCalledWith(troubled, [conflict], 'theirs');
  // Closing it decides nothing: it can be looked at again.
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByRole('dialog')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Review changes' }));
  expect(screen.getByRole('dialog')).toBeTruthy();
});

it('lists every change of every step, decided one by one or all at once', async () => {
  const other: Conflict = { item: 'i2', name: 'Sail', column: 'groupId', mine: 'g1', theirs: 'g9' };
  const gone: Conflict = { item: 'i3', name: 'Mast', column: 'kept', mine: null, theirs: 'trash' };
  const [one, two] = [
    step(1, { problem: { conflicts: [conflict, other] } }),
    step(2, { problem: { conflicts: [gone] } }),
  ];
  const outbox = shown([one, two]);
  expect(screen.getAllByRole('listitem')).toHaveLength(3);
  expect(screen.getAllByRole('definition').map((entry) => entry.textContent)).toEqual(['Open', 'Done', 'Later', 'g9']);
  await userEvent.click(screen.getByRole('button', { name: 'Discard, Mast' }));
  expect(outbox.decide).toHaveBeenLastCalledWith(two, [gone], 'theirs');
  await userEvent.click(screen.getByRole('button', { name: 'Keep all mine' }));
  expect(outbox.decide).toHaveBeenCalledWith(one, [conflict, other], 'mine');
});

it('says what was refused and why, and how much waits', async () => {
  const refused = step(1, { add: [{ id: 'n', name: 'Sweep', cells: {} }], problem: { refused: 'The board is full.' } });
  const outbox = shown([refused], 2);
  expect(screen.getByText('2 changes waiting for the connection.')).toBeTruthy();
  expect(screen.getByRole('listitem').textContent).toContain("The new item Sweep wasn't saved. The board is full.");
  await userEvent.click(screen.getByRole('button', { name: 'Retry, The new item Sweep' }));
  expect(outbox.retry).toHaveBeenCalledWith(refused);
  await userEvent.click(screen.getByRole('button', { name: 'Discard, The new item Sweep' }));
  expect(outbox.discard).toHaveBeenCalledWith(refused);
});

it('names a refused subitem', () => {
  shown([
    step(1, {
      add: [{ id: 'n', name: 'Sew', parentId: 'p', cells: {} }],
      problem: { refused: 'The item is not there.' },
    }),
  ]);
  expect(screen.getByRole('listitem').textContent).toContain(
    "The new subitem Sew wasn't saved. The item is not there.",
  );
});

it('says how much waits behind a decision', () => {
  shown([step(1, { problem: { conflicts: [conflict] } })], 0, undefined, 2);
  expect(screen.getByRole('region', { name: 'Unsaved changes', hidden: true }).textContent).toContain(
    '1 change not saved. 2 later changes waiting for your decision.',
  );
});

it('shows what the cell holds at this moment, and decides about that', async () => {
  const troubled = step(1, { problem: { conflicts: [{ ...conflict, theirs: 'l9' }] } });
  const outbox = shown([troubled], 0, () => 'l2');
  expect(screen.getAllByRole('definition').map((one) => one.textContent)).toEqual(['Open', 'Done']);
  // Who wrote what it holds now is not known.
  expect(screen.getByRole('dialog').textContent).toContain('Status of Hull was changed while you were editing it.');
  await userEvent.click(screen.getByRole('button', { name: 'Keep mine, Status of Hull' }));
  expect(outbox.decide).toHaveBeenLastCalledWith(troubled, [expect.objectContaining({ theirs: 'l2' })], 'mine');
});

it('calls what oneself did meanwhile another window', () => {
  shown([
    step(1, {
      problem: { conflicts: [{ ...conflict, by: { kind: 'owner', name: 'You' } as NonNullable<Conflict['by']> }] },
    }),
  ]);
  expect(screen.getByRole('dialog').textContent).toContain('was changed by you in another window');
});

it('says why changes wait where it is not for the connection', () => {
  shown([], 2, undefined, 0, 'The disk is full.');
  expect(screen.getByRole('status').textContent).toBe('2 changes waiting. The disk is full.');
});
