import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Column } from '../data';
import { CardField } from './fields';

const points: Column = { id: 'c1', title: 'Story points', type: 'number', settings: { unit: 'pts' } };

it('a card says what a number on it is of', () => {
  const { container, rerender } = render(<CardField column={points} value={5} members={[]} />);
  expect(container.textContent).toBe('Story points: 5 pts');
  expect(screen.getByTitle('Story points: 5 pts')).toBeTruthy();
  rerender(<CardField column={points} value={null} members={[]} />);
  expect(container.textContent).toBe('');
});
