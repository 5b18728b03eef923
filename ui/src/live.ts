/**
 * Live events: one stream of `GET /events` for the whole page, read with fetch because EventSource can't send the
 * Authorization header. It resumes after the last received event and reconnects with growing delays.
 */
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { authFetch, onAnswer } from './api';
import { parseEvents, type ServerEvent } from './sse';

/** State of the page's connection to Pilothouse. */
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
  // Sent if events after our last one are no longer stored.
  if (event.name === 'reset') return resync();
  const interested = handlers.get(event.name);
  if (!interested?.size) return;
  let data: unknown;
  try {
    data = JSON.parse(event.data);
  } catch {
    return; // Unreadable: the next refetch has the current data.
  }
  for (const handler of interested) handler(data);
}

const resync = () => {
  for (const handler of resyncs) handler();
};

/** Reads the stream until `signal` aborts or the token is rejected. */
export async function follow(signal: AbortSignal): Promise<void> {
  let gap = FIRST_GAP_MS;
  // Pages load data only after the stream has opened or failed, so nothing is missed when it first opens.
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
      // Without an ID to resume from, events since the stream ended, or before it opened, are unknown.
      if (missed && lastId === null) resync();
      for await (const event of parseEvents(response.body)) {
        gap = FIRST_GAP_MS;
        deliver(event);
      }
    } catch {
      // The stream is reopened after any error.
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
 * Aborts after the page has been hidden for a while. Browsers open six connections to one address for all of their
 * tabs, so if every hidden tab held one, the seventh tab would never connect.
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

/** Waits, but ends early after a response, when the browser is online again, or when the window gets the focus. */
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

/** Calls `handler` for every event with this name. Returns a function that stops it. */
export function onEvent<T>(name: string, handler: (data: T) => void): () => void {
  const set = handlers.get(name) ?? new Set();
  handlers.set(name, set);
  set.add(handler as (data: unknown) => void);
  return () => set.delete(handler as (data: unknown) => void);
}

/** Calls `handler` after missed events, when all data must be reloaded. */
export function onResync(handler: () => void): () => void {
  resyncs.add(handler);
  return () => resyncs.delete(handler);
}

/** `onEvent` for components. Always calls the newest `handler`. */
export function useLiveEvent<T>(name: string, handler: (data: T) => void): void {
  const newest = useRef(handler);
  useEffect(() => {
    newest.current = handler;
  });
  useEffect(() => onEvent<T>(name, (data) => newest.current(data)), [name]);
}

/** Calls `watcher` whenever the connection's state changes. Returns a function that stops it. */
export function onConnection(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** The connection's current state. */
export const connectionNow = () => connection;

/** The same for components. */
export const useConnection = () => useSyncExternalStore(onConnection, connectionNow);
