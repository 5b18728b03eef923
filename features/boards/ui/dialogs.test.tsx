import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, expect, it, vi } from 'vitest';
import { NameDialog } from './dialogs';
import { ViewBar } from './views/ViewBar';
import type { View } from './views/data';
import type { BoardViews } from './views/useViews';

const shown = (initial: string, onSave: () => Promise<void>) => {
  const onClose = vi.fn();
  render(<NameDialog isOpen onClose={onClose} title="Rename" action="Rename" initial={initial} onSave={onSave} />);
  return onClose;
};

it('saves nothing where the name is left as it is', async () => {
  const onSave = vi.fn(() => Promise.resolve());
  const onClose = shown('Roadmap', onSave);
  await userEvent.type(screen.getByLabelText('Name'), ' {Enter}');
  expect([onSave.mock.calls.length, onClose.mock.calls.length]).toEqual([0, 1]);
});

it('saves once however often Enter is pressed', async () => {
  let settle = () => undefined as void;
  const onSave = vi.fn(() => new Promise<void>((resolve) => (settle = resolve)));
  const onClose = shown('', onSave);
  await userEvent.type(screen.getByLabelText('Name'), 'Roadmap{Enter}{Enter}');
  expect(onSave).toHaveBeenCalledTimes(1);
  await act(async () => settle());
  expect(onClose).toHaveBeenCalledTimes(1);
});

beforeAll(() =>
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      disconnect() {}
    },
  ),
);

it('a name that is being typed stays when another gives one meanwhile, and the next dialog begins with that', async () => {
  const rename = vi.fn(async () => {});
  const bar = (name: string) => {
    const open = { id: 'v1', name, kind: 'table', settings: {} } as unknown as View;
    return <ViewBar board="b1" columns={[]} state={{ views: [open], open, rename } as unknown as BoardViews} />;
  };
  const { rerender } = render(bar('Table'));
  const field = () => screen.getByLabelText<HTMLInputElement>('Name');
  await userEvent.dblClick(screen.getByRole('tab', { name: 'Table' }));
  await userEvent.clear(field());
  await userEvent.type(field(), 'What I type');
  rerender(bar('By another'));
  expect(field().value).toBe('What I type');
  await userEvent.type(field(), '{Escape}');
  await userEvent.dblClick(screen.getByRole('tab', { name: 'By another' }));
  expect(field().value).toBe('By another');
});
