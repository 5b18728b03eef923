/** Actions on a table's groups, and their requests. */
import { client } from '@shell/client';
import type { Group } from '../data';
import { boxOf } from '../outbox/box';
import { did } from '../outbox/did';
import type { BoardTable } from '../table';

/** A requested group action; without a group, adds one. */
export interface GroupAsk {
  what: 'add' | 'edit' | 'delete' | 'addItem' | 'up' | 'down';
  group?: Group;
}

const nameOf = (board: string, group: string) => boxOf(board).called.group(group);

/** Changes of groups that the page asks for. */
export const groups = {
  create: (boardId: string, name: string, color: string) =>
    did(
      boardId,
      `adding the group ${name}`,
      client.post('/boards/{boardId}/groups', { path: { boardId }, body: { name, color } }),
    ),
  /** `was`: what of it the person has seen; the change is refused where that is no longer so. */
  update: (
    boardId: string,
    groupId: string,
    changed: { name?: string; color?: string; position?: number; was?: { name?: string; color?: string } },
  ) =>
    did(
      boardId,
      `changes to the group ${nameOf(boardId, groupId)}`,
      client.patch('/boards/{boardId}/groups/{groupId}', { path: { boardId, groupId }, body: changed }),
    ),
  /** Its items move to the group named, or go along with it; taking the step back brings all of it back. */
  remove: (boardId: string, groupId: string, moveTo: string | null) =>
    did(
      boardId,
      `deleting the group ${nameOf(boardId, groupId)}`,
      client.delete('/boards/{boardId}/groups/{groupId}', {
        path: { boardId, groupId },
        query: moveTo === null ? { withItems: true } : { moveTo },
      }),
    ),
};

/** The ids of a group's items, whatever the view shows of them. */
export function itemsOf(table: BoardTable, group: string): string[] {
  const found: string[] = [];
  let at = -1;
  for (const line of table.lines) {
    if (typeof line !== 'number') at += 1;
    else if (table.meta.groups[at]?.id === group) found.push(table.id(line));
  }
  return found;
}

/** A group's position, and the moves that are possible. */
export function placeOf(groups: readonly Group[], id: string): { at: number; isFirst: boolean; isLast: boolean } {
  const at = groups.findIndex((group) => group.id === id);
  return { at, isFirst: at <= 0, isLast: at === groups.length - 1 };
}
