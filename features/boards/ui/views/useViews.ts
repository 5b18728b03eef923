/** The views of a board on the page: which one is open, and their actions. */
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { useLocation, useSearch } from 'wouter';
import { toast } from '@shell/components';
import { setPreference, usePreference } from '@shell/preferences';
import { sameValue } from '../data';
import { lookAtViews, offerView } from '../offers';
import { boxOf } from '../outbox/box';
import type { Made } from '../outbox/history';
import {
  inWords,
  readViews,
  useViewList,
  viewChange,
  viewsKey,
  type View,
  type ViewKind,
  type ViewSettings,
} from './data';
import { difference, ViewDrafts } from './drafts';
import { reordered } from './order';
import { hasUnreadFilter, readable } from './stored';

/** A board without views is shown as a table, which becomes a view of its own with the first change. */
export const PLAIN: View = { id: '', name: 'Table', kind: 'table', settings: {}, revision: 0 };

export interface BoardViews {
  /** In order; at least one. */
  views: readonly View[];
  /** The one in the address, else the last chosen here, else the first. */
  open: View;
  isLoading: boolean;
  select: (view: string) => void;
  /** Settings of the open view from now on; stored a moment later. */
  change: (settings: ViewSettings) => void;
  /** Forgets the filter of the open view, where one is stored that cannot be read; `null` elsewhere. */
  dropFilter: (() => void) | null;
  add: (name: string, kind: ViewKind, settings: ViewSettings) => Promise<void>;
  rename: (view: View, name: string) => Promise<void>;
  duplicate: (view: View) => Promise<void>;
  move: (view: string, to: number) => Promise<void>;
  remove: (view: View) => Promise<void>;
}

export function useViews(board: string): BoardViews {
  const cache = useQueryClient();
  const { data, isPending } = useViewList(board);
  const drafts = useMemo(() => draftsOf(cache, board), [cache, board]);
  useSyncExternalStore(drafts.subscribe, drafts.snapshot);
  useEffect(() => {
    const flush = () => void drafts.flush();
    addEventListener('pagehide', flush);
    return () => {
      removeEventListener('pagehide', flush);
      flush();
    };
  }, [drafts]);

  useEffect(() => boxOf(board).settledBy(drafts.flush), [board, drafts]);

  const [, navigate] = useLocation();
  const asked = new URLSearchParams(useSearch()).get('view');
  const [last] = usePreference(`view.${board}`);
  const stored = data && data.length > 0 ? data.map((view) => drafts.shown(view)) : [PLAIN];
  const views = stored.map((view) => ({ ...view, settings: readable(view.settings) }));
  const open = views.find((view) => view.id === asked) ?? views.find((view) => view.id === last) ?? views[0]!;
  useEffect(() => lookAtViews(data ? { board, views: data, open: open.id } : null), [board, data, open.id]);
  useEffect(() => () => lookAtViews(null), []);

  const list = () => cache.getQueryData<View[]>(viewsKey(board)) ?? [];
  const put = (next: View[]) => cache.setQueryData<View[]>(viewsKey(board), next);
  const again = () => cache.invalidateQueries({ queryKey: viewsKey(board) });
  const select = (view: string) => {
    if (view === '') return;
    setPreference(`view.${board}`, view);
    navigate(`/boards/${board}?view=${encodeURIComponent(view)}`);
  };
  /** The table of a board without views, stored, so that others can stand beside it. Another page may have done so already. */
  const settled = async (view: View): Promise<View> => {
    if (view.id !== '') return view;
    const made = await viewChange.first(board, { name: view.name, kind: view.kind });
    if (!list().some((one) => one.id === made.id)) put([...list(), made]);
    return made;
  };
  const insert = async (view: { name: string; kind: ViewKind; settings: ViewSettings; position?: number }) => {
    const made = await viewChange.add(board, view);
    await again();
    select(made.id);
  };
  const takeBack = async (made: Made) => {
    await boxOf(board).takeBack(made);
    await again();
  };
  const problem = (title: string) => (failure: unknown) => toast.problem(title, failure);

  return {
    views,
    open,
    isLoading: isPending,
    select,
    change: (settings) => {
      const changed = difference(open.settings, settings);
      if (open.id !== '') return drafts.edit(open.id, changed);
      settled(open).then((made) => drafts.edit(made.id, changed), problem("Couldn't save view"));
    },
    dropFilter: stored.some(({ id, settings }) => id === open.id && hasUnreadFilter(settings))
      ? () => drafts.edit(open.id, ({ filter: _, ...rest }) => rest)
      : null,
    add: async (name, kind, settings) => {
      if (data?.length === 0) await settled(PLAIN);
      await insert({ name, kind, settings });
    },
    rename: async (view, name) => {
      const { id } = await settled(view);
      const { made, unchanged } = await viewChange.rename(board, { ...view, id }, name);
      await again();
      if (!unchanged) offerView('Renamed view', board, id, { name }, () => takeBack(made));
    },
    duplicate: async (view) => {
      try {
        await settled(view);
        const at = views.findIndex((one) => one.id === view.id);
        await insert({ name: `Copy of ${view.name}`, kind: view.kind, settings: view.settings, position: at + 1 });
      } catch (failure) {
        problem("Couldn't duplicate view")(failure);
      }
    },
    move: async (view, to) => {
      const before = list();
      const from = before.findIndex((one) => one.id === view);
      if (from < 0 || from === to) return;
      put(reordered(before, from, to));
      try {
        await viewChange.move(board, before[from]!, to);
      } catch (failure) {
        problem("Couldn't move view")(failure);
      }
      await again();
    },
    remove: async (view) => {
      const at = list().findIndex((one) => one.id === view.id);
      let made: Made;
      try {
        // What was changed a moment ago is to come back with the view.
        await drafts.save(view.id);
        ({ made } = await viewChange.delete(board, view));
      } catch (failure) {
        return problem("Couldn't delete view")(failure);
      }
      const next = list().filter((one) => one.id !== view.id);
      put(next);
      if (open.id === view.id && next.length > 0) select(next[Math.min(at, next.length - 1)]!.id);
      offerView(`Deleted view ${view.name}`, board, view.id, 'deleted', async () => {
        await takeBack(made);
        if (list().some((one) => one.id === view.id)) select(view.id);
      });
    },
  };
}

/** The settings in which two differ. */
const changedOf = (before: ViewSettings, after: ViewSettings): string[] =>
  Object.keys({ ...before, ...after }).filter((key) => !sameValue(before[key], after[key]));

function draftsOf(cache: QueryClient, board: string): ViewDrafts {
  const key = viewsKey(board);
  return new ViewDrafts({
    held: (id) => cache.getQueryData<View[]>(key)?.find((view) => view.id === id),
    save: (id, settings, revision) =>
      viewChange.settings(
        board,
        id,
        settings,
        revision,
        changedOf(cache.getQueryData<View[]>(key)?.find((view) => view.id === id)?.settings ?? {}, settings),
      ),
    reread: async () => {
      const views = await readViews(board);
      cache.setQueryData<View[]>(key, views);
    },
    saved: (saved) =>
      cache.setQueryData<View[]>(key, (views) =>
        views?.map((view) => (view.id === saved.id && view.revision < saved.revision ? saved : view)),
      ),
    failed: (failure, settings) =>
      toast.problem(`Couldn't save view settings: ${settings.map(inWords).join(', ')}`, failure),
  });
}
