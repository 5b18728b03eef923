/** Requests that change boards and columns. Changes to an open board are sent as undoable steps. */
import { client } from '@shell/client';
import type { ColumnSettings, ColumnType, PresetName } from './data';
import { boxOf } from './outbox/box';
import { did } from './outbox/did';

const titleOf = (board: string, column: string) => boxOf(board).called.column(column);

export const change = {
  createBoard: (workspaceId: string, name: string, preset: PresetName) =>
    client.post('/boards', { body: { workspaceId, name, preset } }),
  renameBoard: (boardId: string, name: string) =>
    did(
      boardId,
      'the board name',
      client
        .patch('/boards/{boardId}', { path: { boardId }, body: { name } })
        .then(({ revision, unchanged }) => ({ boardRevision: revision, unchanged })),
    ),
  deleteBoard: (boardId: string) => client.delete('/boards/{boardId}', { path: { boardId } }),
  deleteColumn: (boardId: string, columnId: string) =>
    did(
      boardId,
      `deleting the column ${titleOf(boardId, columnId)}`,
      client.delete('/boards/{boardId}/columns/{columnId}', { path: { boardId, columnId } }),
    ),
  addColumn: (boardId: string, title: string, type: ColumnType, settings: ColumnSettings = {}) =>
    did(
      boardId,
      `adding the column ${title}`,
      client.post('/boards/{boardId}/columns', { path: { boardId }, body: { title, type, settings } }),
    ),
  /**
   * Sends what changes and nothing else: the rest may have been changed by others since it was read.
   * `was`: what of it the person has seen; the change is refused where that is no longer so.
   */
  updateColumn: (
    boardId: string,
    columnId: string,
    changed: { title?: string; settings?: ColumnSettings; was: { title?: string; settings?: ColumnSettings } },
  ) =>
    did(
      boardId,
      `changes to the column ${titleOf(boardId, columnId)}`,
      client.patch('/boards/{boardId}/columns/{columnId}', { path: { boardId, columnId }, body: changed }),
    ),
};
