/** Tasks in memory: which are below which, and what a view shows. One change costs its siblings, not all tasks. */
import type { Schemas } from '@shell/client';

/** A task. Members that it doesn't have are left out, never null. */
export type Task = { [Name in keyof Schemas['Task']]: Exclude<Schemas['Task'][Name], null> };
export type TaskState = Task['state'];
export type TaskEdit = Schemas['TaskEdit'];

export const DEFAULT_PRIORITY = 4;

export const isOpen = (task: Task) => task.state === 'open';

/** The list of siblings that a task is in: its parent's, or its hub's top level. */
const listOf = ({ parentId, hubId }: Pick<Task, 'parentId' | 'hubId'>) => parentId ?? `hub ${hubId ?? ''}`;

const isBefore = (a: Task, b: Task) => a.place < b.place || (a.place === b.place && a.id < b.id);

export class Outline {
  readonly tasks = new Map<string, Task>();
  private readonly lists = new Map<string, string[]>();

  get = (id: string | null | undefined): Task | undefined => (id == null ? undefined : this.tasks.get(id));

  /** IDs of the tasks below a task, in order. */
  below = (id: string): readonly string[] => this.lists.get(id) ?? [];

  /** IDs of the tasks at a hub's top level; an empty hub for none. */
  top = (hub: string): readonly string[] => this.lists.get(`hub ${hub}`) ?? [];

  /** IDs of the hubs with tasks; empty for none. */
  hubs = (): string[] =>
    [...this.lists].filter(([list, ids]) => list.startsWith('hub ') && ids.length > 0).map(([list]) => list.slice(4));

  siblings = (task: Task): readonly string[] => this.lists.get(listOf(task)) ?? [];

  /** Adds or replaces many tasks. */
  load(tasks: readonly Task[]) {
    const changed = new Set<string>();
    for (const task of tasks) {
      const before = this.tasks.get(task.id);
      if (before) this.drop(task.id);
      this.tasks.set(task.id, task);
      const list = listOf(task);
      const ids = this.lists.get(list);
      if (ids) ids.push(task.id);
      else this.lists.set(list, [task.id]);
      changed.add(list);
    }
    for (const list of changed)
      this.lists.get(list)?.sort((a, b) => (isBefore(this.tasks.get(a)!, this.tasks.get(b)!) ? -1 : 1));
  }

  put(task: Task) {
    const before = this.tasks.get(task.id);
    if (before && listOf(before) === listOf(task) && before.place === task.place) {
      this.tasks.set(task.id, task);
      return;
    }
    if (before) this.drop(task.id);
    this.tasks.set(task.id, task);
    const list = listOf(task);
    const ids = this.lists.get(list) ?? [];
    this.lists.set(list, ids);
    let [low, high] = [0, ids.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(this.tasks.get(ids[middle]!)!, task)) low = middle + 1;
      else high = middle;
    }
    ids.splice(low, 0, task.id);
  }

  drop(id: string) {
    const task = this.tasks.get(id);
    if (!task) return;
    const ids = this.lists.get(listOf(task));
    ids?.splice(ids.indexOf(id), 1);
    this.tasks.delete(id);
  }

  clear() {
    this.tasks.clear();
    this.lists.clear();
  }

  /** A task and all below it. */
  *subtree(id: string): Generator<Task> {
    const task = this.tasks.get(id);
    if (!task) return;
    yield task;
    for (const child of this.below(id)) yield* this.subtree(child);
  }

  /** The tasks above a task, the nearest first. */
  above(task: Task): Task[] {
    const found: Task[] = [];
    for (let next = this.get(task.parentId); next && found.length < 50; next = this.get(next.parentId))
      found.push(next);
    return found;
  }

  /** How many of the tasks right below are finished; null if there are none. */
  progress(id: string): { finished: number; all: number } | null {
    const ids = this.below(id);
    if (ids.length === 0) return null;
    return { finished: ids.filter((child) => !isOpen(this.tasks.get(child)!)).length, all: ids.length };
  }
}

export type View = 'today' | 'upcoming' | 'all' | 'snoozed';

/** What is listed. */
export interface Filters {
  view: View;
  /** A hub's ID, `none`, or empty for all. */
  hub: string;
  q: string;
  /** 1 to 3, or 0 for all. */
  priority: number;
}

