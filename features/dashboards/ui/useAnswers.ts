/** Asks the engine for all widgets at once, whenever boards, settings or filters changed. Only the newest answer counts. */
import { replaceEqualDeep } from '@tanstack/react-query';
import { startTransition, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useMe } from '@shell/preferences';
import { useSetting } from '@shell/settings';
import { engineClock } from '@shell/dates';
import type { ConnectedBoards } from './boards';
import {
  loadEngine,
  Superseded,
  type Asked,
  type Engine,
  type Items,
  type ItemsQuery,
  type Query,
  type WidgetAnswer,
} from './engine';
import type { Config, Widget } from './model';
import type { Past } from './snapshots/data';
import { kindOf } from './widgets';
import { marks } from './written';

/** How often figures that depend on the date are computed again. */
const AGAIN_MS = 10 * 60_000;

/** Names the count of all items that pass, which is asked with the widgets; no widget is called so. */
export const MATCHING = ' matching';

/** Answers by widget. */
export interface Answers {
  byId: ReadonlyMap<string, WidgetAnswer>;
  error: unknown;
  /** When they were computed. */
  at_ms: number | null;
  retry: () => void;
  /** The items behind a widget as it was asked for last. */
  items: (of: ItemsQuery) => Promise<Items>;
}

/** A widget in the engine's words. */
export const askedOf = ({ id, kind, settings }: Pick<Widget, 'id' | 'kind' | 'settings'>): Asked => ({
  ...settings,
  id,
  kind,
});

const LOCALE = marks();

/** Nothing is remembered. */
export const NO_PAST: Past = { name: '', history: null, isLoading: false };

const none: ReadonlyMap<string, WidgetAnswer> = new Map();

/** Widgets that are drawn for the first time at once: all of a large dashboard hold the page up for longer than a frame. */
const AT_ONCE = 4;

/** The first answers, some more with each drawing of the page until all are there. In between the page takes what is done on it. */
function useInParts(all: Answers['byId']): Answers['byId'] {
  const [shown, setShown] = useState(0);
  useEffect(() => {
    if (all.size > 0)
      startTransition(() => setShown((before) => (before + AT_ONCE < all.size ? before + AT_ONCE : Infinity)));
  }, [all.size, shown]);
  return useMemo(() => (shown < all.size ? new Map([...all].slice(0, shown)) : all), [all, shown]);
}

/** Computes the dashboard. */
export function useAnswers(
  config: Config,
  boards: ConnectedBoards,
  past: Past = NO_PAST,
  load: () => Promise<Engine> = loadEngine,
): Answers {
  const week = useSetting('calendarWeekStartDay');
  // Without one "me" is nobody: a rule about it then finds nothing, where the engine would leave it out.
  const me = useMe()[0] ?? '';
  const { widgets, filters } = config;
  const { infos, revision } = boards;
  const { name: pastOf, history } = past;
  const isLoading = boards.isLoading || past.isLoading;
  // Where widgets stand and what they are called changes no value.
  const asked = JSON.stringify(widgets.filter((widget) => kindOf(widget.kind)).map(askedOf));
  // The same list for as long as it says the same, which the engine then need not read again.
  const widgetsAsked = useMemo(
    () => [
      ...(JSON.parse(asked) as Asked[]),
      askedOf({ id: MATCHING, kind: 'numbers', settings: { function: 'count' } }),
    ],
    [asked],
  );
  const needsBoards = widgets.every(({ kind }) => !kindOf(kind)?.readsNoBoards);
  const boardIds = infos.map((info) => info.id).join('\n');
  const [state, setState] = useState<Pick<Answers, 'byId' | 'error' | 'at_ms'>>({
    byId: none,
    error: null,
    at_ms: null,
  });
  const [tick, setTick] = useState(0);
  const newest = useRef<Query>(undefined);
  useEffect(() => {
    const timer = setInterval(() => setTick((n) => n + 1), AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    if (isLoading || (needsBoards && !boardIds)) return;
    let isNewest = true;
    const query: Query = {
      boards: boardIds ? boardIds.split('\n') : [],
      ...(history ? { history: pastOf } : {}),
      // Kept as written by whichever client; the engine marks what it does not understand.
      filters: filters as unknown as Query['filters'] & object,
      widgets: widgetsAsked,
      ...engineClock(new Date(), week),
      me,
      locale: LOCALE,
    };
    newest.current = query;
    load()
      .then((engine) => {
        if (history) engine.setHistory(pastOf, history);
        return engine.query(query);
      })
      .then((answers) => {
        if (!isNewest) return;
        setState(({ byId }) => ({
          byId: new Map(answers.map((answer) => [answer.id, replaceEqualDeep(byId.get(answer.id), answer)])),
          error: null,
          at_ms: query.now,
        }));
      })
      .catch((error: unknown) => isNewest && !(error instanceof Superseded) && setState((old) => ({ ...old, error })));
    return () => {
      isNewest = false;
    };
  }, [widgetsAsked, boardIds, filters, history, isLoading, load, me, needsBoards, pastOf, revision, tick, week]);
  const items = useCallback(
    async (of: ItemsQuery) => {
      if (!newest.current) throw new Error('Nothing computed yet.');
      return (await load()).items(newest.current, of);
    },
    [load],
  );
  return { ...state, byId: useInParts(state.byId), items, retry: () => setTick((n) => n + 1) };
}
