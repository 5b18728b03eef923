import { render } from '@testing-library/react';
import { dateDay, tableFromArrays, tableToIPC, utf8 } from '@uwdata/flechette';
import { expect, it } from 'vitest';
import type { Column } from '../data';
import { BoardTable } from '../table';
import { CardBody } from './Card';

const start: Column = { id: 'c1', title: 'Start', type: 'date', settings: {} };
const due: Column = { id: 'c2', title: 'Due', type: 'date', settings: {} };

/** What the card of one item shows with the first of the columns on it. */
function shown(columns: Column[]): string | null {
  const own = { id: ['i'], groupId: ['g'], name: ['Sail'], c1: [new Date('2026-03-01')], c2: [new Date('2026-04-01')] };
  const data = tableFromArrays(own, {
    types: Object.fromEntries(Object.keys(own).map((name) => [name, name.startsWith('c') ? dateDay() : utf8()])),
  });
  const board = {
    id: 'b',
    workspaceId: 'w',
    name: 'Trip',
    revision: 1,
    itemCount: 1,
    updatedAt: '2026-03-01T12:00:00.000Z',
  };
  data.schema.metadata = new Map([
    ['board', JSON.stringify({ board, groups: [{ id: 'g', name: 'Items' }], columns, members: [], linked: [] })],
  ]);
  const table = BoardTable.read(tableToIPC(data, { format: 'stream' })!.slice().buffer);
  return render(<CardBody table={table} row={0} fields={columns.slice(0, 1)} members={[]} />).container.querySelector(
    '.card-text',
  )!.textContent;
}

it('the date of a card says which it is where the board has several', () => {
  expect(shown([start, due])).toBe('StartMar 1, 2026');
  expect(shown([start])).toBe('Mar 1, 2026');
});
