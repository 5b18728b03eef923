import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
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
