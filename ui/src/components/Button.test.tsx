import { fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { FileTrigger } from 'react-aria-components';
import { expect, it, vi } from 'vitest';
import { Button } from './Button';

it('a button that waits keeps the focus, says so, and is not pressed again', async () => {
  const user = userEvent.setup();
  const press = vi.fn();
  const { rerender } = render(
    <Button isPending={false} onPress={press}>
      Save
    </Button>,
  );
  const button = screen.getByRole('button', { name: 'Save' });
  await user.click(button);
  expect(press).toHaveBeenCalledTimes(1);
  rerender(
    <Button isPending onPress={press}>
      Save
    </Button>,
  );
  expect(screen.getByRole('status').textContent).toBe('In progress');
  expect(screen.getByRole('button', { name: 'Save' })).toBe(button);
  expect(document.activeElement).toBe(button);
  expect(button.getAttribute('aria-disabled')).toBe('true');
  await user.click(button);
  await user.keyboard('{Enter} ');
  fireEvent.click(button);
  expect(press).toHaveBeenCalledTimes(1);
  rerender(
    <Button isPending={false} onPress={press}>
      Save
    </Button>,
  );
  expect(screen.getByRole('status').textContent).toBe('');
  await user.keyboard('{Enter}');
  expect(press).toHaveBeenCalledTimes(2);
});

it('nothing that is announced points at a button that is gone', async () => {
  const user = userEvent.setup();
  const { rerender, unmount } = render(<Button isPending={false}>Show more</Button>);
  await user.click(screen.getByRole('button', { name: 'Show more' }));
  rerender(<Button isPending>Show more</Button>);
  unmount();
  const nameless = [...document.querySelectorAll('[aria-labelledby]')].filter(
    (one) => !document.getElementById(one.getAttribute('aria-labelledby') ?? ''),
  );
  expect(nameless).toEqual([]);
});

it('a button that waits opens no chooser of files', async () => {
  const user = userEvent.setup();
  const open = vi.spyOn(HTMLInputElement.prototype, 'click').mockImplementation(() => {});
  const chooser = (isPending: boolean) => (
    <FileTrigger>
      <Button isPending={isPending}>Choose a file</Button>
    </FileTrigger>
  );
  const { rerender } = render(chooser(true));
  await user.click(screen.getByRole('button', { name: 'Choose a file' }));
  expect(open).not.toHaveBeenCalled();
  rerender(chooser(false));
  await user.click(screen.getByRole('button', { name: 'Choose a file' }));
  expect(open).toHaveBeenCalledTimes(1);
});

it('a form is not sent again by a button that waits', async () => {
  const user = userEvent.setup();
  const send = vi.fn((event: Event) => event.preventDefault());
  const form = (isPending: boolean) => (
    <form onSubmit={(event) => send(event.nativeEvent)}>
      <input aria-label="Name" />
      <Button type="submit" isPending={isPending}>
        Send
      </Button>
    </form>
  );
  const { rerender } = render(form(true));
  await user.type(screen.getByRole('textbox', { name: 'Name' }), 'x{Enter}');
  await user.click(screen.getByRole('button', { name: 'Send' }));
  rerender(form(false));
  expect(send).not.toHaveBeenCalled();
  await user.type(screen.getByRole('textbox', { name: 'Name' }), 'x{Enter}');
  expect(send).toHaveBeenCalledTimes(1);
});
