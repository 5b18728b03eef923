/** What the browser stores of edits that wait. */
import { beforeEach, expect, it, vi } from 'vitest';
import { disk, recordsIn, storedIn } from '../testing/memoryRecords';
import { openEditStore, StoredEdits } from './store';

vi.mock('../recordStore', () => import('../testing/memoryRecords'));

interface Edit {
  document: string;
  at: number;
  text: string;
}
const form = {
  database: 'edits',
  records: 'edits',
  documentOf: ({ document }: Edit) => document,
  keyOf: ({ document, at }: Edit) => `${document}/${String(at).padStart(3, '0')}`,
};
const edit = (document: string, at: number, text = ''): Edit => ({ document, at, text });
const isAsked = () => !dispatchEvent(new Event('beforeunload', { cancelable: true }));

beforeEach(() => {
  recordsIn('edits').clear();
  disk.written = Promise.resolve();
});

it('reads the edits of one document in the order of their keys', async () => {
  const store = openEditStore(form);
  const edits = [edit('a', 10), edit('b', 3), edit('a', 9)];
  for (const one of edits) await store.write(one);
  expect(await store.read('a')).toEqual([edits[2], edits[0]]);
  expect([...recordsIn('edits').keys()]).toEqual(['a/010', 'b/003', 'a/009']);
  await store.remove('a/010');
  expect(await store.read('a')).toEqual([edits[2]]);
});

it('writes what is new or another now, and removes what is gone', async () => {
  const store = openEditStore(form);
  const [write, remove] = [vi.spyOn(store, 'write'), vi.spyOn(store, 'remove')];
  const stored = new StoredEdits(store);
  const [first, second] = [edit('a', 1), edit('a', 2)];
  stored.resume([first]);
  await stored.replace([first, second]);
  const changed = edit('a', 2, 'changed');
  await stored.replace([changed]);
  await stored.replace([changed]);
  expect(write.mock.calls).toEqual([[second], [changed]]);
  expect(remove.mock.calls).toEqual([['a/001']]);
  expect(storedIn('edits')).toEqual([changed]);
});

it('asks before the page is left until all is written', async () => {
  const stored = new StoredEdits(openEditStore(form));
  expect(isAsked()).toBe(false);
  const writes: (() => void)[] = [];
  const slowly = () => (disk.written = new Promise((resolve) => writes.push(resolve)));
  slowly();
  void stored.replace([edit('a', 1)]);
  slowly();
  void stored.replace([]);
  expect(isAsked()).toBe(true);
  // The later one alone says nothing of the one before.
  writes[1]!();
  await Promise.resolve();
  expect(isAsked()).toBe(true);
  writes[0]!();
  await stored.settled;
  expect(isAsked()).toBe(false);
});

it('goes on asking while another has something unsaved', async () => {
  const [one, other] = [1, 2].map(() => new StoredEdits(openEditStore(form)));
  let write = () => {};
  const slow = new Promise<void>((resolve) => (write = resolve));
  disk.written = slow;
  void one!.replace([edit('a', 1)]);
  disk.written = Promise.resolve();
  await other!.replace([edit('b', 1)]);
  expect(isAsked()).toBe(true);
  write();
  await one!.settled;
  expect(isAsked()).toBe(false);
});
