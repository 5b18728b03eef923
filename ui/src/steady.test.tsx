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

test('lists are the same where all that is in them is, be it elements, functions or numbers', () => {
  const drawn = vi.fn();
  const Part = steady(({ list }: { list: readonly unknown[] }) => {
    drawn();
    return <p>{list.length}</p>;
  });
  const [call, other] = [() => {}, () => {}];
  const [Old, New] = [() => <b />, () => <i />];
  const { rerender } = render(<Part list={[{ value: 'a', on: call }, 1]} />);
  const draws = (list: readonly unknown[]) => {
    drawn.mockClear();
    rerender(<Part list={list} />);
    return drawn.mock.calls.length;
  };
  expect(draws([{ on: call, value: 'a' }, 1])).toBe(0);
  expect(draws([{ value: 'a', on: other }, 1])).toBe(1);
  expect(draws([NaN])).toBe(1);
  expect(draws([null])).toBe(1);
  expect(draws([new Date(1)])).toBe(1);
  expect(draws([new Date(2)])).toBe(1);
  expect(draws([<Old key="a" />])).toBe(1);
  expect(draws([<New key="a" />])).toBe(1);
});
