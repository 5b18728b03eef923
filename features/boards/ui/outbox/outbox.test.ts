/** Steps: what is sent of them, which is next, and what a decision leaves of them. */
import { describe, expect, it } from 'vitest';
import { ApiError } from '@shell/api';
import { send } from './send';
import { bodyOf, decided, newId, nextOf, type CellChange, type Conflict, type Step } from './step';

const cell = (item: string, column: string, before: string | null, after: string | null): CellChange => ({
  item,
  column,
  before,
  after,
});
const step = (at: number, over: Partial<Step> = {}): Step => ({
  board: 'b',
  at,
  cells: [],
  add: [],
  archive: [],
  remove: [],
  names: {},
  ...over,
});
const clash = (item: string, column: string, mine: string | null, theirs: string | null): Conflict => ({
  item,
  column,
  name: item,
  mine,
  theirs,
});

describe('a step', () => {
  it('is sent with what each cell held', () => {
    const sent = step(1, {
      cells: [cell('i', 'c1', 'a', 'b'), cell('j', 'name', 'Old', 'New'), cell('i', 'groupId', 'g1', 'g2')],
      add: [{ id: 'n', name: 'N', cells: {} }],
      archive: ['k'],
      remove: ['l'],
    });
    expect(bodyOf(sent)).toEqual({
      items: [
        { itemId: 'i', groupId: 'g2', cells: { c1: 'b' }, was: { c1: 'a', groupId: 'g1' } },
        { itemId: 'j', name: 'New', cells: {}, was: { name: 'Old' } },
      ],
      add: [{ id: 'n', name: 'N', cells: {} }],
      archive: ['k'],
      delete: ['l'],
    });
  });

  it('says beside which items one is put, whatever it stood beside', () => {
    const put = (item: string, after: string, before: string) => ({
      item,
      column: 'place',
      before: null,
      after: [after, before],
    });
    expect(
      bodyOf(step(1, { cells: [put('i', 'j', 'k'), cell('i', 'c1', 'a', 'b'), put('j', '', 'k')] })).items,
    ).toEqual([
      { itemId: 'i', after: 'j', before: 'k', cells: { c1: 'b' }, was: { c1: 'a' } },
      { itemId: 'j', before: 'k', cells: {}, was: {} },
    ]);
  });

  it('gives new items ids that sort by their time, in the form of the program', () => {
    const ids = [
      newId(1_000, Uint32Array.of(0xffff_ffff, 0xffff_ffff)),
      newId(1_001, Uint32Array.of(0, 0)),
      newId(1_790_000_000_000),
    ];
    expect([...ids].sort()).toEqual(ids);
    for (const id of ids) expect(id).toMatch(/^[0-9a-hjkmnp-tv-z]{16}$/);
  });

  it('waits behind one of the same item that waits for a decision', () => {
    const problem = { refused: 'No.' };
    const added = step(1, { add: [{ id: 'n', name: 'N', cells: {} }], problem });
    const [edit, other] = [
      step(2, { cells: [cell('n', 'c1', null, 'x')] }),
      step(3, { cells: [cell('i', 'c1', null, 'x')] }),
    ];
    expect(nextOf([added, edit, other])).toBe(other);
    expect(nextOf([added, edit])).toBeUndefined();
    expect(nextOf([edit, other])).toBe(edit);
  });
});

describe('what came of sending', () => {
  const failing = (status: number, problem: Record<string, unknown>) =>
    send(step(1), undefined, () => Promise.reject(new ApiError(status, problem)));
  it('is the revision, silence, what others wrote, or why not', async () => {
    expect(await send(step(1), undefined, <T>() => Promise.resolve({ boardRevision: 7 } as T))).toEqual({
      revision: 7,
      isUnchanged: false,
    });
    for (const status of [0, 401, 429, 503]) expect(await failing(status, {})).toMatchObject({ away: { status } });
    expect(await failing(500, { detail: 'Something failed inside.' })).toEqual({
      refused: 'Something failed inside.',
      isFault: true,
      isThere: false,
    });
    expect(
      await failing(422, { errors: [{ pointer: '/items/0/cells/c1', code: 'x', detail: 'Not a label.' }] }),
    ).toEqual({ refused: 'Not a label.', isFault: false, isThere: false });
    expect(await failing(404, { detail: 'Not here.' })).toEqual({
      refused: 'Not here.',
      isFault: false,
      isThere: false,
    });
    const told = {
      itemId: 'i',
      name: 'One',
      field: 'c1',
      present: 'theirs',
      mine: 'mine',
      changedBy: { kind: 'agent', name: 'Session' },
      changedAt: '2026-03-01T12:00:00Z',
    };
    const conflicts = [
      {
        item: 'i',
        name: 'One',
        column: 'c1',
        mine: 'mine',
        theirs: 'theirs',
        by: { kind: 'agent', name: 'Session' },
        at: '2026-03-01T12:00:00Z',
      },
    ];
    expect(await failing(412, { conflicts: [told] })).toEqual({ conflicts });
    expect(await failing(412, { detail: 'Stale.' })).toEqual({ refused: 'Stale.', isFault: false, isThere: false });
  });
});

describe('a decision', () => {
  const first = clash('i', 'c1', 'b', 'x');
  const second = clash('j', 'c1', 'b', 'y');
  const steps = [
    step(1, {
      cells: [cell('i', 'c1', 'a', 'b'), cell('j', 'c1', 'a', 'b'), cell('k', 'c1', 'a', 'b')],
      problem: { conflicts: [first, second] },
    }),
    step(2, { cells: [cell('i', 'c1', 'b', 'c')] }),
  ];

  it('keeps mine over what was shown, and asks on about the rest', () => {
    const [one, two] = decided(steps, 1, [first], 'mine');
    expect(one).toMatchObject({
      cells: [cell('i', 'c1', 'x', 'b'), cell('j', 'c1', 'a', 'b'), cell('k', 'c1', 'a', 'b')],
      problem: { conflicts: [second] },
    });
    expect(two).toBe(steps[1]);
  });

  it('keeps theirs, also over what was typed after it, and sends the rest', () => {
    const left = decided(decided(steps, 1, [first], 'theirs'), 1, [second], 'mine');
    expect(left).toEqual([step(1, { cells: [cell('j', 'c1', 'y', 'b'), cell('k', 'c1', 'a', 'b')] })]);
  });

  it('lets go of what was to be written to a deleted item', () => {
    const gone = clash('i', 'kept', null, 'trash');
    expect(
      decided(
        [step(1, { cells: [cell('i', 'c1', 'a', 'b'), cell('i', 'name', 'A', 'B')], problem: { conflicts: [gone] } })],
        1,
        [gone],
        'mine',
      ),
    ).toEqual([]);
  });
});
