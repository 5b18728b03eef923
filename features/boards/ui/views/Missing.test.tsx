/** A view without a column to be by is given one. */
import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { ApiError } from '@shell/api';
import { ToastRegion } from '@shell/components';
import type { View } from './data';
import { Missing } from './Missing';

const post = vi.hoisted(() => vi.fn<(path: string, body: unknown) => Promise<unknown>>());
vi.mock('@shell/api', async (original) => ({ ...(await original<object>()), api: { post } }));

const view = { id: 'v', name: 'When', kind: 'calendar', settings: {} } as unknown as View;

it('the button that adds a column keeps the focus while it works and where it fails, and adds one', async () => {
  const user = userEvent.setup();
  let fail = (_: ApiError) => undefined as void;
  post.mockReturnValue(new Promise((_, reject) => (fail = reject)));
  render(
    <>
      <Missing board="b" view={view} columns={[]} onSettings={vi.fn()} onAdded={() => Promise.resolve()} />
      <ToastRegion />
    </>,
  );
  const add = screen.getByRole('button', { name: 'Add a date column' });
  await user.click(add);
  await user.keyboard('{Enter}');
  expect(post).toHaveBeenCalledTimes(1);
  expect([document.activeElement, add.getAttribute('aria-disabled'), add.hasAttribute('disabled')]).toEqual([
    add,
    'true',
    false,
  ]);
  await act(async () => fail(new ApiError(409, { detail: 'The board is full.' })));
  expect(await screen.findByText('The board is full.')).toBeTruthy();
  expect([document.activeElement, add.getAttribute('aria-disabled')]).toEqual([add, null]);
});
