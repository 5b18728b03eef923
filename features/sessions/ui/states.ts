/** The label, shape, and color of each session state. */
import type { IconName } from '@shell/components';
import { formatInstant } from '@shell/dates';

/** The shape of the mark, so that the state doesn't depend on color alone. */
export type Shape = 'ring' | 'dot' | 'half' | 'diamond' | 'square' | 'cross' | 'check' | 'bars';
export type Tone = 'quiet' | 'busy' | 'need' | 'good' | 'warn' | 'bad';

export interface Standing {
  word: string;
  shape: Shape;
  tone: Tone;
}

const STANDINGS: Readonly<Record<string, Standing>> = {
  draft: { word: 'Draft', shape: 'ring', tone: 'quiet' },
  queued: { word: 'Queued', shape: 'ring', tone: 'busy' },
  launching: { word: 'Starting', shape: 'half', tone: 'busy' },
  idle: { word: 'Ready', shape: 'half', tone: 'quiet' },
  running: { word: 'Running', shape: 'dot', tone: 'busy' },
  awaitingPermission: { word: 'Needs approval', shape: 'diamond', tone: 'need' },
  awaitingInput: { word: 'Needs input', shape: 'diamond', tone: 'need' },
  retrying: { word: 'Retrying', shape: 'half', tone: 'warn' },
  compacting: { word: 'Compacting', shape: 'half', tone: 'busy' },
  parked: { word: 'Limit reached', shape: 'bars', tone: 'warn' },
  paused: { word: 'Paused', shape: 'bars', tone: 'quiet' },
  snoozed: { word: 'Snoozed', shape: 'bars', tone: 'quiet' },
  stopping: { word: 'Stopping', shape: 'square', tone: 'quiet' },
  stopped: { word: 'Stopped', shape: 'square', tone: 'quiet' },
  interrupted: { word: 'Interrupted', shape: 'cross', tone: 'warn' },
  failed: { word: 'Failed', shape: 'cross', tone: 'bad' },
  finished: { word: 'Finished', shape: 'check', tone: 'good' },
  archived: { word: 'Archived', shape: 'square', tone: 'quiet' },
  closed: { word: 'Closed', shape: 'square', tone: 'quiet' },
};

/** Every state that has a label, in the order a session goes through them. */
export const STATES = Object.keys(STANDINGS);

/** How a state is shown. A state of a later version is shown by its name. */
export const standing = (state: string): Standing => STANDINGS[state] ?? { word: state, shape: 'ring', tone: 'quiet' };

/** States in which an engine works or is about to: the transcript grows. */
const ACTIVE = new Set([
  'queued',
  'launching',
  'running',
  'awaitingPermission',
  'awaitingInput',
  'retrying',
  'compacting',
  'stopping',
]);
export const isActive = (state: string) => ACTIVE.has(state);

/** States with a turn in progress: it can be canceled, and new messages are queued. */
const IN_TURN = new Set(['running', 'awaitingPermission', 'awaitingInput', 'retrying', 'compacting']);
export const isInTurn = (state: string) => IN_TURN.has(state);

/** States in which nothing goes on: what counts is when they began. */
const OVER = new Set(['stopped', 'interrupted', 'failed', 'finished', 'archived', 'closed']);
export const isOver = (state: string) => OVER.has(state);

/** The label of the button that starts a session again. Failed, interrupted, and waiting sessions have theirs beside the problem. */
const RESUME: Readonly<Record<string, string>> = {
  draft: 'Start',
  paused: 'Resume',
  snoozed: 'Resume',
  stopped: 'Resume',
  archived: 'Reopen',
  closed: 'Reopen',
};
export const resumeLabel = (state: string): string | undefined => RESUME[state];

/** States in which a session can be stopped. */
export const canStop = (state: string) =>
  isActive(state) && state !== 'stopping'
    ? true
    : ['idle', 'parked', 'paused', 'snoozed', 'interrupted'].includes(state);

/** States in which a session can be paused. */
export const canPause = (state: string) =>
  ['queued', 'launching', 'idle', 'running', 'awaitingPermission', 'awaitingInput', 'retrying'].includes(state);

/** States in which a session can be archived. */
export const canArchive = (state: string) =>
  ['idle', 'stopped', 'finished', 'failed', 'closed', 'interrupted', 'paused', 'draft'].includes(state);

/** The icon for what a tool does. */
export const TOOL_ICONS: Readonly<Record<string, IconName>> = {
  read: 'eye',
  edit: 'edit',
  delete: 'trash',
  move: 'move',
  search: 'search',
  execute: 'session',
  think: 'task',
  fetch: 'download',
  switchMode: 'task',
  other: 'more',
};

/** The labels for what a tool is to do, does, and did. */
const TOOL_WORDS: Readonly<Record<string, readonly [string, string, string]>> = {
  read: ['Read', 'Reading', 'Read'],
  edit: ['Edit', 'Editing', 'Edited'],
  delete: ['Delete', 'Deleting', 'Deleted'],
  move: ['Move', 'Moving', 'Moved'],
  search: ['Search', 'Searching', 'Searched'],
  execute: ['Run', 'Running', 'Ran'],
  think: ['Plan', 'Planning', 'Planned'],
  fetch: ['Fetch', 'Fetching', 'Fetched'],
  switchMode: ['Change mode', 'Changing mode', 'Changed mode'],
  other: ['Use a tool', 'Using a tool', 'Used a tool'],
};

/** The label of a tool call in a state. One that waits for approval or failed may not have run. */
export const toolWord = (kind: string, state: string): string =>
  (TOOL_WORDS[kind] ?? TOOL_WORDS.other!)[state === 'completed' ? 2 : state === 'running' ? 1 : 0];

const bag = (value: unknown) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {});

/** The server's reason with the time in the browser's zone and language. */
export const withTime = (why: string, until: number): string => {
  const time = formatInstant(until);
  return why
    .replace(/^Usage limit (reached|resets at .*)$/, `Usage limit resets at ${time}`)
    .replace(/(; attempt \d+) (follows|at .*)$/, `$1 at ${time}`);
};

/** Why a session is in its state, with the time and the engine, which the server's text leaves to the page. */
export function reasonOf({
  state,
  why,
  detail,
  engine,
}: {
  state: string;
  why: string;
  detail: unknown;
  engine: string;
}): string {
  const { until, how, why: waits } = bag(detail);
  const at = typeof until === 'number' ? until : bag(waits).until;
  const time = typeof at === 'number' ? formatInstant(at) : '';
  switch (state) {
    case 'launching':
      return `${how === 'resume' ? 'Resuming' : 'Starting'} ${engine}`;
    case 'stopping':
      return 'Ending processes';
    case 'snoozed':
      return time ? `Until ${time}` : why;
    case 'queued':
      return time && bag(waits).for === 'backoff' ? `Waiting to retry at ${time}` : why;
    default:
      return typeof at === 'number' ? withTime(why, at) : why;
  }
}
