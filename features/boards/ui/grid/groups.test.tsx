import { tableFromArrays, tableToIPC, utf8 } from '@uwdata/flechette';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '@shell/api';
import { ToastRegion } from '@shell/components';
import { BoardTable } from '../table';
import { AddItem } from './AddItem';
import { GroupDialogs } from './GroupDialogs';
import { GroupHead } from './GroupHead';
import { itemsOf, placeOf } from './groups';

type Send = (path: string, ...rest: unknown[]) => Promise<unknown>;
const api = { post: vi.fn<Send>(), patch: vi.fn<Send>(), delete: vi.fn<Send>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: Object.fromEntries(
    (['post', 'patch', 'delete'] as const).map((method) => [
      method,
      (...args: Parameters<Send>) => api[method](...args),
    ]),
  ),
}));
beforeEach(() => {
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
});

const GROUPS = [
  { id: 'g1', name: 'One', color: '#112233' },
  { id: 'g2', name: 'Two', color: '#445566' },
  { id: 'g3', name: 'Three' },
];

function table(groups = GROUPS): BoardTable {
  const data = tableFromArrays(
    { id: ['i1', 'i2', 'i3'], groupId: ['g1', 'g1', 'g2'], name: ['A', 'B', 'C'] },
    { types: { id: utf8(), groupId: utf8(), name: utf8() } },
  );
  const board = {
    id: 'b',
    workspaceId: 'w',
    name: 'Board',
    revision: 1,
    itemCount: 3,
    updatedAt: '2026-03-01T12:00:00.000Z',
  };
  data.schema.metadata = new Map([['board', JSON.stringify({ board, groups, columns: [], members: [] })]]);
  return BoardTable.read(tableToIPC(data, { format: 'stream' })!.slice().buffer);
}

const actions = { focus: vi.fn(), fold: vi.fn(), group: vi.fn() };
const head = (at: number, groups = GROUPS) =>
  render(
    <GroupHead
      line={{ group: groups[at]!, count: 2, subitems: 0, isFolded: false }}
      index={0}
      groups={groups}
      here={0}
      actions={actions}
    />,
  );

it("counts a group's items whatever the view shows, and knows its place", () => {
  expect(itemsOf(table(), 'g1')).toEqual(['i1', 'i2']);
  expect(itemsOf(table(), 'g3')).toEqual([]);
  expect(placeOf(GROUPS, 'g1')).toEqual({ at: 0, isFirst: true, isLast: false });
  expect(placeOf(GROUPS, 'g3')).toEqual({ at: 2, isFirst: false, isLast: true });
});

it('has a menu by keyboard that moves the group', async () => {
  head(0);
  for (let stop = 0; stop < 3; stop += 1) await userEvent.tab();
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Options for group One');
  await userEvent.keyboard('{Enter}');
  expect(screen.getByText('Move up').closest('[role="menuitem"]')?.getAttribute('aria-disabled')).toBe('true');
  await userEvent.click(screen.getByText('Move down'));
  expect(actions.group).toHaveBeenLastCalledWith({ what: 'down', group: GROUPS[0] });
});

it('has a button that adds an item, without folding the group', async () => {
  head(0);
  await userEvent.click(screen.getByLabelText('Add an item to One'));
  expect(actions.group).toHaveBeenLastCalledWith({ what: 'addItem', group: GROUPS[0] });
  expect(actions.fold).not.toHaveBeenCalled();
});

it('does not offer to delete the only group', async () => {
  head(0, GROUPS.slice(0, 1));
  await userEvent.click(screen.getByLabelText('Options for group One'));
  expect(screen.getByText('Delete group').closest('[role="menuitem"]')?.getAttribute('aria-disabled')).toBe('true');
});

it('adds a group, and sends of a changed one only what changed', async () => {
  const { rerender } = render(<GroupDialogs asked={{ what: 'add' }} table={table()} onClose={() => undefined} />);
  await userEvent.click(screen.getByRole('button', { name: 'Add group' }));
  expect(screen.getByText('Enter a name.')).toBeTruthy();
  await userEvent.type(screen.getByRole('textbox', { name: 'Name' }), 'Later{Enter}');
  expect(api.post).toHaveBeenCalledWith('/boards/b/groups', { name: 'Later', color: '#d9455f' });
  rerender(
    <GroupDialogs key="edit" asked={{ what: 'edit', group: GROUPS[0]! }} table={table()} onClose={() => undefined} />,
  );
  await userEvent.clear(screen.getByRole('textbox', { name: 'Name' }));
  await userEvent.type(screen.getByRole('textbox', { name: 'Name' }), 'First{Enter}');
  expect(api.patch).toHaveBeenCalledWith('/boards/b/groups/g1', { name: 'First', was: { name: 'One' } });
});

it('sends nothing of a group that was left as it is, also of one without a color', async () => {
  const onClose = vi.fn();
  render(<GroupDialogs asked={{ what: 'edit', group: GROUPS[2]! }} table={table()} onClose={onClose} />);
  await userEvent.type(screen.getByRole('textbox', { name: 'Name' }), '{Enter}');
  expect([api.patch.mock.calls, onClose.mock.calls.length]).toEqual([[], 1]);
});

const deleting = async () => {
  api.delete.mockResolvedValue({ boardRevision: 7 });
  const onClose = vi.fn();
  render(
    <>
      <GroupDialogs asked={{ what: 'delete', group: GROUPS[0]! }} table={table()} onClose={onClose} />
      <ToastRegion />
    </>,
  );
  expect(screen.getByText(/The group has 2 items/)).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Delete group' }));
  expect(api.delete).toHaveBeenCalledWith('/boards/b/groups/g1', { query: { moveTo: 'g2' } });
  expect(onClose).toHaveBeenCalled();
  await userEvent.click(await screen.findByRole('button', { name: 'Undo', hidden: true }));
};

it('deletes a group, moving its items, and brings all back as one step', async () => {
  await deleting();
  expect(api.post.mock.calls).toEqual([['/boards/b/undo', { revision: 7 }]]);
  expect(api.patch).not.toHaveBeenCalled();
});

it('says what stands in the way of bringing a group back', async () => {
  api.post.mockRejectedValue(new ApiError(409, { detail: 'It was changed again by Anna.' }));
  await deleting();
  expect(await screen.findByText("Couldn't undo")).toBeTruthy();
  expect(screen.getByText('It was changed again by Anna.')).toBeTruthy();
});

it('deletes a group with its items', async () => {
  render(<GroupDialogs asked={{ what: 'delete', group: GROUPS[1]! }} table={table()} onClose={() => undefined} />);
  await userEvent.click(screen.getByRole('button', { name: /Items in this group/ }));
  await userEvent.click(screen.getByRole('option', { name: 'Delete with the group' }));
  await userEvent.click(screen.getByRole('button', { name: 'Delete group' }));
  expect(api.delete).toHaveBeenCalledWith('/boards/b/groups/g2', { query: { withItems: true } });
});

it('adds an item to the group chosen, the first where none was', async () => {
  const onAdd = vi.fn();
  render(<AddItem groups={GROUPS} onAdd={onAdd} onAsk={() => undefined} />);
  const field = screen.getByRole('textbox', { name: 'Add an item' });
  await userEvent.type(field, 'Begin{Enter}');
  expect(onAdd).toHaveBeenLastCalledWith('Begin', 'g1');
  await userEvent.click(screen.getByRole('button', { name: /Group of a new item/ }));
  await userEvent.click(screen.getByRole('option', { name: 'Two' }));
  await userEvent.type(field, 'Next{Enter}');
  expect(onAdd).toHaveBeenLastCalledWith('Next', 'g2');
});
