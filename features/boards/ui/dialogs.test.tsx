import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { NameDialog } from './dialogs';

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
