/**
 * The tasks of the page: loaded once, then followed by revisions. Edits show at once, are sent one request after the other,
 * and can be undone. What the program answers replaces what was shown.
 */
import { useSyncExternalStore } from 'react';
import { ApiError } from '@shell/api';
import { client, type Schemas } from '@shell/client';
import { toast } from '@shell/components';
import { onEvent, onResync } from '@shell/live';
import { perSignIn } from '@shell/session';
import { isOpen, Outline, placeOf, type Task, type TaskEdit } from './model';

const PAGE_TASKS = 10_000;
const RETRY_MS = 2_000;
const UNDO_MAX = 100;
const ID_LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';

/** Edits that can be undone, or another change of the page with what undoes it and what makes it again. */
type Done =
  | { label: string; inverse: TaskEdit[]; run?: undefined }
  | { label: string; run: () => Promise<unknown>; again: () => Promise<unknown> };

interface Pending {
  edits: TaskEdit[];
  ids: ReadonlySet<string>;
  undoes: readonly [Task | undefined, string][];
  settle: (failure?: unknown) => void;
}

export const newTaskId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(10)), (byte) => ID_LETTERS[byte & 31]).join('');

const outline = new Outline();
const listeners = new Set<() => void>();
let version = 0;
let revision = 0;
let state: 'idle' | 'loading' | 'ready' = 'idle';
let failure: unknown = null;
let isStale = false;
let isReading = false;
let isSending = false;
let queue: Pending[] = [];
let done: Done[] = [];
let undone: Done[] = [];
/** Counts up with each sign-in, so that answers to another user are dropped. */
let life = 0;

function tell() {
  version += 1;
  for (const listener of listeners) listener();
}

perSignIn(resetTasks);

/** Forgets everything, for another user and for tests. */
export function resetTasks() {
  life += 1;
  outline.clear();
  [revision, state, failure, isStale, isReading, isSending] = [0, 'idle', null, false, false, false];
  [queue, done, undone] = [[], [], []];
  tell();
}

const isPending = (id: string) => queue.some(({ ids }) => ids.has(id));

/** Takes over tasks as the program has them, but for those with edits that it doesn't know yet. */
function take(tasks: readonly Task[]) {
  const mine = tasks.filter(({ id }) => !isPending(id));
  const live = mine.filter(({ deletedAt }) => deletedAt === undefined);
  for (const { id, deletedAt } of mine) if (deletedAt !== undefined) outline.drop(id);
  if (live.length > 100) outline.load(live);
  else for (const task of live) outline.put(task);
}

/** Reads what changed since the last time. */
async function read() {
  if (isReading) {
    isStale = true;
    return;
  }
  isReading = true;
  const mine = life;
  try {
    do {
      isStale = false;
      let more = true;
      let isFirst = true;
      while (more) {
        const answer = await client.get('/tasks/changes', { query: { since: revision, limit: PAGE_TASKS } });
        if (mine !== life) return;
        if (answer.all && isFirst && outline.tasks.size > 0 && queue.length === 0) outline.clear();
        take(answer.tasks as readonly Task[]);
        [revision, more, isFirst] = [answer.revision, answer.more, false];
      }
    } while (isStale);
    [state, failure] = ['ready', null];
  } catch (why) {
    if (mine !== life) return;
    failure = why;
  } finally {
    if (mine === life) {
      isReading = false;
      tell();
    }
  }
}

onEvent<{ revision: number }>('tasks-changed', (news) => {
  if (state !== 'idle' && news.revision > revision) void read();
});
onResync(() => {
  if (state !== 'idle') void read();
});

export function loadTasks() {
  if (state !== 'idle' && failure === null) return;
  state = state === 'idle' ? 'loading' : state;
  failure = null;
  void read();
}

/** Shows an edit at once. Returns the tasks as they were before. */
function show(edit: TaskEdit): [Task | undefined, string][] {
  const before: [Task | undefined, string][] = [];
  const put = (task: Task) => {
    before.push([outline.get(task.id), task.id]);
    outline.put(task);
  };
  const id = edit.taskId ?? '';
  const task = outline.get(id);
  const now = new Date().toISOString();
  if (edit.action === 'add' && edit.text) {
    const day = (text: string | null | undefined) => (text && /^\d{4}-/.test(text) ? text : undefined);
    const due = day(edit.due);
    put({
      id,
      revision: 0,
      text: edit.text,
      state: 'open',
      ...place(edit, undefined),
      ...(edit.priority && edit.priority < 4 ? { priority: edit.priority } : {}),
      ...(due ? { due } : {}),
      createdAt: now,
      changedAt: now,
    });
  }
  if (!task) return before;
  if (edit.action === 'set') {
    const changed = changedTask(task, edit, now);
    put(changed);
    if (edit.state && edit.state !== 'open' && !edit.only)
      for (const below of [...outline.subtree(id)])
        if (below.id !== id && isOpen(below)) put({ ...below, state: edit.state, finishedAt: now });
    if (edit.state === 'open' && !edit.only)
      for (const above of outline.above(task))
        if (!isOpen(above)) put(without({ ...above, state: 'open' as const }, 'finishedAt'));
  } else if (edit.action === 'move') {
    const moved = { ...without(without(task, 'parentId'), 'hubId'), ...place(edit, task) };
    const subtree = [...outline.subtree(id)];
    put(moved);
    if (moved.hubId !== task.hubId)
      for (const below of subtree)
        if (below.id !== id) put({ ...without(below, 'hubId'), ...(moved.hubId ? { hubId: moved.hubId } : {}) });
  } else if (edit.action === 'delete') {
    for (const gone of [...outline.subtree(id)].reverse()) {
      before.push([gone, gone.id]);
      outline.drop(gone.id);
    }
  }
  return before;
}

