import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { NumberField, type NumberFieldProps } from './fields';

const told = vi.fn();
const done = vi.fn();
const unread = vi.fn();

/** A field from 1 to 9 in whole numbers, and something to go to from it. */
function draw(more: Partial<NumberFieldProps> = {}) {
  for (const one of [told, done, unread]) one.mockReset();
  function Held() {
    const [value, setValue] = useState(4);
    return (
      <>
        <NumberField
          label="Column"
          minValue={1}
          maxValue={9}
          step={1}
          value={value}
          onChange={(next) => (told(next), setValue(next))}
          onUnread={unread}
          onEnter={done}
          {...more}
        />
        <button>Elsewhere</button>
      </>
    );
  }
  render(<Held />);
  return { field: screen.getByLabelText<HTMLInputElement>('Column'), user: userEvent.setup() };
}

it('tells each number that it takes while it is typed, and leaves the text as it is typed', async () => {
  const { field, user } = draw({ maxValue: 99, step: 0.5 });
  await user.clear(field);
  await user.type(field, '12,50');
  expect(told.mock.calls.flat()).toEqual([NaN, 1, 12, 12.5]);
  expect(field.value).toBe('12,50');
  await user.tab();
  expect(field.value).toBe('12.5');
});

it.each(['99', '0', '2.5', '-3'])(
  '%s is not told; it is marked with what is wanted once the field is left',
  async (text) => {
    const { field, user } = draw();
    await user.clear(field);
    told.mockReset();
    await user.type(field, text);
    expect(unread).toHaveBeenLastCalledWith(true);
    expect(told.mock.calls.flat()).not.toContain(Number(text));
    expect(screen.queryByText(/^Enter a/)).toBeNull();
    await user.tab();
    expect(screen.getByText('Enter a whole number from 1 to 9.')).toBeDefined();
    expect([field.value, field.getAttribute('aria-invalid')]).toEqual([text, 'true']);
    await user.clear(field);
    await user.type(field, '3');
    expect(unread).toHaveBeenLastCalledWith(false);
    expect(screen.queryByText(/^Enter a/)).toBeNull();
  },
);

it('Enter is told of where the number is taken, and marks it where not', async () => {
  const { field, user } = draw();
  await user.type(field, '4{Enter}');
  expect(done).not.toHaveBeenCalled();
  expect(screen.getByText('Enter a whole number from 1 to 9.')).toBeDefined();
  await user.clear(field);
  await user.keyboard('{Enter}');
  expect(done).not.toHaveBeenCalled();
  await user.type(field, '7{Enter}');
  expect([told.mock.lastCall, done.mock.calls.length]).toEqual([[7], 1]);
});

it('is a spin button that says its number, also after a step', async () => {
  const { field, user } = draw();
  const said = () =>
    ['role', 'aria-valuenow', 'aria-valuetext', 'aria-valuemin', 'aria-valuemax'].map((name) =>
      field.getAttribute(name),
    );
  expect(said()).toEqual(['spinbutton', '4', '4', '1', '9']);
  await user.click(field);
  await user.keyboard('{ArrowUp}');
  expect(said()).toEqual(['spinbutton', '5', '5', '1', '9']);
  await user.clear(field);
  expect(said()).toEqual(['spinbutton', null, null, '1', '9']);
});
