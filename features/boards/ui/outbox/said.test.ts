/** Comments wait for the program as cells and items do, and are there once however often they are sent. */
import { beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '@shell/api';
import { recordsIn, storedIn } from '@shell/testing/memoryRecords';
import { signInAnother } from '@shell/testing/signIn';
import { spoken, type Comment } from '../discussion';
import { boxOf, type Box } from './box';
import type { Said, Step } from './step';

interface Asked {
  method: string;
  body: unknown;
  answer: (value?: unknown) => Promise<void>;
  fail: (status: number, detail?: string, revision?: number) => Promise<void>;
}
const asked: Asked[] = [];
const ask = vi.hoisted(() => ({
  run: (_method: string, _body?: unknown): Promise<unknown> => Promise.reject(new Error()),
}));
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: Object.fromEntries(
    ['post', 'patch', 'delete'].map((method) => [method, (_path: string, body?: unknown) => ask.run(method, body)]),
  ),
}));
vi.mock('@shell/live', async (original) => ({ ...(await original<object>()), connectionNow: () => 'live' }));
vi.mock('@shell/recordStore', () => import('@shell/testing/memoryRecords'));
const stored = () => storedIn<Step>('pilothouse-steps');

const turn = async (run: () => unknown = () => undefined) => {
  run();
  for (let at = 0; at < 20; at++) await Promise.resolve();
};

let boards = 0;
let box: Box;
beforeEach(async () => {
  await signInAnother();
  asked.length = 0;
  recordsIn('pilothouse-steps').clear();
  ask.run = (method, body) =>
    new Promise((resolve, reject) =>
      asked.push({
        method,
        body,
        answer: (value) => turn(() => resolve(value)),
        fail: (status, detail = '', revision) => turn(() => reject(new ApiError(status, { detail, revision }))),
      }),
    );
  box = boxOf(`b${++boards}`);
  box.subscribe(() => undefined);
});
const last = () => asked.at(-1)!;
const sent = () => asked.map(({ method, body }) => [method, body]);
const said = (way: Said['way'], comment: string, text = '', revision = 0): Said => ({
  way,
  item: 'i',
  comment,
  text,
  revision,
});
/** What is shown of the item's comments, where these were read. */
const shown = (read: readonly Comment[] = []) =>
  spoken(read, box.saidOf('i')).comments.map(({ text, deleted, state }) => [deleted ? null : text, state]);
const read = (id: string, more: Partial<Comment> = {}): Comment => ({
  id,
  author: { kind: 'owner', name: 'Owner' },
  text: id,
  deleted: false,
  own: true,
  createdAt: '2026-03-01T12:00:00Z',
  revision: 1,
  ...more,
});
/** Says it, and what came of that. */
const say = async (one: Said) => {
  const came: unknown[] = [];
  await turn(
    () =>
      void box.say(one).then(
        (how) => came.push(how),
        (failure: Error) => came.push(failure.message),
      ),
  );
  return came;
};

it('fails with the reason at once where the program refuses, and keeps nothing', async () => {
  const came = await say(said('add', 'c', 'Ask @[m-gone]'));
  await last().fail(422, 'Member m-gone not found.');
  expect([came, stored(), box.steps]).toEqual([['Member m-gone not found.'], [], []]);
});

it('waits under its id, counted and kept, and is sent again as the same', async () => {
  const came = await say(said('add', 'c', 'Once'));
  await last().fail(0);
  expect([came, shown(), stored().length]).toEqual([['waits'], [['Once', 'waits']], 1]);
  await turn(() => box.pump());
  await last().answer({});
  expect(sent()).toEqual([
    ['post', { id: 'c', text: 'Once' }],
    ['post', { id: 'c', text: 'Once' }],
  ]);
  // Until it was read it stands there, and then it does so once.
  expect([shown(), shown([read('c')]).length, stored()]).toEqual([[['Once', undefined]], 1, []]);
  box.areRead(spoken([read('c')], box.saidOf('i')).known);
  expect(box.saidOf('i')).toEqual([]);
});

