import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Point } from './points';
import { BarChart } from './BarChart';
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

it.each(['column', 'bar'] as const)('a %s chart and its table draw each label in its own colour, others of the same colour too', (variant) => {
  const labels = ['#e8a33d', '#8e5bd0', '#e8a33d', null].map((color, at) => ({ key: `${at}`, label: `L${at}`, color, value: at, text: `${at}`, full: `${at}`, items: 1 }));
  const { container } = render(<BarChart variant={variant} points={labels} words={words} />);
  expect([...container.querySelectorAll('.chart-mark')].map((mark) => mark.getAttribute('fill'))).toEqual(['#e8a33d', '#8e5bd0', '#e8a33d', 'var(--chart-plain)']);
  const table = render(<ChartTable points={labels} words={words} hasItems={false} />).container;
  const swatches = [...table.querySelectorAll<HTMLElement>('.chart-swatch')].map((swatch) => swatch.style.background);
  expect(swatches).toEqual(['rgb(232, 163, 61)', 'rgb(142, 91, 208)', 'rgb(232, 163, 61)', 'var(--chart-plain)']);
});
