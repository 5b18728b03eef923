/** "Only this" in the rows of a chart's table, where a rule can say it. */
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import type { ChartCategory } from '@shell/engine/types';
import { TwinTable } from '../charts/TwinTable';
import { OnlyThis } from './OnlyThis';

const category = (label: string): ChartCategory => ({ kind: 'value', key: label.toLowerCase(), label });

it('is a button in a row of the table', async () => {
  const user = userEvent.setup();
  const run = vi.fn();
  const rows = ['Open', 'Done'].map((label) => ({
    key: label,
    label,
    category: category(label),
    cells: [{ text: '1' }],
  }));
  render(
    <OnlyThis value={(one) => (one.label === 'Done' ? () => run(one) : null)}>
      <TwinTable title="By status" twin={{ head: ['Status', 'Items'], rows }} />
    </OnlyThis>,
  );
  expect(screen.queryByRole('button', { name: 'Only Open' })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Only Done' }));
  expect(run.mock.calls).toEqual([[category('Done')]]);
});
