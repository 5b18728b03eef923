/** How a session stands, for people: a word, a shape and a colour for each state. */
import type { IconName } from '@shell/components';

/** The shape of the mark: a shape says the same without its colour. */
export type Shape = 'ring' | 'dot' | 'half' | 'diamond' | 'square' | 'cross' | 'check' | 'bars';
export type Tone = 'quiet' | 'busy' | 'need' | 'good' | 'warn' | 'bad';

export interface Standing {
  word: string;
  shape: Shape;
  tone: Tone;
}

const STANDINGS: Readonly<Record<string, Standing>> = {
  draft: { word: 'Not started', shape: 'ring', tone: 'quiet' },
  queued: { word: 'Queued', shape: 'ring', tone: 'busy' },
  launching: { word: 'Starting', shape: 'half', tone: 'busy' },
  idle: { word: 'Waits for you', shape: 'half', tone: 'quiet' },
  running: { word: 'Running', shape: 'dot', tone: 'busy' },
  awaitingPermission: { word: 'Waits for your approval', shape: 'diamond', tone: 'need' },
  awaitingInput: { word: 'Waits for a value', shape: 'diamond', tone: 'need' },
  retrying: { word: 'Tries again', shape: 'half', tone: 'warn' },
  compacting: { word: 'Makes room', shape: 'half', tone: 'busy' },
  parked: { word: 'Parked', shape: 'bars', tone: 'warn' },
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

/** Every state with a word, in the order in which a session goes through them. */
export const STATES = Object.keys(STANDINGS);

/** How the state is shown; one that a later version made is shown by its name. */
export const standing = (state: string): Standing => STANDINGS[state] ?? { word: state, shape: 'ring', tone: 'quiet' };

/** States in which an engine is at work, or is about to be: the transcript grows. */
const ACTIVE = new Set(['queued', 'launching', 'running', 'awaitingPermission', 'awaitingInput', 'retrying', 'compacting', 'stopping']);
export const isActive = (state: string) => ACTIVE.has(state);

/** States of a turn that is under way: it can be cancelled, and what is sent waits. */
const IN_TURN = new Set(['running', 'awaitingPermission', 'awaitingInput', 'retrying', 'compacting']);
export const isInTurn = (state: string) => IN_TURN.has(state);

/** States that `resume` leads out of. */
const RESUMABLE = new Set(['paused', 'snoozed', 'stopped', 'interrupted', 'failed', 'parked', 'retrying', 'draft', 'closed', 'archived']);
export const canResume = (state: string) => RESUMABLE.has(state);

/** States with something left to stop. */
export const canStop = (state: string) => isActive(state) && state !== 'stopping' ? true : ['idle', 'parked', 'paused', 'snoozed', 'interrupted'].includes(state);

/** States in which a session can be put aside. */
export const canPause = (state: string) => ['queued', 'launching', 'idle', 'running', 'awaitingPermission', 'awaitingInput', 'retrying'].includes(state);

/** States in which a session can be put away. */
export const canArchive = (state: string) => ['idle', 'stopped', 'finished', 'failed', 'closed', 'interrupted', 'paused', 'draft'].includes(state);

/** The picture for what a tool does. */
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

/** The word for what a tool does. */
export const TOOL_WORDS: Readonly<Record<string, string>> = {
  read: 'Reads',
  edit: 'Edits',
  delete: 'Deletes',
  move: 'Moves',
  search: 'Searches',
  execute: 'Runs',
  think: 'Plans',
  fetch: 'Fetches',
  switchMode: 'Changes mode',
  other: 'Uses a tool',
};
