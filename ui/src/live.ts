/**
 * Live events: one stream of `GET /events` for the whole page, read with fetch because EventSource cannot send the
 * Authorization header. It resumes after the last event that it saw and reconnects with growing gaps.
 */
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { authFetch, onAnswer } from './api';
import { parseEvents, type ServerEvent } from './sse';

/** How the page stands with the program. */
export type Connection = 'connecting' | 'live' | 'lost';

const FIRST_GAP_MS = 500;
const LONGEST_GAP_MS = 15_000;
const UNSEEN_MS = 3_000;

const handlers = new Map<string, Set<(data: unknown) => void>>();
const watchers = new Set<() => void>();
const resyncs = new Set<() => void>();
let connection: Connection = 'connecting';
let lastId: string | null = null;

function become(next: Connection) {
  if (connection === next) return;
  connection = next;
  for (const watcher of watchers) watcher();
}

function deliver(event: ServerEvent) {
  if (event.id !== null) lastId = event.id;
  // The program sends this when it no longer has what came after our last event.
  if (event.name === 'reset') return resync();
  const interested = handlers.get(event.name);
  if (!interested?.size) return;
  let data: unknown;
  try {
    data = JSON.parse(event.data);
  } catch {
    return; // Not ours to understand; the next refetch brings the truth.
  }
  for (const handler of interested) handler(data);
}

const resync = () => {
  for (const handler of resyncs) handler();
};

/** Reads the stream until `signal` aborts or the token is refused. */
export async function follow(signal: AbortSignal): Promise<void> {
  let gap = FIRST_GAP_MS;
  // Pages read nothing before the stream is open or away, so what is there when it first opens misses nothing.
  let missed = false;
  signal.addEventListener('abort', () => {
    lastId = null;
    become('connecting');
  });
  while (!signal.aborted) {
    const unseen = whenUnseen();
    const network = whenOffline();
    try {
      const response = await authFetch('/events', {
        signal: AbortSignal.any([signal, unseen.signal, network.signal]),
        headers: { Accept: 'text/event-stream', ...(lastId === null ? {} : { 'Last-Event-ID': lastId }) },
      });
      if (response.status === 401) return;
      if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
      become('live');
      // Without an id to resume from, whatever happened while the stream was away, or before it opened, is unknown.
      if (missed && lastId === null) resync();
      for await (const event of parseEvents(response.body)) {
        gap = FIRST_GAP_MS;
        deliver(event);
      }
    } catch {
      // Whatever ended the stream, it is opened again.
    } finally {
      unseen.stop();
      network.stop();
    }
    if (signal.aborted) return;
    missed = true;
    if (unseen.signal.aborted) {
      await untilSeen(signal);
      continue;
    }
    become('lost');
    await pause(gap * (0.75 + Math.random() / 2), signal);
    gap = Math.min(gap * 2, LONGEST_GAP_MS);
  }
}

/**
 * Aborts when nobody has looked at the page for a while. Browsers open six connections to one address for all of their tabs
 * together; were each stream to hold one, the seventh tab would wait for ever.
 */
function whenUnseen(): { signal: AbortSignal; stop: () => void } {
  const unseen = new AbortController();
  let timer: ReturnType<typeof setTimeout>;
  const look = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => unseen.abort(), UNSEEN_MS);
  };
  document.addEventListener('visibilitychange', look);
  look();
  const stop = () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', look);
  };
  return { signal: unseen.signal, stop };
}

/**
 * Aborts when the browser goes offline. The open stream doesn't always end then, so without this the page would still
 * report that it's connected. It reconnects at once if the program can still be reached, as on this computer.
 */
function whenOffline(): { signal: AbortSignal; stop: () => void } {
  const offline = new AbortController();
  const abort = () => offline.abort();
  window.addEventListener('offline', abort);
  return { signal: offline.signal, stop: () => window.removeEventListener('offline', abort) };
}

function untilSeen(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', look);
      signal.removeEventListener('abort', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', look);
    look();
  });
}

/** Waits, but no longer than until there is reason to believe that the program is back, or that someone looks. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      stopHearing();
      window.removeEventListener('online', done);
      window.removeEventListener('focus', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    const stopHearing = onAnswer(done);
    window.addEventListener('online', done);
    window.addEventListener('focus', done);
    signal.addEventListener('abort', done);
  });
}

/** Calls `handler` for every event of this name; returns how to stop. */
export function onEvent<T>(name: string, handler: (data: T) => void): () => void {
  const set = handlers.get(name) ?? new Set();
  handlers.set(name, set);
  set.add(handler as (data: unknown) => void);
  return () => set.delete(handler as (data: unknown) => void);
}

/** Calls `handler` when events were missed and everything held must be read again. */
export function onResync(handler: () => void): () => void {
  resyncs.add(handler);
  return () => resyncs.delete(handler);
}

/** `onEvent` for components; always calls the newest `handler`. */
export function useLiveEvent<T>(name: string, handler: (data: T) => void): void {
  const newest = useRef(handler);
  useEffect(() => {
    newest.current = handler;
  });
  useEffect(() => onEvent<T>(name, (data) => newest.current(data)), [name]);
}

/** Calls `watcher` whenever the connection becomes another; returns how to stop. */
export function onConnection(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** The connection as it is. */
export const connectionNow = () => connection;

/** The same for components. */
export const useConnection = () => useSyncExternalStore(onConnection, connectionNow);
