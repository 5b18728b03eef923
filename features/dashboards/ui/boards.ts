/** The boards that a dashboard draws from: their names and columns for the page, their items for the engine. */
import { useQueries, useQuery, useQueryClient, type QueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ApiError, request } from '@shell/api';
import { client, type Schemas } from '@shell/client';
import { loadEngine, type BoardHead } from './engine';

/** A label of a status or dropdown column. */
export type Label = Schemas['Label'];

/** A column of a board. Its type may be a later one than this page knows. */
export type Column = Omit<Schemas['ColumnRecord'], 'type'> & { type: string };

/** A board as lists show it. */
export type BoardSummary = Pick<Schemas['BoardRecord'], 'id' | 'workspaceId' | 'name' | 'revision' | 'itemCount'>;

/** A board with its columns. */
export type BoardInfo = BoardSummary & { columns: Column[]; groups?: { name: string }[] };

/** The board that the sessions of agents are read as: connected as any other, and nowhere listed or opened. */
export const AGENT_SESSIONS = 'agent-sessions';

const boardsKey = (workspaceId: string) => ['dashboards', 'boards', workspaceId] as const;
const infoKey = (id: string) => ['dashboards', 'board', id] as const;
const itemsKey = (id: string) => ['dashboards', 'items', id] as const;

/** Most pages of a list that are read; a workspace with more boards is searched by name instead of scrolled. */
const PAGES_MAX = 20;

async function readBoards(workspaceId: string, signal: AbortSignal): Promise<BoardSummary[]> {
  const boards: BoardSummary[] = [];
  let cursor: string | null | undefined = null;
  for (let page = 0; page < PAGES_MAX; page++) {
    const answer: Schemas['Boards'] = await client.get('/boards', { query: { workspaceId, cursor }, signal });
    boards.push(...answer.items);
    cursor = answer.nextCursor;
    if (!cursor) break;
  }
  return boards;
}

/** Boards of a workspace. */
export const useBoards = (workspaceId: string) =>
  useQuery({ queryKey: boardsKey(workspaceId), queryFn: ({ signal }) => readBoards(workspaceId, signal) });

/** The board with each computed column as one of the type that it gives, as the engine has it. */
export const withResults = (board: BoardInfo): BoardInfo => ({
  ...board,
  columns: board.columns.map((column) =>
    column.type === 'formula' ? { ...column, type: column.settings.result ?? 'text' } : column,
  ),
});

/** The board with each mirror as a column of what it shows, as the engine has it; one whose link or source is no more stays a mirror. */
export function withSources(board: BoardInfo, linked: BoardHead['linked']): BoardInfo {
  const linkOf = (mirror: Column) =>
    board.columns.find(({ id }) => id === mirror.settings.linkColumn)?.settings.boardId;
  const sourceOf = (mirror: Column): Column | undefined =>
    linked
      .find(({ boardId }) => boardId === linkOf(mirror))
      ?.columns.find(({ id }) => id === mirror.settings.sourceColumn);
  return {
    ...board,
    columns: board.columns.map((column) => {
      const source = column.type === 'mirror' ? sourceOf(column) : undefined;
      return source ? { ...column, type: source.type, settings: source.settings } : column;
    }),
  };
}

const infoOf = ({ board, groups, columns, linked }: BoardHead) =>
  withResults(withSources({ ...board, groups, columns }, linked));

/** A board whose items are not asked for, or did not come. */
const aloneQuery = (id: string) => ({
  queryKey: infoKey(id),
  queryFn: ({ signal }: { signal: AbortSignal }) => client.get('/boards/{boardId}', { path: { boardId: id }, signal }),
  staleTime: Infinity,
});

/** The board of agent sessions. */
export const useAgentSessions = () => useQuery(aloneQuery(AGENT_SESSIONS));

interface Held {
  etag: string | null;
  /** Counts what was handed to the engine: a new number is a new state of the board. */
  handed: number;
  info: BoardInfo;
}

let handed = 0;

/** How long the engine keeps a board that no page shows: for whoever goes to a board and back. */
const KEPT_MS = 60_000;

const watched = new WeakSet<QueryClient>();

/** Takes boards out of the engine when nothing here needs them any more. */
function watch(cache: QueryClient) {
  if (watched.has(cache)) return;
  watched.add(cache);
  cache.getQueryCache().subscribe(({ type, query }) => {
    const [, what, id] = query.queryKey;
    if (type === 'removed' && query.queryKey[0] === itemsKey('')[0] && what === itemsKey('')[1])
      void loadEngine().then((engine) => engine.drop(String(id)));
  });
}

async function readItems(cache: QueryClient, id: string, signal: AbortSignal): Promise<Held> {
  watch(cache);
  const engine = await loadEngine();
  // What the engine lost with its worker is read again, be it that nothing changed.
  const held = engine.holds(id) ? cache.getQueryData<Held>(itemsKey(id)) : undefined;
  const response = await request('GET', `/boards/${encodeURIComponent(id)}/full`, {
    signal,
    isLarge: true,
    headers: { Accept: 'application/vnd.apache.arrow.stream' },
    ...(held?.etag ? { ifNoneMatch: held.etag } : {}),
  });
  if (response.status === 304 && held) return held;
  const mine = ++handed;
  const head = await engine.setBoard(id, String(mine), response.body);
  return { etag: response.headers.get('ETag'), handed: mine, info: infoOf(head) };
}

