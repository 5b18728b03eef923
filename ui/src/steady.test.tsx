import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { steady } from './steady';

test('a part is drawn again for what it shows and not for what it calls, which is the newest', async () => {
  const drawn = vi.fn();
  const Part = steady(({ words, onPress }: { words: readonly string[]; onPress: () => void }) => {
    drawn();
    return <button onClick={onPress}>{words.join(' ')}</button>;
  });
  const [first, second] = [vi.fn(), vi.fn()];
  const { rerender } = render(<Part words={['a', 'b']} onPress={() => first()} />);
  rerender(<Part words={['a', 'b']} onPress={() => second()} />);
  expect(drawn).toHaveBeenCalledTimes(1);
  await userEvent.setup().click(screen.getByRole('button', { name: 'a b' }));
  expect([first, second].map((call) => call.mock.calls.length)).toEqual([0, 1]);
  rerender(<Part words={['a', 'c']} onPress={() => second()} />);
  expect(screen.getByRole('button').textContent).toBe('a c');
});