/** For tasks of no hub, and of hubs that were removed. */
export const NO_HUB = 'none';

export interface Line {
  kind: 'head' | 'task' | 'new';
  /** Of a task, its ID; of a heading, what it's of. */
  id: string;
  level: number;
  /** Of a heading. */
  label?: string;
  /** Number of open tasks, of a heading. */
  count?: number;
  /** Whether a task has others below it that are shown. */
  parent?: boolean;
  collapsed?: boolean;
}

export interface Shown extends Filters {
  hubs: ReadonlyMap<string, string>;
  collapsed: ReadonlySet<string>;
  /** Whether finished tasks are hidden. */
  hidesFinished: boolean;
  /** The local time: `2026-03-05T09:00`. */
  now: string;
  /** The empty line for a new task, if one is open. */
  adding?: { after: string | null; level: number } | null;
}

/** Whether a task is snoozed: until a time, or until a day begins. */
export const isSnoozed = ({ snoozedUntil }: Task, now: string) =>
  snoozedUntil !== undefined && snoozedUntil > now.slice(0, snoozedUntil.length);

/** Whether a task's time has passed. */
export const isOverdue = ({ due }: Task, now: string) => due !== undefined && due < now.slice(0, due.length);

const dayOf = (task: Task) => task.due!.slice(0, 10);

