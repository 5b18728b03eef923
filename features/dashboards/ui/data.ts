/** Dashboards of the workspace: list, make, rename, delete. The one in view is the draft's (draft/useDraft.ts). */
import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { isForNow } from '@shell/api';
import { client, type Schemas } from '@shell/client';
import { toast } from '@shell/components';
import { useMaking } from '@shell/making';
import { useWorkspaces } from '@shell/workspace';
import { changeBegun, isBegun, putLeft, takeBegun, takeLeft } from './begun';
import { emptyConfig, type Doc } from './model';

/** What lists show of a dashboard. */
export type DashboardSummary = Omit<Schemas['ListedDashboard'], 'config'>;

/** Key of the lists, of every workspace. */
export const LISTS = ['dashboards', 'list'] as const;
/** Name of a new dashboard until the person types one. */
export const NEW_NAME = 'New dashboard';

/** Largest page of a list that the program sends. */
const PAGE = 1_000;

async function readDashboards(workspaceId: string | undefined, signal: AbortSignal): Promise<DashboardSummary[]> {
  const dashboards: DashboardSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.get('/dashboards', { query: { workspaceId, limit: PAGE, brief: true, cursor }, signal });
    dashboards.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  return dashboards;
}

/** The dashboards of the workspace in view. */
export function useDashboards() {
  const { current } = useWorkspaces();
  return useQuery({
    queryKey: [...LISTS, current?.id],
    enabled: !!current,
    queryFn: ({ signal }) => readDashboards(current?.id, signal),
  });
}

/** Whether nobody has done anything with it since it was made. */
export const isUntouched = ({ name, config }: Doc) =>
  name === NEW_NAME && config.boardIds.length === 0 && config.widgets.length === 0;

/** Where a dashboard is until the program has made it. */
export const NEW_PATH = '/dashboards/new';

/** Opens the name of the dashboard in view, if nobody has done anything with it yet; says whether. */
type NameNew = () => boolean;
let nameNew: NameNew | null = null;

/** Whoever asks for a new dashboard while the one in view is as new gets to its name. */
export function useNameOfNew(name: NameNew) {
  useEffect(() => {
    nameNew = name;
    return () => {
      if (nameNew === name) nameNew = null;
    };
  });
}

const isOnItsWay = () => location.pathname.endsWith(NEW_PATH);

/** The page of a new one is left before it could be drawn: what was typed is sent, for nobody else knows it. */
async function sendBegun(cache: QueryClient) {
  const { made, name } = takeBegun();
  if (!made || !name) return;
  try {
    await client.patch('/dashboards/{dashboardId}', {
      path: { dashboardId: made.id },
      body: { name },
      ifMatch: `"${made.revision}"`,
    });
    await cache.invalidateQueries({ queryKey: LISTS });
  } catch (error) {
    toast.problem(`Couldn't name the dashboard ${name}`, error);
  }
}

/** A window was closed before its new dashboard was made, or could be drawn: the dashboard gets the name that was typed, and is made where it was not. */
async function finishLeft(cache: QueryClient, workspaceId: string, dashboards: readonly DashboardSummary[]) {
  const left = takeLeft();
  if (!left) return;
  const { name, asked } = left;
  // Another workspace's, or another account's: theirs is to finish it.
  if (asked && asked.workspaceId !== workspaceId) return putLeft(left);
  const isIt = (one: DashboardSummary) =>
    asked && one.name === NEW_NAME && one.revision === 1 && one.createdAt >= asked.at;
  const made = left.made ?? dashboards.findLast(isIt);
  try {
    if (made)
      await client.patch('/dashboards/{dashboardId}', {
        path: { dashboardId: made.id },
        body: { name },
        ifMatch: `"${made.revision}"`,
      });
    else await client.post('/dashboards', { body: { workspaceId, name, config: emptyConfig() } });
    toast.done(`Created ${name}`, { detail: 'The window was closed first.' });
    await cache.invalidateQueries({ queryKey: LISTS });
  } catch (error) {
    // What was refused once is refused again.
    if (isForNow(error)) putLeft(left);
    toast.problem(`Couldn't name the dashboard ${name}`, error);
  }
}

/** Finishes what a closed window left, once the dashboards are known. */
export function useLeftFinished() {
  const cache = useQueryClient();
  const { current } = useWorkspaces();
  const { data: dashboards } = useDashboards();
  useEffect(() => {
    if (current && dashboards) void finishLeft(cache, current.id, dashboards);
  }, [cache, current, dashboards]);
}

/** Sees to it that the name typed for this dashboard is kept where its page is left before it could be drawn. */
export function useBegunKept(id: string | null) {
  const cache = useQueryClient();
  useEffect(() => () => void (id !== null && isBegun(id) && sendBegun(cache)), [cache, id]);
}

/** Opens the page of a new dashboard, with its name ready to be typed, and makes it. While one is on its way it is that one. */
export function useCreateDashboard() {
  const cache = useQueryClient();
  const [, navigate] = useLocation();
  const { isMaking, error, make } = useMaking('dashboard');
  const create = async () => {
    if (nameNew?.()) return;
    if (!isOnItsWay()) {
      if (isMaking || error) changeBegun((begun) => ({ ...begun, naming: begun.naming ?? {} }));
      else void sendBegun(cache);
      navigate(NEW_PATH);
    }
    try {
      await make(async (workspaceId) => {
        const asked = { workspaceId, at: new Date().toISOString() };
        changeBegun((begun) => ({ ...begun, asked }));
        const record = await client.post('/dashboards', {
          body: { workspaceId, name: NEW_NAME, config: emptyConfig() },
        });
        cache.setQueryData([...LISTS, workspaceId], (old: DashboardSummary[] | undefined) =>
          old ? [...old.filter((one) => one.id !== record.id), record] : old,
        );
        changeBegun((begun) => ({ ...begun, made: record }));
        if (!isOnItsWay()) void sendBegun(cache);
        return [`/dashboards/${record.id}`, { replace: true }];
      });
    } catch (error) {
      // Its page says so.
      if (!isOnItsWay()) toast.problem("Couldn't create dashboard", error);
    }
  };
  return { create, isMaking, error };
}
