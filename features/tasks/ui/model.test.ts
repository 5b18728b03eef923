import { beforeEach, expect, it } from 'vitest';
import {
  droppedOn,
  indented,
  linesOf,
  movedBy,
  outdented,
  outermost,
  Outline,
  placeOf,
  type Shown,
  type Task,
} from './model';

let outline: Outline;
const hubs = new Map([
  ['h1', 'Site'],
  ['h2', 'App'],
]);
const all: Shown = {
  ...{ view: 'all', hub: '', q: '', priority: 0, hubs, collapsed: new Set<string>(), hidesFinished: false },
  now: '2026-03-01T12:00',
};

const task = (id: string, place: number, more: Partial<Task> = {}): Task => ({
  ...{ id, revision: 1, text: `Task ${id}`, state: 'open', place },
  ...{ createdAt: '2026-01-01T00:00:00Z', changedAt: '2026-01-01T00:00:00Z' },
  ...more,
});

/** Lines as text: headings in brackets, tasks indented. */
const drawn = (shown: Partial<Shown> = {}) =>
  linesOf(outline, { ...all, ...shown }).map(({ kind, id, label, level, count }) =>
    kind === 'head' ? `[${label} ${count}]` : `${'-'.repeat(level - 1)}${id}`,
  );

beforeEach(() => {
  outline = new Outline();
  outline.load([
    task('b', 2, { hubId: 'h1' }),
    task('a', 1, { hubId: 'h1' }),
    task('a2', 2, { hubId: 'h1', parentId: 'a', state: 'done' }),
    task('a1', 1, { hubId: 'h1', parentId: 'a' }),
    task('n', 1),
    task('r', 2, { hubId: 'removed' }),
  ]);
});

it('groups by hub, and keeps tasks of removed hubs reachable', () => {
  expect(drawn()).toEqual(['[Site 2]', 'a', '-a1', '-a2', 'b', '[No hub 2]', 'n', 'r']);
  expect(drawn({ hub: 'h1' })).toEqual(['a', '-a1', '-a2', 'b']);
  expect(drawn({ hub: 'none' }).sort()).toEqual(['n', 'r']);
  expect(drawn({ hub: 'h1', collapsed: new Set(['a']) })).toEqual(['a', 'b']);
  expect(drawn({ hub: 'h1', hidesFinished: true })).toEqual(['a', '-a1', 'b']);
  expect(drawn({ q: 'task A1 ' })).toEqual(['[Site 2]', 'a', '-a1']);
  expect(drawn({ hub: 'h1', adding: { after: 'a', level: 1 } })).toEqual(['a', '-a1', '-a2', 'new', 'b']);
});

it('lists what is due by its day', () => {
  outline.load([
    task('late', 1, { due: '2026-02-01' }),
    task('now', 2, { due: '2026-03-01T18:00' }),
    task('soon', 3, { due: '2026-03-02', priority: 2 }),
    task('urgent', 4, { due: '2026-03-02', priority: 1 }),
    task('asleep', 5, { due: '2026-03-01', snoozedUntil: '2026-03-02' }),
    task('woken', 6, { due: '2026-03-01', snoozedUntil: '2026-03-01T11:00' }),
  ]);
  expect(drawn({ view: 'today' })).toEqual(['[overdue 1]', 'late', '[2026-03-01 2]', 'woken', 'now']);
  expect(drawn({ view: 'upcoming' })).toEqual(['[2026-03-02 2]', 'urgent', 'soon']);
  expect(drawn({ view: 'snoozed' })).toEqual(['[2026-03-02 1]', 'asleep']);
});

it('finds where tasks go', () => {
  const of = (id: string) => outline.get(id)!;
  expect(indented(outline, of('b'))).toEqual({ parentId: 'a' });
  expect(indented(outline, of('a'))).toBeNull();
  expect(outdented(outline, of('a2'))).toEqual({ parentId: '', hubId: 'h1', afterId: 'a' });
  expect(movedBy(outline, of('b'), -1)).toEqual({ parentId: '', hubId: 'h1', afterId: '' });
  expect(movedBy(outline, of('a1'), 1)).toEqual({ parentId: 'a', afterId: 'a2' });
  expect(movedBy(outline, of('b'), 1)).toBeNull();
  expect(placeOf(outline, of('a2'))).toEqual({ parentId: 'a', afterId: 'a1' });
  expect(droppedOn(outline, 'a', of('a1'), 'inside')).toBeNull();
  expect(droppedOn(outline, 'n', of('a2'), 'before')).toEqual({ parentId: 'a', afterId: 'a1' });
  expect(outermost(outline, ['a', 'a1', 'n'])).toEqual(['a', 'n']);
});

it('changes one of 50,000 tasks without touching the others', () => {
  outline.load(Array.from({ length: 50_000 }, (_, at) => task(`t${at}`, at + 10)));
  const ids = outline.top('');
  outline.put({ ...outline.get('t500')!, place: 10.5 });
  expect(ids.slice(0, 4)).toEqual(['n', 't0', 't500', 't1']);
  outline.drop('t1');
  expect(outline.get('t1')).toBeUndefined();
  expect(linesOf(outline, { ...all, hub: 'none' })).toHaveLength(50_001);
});