/** The local time as tasks have it. */
export function localNow(ms: number): string {
  const at = new Date(ms);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** The hub that a task is listed in: its own, or none if that was removed. */
export const listedHub = (task: Task, hubs: ReadonlyMap<string, string>) =>
  task.hubId !== undefined && hubs.has(task.hubId) ? task.hubId : NO_HUB;

/** The lines of a view. */
export function linesOf(outline: Outline, shown: Shown): Line[] {
  return shown.view === 'all' ? outlineLines(outline, shown) : dueLines(outline, shown);
}

function matches(task: Task, { q, priority }: Filters): boolean {
  if (priority > 0 && (task.priority ?? DEFAULT_PRIORITY) !== priority) return false;
  return q === '' || task.text.toLowerCase().includes(q);
}

function outlineLines(outline: Outline, given: Shown): Line[] {
  const shown = { ...given, q: given.q.trim().toLowerCase() };
  const { hubs, collapsed, hidesFinished, hub, adding } = shown;
  const isFiltered = shown.q !== '' || shown.priority > 0;
  /** Tasks that match, and those above them. */
  let wanted: Set<string> | null = null;
  if (isFiltered) {
    wanted = new Set();
    for (const task of outline.tasks.values()) {
      if (!matches(task, shown)) continue;
      wanted.add(task.id);
      for (const above of outline.above(task)) wanted.add(above.id);
    }
  }
  const isListed = (task: Task) => (!hidesFinished || isOpen(task)) && (wanted === null || wanted.has(task.id));
  const lines: Line[] = [];
  const add = (ids: readonly string[], level: number) => {
    for (const id of ids) {
      const task = outline.tasks.get(id)!;
      if (!isListed(task)) continue;
      const below = outline.below(id);
      const parent = below.length > 0 && below.some((child) => isListed(outline.tasks.get(child)!));
      const isCollapsed = parent && !isFiltered && collapsed.has(id);
      lines.push({ kind: 'task', id, level, parent, collapsed: isCollapsed });
      if (parent && !isCollapsed) add(below, level + 1);
      if (adding?.after === id) lines.push({ kind: 'new', id: 'new', level: adding.level });
    }
  };
  const known = [...hubs].sort(([, a], [, b]) => a.localeCompare(b)).map(([id]) => id);
  const others = outline.hubs().filter((id) => !hubs.has(id));
  for (const [id, lists] of [...known.map((one) => [one, [one]] as const), [NO_HUB, others] as const]) {
    if (hub !== '' && hub !== id) continue;
    const from = lines.length;
    for (const list of lists) add(outline.top(list), 1);
    if (hub !== '' || lines.length === from) continue;
    const openOf = (list: string) => outline.top(list).filter((one) => isOpen(outline.get(one)!)).length;
    const count = [...lists].map(openOf).reduce((sum, open) => sum + open, 0);
    lines.splice(from, 0, { kind: 'head', id, level: 1, label: hubs.get(id) ?? 'No hub', count });
  }
  if (adding?.after === null) lines.unshift({ kind: 'new', id: 'new', level: 1 });
  return lines;
}

/** Tasks by their day. */
function dueLines(outline: Outline, given: Shown): Line[] {
  const shown = { ...given, q: given.q.trim().toLowerCase() };
  const { view, hub, hubs, now } = shown;
  const today = now.slice(0, 10);
  const dayShown = (task: Task) => (view === 'snoozed' ? task.snoozedUntil! : task.due!);
  const found: Task[] = [];
  for (const task of outline.tasks.values()) {
    if (!isOpen(task) || (hub !== '' && listedHub(task, hubs) !== hub) || !matches(task, shown)) continue;
    if (isSnoozed(task, now) !== (view === 'snoozed')) continue;
    const isWanted = view === 'snoozed' || (task.due !== undefined && dayOf(task) <= today === (view === 'today'));
    if (isWanted) found.push(task);
  }
  found.sort(
    (a, b) =>
      dayShown(a).localeCompare(dayShown(b)) ||
      (a.priority ?? DEFAULT_PRIORITY) - (b.priority ?? DEFAULT_PRIORITY) ||
      a.place - b.place ||
      (a.id < b.id ? -1 : 1),
  );
  const lines: Line[] = [];
  let head = null as Line | null;
  for (const task of found) {
    const day = dayShown(task).slice(0, 10);
    const id = view === 'today' && day < today ? 'overdue' : day;
    if (head?.id !== id) {
      head = { kind: 'head', id, level: 1, label: id, count: 0 };
      lines.push(head);
    }
    head.count! += 1;
    lines.push({ kind: 'task', id: task.id, level: 1 });
  }
  return lines;
}

/** Where a task goes. */
export type Target = Pick<TaskEdit, 'parentId' | 'afterId' | 'hubId'>;

const at = (task: Task): Target => ({
  parentId: task.parentId ?? '',
  ...(task.parentId ? {} : { hubId: task.hubId ?? '' }),
});

/** Below the sibling before it. */
export function indented(outline: Outline, task: Task): Target | null {
  const ids = outline.siblings(task);
  const before = ids[ids.indexOf(task.id) - 1];
  return before === undefined ? null : { parentId: before };
}

/** After its parent. */
export function outdented(outline: Outline, task: Task): Target | null {
  const parent = outline.get(task.parentId);
  return parent ? { ...at(parent), afterId: parent.id } : null;
}

/** One up or down among its siblings; at the end, into the neighboring list of its parent's siblings. */
export function movedBy(outline: Outline, task: Task, by: 1 | -1): Target | null {
  const ids = outline.siblings(task);
  const index = ids.indexOf(task.id);
  if (by === 1) return index === ids.length - 1 ? null : { ...at(task), afterId: ids[index + 1]! };
  return index === 0 ? null : { ...at(task), afterId: ids[index - 2] ?? '' };
}

/** Before, after, or below another task; null if that is within the moved ones. */
export function droppedOn(
  outline: Outline,
  moved: string,
  on: Task,
  where: 'before' | 'after' | 'inside',
): Target | null {
  if (moved === on.id || outline.above(on).some((task) => task.id === moved)) return null;
  if (where === 'inside') return { parentId: on.id };
  if (where === 'after') return { ...at(on), afterId: on.id };
  const ids = outline.siblings(on).filter((id) => id !== moved);
  return { ...at(on), afterId: ids[ids.indexOf(on.id) - 1] ?? '' };
}

/** Where it is now, to bring it back. */
export function placeOf(outline: Outline, task: Task): Target {
  const ids = outline.siblings(task);
  return { ...at(task), afterId: ids[ids.indexOf(task.id) - 1] ?? '' };
}

/** The tasks among these that aren't below another of them. */
export function outermost(outline: Outline, ids: Iterable<string>): string[] {
  const all = new Set(ids);
  return [...all].filter((id) => {
    const task = outline.get(id);
    return task !== undefined && !outline.above(task).some((above) => all.has(above.id));
  });
}
