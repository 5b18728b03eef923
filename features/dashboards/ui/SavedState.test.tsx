import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { SavedState } from './SavedState';

it('a dashboard that someone else deleted can be restored', async () => {
  const onRestore = vi.fn();
  render(<SavedState saved={{ kind: 'gone' }} onTakeTheirs={() => {}} onKeepMine={() => {}} onRestore={onRestore} />);
  await userEvent.setup().click(screen.getByRole('button', { name: 'Restore' }));
  expect(onRestore).toHaveBeenCalledOnce();
});
