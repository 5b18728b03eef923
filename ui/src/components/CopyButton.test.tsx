import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { CopyButton } from './CopyButton';
import { ToastRegion } from './toast';

it('copies by keyboard, and says so', async () => {
  const user = userEvent.setup();
  const text = vi.fn(() => '**all** of it');
  render(
    <>
      <CopyButton text={text} label="Copy message" />
      <ToastRegion />
    </>,
  );
  expect(text).not.toHaveBeenCalled();
  await user.tab();
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Copy message' }));
  await user.keyboard('{Enter}');
  expect(await screen.findByText('Copied')).toBeTruthy();
  expect(await navigator.clipboard.readText()).toBe('**all** of it');
});

it('says where it could not copy', async () => {
  const user = userEvent.setup();
  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('Not allowed'));
  render(
    <>
      <CopyButton text="x" label="Copy code" />
      <ToastRegion />
    </>,
  );
  await user.click(screen.getByRole('button', { name: 'Copy code' }));
  expect(await screen.findByText("Couldn't copy")).toBeTruthy();
});
