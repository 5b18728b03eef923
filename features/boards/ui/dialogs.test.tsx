import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeAll, expect, it, vi } from 'vitest';
import { ViewBar } from './views/ViewBar';
import type { View } from './views/data';
import type { BoardViews } from './views/useViews';

beforeAll(() => vi.stubGlobal('ResizeObserver', class { observe() {} disconnect() {} }));

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
