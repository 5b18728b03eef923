import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { BarChart } from './BarChart';
import { TwinTable } from './TwinTable';

const words = { title: 'By status', x: 'Status', y: 'Number of items' };

it('values of a table are buttons where there are items behind them', async () => {
  const onPick = vi.fn();
  const twin = {
    head: ['Status', 'Sum of Cost', 'Share'],
    rows: [{ key: 'a', label: 'Open', cells: [{ text: '12', pick: { x: 1 } }, { text: '50%' }] }],
  };
  render(<TwinTable title="By status" twin={twin} onPick={onPick} />);
  expect(screen.getAllByRole('columnheader').map((head) => head.textContent)).toEqual([
    'Status',
    'Sum of Cost',
    'Share',
  ]);
  await userEvent.click(screen.getByRole('button', { name: 'Open, Sum of Cost: 12, show items' }));
  expect(onPick).toHaveBeenCalledWith({ x: 1 }, 'Open, Sum of Cost: 12');
  expect(screen.getAllByRole('button')).toHaveLength(1);
});

it.each(['column', 'bar'] as const)(
  'a %s chart and its table draw each label in its own color, others of the same color too',
  (variant) => {
    const labels = ['#e8a33d', '#8e5bd0', '#e8a33d', null].map((color, at) => ({
      key: `${at}`,
      label: `L${at}`,
      color,
      value: at,
      text: `${at}`,
      full: `${at}`,
      items: 1,
    }));
    const { container } = render(<BarChart variant={variant} points={labels} words={words} />);
    expect([...container.querySelectorAll('.chart-mark')].map((mark) => mark.getAttribute('fill'))).toEqual([
      '#e8a33d',
      '#8e5bd0',
      '#e8a33d',
      'var(--chart-plain)',
    ]);
    const table = render(
      <TwinTable
        title="By status"
        twin={{
          head: ['Status', 'Items'],
          rows: labels.map(({ key, label, color }) => ({ key, label, color, cells: [{ text: '1' }] })),
        }}
      />,
    ).container;
    const swatches = [...table.querySelectorAll<HTMLElement>('.chart-swatch')].map((swatch) => swatch.style.background);
    expect(swatches).toEqual(['rgb(232, 163, 61)', 'rgb(142, 91, 208)', 'rgb(232, 163, 61)', 'var(--chart-plain)']);
  },
);
