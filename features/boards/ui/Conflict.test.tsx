import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { ApiError } from '@shell/api';
import { CellBeingEdited, clashOf, ConflictDialog } from './Conflict';
import type { CellValue, Column } from './data';

const column: Column = { id: 'c1', title: 'Status', type: 'status', settings: { labels: [{ id: 'l1', text: 'Open' }, { id: 'l2', text: 'Done' }] } };
const text: Column = { id: 'c2', title: 'Note', type: 'text', settings: {} };

it('remembers what the cell held when editing began, whatever arrives meanwhile', async () => {
  const onCommit = vi.fn();
  let arrive: (value: CellValue) => void = () => undefined;
  function Cell() {
    const [value, setValue] = useState<CellValue>('old');
    arrive = setValue;
    return <CellBeingEdited column={text} value={value} members={[]} typed={null} label="Note" onCommit={onCommit} onDone={() => undefined} />;
  }
  render(<Cell />);
  await userEvent.type(screen.getByRole('textbox'), '!');
  arrive('theirs');
  await userEvent.keyboard('{Enter}');
  expect(onCommit).toHaveBeenCalledWith(expect.any(String), 'old');
});

it('shows both values with who wrote the other, and keeps the one that is chosen', async () => {
  const clash = clashOf(new ApiError(412, { code: 'stale-revision', present: 'l2', changedBy: { kind: 'agent', name: 'Session', sessionId: 's1' }, changedAt: '2026-03-01T12:00:00Z' }), 'i1', 'c1', 'l1')!;
  const [onMine, onTheirs] = [vi.fn(), vi.fn()];
  render(<ConflictDialog clash={clash} columns={[column]} members={[]} onMine={onMine} onTheirs={onTheirs} />);
  expect(screen.getAllByRole('definition').map((one) => one.textContent)).toEqual(['Open', 'Done']);
  expect(screen.getByRole('dialog').textContent).toContain('Status was changed by A sessions1');
  await userEvent.click(screen.getByRole('button', { name: 'Keep mine' }));
  expect(onMine).toHaveBeenCalledOnce();
  await userEvent.keyboard('{Escape}');
  expect(onTheirs).toHaveBeenCalledOnce();
});

it('takes other refusals for what they are', () => {
  expect(clashOf(new ApiError(422, { code: 'invalid-cell' }), 'i1', 'c1', 'l1')).toBeNull();
  expect(clashOf(new ApiError(412, { code: 'stale-revision', revision: 7 }), 'i1', 'c1', 'l1')).toBeNull();
});