const itemsQuery = (cache: QueryClient, id: string) => ({
  queryKey: itemsKey(id),
  queryFn: ({ signal }: { signal: AbortSignal }) => readItems(cache, id, signal),
  staleTime: Infinity,
  gcTime: KEPT_MS,
  structuralSharing: false,
});

/** Hands boards to the engine that it does not hold yet; which of them it holds then. */
export async function loadItems(cache: QueryClient, ids: readonly string[]): Promise<string[]> {
  const answers = await Promise.allSettled(ids.map((id) => cache.ensureQueryData(itemsQuery(cache, id))));
  return ids.filter((_, at) => answers[at]?.status === 'fulfilled');
}

/** A board that was put away: its name, and where it lies. */
export interface AwayBoard {
  id: string;
  name: string;
  place: Schemas['Place'];
}

async function readAway(workspaceId: string, ids: readonly string[], signal: AbortSignal): Promise<AwayBoard[]> {
  const found: AwayBoard[] = [];
  for (const place of ['trash', 'archive'] as const) {
    let cursor: string | null | undefined = null;
    for (let page = 0; page < PAGES_MAX && found.length < ids.length; page++) {
      const answer: Schemas['TrashBoards'] = await client.get('/boards/trash', {
        query: { workspaceId, place, cursor },
        signal,
      });
      found.push(...answer.items.filter(({ id }) => ids.includes(id)).map(({ id, name }) => ({ id, name, place })));
      cursor = answer.nextCursor;
      if (!cursor) break;
    }
  }
  return found;
}

/** Which of the boards that are not available lie in the trash or the archive. */
export const useAwayBoards = (workspaceId: string, ids: readonly string[]) =>
  useQuery({
    queryKey: [...boardsKey(workspaceId), 'away', ids],
    enabled: ids.length > 0,
    queryFn: ({ signal }) => readAway(workspaceId, ids, signal),
  });

/** Brings a board back from where it lies. */
export const restoreBoard = (boardId: string) => client.post('/boards/{boardId}/restore', { path: { boardId } });

/** How the connected boards stand. */
export interface ConnectedBoards {
  /** Those that are there, in the dashboard's order. */
  infos: BoardInfo[];
  /** Those that are not available. */
  missing: readonly string[];
  /** Whether some were never loaded yet. */
  isLoading: boolean;
  /** Those that couldn't be loaded. */
  failed: { id: string; name: string | null; error: unknown }[];
  /** Changes when any board's items changed. */
  revision: string;
  /** Loads again what could not be loaded, and what the engine does not hold any more. */
  retry: () => void;
}

const isMissing = (error: unknown) => error instanceof ApiError && error.status === 404;

/** What the page needs of all boards. While some are on their way nothing else is said, so that the page is not drawn for each that comes. */
export function together(items: UseQueryResult<Held>[]) {
  const isLoading = items.some(({ isPending }) => isPending);
  return {
    isLoading,
    errors: items.map(({ error }) => error),
    infos: isLoading ? [] : items.map(({ data }) => data?.info),
    revision: isLoading ? '' : items.map(({ data }) => data?.handed ?? 0).join(' '),
  };
}

/** Loads the boards; index.tsx says by what they become old. */
export function useConnectedBoards(ids: readonly string[]): ConnectedBoards {
  const cache = useQueryClient();
  const { isLoading, errors, infos, revision } = useQueries({
    queries: ids.map((id) => itemsQuery(cache, id)),
    combine: together,
  });
  const broken = ids.flatMap((id, i) =>
    errors[i] && !isMissing(errors[i]) && !infos[i] ? [{ id, error: errors[i] }] : [],
  );
  // What could not be loaded is named all the same.
  const names = useQueries({ queries: broken.map(({ id }) => aloneQuery(id)) });

  const found = infos.flatMap((info, i) => (info && !isMissing(errors[i]) ? [info] : []));
  // The list is the same list until a board in it was loaded anew.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const stable = useMemo(() => found, [revision, found.length]);
  // While one more comes the others stay: who types about them goes on typing.
  const [before, setBefore] = useState(stable);
  if (!isLoading && before !== stable) setBefore(stable);
  const key = ids.join(' ');
  const known = useMemo(() => before.filter(({ id }) => key.split(' ').includes(id)), [before, key]);
  return {
    infos: isLoading ? known : stable,
    missing: ids.filter((_, i) => isMissing(errors[i])),
    isLoading,
    failed: broken.map((one, i) => ({ ...one, name: names[i]?.data?.name ?? null })),
    revision,
    retry: () => {
      for (const { id } of broken) {
        void cache.invalidateQueries({ queryKey: infoKey(id) });
        void cache.invalidateQueries({ queryKey: itemsKey(id) });
      }
      const failed = new Set(broken.map(({ id }) => id));
      void loadEngine().then((engine) => {
        for (const id of ids)
          if (!failed.has(id) && !engine.holds(id)) void cache.invalidateQueries({ queryKey: itemsKey(id) });
      });
    },
  };
}
