import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { DashboardName, type Naming } from './DashboardName';

function Page({
  name,
  begun = null,
  onRename = () => {},
}: {
  name: string;
  begun?: Naming | null;
  onRename?: (name: string) => void;
}) {
  const [naming, setNaming] = useState(begun);
  return <DashboardName name={name} naming={naming} onNaming={setNaming} onRename={onRename} />;
}

it('Escape takes back what was typed, and not what someone else called it meanwhile', async () => {
  const onRename = vi.fn();
  const user = userEvent.setup();
  const { rerender } = render(<Page name="Team" begun={{}} onRename={onRename} />);
  const field = () => screen.getByRole<HTMLInputElement>('textbox');
  rerender(<Page name="Crew" onRename={onRename} />);
  expect(field().value).toBe('Crew');
  await user.click(field());
  await user.keyboard('{Escape}');
  expect(onRename).not.toHaveBeenCalled();
  await user.click(screen.getByRole('button'));
  await user.keyboard('{End}s{Escape}');
  expect(onRename.mock.calls).toEqual([['Crews'], ['Crew']]);
});

it('goes on with what was typed where it stood before', async () => {
  const onRename = vi.fn();
  const user = userEvent.setup();
  render(
    <Page name="New dashboard" begun={{ typed: { text: 'Two ', before: 'New dashboard' } }} onRename={onRename} />,
  );
  await user.keyboard('words');
  expect(screen.getByRole<HTMLInputElement>('textbox').value).toBe('Two words');
  await user.keyboard('{Escape}');
  expect(onRename.mock.calls.slice(-2)).toEqual([['Two words'], ['New dashboard']]);
});

it('keeps the focus when the keyboard ends it', async () => {
  const user = userEvent.setup();
  render(<Page name="Team" />);
  await user.click(screen.getByRole('button', { name: 'Team' }));
  for (const key of ['{Enter}', '{Escape}']) {
    screen.getByRole('textbox').focus();
    await user.keyboard(key);
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Team' }));
    await user.keyboard('{Enter}');
  }
});

it('keeps it also where it was a field from the beginning', async () => {
  render(<Page name="New dashboard" begun={{}} />);
  await userEvent.setup().keyboard('{Enter}');
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'New dashboard' }));
});

it('takes the focus as soon as no menu lies over the page any more', async () => {
  const page = (isBehind: boolean) => (
    <div inert={isBehind}>
      <Page name="Team" begun={{}} />
    </div>
  );
  const { rerender } = render(page(true));
  expect(document.activeElement).toBe(document.body);
  rerender(page(false));
  // Before the next frame, in which the menu would give the focus back.
  await Promise.resolve();
  const field = screen.getByRole<HTMLInputElement>('textbox');
  expect(document.activeElement).toBe(field);
  expect([field.selectionStart, field.selectionEnd]).toEqual([0, 'Team'.length]);
  await userEvent.setup().keyboard('Crew{Escape}');
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Team' }));
});
