import { render, screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ShortcutsDialog } from '@shell/shell/ShortcutsDialog';
import type { ViewKind } from './data';
import { ViewKeys } from './ViewKeys';

const shown = (kind: ViewKind) => {
  const { unmount } = render(
    <>
      <ViewKeys kind={kind} />
      <ShortcutsDialog isOpen onClose={() => undefined} />
    </>,
  );
  const dialog = within(screen.getByRole('dialog', { name: 'Keys of this page' }));
  const titles = dialog.getAllByRole('heading', { level: 3 }).map((one) => one.textContent);
  const keys = [...screen.getByRole('dialog').querySelectorAll('.keys')].map((one) => [...one.children].map((key) => key.textContent).join(' '));
  unmount();
  return { titles, keys };
};

it('lists the keys of the view that is open, before those of all views', () => {
  const { titles, keys } = shown('table');
  expect(titles).toEqual(['Table', 'Views of the board']);
  expect(keys).toEqual(expect.arrayContaining(['Alt ↑ ↓', 'F2', 'Enter', 'Delete', 'Space', 'Ctrl C', 'Ctrl X', 'Ctrl V', 'Ctrl D', 'Ctrl Z', 'Ctrl Y']));
  expect(shown('kanban').titles[0]).toBe('Kanban');
  expect(shown('kanban').keys).toContain('Space');
  expect(shown('calendar').keys).toContain('N');
  expect(shown('timeline').keys).toContain('Shift ← →');
});
