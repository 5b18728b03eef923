import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { DashboardName } from './DashboardName';

it('Escape takes back what was typed, and not what someone else called it meanwhile', async () => {
  const onRename = vi.fn();
  const user = userEvent.setup();
  const drawn = (name: string) => <DashboardName name={name} isEditing onEditing={() => {}} onRename={onRename} />;
  const { rerender } = render(drawn('Team'));
  const field = screen.getByRole<HTMLInputElement>('textbox');
  rerender(drawn('Crew'));
  expect(field.value).toBe('Crew');
  await user.click(field);
  await user.keyboard('{Escape}');
  expect(onRename).not.toHaveBeenCalled();
  await user.type(field, 's{Escape}');
  expect(onRename.mock.calls).toEqual([['Crews'], ['Crew']]);
});

it('keeps the focus when the keyboard ends it', async () => {
  const user = userEvent.setup();
  function Page() {
    const [isEditing, setEditing] = useState(false);
    return <DashboardName name="Team" isEditing={isEditing} onEditing={setEditing} onRename={() => {}} />;
  }
  render(<Page />);
  await user.click(screen.getByRole('button', { name: 'Team' }));
  for (const key of ['{Enter}', '{Escape}']) {
    screen.getByRole('textbox').focus();
    await user.keyboard(key);
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Team' }));
    await user.keyboard('{Enter}');
  }
});
