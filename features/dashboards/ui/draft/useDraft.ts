/** The draft of the dashboard in view, bound to the program, the browser and React. */
import { useQueryClient } from '@tanstack/react-query';
import { startTransition, useEffect, useState, useSyncExternalStore } from 'react';
import { ApiError } from '@shell/api';
import { client } from '@shell/client';
import { toast } from '@shell/components';
import { onEvent, onResync } from '@shell/live';
import { LISTS } from '../data';
import type { Doc } from '../model';
import { Draft, type DraftView, type DraftWorld } from './draft';
import { browserDrafts } from './local';
import type { Clash } from './merge';

const drafts = browserDrafts();

/** The draft, once the dashboard is loaded. */
export type Opened = { draft: Draft; error: null } | { draft: null; error: ApiError | Error | null };

/** Opens the dashboard, once there is one; `again` tries once more after an error. */
export function useOpenDraft(id: string | null): Opened & { again: () => void } {
  const cache = useQueryClient();
  const [attempt, setAttempt] = useState(0);
  const [opened, setOpened] = useState<{ id: string | null } & Opened>({ id, draft: null, error: null });
  useEffect(() => {
    if (id === null) return;
    const stop = new AbortController();
    let draft: Draft | null = null;
    // The revision that was told last, be it while the record was on its way; 0 is a deletion.
    let heard: number | null = null;
    let hasMissed = false;
    const path = { dashboardId: id };
    const read = () => client.get('/dashboards/{dashboardId}', { path });
    const world: DraftWorld = {
      read,
      write: async (change: Partial<Doc>, revision: number, keepalive: boolean) => {
        const record = await client.patch('/dashboards/{dashboardId}', {
          path,
          body: change,
          ifMatch: `"${revision}"`,
          keepalive,
        });
        void cache.invalidateQueries({ queryKey: LISTS });
        return record;
      },
      drafts,
      now_ms: () => Date.now(),
      onClash: (clashes: readonly Clash[]) =>
        toast.problem(
          'Edit conflict',
          new Error(`Your version is saved: ${clashes.map((clash) => clash.what).join(', ')}.`),
          {
            label: 'Use theirs',
            run: () => draft?.takeTheirs(),
          },
        ),
      onReplaced: (clashes) =>
        toast.problem(
          'Edit conflict',
          new Error(`Their version is saved: ${clashes.map((clash) => clash.what).join(', ')}.`),
          {
            label: 'Use mine',
            run: () => draft?.take(clashes),
          },
        ),
      onLeft: (what) =>
        toast.problem('Changed by someone else since then', new Error(`Not changed: ${what.join(', ')}.`)),
    };
    const start = async () => {
      try {
        const record = await read();
        if (stop.signal.aborted) return;
        // Some words after `/dashboards/` are other resources, such as Trash.
        if (record.id !== id) throw new ApiError(404, { title: 'Dashboard not found' });
        draft = new Draft(id, record, world);
        await draft.resume();
        if (stop.signal.aborted) return draft.close();
        const opened = { id, draft, error: null };
        // A page of many widgets is much to make: in between it takes what is done on it.
        startTransition(() => setOpened(opened));
        if (hasMissed) void draft.reconnected();
        else if (heard !== null) void draft.changedElsewhere(heard);
      } catch (error) {
        if (!stop.signal.aborted)
          setOpened({ id, draft: null, error: error instanceof Error ? error : new Error(String(error)) });
      }
    };
    void start();
    const stops = [
      onEvent<{ dashboardId: string; revision: number }>('dashboard-changed', (event) => {
        if (event.dashboardId !== id) return;
        heard = event.revision;
        void draft?.changedElsewhere(heard);
      }),
      onResync(() => {
        hasMissed = true;
        void draft?.reconnected();
      }),
    ];
    const leave = () => void draft?.flush(true);
    window.addEventListener('pagehide', leave);
    return () => {
      stop.abort();
      draft?.close();
      stops.forEach((end) => end());
      window.removeEventListener('pagehide', leave);
    };
  }, [id, attempt, cache]);
  const again = () => setAttempt((n) => n + 1);
  return opened.id === id ? { ...opened, again } : { draft: null, error: null, again };
}

/** Says that the last step was done, with Undo for as long as it is the last. */
export function doneStep(draft: Draft, title: string) {
  const step = draft.lastStep();
  const stop = draft.subscribe(() => draft.lastStep() !== step && close());
  const close = toast.done(title, { undo: draft.undo, onClose: stop });
}

/** What the draft shows now. */
export const useDraftView = (draft: Draft): DraftView => useSyncExternalStore(draft.subscribe, draft.getView);
