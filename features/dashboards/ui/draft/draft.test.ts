import { beforeEach, afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '@shell/api';
import { noHistory, STEPS_MAX } from '@shell/outbox';
import { emptyConfig, type Config, type DashboardRecord, type Doc, type JsonObject, type Widget } from '../model';
import { Draft, type DraftWorld } from './draft';
import { remember, travel, type Steps } from './history';
import type { DraftStore, KeptDraft } from './local';
import { merge, sameDoc, type Clash } from './merge';

const undo = (history: Steps, now: Doc) => travel('undo', history, now);
const redo = (history: Steps, now: Doc) => travel('redo', history, now);
const widget = (id: string, x = 0, more: Partial<Widget> = {}): Widget => ({
  id,
  kind: 'numbers',
  title: id,
  layout: { x, y: 0, w: 3, h: 3 },
  settings: {},
  ...more,
});
const doc = (widgets: Widget[], more: Partial<Config> = {}, name = 'Team'): Doc => ({
  name,
  config: { ...emptyConfig(), widgets, ...more },
});
const change = (from: Doc, id: string, more: Partial<Widget>): Doc => ({
  ...from,
  config: { ...from.config, widgets: from.config.widgets.map((w) => (w.id === id ? { ...w, ...more } : w)) },
});

describe('merge', () => {
  const base = doc([widget('a'), widget('b', 3)], { boardIds: ['b1', 'b2'] });

  it('takes both sides where they changed different places, even of one widget', () => {
    const mine = change(base, 'a', { layout: { x: 6, y: 0, w: 3, h: 3 } });
    const theirs = change(change(base, 'a', { settings: { fn: 'sum' } }), 'b', { title: 'B' });
    const { doc: merged, clashes } = merge(base, mine, theirs);
    expect(clashes).toEqual([]);
    expect(merged.config.widgets[0]).toMatchObject({ layout: { x: 6 }, settings: { fn: 'sum' } });
    expect(merged.config.widgets[1]?.title).toBe('B');
  });

  it('keeps mine where both changed the same place, and theirs can be taken', () => {
    const mine = change(base, 'a', { title: 'Mine' });
    const theirs = change(base, 'a', { title: 'Theirs' });
    const { doc: merged, clashes } = merge(base, mine, theirs);
    expect(merged.config.widgets[0]?.title).toBe('Mine');
    expect(clashes.map((clash) => clash.what)).toEqual(['Mine: title']);
    expect(clashes[0]?.takeOther(merged).config.widgets[0]?.title).toBe('Theirs');
  });

  it('adds what either added, removes what either removed, keeps what the other worked on', () => {
    const mine = doc([widget('b', 3), widget('mine', 6)], { boardIds: ['b2', 'b3'] });
    const theirs = doc([widget('a'), widget('theirs', 9)], { boardIds: ['b1', 'b2', 'b4'] });
    const { doc: merged } = merge(base, mine, theirs);
    expect(merged.config.widgets.map((w) => w.id).sort()).toEqual(['mine', 'theirs']);
    expect(merged.config.boardIds).toEqual(['b2', 'b3', 'b4']);
    const worked = change(base, 'a', { title: 'Still needed' });
    expect(merge(base, mine, worked).doc.config.widgets.map((w) => w.id)).toContain('a');
  });

  it('takes over an order of boards that only the other changed', () => {
    const ordered = (...boardIds: string[]) => doc([], { boardIds });
    const order = (mine: Doc, theirs: Doc) => merge(ordered('b1', 'b2'), mine, theirs).doc.config.boardIds;
    expect(order(ordered('b1', 'b2', 'b3'), ordered('b2', 'b1'))).toEqual(['b2', 'b1', 'b3']);
    expect(order(ordered('b1', 'b2'), ordered('b4', 'b1', 'b2'))).toEqual(['b4', 'b1', 'b2']);
    expect(order(ordered('b3', 'b1', 'b2'), ordered('b2', 'b1'))).toEqual(['b3', 'b1', 'b2']);
  });

  it('is theirs where nothing was changed here, whatever theirs is', () => {
    const rule = (id: string) => ({
      id,
      col: { by: 'title', title: id, type: 'status' },
      op: 'anyOf',
      value: ['Done'],
    });
    const [a, b, c] = [rule('a'), rule('b'), rule('c')];
    const widgets = [widget('a'), widget('b', 3), widget('c', 6)];
    const lists = [[0, 1], [1, 0], [2, 0, 1], [0], []];
    const groups = [
      [{ any: [a, b] }, c],
      [c, { any: [b, a] }],
      [{ any: [c, a] }, b],
      [b],
      [{ any: [b] }],
      [{ any: [b], later: 1 }],
      [{ any: [b], later: 2 }],
    ];
    const docs = [
      ...lists.map((order) =>
        doc(
          order.map((at) => widgets[at]!),
          { boardIds: order.map(String), filters: { v: 1, people: null, all: order.map((at) => [a, b, c][at]!) } },
        ),
      ),
      ...groups.map((all) => doc([], { filters: { v: 1, people: null, all } })),
      doc([widget('a'), widget('b')]),
    ];
    for (const from of docs) for (const theirs of docs) expect(merge(from, from, theirs).doc).toEqual(theirs);
  });

  it('leaves others the form of a rule where something else was changed here', () => {
    const rule = { id: 'a', col: { by: 'title', title: 'a', type: 'status' }, op: 'isEmpty' };
    const forms = [[rule], [{ any: [rule] }], [{ any: [rule], later: 1 }], [{ any: [rule], later: 2 }]].map((all) =>
      doc([], { filters: { v: 1, people: null, all } }),
    );
    for (const from of forms) {
      for (const theirs of forms) {
        const [mine, merged] = [
          { ...from, name: 'Mine' },
          { ...theirs, name: 'Mine' },
        ];
        expect(merge(from, mine, theirs).doc).toEqual(merged);
        expect(merge(from, theirs, mine).doc).toEqual(merged);
      }
    }
  });

  it('puts widgets that meet in one place below each other', () => {
    const { doc: merged } = merge(doc([]), doc([widget('a')]), doc([widget('b')]));
    expect(merged.config.widgets.map((w) => [w.id, w.layout.y])).toEqual([
      ['a', 0],
      ['b', 3],
    ]);
  });

  describe('rules of the filter', () => {
    const rule = (id: string, value = 'Done') => ({
      id,
      col: { by: 'title', title: id, type: 'status' },
      op: 'anyOf',
      value: [value],
    });
    const filtered = (...all: JsonObject[]) => doc([], { filters: { v: 1, people: null, all } });
    const both = (base: Doc, mine: Doc, theirs: Doc) => {
      const { doc: merged, clashes, given } = merge(base, mine, theirs);
      return {
        all: merged.config.filters.all,
        clashes: clashes.map(({ what }) => what),
        given: given.map(({ what }) => what),
      };
    };
    const [a, b, c] = [rule('a'), rule('b'), rule('c')] as const;

    it.each([
      ['are added by both', [], [a], [b], [a, b]],
      [
        'are changed and added',
        [a, b],
        [a, rule('b', 'Mine')],
        [rule('a', 'Theirs'), b, c],
        [rule('a', 'Theirs'), rule('b', 'Mine'), c],
      ],
      ['are removed and added', [a, b], [b], [a, b, c], [b, c]],
      ['are put beside one by both', [a], [{ any: [a, b] }], [{ any: [a, c] }], [{ any: [a, b, c] }]],
      ['are put beside one that the other side removes', [a], [{ any: [a, b] }], [], [b]],
      [
        'are taken out of a group on one side',
        [{ any: [a, b] }],
        [b],
        [{ any: [a, rule('b', 'Theirs')] }],
        [rule('b', 'Theirs')],
      ],
    ])('%s', (_, base, mine, theirs, merged) => {
      expect(both(filtered(...base), filtered(...mine), filtered(...theirs))).toEqual({
        all: merged,
        clashes: [],
        given: [],
      });
    });

    it('clash one by one, apart from the people', () => {
      const [mine, theirs] = [filtered(rule('a', 'Mine'), b), filtered(rule('a', 'Theirs'), c)];
      theirs.config.filters.people = { ids: ['me'] };
      const { doc: merged, clashes } = merge(filtered(a), mine, theirs);
      expect(merged.config.filters).toEqual({ v: 1, people: { ids: ['me'] }, all: [rule('a', 'Mine'), b, c] });
      expect(clashes.map(({ what }) => what)).toEqual(['Filters: a']);
      expect(clashes[0]!.takeOther(merged).config.filters.all).toEqual([rule('a', 'Theirs'), b, c]);
    });

    it('stay where the other side worked on the one that was removed, which can be removed then', () => {
      expect(both(filtered(a), filtered(), filtered(rule('a', 'Theirs')))).toEqual({
        all: [rule('a', 'Theirs')],
        clashes: [],
        given: ['Filters: a'],
      });
      const { doc: merged, clashes } = merge(filtered(a, b), filtered(rule('a', 'Mine'), b), filtered(b));
      expect(merged.config.filters.all).toEqual([rule('a', 'Mine'), b]);
      expect(clashes[0]!.takeOther(merged).config.filters.all).toEqual([b]);
    });

    it('are one thing where no ids tell them apart', () => {
      const strange: JsonObject = { of: 'another program' };
      expect(both(filtered(strange), filtered(strange, a), filtered(strange, b))).toEqual({
        all: [strange, a],
        clashes: ['Filters'],
        given: [],
      });
    });
  });

  it('tells where a widget stays that one side removed and the other worked on, and not where it only lies elsewhere', () => {
    const worked = change(base, 'a', { title: 'Still needed' });
    const without = doc([widget('b', 3)], { boardIds: ['b1', 'b2'] });
    const [given] = merge(base, without, worked).given;
    expect(given!.what).toBe('Still needed: removal');
    expect(given!.takeOther(worked).config.widgets.map(({ id }) => id)).toEqual(['b']);
    expect(merge(base, worked, without).clashes.map(({ what }) => what)).toEqual(['Still needed: removal']);
    expect(
      merge(base, without, change(base, 'a', { layout: { x: 0, y: 9, w: 3, h: 3 } })).doc.config.widgets.map(
        ({ id }) => id,
      ),
    ).toEqual(['b']);
  });

  it('keeps members that it does not know', () => {
    const theirs = { ...base, config: { ...base.config, later: { a: 1 } } };
    expect(merge(base, doc([widget('a')], { boardIds: ['b1'] }), theirs).doc.config.later).toEqual({ a: 1 });
  });
});

describe('undo', () => {
  it('takes back the own step only', () => {
    const before = doc([widget('a'), widget('b', 3)]);
    const after = change(before, 'a', { title: 'New' });
    const history = remember(noHistory, before, after, 0, null);
    const now = change(after, 'b', { title: 'Someone else' });
    const back = undo(history, now);
    expect(back?.doc.config.widgets.map((w) => w.title)).toEqual(['a', 'Someone else']);
    expect(redo(back!.history, back!.doc)?.doc.config.widgets.map((w) => w.title)).toEqual(['New', 'Someone else']);
    expect(undo(noHistory, now)).toBeNull();
  });

  it('leaves what someone else wrote since into the same place, and says so', () => {
    const before = doc([widget('a'), widget('b', 3)]);
    const after = change(change(before, 'a', { title: 'Mine' }), 'b', { title: 'Mine too' });
    const history = remember(noHistory, before, after, 0, null);
    const back = undo(history, change(after, 'a', { title: 'Theirs' }))!;
    expect(back.doc.config.widgets.map((w) => w.title)).toEqual(['Theirs', 'b']);
    expect(back.left).toEqual(['Theirs: title']);
    const again = redo(back.history, change(back.doc, 'b', { title: 'Theirs too' }))!;
    expect(again.doc.config.widgets.map((w) => w.title)).toEqual(['Theirs', 'Theirs too']);
    expect(again.left).toEqual(['Theirs: title', 'Theirs too: title']);
  });

  it('ends with a step of which nothing stands any more, not with the one before it', () => {
    const [one, two] = [doc([], {}, 'One'), doc([], {}, 'Two')];
    const history = remember(
      remember(noHistory, one, { ...one, config: doc([widget('a')]).config }, 0, null),
      one,
      two,
      5000,
      null,
    );
    const now = doc([widget('a')], {}, 'Theirs');
    const left = undo(history, now)!;
    expect([left.doc, left.left, left.history.done.length, left.history.undone.length]).toEqual([now, ['Name'], 1, 0]);
  });

  it('brings back no widget that someone else removed, and removes none that someone else worked on', () => {
    const before = doc([widget('a')]);
    const renamed = remember(noHistory, before, change(before, 'a', { title: 'Mine' }), 0, null);
    expect(undo(renamed, doc([]))).toMatchObject({ doc: doc([]), left: ['a: removal'] });
    const added = remember(noHistory, doc([]), before, 0, null);
    const worked = change(before, 'a', { settings: { fn: 'max' } });
    expect(undo(added, worked)).toMatchObject({ doc: worked, left: ['a: removal'] });
  });

  it('typing goes into another step where someone else changed something in between', () => {
    const before = doc([widget('a')]);
    const typed = { ...before, name: 'Ty' };
    const theirs = change(typed, 'a', { title: 'Theirs' });
    const done = { ...theirs, name: 'Typed' };
    const history = remember(remember(noHistory, before, typed, 0, 'name'), theirs, done, 200, 'name');
    expect(undo(history, done)?.doc).toEqual(theirs);
  });

  it('keeps a hundred steps, and typing is one', () => {
    let history: Steps = noHistory;
    let now = doc([]);
    for (let i = 0; i < STEPS_MAX + 20; i++) {
      const next = { ...now, name: `n${i}` };
      history = remember(history, now, next, i * 5000, 'name');
      now = next;
    }
    expect(history.done).toHaveLength(STEPS_MAX);
    const typed = remember(history, now, { ...now, name: 'typed' }, 120 * 5000 - 4900, 'name');
    expect(typed.done).toHaveLength(STEPS_MAX);
    expect(undo(typed, { ...now, name: 'typed' })?.doc.name).toBe(`n${STEPS_MAX + 18}`);
  });
});

/** A program of one dashboard, with revisions. */
class Program implements DraftWorld {
  record: DashboardRecord;
  writes: { change: Partial<Doc>; revision: number; keepalive: boolean }[] = [];
  /** Of the browser. */
  kept = new Map<string, KeptDraft>();
  /** When a window that is still open goes. */
  open = new Map<string, Promise<void>>();
  clashes: Clash[] = [];
  replaced: Clash[] = [];
  left: string[] = [];
  failure: ApiError | null = null;
  drafts: DraftStore = {
    page: 'this',
    left: () =>
      Promise.resolve([...this.kept.values()].map((draft) => ({ draft, gone: this.open.get(draft.page) ?? null }))),
    keyOf: ({ key }) => key,
    write: (draft) => Promise.resolve(void this.kept.set(draft.key, draft)),
    remove: (key) => Promise.resolve(void this.kept.delete(key)),
  };
  constructor(start: Doc) {
    this.record = {
      id: 'd',
      workspaceId: 'w',
      name: start.name,
      config: start.config as unknown as JsonObject,
      revision: 1,
      createdAt: '',
      updatedAt: '',
    };
  }
  /** The clock of the fake timers, which stand in for the real one in every test below. */
  now_ms = () => Date.now();
  onClash = (clashes: readonly Clash[]) => this.clashes.push(...clashes);
  onReplaced = (clashes: readonly Clash[]) => this.replaced.push(...clashes);
  onLeft = (what: readonly string[]) => this.left.push(...what);
  read = () => (this.failure ? Promise.reject(this.failure) : Promise.resolve(this.record));
  write = (change: Partial<Doc>, revision: number, keepalive: boolean) => {
    this.writes.push({ change, revision, keepalive });
    if (this.failure) return Promise.reject(this.failure);
    if (revision !== this.record.revision) return Promise.reject(new ApiError(412, { code: 'stale-revision' }));
    return Promise.resolve(this.put(change));
  };
  /** What someone else does. */
  put(change: Partial<Doc>) {
    this.record = {
      ...this.record,
      ...change,
      config: (change.config ?? this.record.config) as JsonObject,
      revision: this.record.revision + 1,
      updatedAt: new Date().toISOString(),
    };
    return this.record;
  }
}

const renamed = (name: string) => (now: Doc) => ({ ...now, name });

describe('autosave', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 0 }));
  afterEach(() => void vi.useRealTimers());
  const start = (program = new Program(doc([widget('a'), widget('b', 3)]))) => ({
    program,
    draft: new Draft('d', program.record, program),
  });

  it('saves 800 ms after the last change and sends only what changed', async () => {
    const { program, draft } = start();
    draft.edit(renamed('One'));
    expect([...program.kept.values()][0]?.doc.name).toBe('One');
    expect(draft.getView().saved.kind).toBe('saving');
    await vi.advanceTimersByTimeAsync(500);
    draft.edit(renamed('Two'));
    await vi.advanceTimersByTimeAsync(799);
    expect(program.writes).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(program.writes).toEqual([{ change: { name: 'Two' }, revision: 1, keepalive: false }]);
    expect(draft.getView().saved.kind).toBe('saved');
    expect(program.kept.size).toBe(0);
  });

  it('saves at the latest after five seconds of steady changes', async () => {
    const { program, draft } = start();
    for (let i = 0; i < 13; i++) {
      draft.edit(renamed(`n${i}`));
      await vi.advanceTimersByTimeAsync(400);
    }
    expect(program.writes.map((w) => w.change.name)).toEqual(['n12']);
  });

  it('sends what is left when the page goes away', () => {
    const { program, draft } = start();
    draft.edit(renamed('Last'));
    void draft.flush(true);
    expect(program.writes).toEqual([{ change: { name: 'Last' }, revision: 1, keepalive: true }]);
  });

  it('sends what is left when the dashboard is closed, as a usual request: the page lives on', () => {
    const { program, draft } = start();
    draft.edit(renamed('Last'));
    draft.close();
    expect(program.writes).toEqual([{ change: { name: 'Last' }, revision: 1, keepalive: false }]);
  });

  it('sends what was changed within a running save when the dashboard is closed in it', async () => {
    const { program, draft } = start();
    draft.edit(renamed('One'));
    const saving = draft.flush();
    draft.edit(renamed('Two'));
    draft.close();
    await saving;
    expect(program.writes.map((w) => w.change.name)).toEqual(['One', 'Two']);
    expect(program.record.name).toBe('Two');
    expect(program.kept.size).toBe(0);
  });

  it('keeps the draft while the program does not answer, and sends it when it does', async () => {
    const { program, draft } = start();
    program.failure = new ApiError(0, { code: 'unreachable' });
    draft.edit(renamed('Kept'));
    await vi.advanceTimersByTimeAsync(800);
    expect(draft.getView().saved.kind).toBe('offline');
    draft.edit((now) => change(now, 'a', { title: 'More' }));
    expect(draft.getView().saved.kind).toBe('offline');
    expect([...program.kept.values()][0]?.doc.config.widgets[0]?.title).toBe('More');
    program.failure = null;
    await vi.advanceTimersByTimeAsync(2000);
    expect(draft.getView().saved.kind).toBe('saved');
    expect(program.record.name).toBe('Kept');
  });

  it('sends nothing before the program says, however much is changed', async () => {
    const { program, draft } = start();
    program.failure = new ApiError(503, {}, 10);
    draft.edit(renamed('Kept'));
    await vi.advanceTimersByTimeAsync(800);
    draft.edit(renamed('More'));
    await vi.advanceTimersByTimeAsync(9_999);
    expect([program.writes.length, draft.getView().saved.kind]).toEqual([1, 'offline']);
    program.failure = null;
    await vi.advanceTimersByTimeAsync(1);
    expect([program.record.name, draft.getView().saved.kind]).toEqual(['More', 'saved']);
  });

  it('is saved once the program is back, where the edit was undone meanwhile', async () => {
    const { program, draft } = start();
    program.failure = new ApiError(0, {});
    draft.edit(renamed('Kept'));
    await vi.advanceTimersByTimeAsync(800);
    draft.undo();
    program.failure = null;
    await vi.advanceTimersByTimeAsync(2000);
    expect([program.writes.length, draft.getView().saved.kind, program.kept.size]).toEqual([1, 'saved', 0]);
  });

  it('takes up the draft that a closed page left, with what others did since', async () => {
    const { program, draft } = start();
    program.failure = new ApiError(0, { code: 'unreachable' });
    draft.edit(renamed('From before'));
    await vi.advanceTimersByTimeAsync(800);
    draft.close();
    program.failure = null;
    program.put({ config: change(doc([widget('a'), widget('b', 3)]), 'b', { title: 'Theirs' }).config });
    const next = new Draft('d', program.record, program);
    await next.resume();
    expect(next.getView().doc.name).toBe('From before');
    await vi.advanceTimersByTimeAsync(800);
    expect(program.record.name).toBe('From before');
    expect((program.record.config as unknown as Config).widgets[1]?.title).toBe('Theirs');
    expect(program.kept.size).toBe(0);
  });

  it('takes up what two windows left, and of one that is still open once it goes', async () => {
    const { program, draft } = start();
    const windowOf = (page: string) =>
      new Draft('d', program.record, { ...program, drafts: { ...program.drafts, page } });
    program.failure = new ApiError(0, { code: 'unreachable' });
    let go = () => {};
    program.open.set('third', new Promise((resolve) => (go = resolve)));
    windowOf('first').edit(renamed('First'));
    windowOf('second').edit((now) => change(now, 'a', { title: 'Second' }));
    windowOf('third').edit((now) => change(now, 'b', { title: 'Third' }));
    await draft.resume();
    const titles = () => [draft.getView().doc.name, ...draft.getView().doc.config.widgets.map(({ title }) => title)];
    expect(titles()).toEqual(['First', 'Second', 'b']);
    // All of it is this window's now; what the open one keeps is its own.
    expect([...program.kept.values()].map(({ page }) => page).sort()).toEqual(['third', 'this']);
    program.open.clear();
    go();
    await vi.advanceTimersByTimeAsync(0);
    expect(titles()).toEqual(['First', 'Second', 'Third']);
    expect([...program.kept.values()].map(({ page }) => page)).toEqual(['this']);
  });

  it('what is on the screen stays where another window left something else, which can be taken', async () => {
    const { program, draft } = start();
    const windowOf = (page: string) =>
      new Draft('d', program.record, { ...program, drafts: { ...program.drafts, page } });
    windowOf('first').edit(renamed('Left'));
    windowOf('second').edit((now) => change(now, 'a', { title: 'Left too' }));
    program.put({ name: 'Saved since' });
    await draft.changedElsewhere(2);
    draft.edit((now) => change(now, 'a', { title: 'Seen' }));
    await draft.resume();
    const shown = () => [draft.getView().doc.name, draft.getView().doc.config.widgets[0]?.title];
    expect(shown()).toEqual(['Saved since', 'Seen']);
    expect(program.clashes.map((clash) => clash.what)).toEqual(['Name', 'Seen: title']);
    await vi.advanceTimersByTimeAsync(800);
    expect(draft.getView().saved.kind).toBe('conflict');
    draft.takeTheirs();
    expect(shown()).toEqual(['Left', 'Left too']);
  });

  it('an answer to what a closed page sent forgets nothing of what was typed since', async () => {
    const { program, draft } = start();
    let answer = () => {};
    const slow = new Draft('d', program.record, {
      ...program,
      write: (sent) => new Promise((resolve) => (answer = () => resolve(program.put(sent)))),
    });
    slow.edit(renamed('Sent'));
    slow.close();
    await draft.resume();
    draft.edit((now) => change(now, 'a', { title: 'Since' }));
    answer();
    await vi.advanceTimersByTimeAsync(0);
    expect([...program.kept.values()].map(({ doc: kept }) => kept.config.widgets[0]?.title)).toEqual(['Since']);
  });

  it('merges on a stale revision and tells where mine was kept; theirs can be taken', async () => {
    const { program, draft } = start();
    draft.edit((now) => change(change(now, 'a', { title: 'Mine' }), 'b', { title: 'Also mine' }));
    program.put({
      config: change(doc([widget('a'), widget('b', 3)]), 'a', { title: 'Theirs', settings: { fn: 'max' } }).config,
    });
    await vi.advanceTimersByTimeAsync(800);
    const saved = program.record.config as unknown as Config;
    expect(saved.widgets.map((w) => w.title)).toEqual(['Mine', 'Also mine']);
    expect(saved.widgets[0]?.settings).toEqual({ fn: 'max' });
    expect(draft.getView().saved.kind).toBe('conflict');
    expect(program.clashes.map((clash) => clash.what)).toEqual(['Mine: title']);
    draft.takeTheirs();
    await vi.advanceTimersByTimeAsync(800);
    expect((program.record.config as unknown as Config).widgets.map((w) => w.title)).toEqual(['Theirs', 'Also mine']);
    expect(draft.getView().saved.kind).toBe('saved');
    draft.undo();
    expect(draft.getView().doc.config.widgets[0]?.title).toBe('Mine');
  });

  /** Two windows, of which the first is quicker. */
  const two = async (mine: (now: Doc) => Doc, theirs: (now: Doc) => Doc) => {
    const [quick, late] = [start(), start()];
    // One program, which each of them tells of its own.
    const { program } = quick;
    const world: DraftWorld = { ...late.program, read: program.read, write: program.write };
    const other = new Draft('d', program.record, world);
    quick.draft.edit(mine);
    other.edit(theirs);
    const settle = async () => {
      await vi.advanceTimersByTimeAsync(800);
      for (const draft of [quick.draft, other]) await draft.changedElsewhere(program.record.revision);
    };
    await settle();
    return {
      program,
      quick: { draft: quick.draft, told: quick.program },
      late: { draft: other, told: late.program },
      settle,
    };
  };
  const titled = (title: string) => (now: Doc) => change(now, 'a', { title });
  const titleOf = (draft: Draft) => draft.getView().doc.config.widgets.find(({ id }) => id === 'a')?.title;

  it('tells the other side too where its value was replaced, and it can have it back', async () => {
    const { quick, late, settle } = await two(titled('Quick'), titled('Late'));
    expect([titleOf(quick.draft), titleOf(late.draft)]).toEqual(['Late', 'Late']);
    expect(late.draft.getView().saved.kind).toBe('conflict');
    expect(quick.told.replaced.map(({ what }) => what)).toEqual(['Late: title']);
    quick.draft.take(quick.told.replaced);
    await settle();
    // Now theirs was replaced: there is no choice left to make, but to take it back in turn.
    expect([titleOf(quick.draft), titleOf(late.draft)]).toEqual(['Quick', 'Quick']);
    expect(late.draft.getView().saved.kind).toBe('saved');
    expect(late.told.replaced.map(({ what }) => what)).toEqual(['Quick: title']);
    late.draft.take(late.told.replaced);
    await settle();
    expect(quick.told.replaced).toHaveLength(2);
  });

  it('tells of nothing where the other side wrote long after, and has seen what was there', async () => {
    const { quick, late, settle } = await two(titled('Quick'), (now) => now);
    await vi.advanceTimersByTimeAsync(8000);
    quick.draft.edit(renamed('Quick'));
    await settle();
    await vi.advanceTimersByTimeAsync(2000);
    late.draft.edit(titled('Later'));
    await settle();
    expect([titleOf(quick.draft), quick.told.replaced]).toEqual(['Later', []]);
    late.draft.edit(renamed('At once'));
    await settle();
    expect(quick.told.replaced.map(({ what }) => what)).toEqual(['Name']);
  });

  it('tells of nothing where the other side changed another place, or moved a widget', async () => {
    const { quick, late } = await two(
      (now) => change(now, 'a', { title: 'Quick', layout: { x: 6, y: 0, w: 3, h: 3 } }),
      (now) => change(now, 'a', { settings: { fn: 'max' }, layout: { x: 8, y: 0, w: 3, h: 3 } }),
    );
    expect(titleOf(late.draft)).toBe('Quick');
    expect(quick.told.replaced).toEqual([]);
  });

  it('tells of a removal that stood against the change of another', async () => {
    const { quick, late, settle } = await two(titled('Quick'), () => doc([widget('b', 3)]));
    expect(titleOf(late.draft)).toBe('Quick');
    expect(late.told.replaced.map(({ what }) => what)).toEqual(['Quick: removal']);
    late.draft.take(late.told.replaced);
    await settle();
    expect(titleOf(quick.draft)).toBeUndefined();

    const other = await two(() => doc([widget('b', 3)]), titled('Late'));
    expect(other.late.told.clashes.map(({ what }) => what)).toEqual(['Late: removal']);
    expect(other.quick.told.replaced.map(({ what }) => what)).toEqual(['Late: removal']);
  });

  it('takes back nothing of the other side, and what was kept over theirs gives way to theirs', async () => {
    const { program, quick, late, settle } = await two(titled('Quick'), titled('Late'));
    quick.draft.undo();
    expect([titleOf(quick.draft), quick.told.left, quick.draft.getView().canUndo]).toEqual([
      'Late',
      ['Late: title'],
      false,
    ]);
    late.draft.undo();
    expect([titleOf(late.draft), late.told.left]).toEqual(['Quick', []]);
    await settle();
    expect((program.record.config as unknown as Config).widgets[0]?.title).toBe('Quick');
  });

  it('takes back a name that the program stored without its spaces', async () => {
    const { program, draft } = start();
    vi.spyOn(program, 'write').mockImplementationOnce((sent) =>
      Promise.resolve(program.put({ name: sent.name!.trim() })),
    );
    draft.edit(renamed('Typed '));
    await vi.advanceTimersByTimeAsync(800);
    draft.undo();
    expect([draft.getView().doc.name, program.left]).toEqual(['Team', []]);
  });

  it('follows others, and its own echo is no change', async () => {
    const { program, draft } = start();
    draft.edit(renamed('Mine'));
    await vi.advanceTimersByTimeAsync(800);
    const read = vi.spyOn(program, 'read');
    await draft.changedElsewhere(2);
    expect(read).not.toHaveBeenCalled();
    program.put({ name: 'Theirs' });
    await draft.changedElsewhere(3);
    expect(draft.getView().doc.name).toBe('Theirs');
    expect(program.writes).toHaveLength(1);
  });

  it('reads again what others went on with while it was being read', async () => {
    const { program, draft } = start();
    const read = vi.spyOn(program, 'read');
    let answer = (_: DashboardRecord) => {};
    read.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
    program.put({ name: 'Theirs' });
    const first = { ...program.record };
    const following = draft.changedElsewhere(2);
    program.put({ name: 'Theirs again' });
    await draft.changedElsewhere(3);
    answer(first);
    await following;
    expect(draft.getView().doc.name).toBe('Theirs again');
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('says that it is gone when a deletion is told, be it while something else is under way', async () => {
    const gone = new ApiError(404, { code: 'not-found' });
    const { program, draft } = start();
    program.failure = gone;
    await draft.changedElsewhere(0);
    expect(draft.getView().saved.kind).toBe('gone');

    const other = start();
    let answer = (_: DashboardRecord) => {};
    vi.spyOn(other.program, 'write').mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
    other.draft.edit(renamed('Mine'));
    await vi.advanceTimersByTimeAsync(800);
    await other.draft.changedElsewhere(0);
    other.program.failure = gone;
    answer(other.program.put({ name: 'Mine' }));
    await vi.advanceTimersByTimeAsync(0);
    expect(other.draft.getView().saved.kind).toBe('gone');
  });

  it.each(['board-not-found', 'named-not-found'])('is still there when the answer is %s', async (code) => {
    const { program, draft } = start();
    program.failure = new ApiError(404, { code });
    draft.edit(renamed('Mine'));
    await vi.advanceTimersByTimeAsync(800);
    expect(draft.getView().saved.kind).toBe('refused');
  });

  it('is saved with what was typed meanwhile once it is restored', async () => {
    const { program, draft } = start();
    program.failure = new ApiError(404, { code: 'not-found' });
    await draft.changedElsewhere(0);
    draft.edit(renamed('Typed'));
    program.failure = null;
    program.put({});
    await draft.changedElsewhere(program.record.revision);
    expect([draft.getView().saved.kind, program.record.name]).toEqual(['saved', 'Typed']);
  });

  it('reads once more when events were missed while it was being read, be it that a change is refused', async () => {
    const { program, draft } = start();
    const read = vi.spyOn(program, 'read');
    let answer = (_: DashboardRecord) => {};
    read.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
    const first = program.record;
    const reading = draft.reconnected();
    program.put({ name: 'Theirs' });
    await draft.reconnected();
    answer(first);
    await reading;
    expect(draft.getView().doc.name).toBe('Theirs');
    expect(read).toHaveBeenCalledTimes(2);

    let refuse = (_: ApiError) => {};
    vi.spyOn(program, 'write').mockImplementationOnce(() => new Promise((_, reject) => (refuse = reject)));
    draft.edit((now) => change(now, 'a', { title: 'Mine' }));
    await vi.advanceTimersByTimeAsync(800);
    await draft.reconnected();
    program.failure = new ApiError(403, { code: 'forbidden' });
    refuse(program.failure);
    await vi.advanceTimersByTimeAsync(0);
    expect(read).toHaveBeenCalledTimes(3);
    expect(draft.getView().saved.kind).toBe('refused');
  });

  it('says when the program refuses, and when the dashboard is gone', async () => {
    const { program, draft } = start();
    program.failure = new ApiError(413, { code: 'config-too-large', detail: 'Too large.' });
    draft.edit(renamed('Big'));
    await vi.advanceTimersByTimeAsync(800);
    expect(draft.getView().saved).toEqual({ kind: 'refused', reason: 'Too large.' });
    expect([...program.kept.values()][0]?.doc.name).toBe('Big');
    program.failure = new ApiError(404, { code: 'not-found' });
    draft.edit(renamed('Gone'));
    await vi.advanceTimersByTimeAsync(800);
    expect(draft.getView().saved.kind).toBe('gone');
  });

  it('knows the step that undo would take back, until another is in its place', () => {
    const { draft } = start();
    draft.edit(renamed('One'));
    const step = draft.lastStep();
    expect(draft.lastStep()).toBe(step);
    draft.edit((now) => change(now, 'a', { title: 'Other' }));
    expect(draft.lastStep()).not.toBe(step);
    draft.undo();
    expect(draft.lastStep()).toBe(step);
    draft.undo();
    expect(draft.lastStep()).not.toBe(step);
  });

  it('takes back what the program did for it before the own step that came first', async () => {
    const { program, draft } = start();
    draft.edit((now) => change(now, 'a', { title: 'Own' }));
    expect(await draft.adopt(() => Promise.resolve(program.put({ name: 'Accepted' })))).toBe(true);
    const shown = () => [draft.getView().doc.name, draft.getView().doc.config.widgets[0]?.title];
    expect(shown()).toEqual(['Accepted', 'Own']);
    draft.undo();
    expect(shown()).toEqual(['Team', 'Own']);
    draft.redo();
    expect(shown()).toEqual(['Accepted', 'Own']);
  });

  it('takes nothing back of what someone else wrote at that moment', async () => {
    const { program, draft } = start();
    const both = () => {
      program.put({ name: 'Theirs' });
      return Promise.resolve(program.put({ config: doc([widget('a')]).config }));
    };
    expect(await draft.adopt(both)).toBe(false);
    expect(draft.getView().doc.name).toBe('Theirs');
    expect(draft.getView().canUndo).toBe(false);
  });

  it('is saved again when the edit is taken back before it was sent', async () => {
    const { program, draft } = start();
    draft.edit(renamed('One'));
    draft.edit(renamed('Team'));
    expect(draft.getView().saved.kind).toBe('saving');
    await vi.advanceTimersByTimeAsync(800);
    expect([draft.getView().saved.kind, program.writes.length, program.kept.size]).toEqual(['saved', 0, 0]);
  });

  it('an edit that changes nothing is none', () => {
    const { draft } = start();
    draft.edit((now) => ({ ...now }));
    expect(draft.getView().canUndo).toBe(false);
    expect(sameDoc(draft.getView().doc, draft.getView().doc)).toBe(true);
  });
});