it('changes what never left in its place, and what may have arrived behind it', async () => {
  await say(said('add', 'lost', 'First'));
  await last().fail(0);
  await say(said('add', 'c', 'Second'));
  await say(said('edit', 'c', 'Second!', 1));
  await say(said('edit', 'lost', 'First!', 1));
  await say(said('add', 'd', 'Third'));
  await say(said('delete', 'd'));
  expect(shown()).toEqual([
    ['First!', 'waits'],
    ['Second!', 'waits'],
  ]);
  for (let at = 0; at < 3; at++) await last().answer({});
  expect(sent().slice(1)).toEqual([
    ['post', { id: 'lost', text: 'First' }],
    ['post', { id: 'c', text: 'Second!' }],
    ['patch', { text: 'First!' }],
  ]);
});

it('does not know after a reload whether it arrived', async () => {
  recordsIn('pilothouse-steps').set(`b${boards}/0000000000000001`, {
    board: `b${boards}`,
    at: 1,
    cells: [],
    add: [],
    archive: [],
    remove: [],
    names: {},
    said: said('add', 'c', 'Kept'),
  } satisfies Step);
  const writing = box.open();
  await turn(() => writing);
  await say(said('delete', 'c'));
  expect(shown()).toEqual([[null, 'waits']]);
  await last().answer({});
  // Gone already is as good.
  await last().fail(404);
  expect([sent().map(([method]) => method), box.steps]).toEqual([['post', 'delete'], []]);
});

it('waits for an item that is to be made, and for none of its cells', async () => {
  await turn(() => box.write({ add: [{ id: 'i', name: 'Sail', cells: {} }] }));
  await last().fail(409, 'The board is full.');
  await say(said('add', 'c', 'Below'));
  expect([asked.length, shown()]).toEqual([1, [['Below', 'waits']]]);
  await turn(() => box.retry(box.steps[0]!));
  await last().answer({ boardRevision: 2 });
  await last().answer({});
  await turn(() => box.write({ cells: [{ item: 'i', column: 'n', before: 1, after: 2 }] }));
  await last().fail(412, 'Someone changed it.');
  await say(said('add', 'd', 'Beside'));
  expect(last().method).toBe('post');
});

it('keeps a text that is refused after it waited, to be corrected', async () => {
  await say(said('add', 'c', 'Too long'));
  await last().fail(0);
  await turn(() => box.pump());
  await last().fail(422, 'At most 10,000 characters.');
  expect([box.steps[0]?.problem, shown()]).toEqual([
    { refused: 'At most 10,000 characters.' },
    [['Too long', 'refused']],
  ]);
  await say(said('edit', 'c', 'Short', 1));
  await last().answer({});
  expect([last().body, box.steps]).toEqual([{ id: 'c', text: 'Short' }, []]);
});

it('says beside the text of another window that an edit was not saved, and writes over that when it is tried again', async () => {
  await say(said('edit', 'c', 'Mine', 1));
  await last().fail(0);
  await turn(() => box.pump());
  await last().fail(412, 'If-Match names another revision than the stored one, 2.', 2);
  const theirs = read('c', { text: 'Theirs', revision: 2 });
  expect([box.steps[0]?.problem, shown([theirs])]).toEqual([
    { refused: expect.stringMatching(/^It was edited elsewhere/), stands: 2 },
    [['Theirs', 'passed']],
  ]);
  await turn(() => box.retry(box.steps[0]!));
  expect([box.steps[0]?.said?.revision, shown([theirs])]).toEqual([2, [['Mine', 'waits']]]);
  await last().fail(412, '', 3);
  // Written anew, it is made of what is shown.
  const newer = spoken([{ ...theirs, revision: 3 }], box.saidOf('i')).comments[0]!;
  await say(said('edit', 'c', 'Both', newer.revision));
  expect([box.steps[0]?.said?.revision, last().body]).toEqual([3, { text: 'Both' }]);
});
