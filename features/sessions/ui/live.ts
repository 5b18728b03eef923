/**
 * Live data of one session: its record, and its transcript, of which the newest part is loaded first and older parts as
 * you scroll to them. Everything that loads data is here; the page gets rows.
 */
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { ApiError, authFetch } from '@shell/api';
import { client } from '@shell/client';
import { parseEvents, type ServerEvent } from '@shell/sse';
import { Rows, type Entry, type Row } from './transcript';
import type { Detail } from './data';
import { isActive } from './states';

/** Entries loaded at once. */
const PAGE = 200;
/** The same if everything is loaded: the most that the server gives. */
const LARGE_PAGE = 1_000;
/** Delays between checks for changes while the window isn't focused: while the session is working, and otherwise. */
const BUSY_MS = 700;
const QUIET_MS = 3_000;
/** Delay before reconnecting after a stream ended. */
const GAP_MS = 500;
const LONGEST_GAP_MS = 15_000;

/** The page's view of a session. */
export interface Shown {
  session: Detail | null;
  rows: readonly Row[];
  /** The number of the newest loaded entry, even if no row shows it. */
  last: number;
  /** The number of the entry with which a turn last ended; 0 if none did. */
  ended: number;
  /** Whether there are entries before the first row, or after the last one. */
  hasOlder: boolean;
  hasNewer: boolean;
  isRead: boolean;
  /** The entry to scroll to, or null for the end. A new object each time the transcript is reloaded. */
  place: { at: number | null };
  error: unknown;
}

/** Follows one session while it has listeners. */
export class Feed {
  shown: Shown = {
    session: null,
    rows: [],
    last: 0,
    ended: 0,
    hasOlder: false,
    hasNewer: false,
    isRead: false,
    place: { at: null },
    error: null,
  };
  private transcript = new Rows();
  private readonly listeners = new Set<() => void>();
  private end: AbortController | null = null;
  private readonly underWay = new Map<'older' | 'newer' | 'jump', Promise<void>>();
  private wake: (() => void) | null = null;

  /** `at` is an entry to show; without it, the newest entries are shown. */
  constructor(
    private readonly id: string,
    private readonly at: number | null,
  ) {}