function without<Member extends keyof Task>(task: Task, member: Member): Task {
  const rest = { ...task };
  delete rest[member];
  return rest;
}

function changedTask(task: Task, edit: TaskEdit, now: string): Task {
  let next = task;
  if (edit.text != null) next = { ...next, text: edit.text };
  if (edit.state != null) {
    next = { ...without(next, 'finishedAt'), state: edit.state, ...(edit.state === 'open' ? {} : { finishedAt: now }) };
  }
  for (const member of ['due', 'snoozedUntil'] as const) {
    const value = edit[member];
    // Words are understood by the program.
    if (value === '') next = without(next, member);
    else if (value != null && /^\d{4}-/.test(value)) next = { ...next, [member]: value };
  }
  if (edit.priority != null)
    next = edit.priority === 4 ? without(next, 'priority') : { ...next, priority: edit.priority };
  if (edit.sessionId != null)
    next = edit.sessionId ? { ...next, sessionId: edit.sessionId } : without(next, 'sessionId');
  return next;
}

/** Where an edit puts a task, until the program says. */
function place(edit: TaskEdit, moved: Task | undefined): Pick<Task, 'place' | 'parentId' | 'hubId'> {
  const after = outline.get(edit.afterId);
  const near = after ?? moved;
  const parentId = edit.parentId ?? near?.parentId ?? '';
  const hubId = parentId ? outline.get(parentId)?.hubId : (edit.hubId ?? near?.hubId);
  const list = (parentId ? outline.below(parentId) : outline.top(hubId ?? '')).filter((id) => id !== moved?.id);
  const where = after ? list.indexOf(after.id) + 1 : edit.afterId === '' ? 0 : list.length;
  const [previous, next] = [outline.get(list[where - 1])?.place, outline.get(list[where])?.place];
  const between =
    previous === undefined ? (next ?? 0) - 1 : next === undefined ? previous + 1 : previous + (next - previous) / 2;
  return { place: between, ...(parentId ? { parentId } : {}), ...(hubId ? { hubId } : {}) };
}

/** What undoes an edit, by the tasks as they are before it. */
function inverseOf(edit: TaskEdit): TaskEdit[] {
  const taskId = edit.taskId ?? '';
  const task = outline.get(taskId);
  if (edit.action === 'add' || edit.action === 'restore') return [{ action: 'delete', taskId }];
  if (edit.action === 'delete') return [{ action: 'restore', taskId }];
  if (!task) return [];
  if (edit.action === 'move') return [{ action: 'move', taskId, ...placeOf(outline, task) }];
  const back: TaskEdit = { action: 'set', taskId, only: true };
  if (edit.text != null) back.text = task.text;
  // Days and priorities in its words are understood by the program.
  if (edit.due != null || edit.understand) back.due = task.due ?? '';
  if (edit.snoozedUntil != null) back.snoozedUntil = task.snoozedUntil ?? '';
  if (edit.priority != null || edit.understand) back.priority = task.priority ?? 4;
  if (edit.sessionId != null) back.sessionId = task.sessionId ?? '';
  if (edit.state == null) return [back];
  back.state = task.state;
  const others = edit.only
    ? []
    : edit.state === 'open'
      ? outline.above(task).filter((one) => !isOpen(one))
      : [...outline.subtree(taskId)].filter((one) => one.id !== taskId && isOpen(one));
  return [back, ...others.map((one): TaskEdit => ({ action: 'set', taskId: one.id, only: true, state: one.state }))];
}

