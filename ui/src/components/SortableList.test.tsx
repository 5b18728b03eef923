import { fireEvent, render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { dropMove, keyMove, SortableList, within, type SortableEntry } from './SortableList';

const ENTRIES: SortableEntry[] = [
  { id: 'a', name: 'A' },
  { id: 'f', name: 'F', isFolder: true },
  { id: 'b', name: 'B', folderId: 'f' },
  { id: 'c', name: 'C', folderId: 'f' },
  { id: 'd', name: 'D', folderId: null },
];

it('moves by key within, into, and out of folders', () => {
  const move = (id: string, key: string) => keyMove(ENTRIES, id, `Arrow${key}`);
  expect(move('f', 'Up')).toEqual({ before: 'a' });
  expect(move('a', 'Down')).toEqual({ before: 'd' });
  expect(move('f', 'Down')).toEqual({ folderId: null });
  expect(move('b', 'Up')).toEqual({ before: 'f' });
  expect(move('c', 'Down')).toEqual({ before: 'd' });
  expect(move('b', 'Left')).toEqual({ before: 'd' });
  expect(move('d', 'Right')).toEqual({ folderId: 'f' });
  expect([move('a', 'Up'), move('d', 'Down'), move('a', 'Right'), move('a', 'Left')]).toEqual(Array(4).fill(undefined));
});

it('drops before, after, and into', () => {
  const [a, f, , c] = ENTRIES as [SortableEntry, SortableEntry, SortableEntry, SortableEntry];
  expect([dropMove(ENTRIES, a, 0.1), dropMove(ENTRIES, a, 0.9)]).toEqual([{ before: 'a' }, { before: 'f' }]);
  expect([dropMove(ENTRIES, f, 0.1), dropMove(ENTRIES, f, 0.5)]).toEqual([{ before: 'f' }, { folderId: 'f' }]);
  expect(dropMove(ENTRIES, c, 0.9)).toEqual({ folderId: 'f' });
  expect([...within(ENTRIES, 'f')]).toEqual(['f', 'b', 'c']);
});

it('moves the row with the focus, says so, and drags', () => {
  const onMove = vi.fn();
  render(
    <SortableList label="List" entries={ENTRIES} onMove={onMove}>
      {({ name }) => <button>{name}</button>}
    </SortableList>,
  );
  fireEvent.keyDown(screen.getByRole('button', { name: 'D' }), { key: 'ArrowUp', altKey: true });
  expect(onMove).toHaveBeenLastCalledWith(ENTRIES[4], { before: 'f' });
  expect(screen.getByRole('status').textContent).toBe('Moved D before F.');
  fireEvent.keyDown(screen.getByRole('button', { name: 'A' }), { key: 'ArrowUp', altKey: true });
  expect(onMove).toHaveBeenCalledTimes(1);
  const rows = screen.getAllByRole('listitem');
  const dataTransfer = { setData: () => {} };
  fireEvent.dragStart(rows[4]!, { dataTransfer });
  fireEvent.dragOver(rows[0]!, { dataTransfer });
  fireEvent.drop(rows[0]!, { dataTransfer });
  expect(onMove).toHaveBeenLastCalledWith(ENTRIES[4], { before: 'a' });
});
