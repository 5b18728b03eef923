/**
 * Unsaved view settings. Each change is stored as a function, so it can be reapplied to settings saved elsewhere since
 * then: nothing is lost unless both changed the same setting.
 */
import { againAfter_ms, ApiError, isForNow } from '@shell/api';
import { sameJson, type Json } from '@shell/settings';
import type { View, ViewSettings } from './data';

/** One change of a view's settings. */
export type SettingsChange = (settings: ViewSettings) => ViewSettings;

/** Dependencies of a board's drafts. */
export interface DraftsIo {
  /** The view as last read. */
  held: (view: string) => View | undefined;
  save: (view: string, settings: ViewSettings, revision: number) => Promise<View>;
  /** Reads the views again after somebody else changed one. */
  reread: () => Promise<void>;
  saved: (view: View) => void;
  /** A change of these settings was refused and is gone. */
  failed: (failure: unknown, settings: readonly string[]) => void;
}

/** Quick changes one after the other (a width that is dragged) are stored as one. */
export const SAVE_AFTER_MS = 400;
/** Delay before a temporarily failed request is retried, unless the server gives one. */
const RETRY_MS = 3000;
const ATTEMPTS = 5;

export class ViewDrafts {
  private readonly io: DraftsIo;
  private readonly pending = new Map<string, readonly SettingsChange[]>();
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();
  private readonly saving = new Map<string, Promise<void>>();
  private readonly listeners = new Set<() => void>();
  private version = 0;

  constructor(io: DraftsIo) {
    this.io = io;
  }

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  };
  readonly snapshot = () => this.version;

  /** The view as it is shown: what is stored, with what is not stored yet above it. */
  shown(view: View): View {
    const changes = this.pending.get(view.id);
    return changes ? { ...view, settings: applied(view.settings, changes) } : view;
  }

  edit(view: string, change: SettingsChange) {
    this.keep(view, [...(this.pending.get(view) ?? []), change]);
    this.later(view, SAVE_AFTER_MS);
  }

  /** Stores what waits, now; resolves once nothing waits, or once it cannot be stored for now. */
  readonly flush = () => Promise.all([...this.pending.keys()].map((view) => this.save(view)));

  /** Stores what waits of a view; resolves once nothing waits, or once it cannot be stored for now. What is being stored already takes the rest along. */
  save(view: string): Promise<void> {
    clearTimeout(this.timers.get(view));
    this.timers.delete(view);
    const running = this.saving.get(view) ?? this.request(view).finally(() => this.saving.delete(view));
    this.saving.set(view, running);
    return running;
  }

  private keep(view: string, changes: readonly SettingsChange[]) {
    if (changes.length > 0) this.pending.set(view, changes);
    else this.pending.delete(view);
    this.version++;
    for (const listener of this.listeners) listener();
  }

  private later(view: string, ms: number) {
    clearTimeout(this.timers.get(view));
    this.timers.set(
      view,
      setTimeout(() => void this.save(view), ms),
    );
  }

  private async request(view: string) {
    // So many are tried one by one: they were refused together.
    let apart = 0;
    try {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const held = this.io.held(view);
        const changes = (this.pending.get(view) ?? []).slice(0, apart > 0 ? 1 : undefined);
        if (changes.length === 0) return;
        // A view that is gone takes its drafts with it.
        if (!held) return this.keep(view, []);
        const settings = applied(held.settings, changes);
        const drop = () => {
          this.keep(view, (this.pending.get(view) ?? []).slice(changes.length));
          apart = Math.max(0, apart - 1);
          attempt = -1;
        };
        if (sameJson(settings as Json, held.settings as Json)) {
          drop();
          continue;
        }
        try {
          this.io.saved(await this.io.save(view, settings, held.revision));
          drop();
        } catch (failure) {
          // That a column is gone which the settings name is no word about the view.
          const status = failure instanceof ApiError && failure.code !== 'named-not-found' ? failure.status : -1;
          if (status === 409 || status === 412 || status === 404) {
            await this.io.reread();
          } else if (isForNow(failure)) {
            return this.later(view, againAfter_ms(failure, RETRY_MS));
          } else if (changes.length > 1) {
            apart = changes.length;
          } else {
            drop();
            this.io.failed(failure, differing(held.settings, settings));
          }
        }
      }
      this.later(view, RETRY_MS);
    } catch {
      this.later(view, RETRY_MS);
    }
  }
}

const applied = (settings: ViewSettings, changes: readonly SettingsChange[]) =>
  changes.reduce((now, change) => change(now), settings);

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The change that leads from one state of the settings to another: only the members that differ, one level down as well. */
export function difference(before: ViewSettings, after: ViewSettings): SettingsChange {
  const changed = differing(before, after).map((key) => {
    const [left, right] = [before[key], after[key]];
    const inner = isMap(left) && isMap(right) ? differing(left, right) : null;
    return { key, right, inner };
  });
  return (now) => {
    const next: ViewSettings = { ...now };
    for (const { key, right, inner } of changed) {
      const held = now[key];
      if (inner && isMap(right)) next[key] = assigned(isMap(held) ? held : {}, right, inner);
      else if (right === undefined) delete next[key];
      else next[key] = right;
    }
    return next;
  };
}

function differing(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => !sameJson(before[key] as Json, after[key] as Json));
}

function assigned(held: Record<string, unknown>, right: Record<string, unknown>, keys: readonly string[]) {
  const next = { ...held };
  for (const key of keys) {
    if (right[key] === undefined) delete next[key];
    else next[key] = right[key];
  }
  return next;
}
