/** Files attached to items: limits and requests. */
import { request } from '@shell/api';
import { client, type Schemas } from '@shell/client';
import { FILE_BYTES_MAX, FILES_PER_CELL_MAX } from '@shell/gen/limits';
import { upload, type UploadOptions } from '@shell/upload';
import type { Attachment } from '../data';
import { did } from '../outbox/did';

/** A cell of files. */
export interface FileCell {
  board: string;
  item: string;
  column: string;
}

const path = ({ board, item, column }: FileCell, file?: string) =>
  `/boards/${board}/items/${item}/files/${column}${file === undefined ? '' : `/${file}`}`;

const update = ({ board, item, column }: FileCell, file: Attachment, body: { name: string } | { position: number }) =>
  did(
    board,
    'name' in body ? `the name of ${body.name}` : `the position of ${file.name}`,
    client.patch('/boards/{boardId}/items/{itemId}/files/{columnId}/{fileId}', {
      path: { boardId: board, itemId: item, columnId: column, fileId: file.id },
      body,
    }),
  );

/** The bytes of a file. */
async function bytes(cell: FileCell, file: Attachment): Promise<ArrayBuffer> {
  const { body } = await request('GET', path(cell, file.id), { headers: { Accept: '*/*' } });
  return body;
}

export const attached = {
  add: (cell: FileCell, file: File, options: UploadOptions) =>
    did(
      cell.board,
      `attaching ${file.name}`,
      upload<Schemas['Added']>(path(cell), file, options).then(({ item }) => item),
    ),
  rename: (cell: FileCell, file: Attachment, name: string) => update(cell, file, { name }),
  move: (cell: FileCell, file: Attachment, position: number) => update(cell, file, { position }),
  remove: ({ board, item, column }: FileCell, file: Attachment) =>
    did(
      board,
      `removing ${file.name}`,
      client.delete('/boards/{boardId}/items/{itemId}/files/{columnId}/{fileId}', {
        path: { boardId: board, itemId: item, columnId: column, fileId: file.id },
      }),
    ),
  /** Saves the file under its name. */
  download: async (cell: FileCell, file: Attachment) => {
    const address = URL.createObjectURL(new Blob([await bytes(cell, file)]));
    const link = document.createElement('a');
    link.href = address;
    link.download = file.name;
    link.click();
    URL.revokeObjectURL(address);
  },
  /** The file as a picture; its address is to be revoked. */
  picture: async (cell: FileCell, file: Attachment) =>
    URL.createObjectURL(new Blob([await bytes(cell, file)], { type: file.type })),
};

/** Pictures that hold nothing but pixels: no markup, no scripts. */
const PICTURES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** Larger ones are not fetched to be shown small. */
const PICTURE_BYTES_MAX = 5 * 1024 * 1024;
export const isPicture = (file: Attachment): boolean => PICTURES.has(file.type) && file.size <= PICTURE_BYTES_MAX;

/** `7 bytes`, `1.5 MB`. */
export function sized(bytes: number): string {
  if (bytes < 1024) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  const [unit, power] = bytes < 1024 * 1024 ? ['kB', 1024] : ['MB', 1024 * 1024];
  return `${(bytes / Number(power)).toLocaleString(undefined, { maximumFractionDigits: 1 })} ${unit}`;
}

/** Why a file is not sent; nothing where it is. Said before a byte of it is. */
export function refusal(file: File, present: number): string | null {
  if (present >= FILES_PER_CELL_MAX) return `A cell can have up to ${FILES_PER_CELL_MAX} files. Remove one first.`;
  if (file.size > FILE_BYTES_MAX) return `The file is ${sized(file.size)}. The limit is ${sized(FILE_BYTES_MAX)}.`;
  return null;
}