/** Makes edits; rejects with the reason if the program refuses them. */
function send(edits: readonly TaskEdit[]): { inverse: TaskEdit[]; sent: Promise<void> } {
  const inverse: TaskEdit[] = [];
  const undoes: [Task | undefined, string][] = [];
  const all = edits.map((edit) => (edit.action === 'set' ? { ...edit, seen: revision } : edit));
  for (const edit of all) {
    inverse.unshift(...inverseOf(edit));
    undoes.push(...show(edit));
  }
  const ids = new Set([...undoes.map(([, id]) => id), ...all.map(({ taskId }) => taskId ?? '')]);
  const sent = new Promise<void>((resolve, reject) => {
    queue.push({ edits: all, ids, undoes, settle: (why) => (why === undefined ? resolve() : reject(why as Error)) });
  });
  tell();
  void flush();
  return { inverse, sent };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function flush() {
  if (isSending) return;
  isSending = true;
  const mine = life;
  for (let next = queue[0]; next; next = queue[0]) {
    try {
      const answer = await client.post('/tasks/edit', { body: { edits: next.edits } });
      if (mine !== life) return;
      queue.shift();
      take(answer.tasks as readonly Task[]);
      tellConflicts(answer.conflicts);
      next.settle();
    } catch (why) {
      if (mine !== life) return;
      // Without an answer it's sent again; the program knows new tasks by their IDs.
      if (!(why instanceof ApiError) || why.status === 0 || why.status >= 500) {
        await pause(RETRY_MS);
        if (mine !== life) return;
        continue;
      }
      queue.shift();
      const isRepeated = why.code === 'task-exists';
      if (!isRepeated)
        for (const [task, id] of [...next.undoes].reverse())
          if (task) outline.put(task);
          else outline.drop(id);
      next.settle(isRepeated ? undefined : why);
    }
    tell();
  }
  isSending = false;
}

function tellConflicts(conflicts: readonly Schemas['TaskConflict'][]) {
  for (const { taskId, field, was } of conflicts) {
    if (field !== 'text' || typeof was !== 'string') {
      toast.done('Your edit replaced a newer change', { detail: 'Another window changed the same task.' });
      continue;
    }
    toast.done('Replaced newer text', {
      detail: was,
      action: { label: 'Restore', run: () => void edit([{ action: 'set', taskId, text: was }], 'Restored text') },
    });
  }
}

/** Makes edits, which can be undone. Resolves to whether the program took them; shows why if it didn't. */
export async function edit(
  edits: readonly TaskEdit[],
  label: string,
  options: { isQuiet?: boolean } = {},
): Promise<boolean> {
  if (edits.length === 0) return true;
  const { inverse, sent } = send(edits);
  const entry = { label, inverse };
  done = [...done.slice(1 - UNDO_MAX), entry];
  undone = [];
  if (!options.isQuiet) toast.done(label, { kind: 'tasks', undo: undo });
  try {
    await sent;
    return true;
  } catch (why) {
    done = done.filter((one) => one !== entry);
    toast.problem("Couldn't change tasks", why);
    return false;
  }
}

/** The same, which rejects with the reason, for dialogs. */
export async function tryEdit(edits: readonly TaskEdit[], label: string): Promise<void> {
  const { inverse, sent } = send(edits);
  await sent;
  done = [...done.slice(1 - UNDO_MAX), { label, inverse }];
  undone = [];
}

/** Makes undoable what was changed by other requests than edits. */
export function remember(label: string, run: () => Promise<unknown>, again: () => Promise<unknown>) {
  done = [...done.slice(1 - UNDO_MAX), { label, run, again }];
  undone = [];
  toast.done(label, { kind: 'tasks', undo });
}

async function back(from: 'done' | 'undone') {
  const entry = from === 'done' ? done.at(-1) : undone.at(-1);
  const verb = from === 'done' ? 'undo' : 'redo';
  if (!entry) {
    toast.done(`Nothing to ${verb}`, { kind: 'tasks' });
    return;
  }
  if (from === 'done') done = done.slice(0, -1);
  else undone = undone.slice(0, -1);
  let other: Done;
  let sent: Promise<unknown>;
  if (entry.run) {
    other = { label: entry.label, run: entry.again, again: entry.run };
    sent = entry.run();
  } else {
    const inverted = send(entry.inverse);
    other = { label: entry.label, inverse: inverted.inverse };
    sent = inverted.sent;
  }
  if (from === 'done') undone = [...undone, other];
  else done = [...done, other];
  toast.done(from === 'done' ? `Undid: ${entry.label}` : `Redid: ${entry.label}`, { kind: 'tasks' });
  try {
    await sent;
  } catch (why) {
    if (from === 'done') undone = undone.filter((one) => one !== other);
    else done = done.filter((one) => one !== other);
    toast.problem(`Couldn't ${verb}`, why);
  }
}

export const undo = () => back('done');
export const redo = () => back('undone');

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The outline, with a number that counts its changes. */
export function useTasks() {
  const current = useSyncExternalStore(subscribe, () => version);
  return { outline, version: current, isReady: state === 'ready', failure, isSaving: queue.length > 0 };
}
