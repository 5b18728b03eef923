/**
 * One session as it happens: its transcript, of which the newest part is read first and older parts when they are scrolled to, and
 * its record. Everything that reads from the program is here; the page gets rows.
 */
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { client } from '@shell/client';
import { Rows, type Entry, type Row } from './transcript';
import type { Session } from './data';
import { isActive } from './states';

/** Entries that are read at once. */
const PAGE = 200;
/** How often is asked what is new, while the session is at work and while it is not. */
const BUSY_MS = 700;
const QUIET_MS = 3_000;

/** What the page shows of a session. */
export interface Shown {
  session: Session | null;
  rows: readonly Row[];
  /** There are entries before the first row, or behind the last one. */
  hasOlder: boolean;
  hasNewer: boolean;
  isRead: boolean;
  error: unknown;
}

/** Follows one session for as long as somebody listens. */
export class Feed {
  shown: Shown = { session: null, rows: [], hasOlder: false, hasNewer: false, isRead: false, error: null };
  private readonly transcript = new Rows();
  private readonly listeners = new Set<() => void>();
  private end: AbortController | null = null;
  private readonly underWay = new Set<'older' | 'newer'>();
  private wake: (() => void) | null = null;

  /** `at` is an entry that is to be in view; without one the newest are. */
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

  /** Reads again at once: something was just done to the session. */
  look = () => this.wake?.();

  /** Takes in a record that an answer brought. */
  know = (session: Session) => this.show({ session });

  older = () =>
    this.once('older', async (signal) => {
      const { entries } = await this.page({ before: this.transcript.first }, signal);
      this.transcript.prepend(entries);
      this.show({ rows: this.transcript.rows, hasOlder: this.transcript.first > 1 && entries.length > 0 });
    });

  newer = () =>
    this.once('newer', async (signal) => {
      const { entries, last } = await this.page({ after: this.transcript.last }, signal);
      this.transcript.append(entries);
      this.show({ rows: this.transcript.rows, hasNewer: this.transcript.last < last });
    });

  private async once(what: 'older' | 'newer', read: (signal: AbortSignal) => Promise<void>) {
    const { end } = this;
    if (!end || this.underWay.has(what)) return;
    this.underWay.add(what);
    try {
      await read(end.signal);
    } catch {
      // It is asked for again with the next scrolling, or the next look.
    } finally {
      this.underWay.delete(what);
    }
  }

  private page(query: { before?: number; after?: number }, signal: AbortSignal): Promise<{ entries: Entry[]; last: number }> {
    return client.get('/sessions/{sessionId}/transcript', { path: { sessionId: this.id }, query: { ...query, limit: PAGE }, signal });
  }

  private show(more: Partial<Shown>) {
    this.shown = { ...this.shown, ...more };
    for (const listener of this.listeners) listener();
  }

  private async record(signal: AbortSignal) {
    const session = await client.get('/sessions/{sessionId}', { path: { sessionId: this.id }, signal });
    if (session.changedAt !== this.shown.session?.changedAt || this.shown.error !== null) this.show({ session, error: null });
  }

  private async follow() {
    const end = (this.end = new AbortController());
    const { signal } = end;
    while (!signal.aborted) {
      try {
        await this.record(signal);
        if (!this.shown.isRead) await this.begin(signal);
        // Far behind, what is new is read when it is scrolled to.
        else if (!this.shown.hasNewer) await this.newer();
      } catch (error) {
        if (!signal.aborted) this.show({ error });
      }
      await this.rest(isActive(this.shown.session?.state ?? '') ? BUSY_MS : QUIET_MS, signal);
    }
  }

  private async begin(signal: AbortSignal) {
    const { entries, last } = await this.page(this.at === null ? {} : { after: Math.max(0, this.at - PAGE / 2) }, signal);
    this.transcript.append(entries);
    this.show({ rows: this.transcript.rows, hasOlder: this.transcript.first > 1, hasNewer: this.transcript.last < last, isRead: true });
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

/** A session and its transcript, for as long as the page is shown. */
export function useFeed(id: string, at: number | null): Feed & { shown: Shown } {
  const feed = useMemo(() => new Feed(id, at), [id, at]);
  useSyncExternalStore(feed.listen, () => feed.shown);
  useEffect(() => {
    const look = () => document.hidden || feed.look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [feed]);
  return feed;
}
