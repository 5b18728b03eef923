/** "Only this": of a bar by pointer, of a row by keyboard. */
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { BarChart } from '../charts/BarChart';
import { ChartTable } from '../charts/ChartTable';
import { Marks, OnlyThis, type Mark } from './Marks';

const points = ['Open', 'Done'].map((label, at) => ({ key: `value ${label.toLowerCase()}`, label, color: null, value: at + 1, text: `${at + 1}`, full: `${at + 1}`, items: at + 1 }));
const words = { title: 'Items by status', x: 'Status', y: 'Number of items' };
const only = (run: (mark: Mark) => void) => (mark: Mark) => (mark.label === 'Done' ? () => run(mark) : null);

it('is offered by a bar that is pressed, where a rule can say it', async () => {
  const user = userEvent.setup();
  const run = vi.fn();
  const { container } = render(
    <OnlyThis value={only(run)}>
      <Marks marks={points}>
        <BarChart variant="bar" points={points} words={words} />
      </Marks>
    </OnlyThis>,
  );
  await user.click(container.querySelector('[data-mark="value open"] rect')!);
  expect(screen.queryByRole('menu')).toBeNull();
  await user.click(container.querySelector('[data-mark="value done"] rect')!);
  await user.click(await screen.findByRole('menuitem', { name: /Only this/ }));
  expect(run.mock.calls).toEqual([[points[1]]]);
});

it('is a button in a row of the table', async () => {
  const user = userEvent.setup();
  const run = vi.fn();
  render(
    <OnlyThis value={only(run)}>
      <ChartTable points={points} words={words} hasItems={false} />
    </OnlyThis>,
  );
  expect(screen.queryByRole('button', { name: 'Only Open' })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Only Done' }));
  expect(run).toHaveBeenCalledOnce();
});
