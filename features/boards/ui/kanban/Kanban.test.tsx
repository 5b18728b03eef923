/** What a kanban does with the focus and with a card that is carried. */
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { tableFromArrays, tableToIPC, utf8 } from '@uwdata/flechette';
import { useState } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Column } from '../data';
import { BoardTable } from '../table';
import type { ViewSettings } from '../views/data';
import type { StackBy } from './stacks';
import { Kanban } from './Kanban';

vi.mock('@shell/settings', () => ({ useSetting: () => undefined }));
// The list draws as much as has room.
beforeEach(() => void vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(60));

const status = {
  id: 'c1',
  title: 'Status',
  type: 'status',
  settings: { labels: [{ id: 'l1', text: 'Open', color: '#4a7fd4', done: false }] },
} as Column;
const by: StackBy = { kind: 'column', column: status };
const COUNT = 40;

function board(): BoardTable {
  const ids = Array.from({ length: COUNT }, (_, at) => `i${at}`);
  const table = tableFromArrays(
    { id: ids, groupId: ids.map(() => 'g'), name: ids.map((id) => `Card ${id}`), c1: ids.map(() => 'l1') },
    { types: { id: utf8(), groupId: utf8(), name: utf8(), c1: utf8() } },
  );
  const meta = {
    board: {
      id: 'b',
      workspaceId: 'w',
      name: 'Board',
      revision: 1,
      itemCount: COUNT,
      updatedAt: '2026-03-01T12:00:00.000Z',
    },
    groups: [{ id: 'g', name: 'Items' }],
    columns: [status],
    members: [],
  };
  table.schema.metadata = new Map([['board', JSON.stringify(meta)]]);
  return BoardTable.read(tableToIPC(table, { format: 'stream' })!.slice().buffer);
}

const cards = () => screen.getAllByRole('button', { name: /^Card/ }).map(({ textContent }) => textContent);
const card = (name: string) => screen.getByRole('button', { name: `Card ${name}` });

/** A board of one stack, its items put where they are moved to; `Archive` puts one away. */
function Shown({ archived, settings = {} }: { archived: string[]; settings?: ViewSettings }) {
  const [first] = useState(board);
  const [cells, setCells] = useState<{ item: string; column: string; before: null; after: string[] }[]>([]);
  const table = first.with([{ cells, add: [], archive: archived, remove: [] }]);
  const put = (item: string, _name: string, _changes: unknown, beside: readonly string[] | null) =>
    beside && setCells([{ item, column: 'place', before: null, after: [...beside] }]);
  const rows = settings.sort ? table.items : null;
  const [own, setOwn] = useState(settings);
  return (
    <Kanban
      table={table}
      rows={rows}
      by={by}
      settings={own}
      members={[]}
      moves={{ put } as never}
      onSettings={setOwn}
      onOpenItem={() => undefined}
    />
  );
}

it('lets go of a card that is put away while it is carried, and the next one has the focus', async () => {
  const { rerender } = render(<Shown archived={[]} />);
  card('i1').focus();
  await userEvent.keyboard(' {ArrowUp}');
  expect(document.querySelector('.stack-line')?.hasAttribute('data-first')).toBe(true);
  rerender(<Shown archived={['i1']} />);
  await waitFor(() => expect(document.activeElement).toBe(card('i2')));
  expect(document.querySelector('.stack-line')).toBeNull();
  expect(screen.getByRole('status').textContent).toBe('Card i1 is no longer in this view.');
});

it('says at the lift that the view is sorted', async () => {
  render(<Shown archived={[]} settings={{ sort: [{ columnId: 'name' }] }} />);
  card('i1').focus();
  await userEvent.keyboard(' ');
  expect(screen.getByRole('status').textContent).toMatch(/^Lifted Card i1, in Open\. .* This view is sorted, /);
});

it('gives the focus to a card that a key in its menu put out of sight', async () => {
  render(<Shown archived={[]} />);
  const last = `i${COUNT - 1}`;
  expect(cards()).not.toContain(`Card ${last}`);
  card('i1').focus();
  await userEvent.keyboard('{Tab}{Enter}');
  screen.getByRole('menuitem', { name: 'Move to bottom' }).focus();
  await userEvent.keyboard('{Enter}');
  await waitFor(() =>
    expect(document.activeElement?.closest('.card-place')?.getAttribute('aria-posinset')).toBe(String(COUNT)),
  );
  expect(document.activeElement?.closest('.card-place')?.textContent).toContain('Card i1');
});

it('keeps the focus with a stack that a key folds and unfolds', async () => {
  render(<Shown archived={[]} />);
  screen.getByRole('button', { name: 'Collapse Open' }).focus();
  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Expand Open' })));
  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Collapse Open' })));
});
