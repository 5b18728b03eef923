import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { RowButton } from './RowButton';

test('a button of a line is pressed by pointer and by keys, of which the table hears nothing', async () => {
  const user = userEvent.setup();
  const press = vi.fn();
  const table = vi.fn();
  render(
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- Keys of the elements inside bubble up here.
    <div onKeyDown={table}>
      <RowButton icon="trash" label="Delete Task" isTabStop onPress={press} />
      <RowButton icon="eye" label="Open Task" keys="Space" onPress={press} />
    </div>,
  );
  const button = screen.getByRole('button', { name: 'Delete Task' });
  await user.click(button);
  await user.keyboard('{Enter}');
  await user.keyboard(' ');
  expect(press).toHaveBeenCalledTimes(3);
  expect(table).not.toHaveBeenCalled();
  await user.keyboard('{ArrowUp}');
  expect(table).toHaveBeenCalledOnce();
  // Only a button of the line with the focus is a stop of its own.
  expect(button).toHaveProperty('tabIndex', 0);
  expect(screen.getByRole('button', { name: 'Open Task' })).toHaveProperty('tabIndex', -1);
});