  listen = (listener: () => void) => {
    this.listeners.add(listener);
    if (this.listeners.size === 1) void this.follow();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      this.end?.abort();
      this.end = null;
    };
  };

  /** Checks for changes now, after an action on the session. */
  look = () => this.wake?.();

  older = (limit = PAGE) =>
    this.once('older', async (signal) => {
      const { transcript } = this;
      const { entries } = await this.page({ before: transcript.first, limit }, signal);
      if (transcript !== this.transcript) return;
      this.transcript.prepend(entries);
      this.show({ rows: this.transcript.rows, hasOlder: this.transcript.first > 1 && entries.length > 0 });
    });

  newer = (limit = PAGE) =>
    this.once('newer', async (signal) => {
      const { transcript } = this;
      const { entries, last } = await this.page({ after: transcript.last, limit }, signal);
      if (transcript !== this.transcript) return;
      this.transcript.append(entries);
      this.show({ rows: this.transcript.rows, hasNewer: this.transcript.last < last });
    });

  /** Jumps to the first or last entry, without loading everything in between. */
  jump = async (to: 'first' | 'last') => {
    const at = to === 'first' ? 1 : null;
    const isRead = to === 'first' ? !this.shown.hasOlder : !this.shown.hasNewer;
    if (isRead) this.show({ place: { at } });
    else await this.once('jump', (signal) => this.begin(at, signal));
  };

  /** Loads the rest of the transcript until there are `count` entries, for the search. */
  fill = async (count: number, signal: AbortSignal) => {
    for (const [what, hasMore] of [
      ['newer', () => this.shown.hasNewer],
      ['older', () => this.shown.hasOlder],
    ] as const) {
      while (!signal.aborted && hasMore() && this.transcript.size < count) {
        const { transcript } = this;
        const { size } = transcript;
        await this[what](LARGE_PAGE);
        // It couldn't be loaded.
        if (transcript === this.transcript && size === transcript.size) return;
      }
    }
  };

  private once(what: 'older' | 'newer' | 'jump', read: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { end } = this;
    const before = this.underWay.get(what);
    if (!end || before) return before ?? Promise.resolve();
    const done = read(end.signal)
      // The next scroll or check tries again.
      .catch(() => undefined)
      .finally(() => this.underWay.delete(what));
    this.underWay.set(what, done);
    return done;
  }

  private page(
    query: { before?: number; after?: number; limit?: number },
    signal: AbortSignal,
  ): Promise<{ entries: Entry[]; last: number }> {
    return client.get('/sessions/{sessionId}/transcript', {
      path: { sessionId: this.id },
      query: { limit: PAGE, ...query },
      signal,
    });
  }

  private show(more: Partial<Shown>) {
    this.shown = { ...this.shown, ...more, last: this.transcript.last, ended: this.transcript.ended };
    for (const listener of this.listeners) listener();
  }

  private async record(signal: AbortSignal) {
    const session = await client.get('/sessions/{sessionId}', { path: { sessionId: this.id }, signal });
    if (JSON.stringify(session) !== JSON.stringify(this.shown.session) || this.shown.error !== null)
      this.show({ session, error: null });
  }

  /**
   * Streams while the window is focused, and polls otherwise: a browser opens at most six connections to one address
   * for all of its windows, so only one of them may be used per session.
   */
  private async follow() {
    const end = (this.end = new AbortController());
    const { signal } = end;
    let gap = GAP_MS;
    while (!signal.aborted) {
      try {
        if (!this.shown.isRead) {
          await this.record(signal);
          await this.begin(this.at, signal);
        }
        if (document.hasFocus()) await this.hear(signal);
        else {
          await this.record(signal);
          // If far behind, new entries are loaded when you scroll to them.
          if (!this.shown.hasNewer) await this.newer();
        }
        gap = GAP_MS;
      } catch (error) {
        if (signal.aborted) return;
        this.show({ error });
        gap = Math.min(2 * gap, LONGEST_GAP_MS);
      }
      if (signal.aborted) return;
      await this.rest(
        Math.max(gap, document.hasFocus() ? 0 : isActive(this.shown.session?.state ?? '') ? BUSY_MS : QUIET_MS),
        signal,
      );
    }
  }

  /** Receives events until the window loses the focus or the server ends the stream. */
  private async hear(signal: AbortSignal) {
    const away = new AbortController();
    const leave = () => away.abort();
    window.addEventListener('blur', leave);
    try {
      const response = await authFetch(
        `/sessions/${encodeURIComponent(this.id)}/stream?after=${this.transcript.last}`,
        { signal: AbortSignal.any([signal, away.signal]), headers: { Accept: 'text/event-stream' } },
      );
      if (!response.ok || !response.body)
        throw new ApiError(response.status, (await response.json().catch(() => ({}))) as Record<string, unknown>);
      this.show({ error: null });
      for await (const event of parseEvents(response.body)) await this.take(event);
    } catch (error) {
      if (!away.signal.aborted) throw error;
    } finally {
      window.removeEventListener('blur', leave);
    }
  }

  private async take(event: ServerEvent) {
    switch (event.name) {
      case 'session':
        return this.show({ session: JSON.parse(event.data) as Detail });
      case 'entries': {
        const { entries } = JSON.parse(event.data) as { entries: Entry[] };
        if (this.shown.hasNewer || entries.length === 0) return;
        if (entries[0]!.number > this.transcript.last + 1) return this.newer();
        this.transcript.append(entries);
        return this.show({ rows: this.transcript.rows });
      }
      case 'reset':
        // Too many entries were missed: load them from the transcript.
        return this.newer();
    }
  }

  private async begin(at: number | null, signal: AbortSignal) {
    let { entries, last } = await this.page(at === null ? {} : { after: Math.max(0, at - PAGE / 2) }, signal);
    // The address may name an entry that doesn't exist.
    if (entries.length === 0 && last > 0) ({ entries, last } = await this.page({}, signal));
    this.transcript = new Rows();
    this.transcript.append(entries);
    this.show({
      rows: this.transcript.rows,
      hasOlder: this.transcript.first > 1,
      hasNewer: this.transcript.last < last,
      isRead: true,
      place: { at },
    });
  }

  private rest(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.wake = null;
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.wake = done;
      signal.addEventListener('abort', done);
    });
  }
}

/** A session and its transcript, while the page is shown. */
export function useFeed(id: string, at: number | null): Feed & { shown: Shown } {
  const feed = useMemo(() => new Feed(id, at), [id, at]);
  useSyncExternalStore(feed.listen, () => feed.shown);
  useEffect(() => {
    const look = () => document.hidden || feed.look();
    document.addEventListener('visibilitychange', look);
    window.addEventListener('focus', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      window.removeEventListener('focus', look);
    };
  }, [feed]);
  return feed;
}
