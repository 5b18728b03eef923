import { fireEvent, render, screen, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { ShortcutsDialog } from '@shell/shell/ShortcutsDialog';
import type { ViewKind } from './data';
import { ViewKeys } from './ViewKeys';

const shown = (kind: ViewKind) => {
  const { unmount } = render(
    <>
      <ViewKeys kind={kind} outbox={{ undo: vi.fn(), redo: vi.fn() }} />
      <ShortcutsDialog isOpen onClose={() => undefined} />
    </>,
  );
  const dialog = within(screen.getByRole('dialog', { name: 'Keyboard shortcuts' }));
  const titles = dialog.getAllByRole('heading', { level: 3 }).map((one) => one.textContent);
  const keys = [...screen.getByRole('dialog').querySelectorAll('.keys')].map((one) =>
    [...one.children].map((key) => key.textContent).join(' '),
  );
  unmount();
  return { titles, keys };
};

it('lists the keys of the view that is open, before those of all views', () => {
  const { titles, keys } = shown('table');
  expect(titles).toEqual(['Table', 'Board', 'Views of the board']);
  expect(keys).toEqual(
    expect.arrayContaining([
      'Alt ↑ ↓',
      'F2',
      'Enter',
      'Delete',
      'Space',
      'Ctrl C',
      'Ctrl X',
      'Ctrl V',
      'Ctrl D',
      'Ctrl Z',
      'Ctrl Y',
    ]),
  );
  expect(shown('kanban').titles[0]).toBe('Kanban');
  expect(shown('kanban').keys).toEqual(expect.arrayContaining(['Space', 'Ctrl Z', 'Ctrl Y']));
  expect(shown('calendar').keys).toContain('N');
  expect(shown('timeline').keys).toContain('Shift ← →');
});

it('takes back and does again wherever nothing is typed', () => {
  const [undo, redo] = [vi.fn(), vi.fn()];
  render(
    <>
      <ViewKeys kind="kanban" outbox={{ undo, redo }} />
      <button type="button">Card</button>
      <input aria-label="Search" />
      <div role="dialog">
        <button type="button">Close</button>
      </div>
    </>,
  );
  const calls = () => [undo.mock.calls.length, redo.mock.calls.length];
  const press = (name: string, key: string, shiftKey = false) =>
    fireEvent.keyDown(name === 'Search' ? screen.getByLabelText(name) : screen.getByRole('button', { name }), {
      key,
      ctrlKey: true,
      shiftKey,
    });
  press('Card', 'z');
  expect(calls()).toEqual([1, 0]);
  press('Card', 'Z', true);
  press('Card', 'y');
  expect(calls()).toEqual([1, 2]);
  press('Search', 'z');
  press('Close', 'z');
  expect(calls()).toEqual([1, 2]);
});
