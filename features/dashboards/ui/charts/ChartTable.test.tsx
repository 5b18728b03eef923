import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Point } from '../engine';
import { ChartTable } from './ChartTable';

const points = [{ key: 'a', label: 'Open', full: '12', items: 12 }] as unknown as Point[];
const words = { title: 'By status', x: 'Status', y: 'Number of items' };
const heads = () => screen.getAllByRole('columnheader').map((head) => head.textContent);

it('a chart that counts items shows their number once', () => {
  const { rerender } = render(<ChartTable points={points} words={words} hasItems={false} />);
  expect(heads()).toEqual(['Status', 'Number of items']);
  rerender(<ChartTable points={points} words={{ ...words, y: 'Sum of Cost' }} hasItems />);
  expect(heads()).toEqual(['Status', 'Sum of Cost', 'Items']);
});
