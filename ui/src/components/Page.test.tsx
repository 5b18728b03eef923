import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { Page, SidePanel } from './Page';

it('a side panel is closed by Escape once, from inside and from the list, where the focus stays', async () => {
  const user = userEvent.setup();
  const onClose = vi.fn();
  render(
    <Page
      title="Items"
      side={
        <SidePanel title="Item" onClose={onClose}>
          <button type="button">Inside</button>
        </SidePanel>
      }
    >
      <button type="button">In the list</button>
      <button type="button" onKeyDown={(event) => event.preventDefault()}>
        With an Escape of its own
      </button>
    </Page>,
  );
  for (const [name, times] of [
    ['Inside', 1],
    ['In the list', 2],
    ['With an Escape of its own', 2],
  ] as const) {
    const button = screen.getByRole('button', { name });
    button.focus();
    await user.keyboard('{Escape}');
    expect(onClose).toHaveBeenCalledTimes(times);
    expect(document.activeElement).toBe(button);
  }
});
