/** Running apps: types, queries, and actions. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { useReported } from '@shell/requests';

export type RunningApp = Schemas['RunningApp'];

/** An app to start: a line for the shell, in a hub's folder. */
export interface NewRunningApp {
  name: string;
  commandLine: string;
  hubId: string;
}

/** The start of this feature's query keys: one event invalidates all of them. */
export const APPS = ['running-apps'];
/** How often an open log asks for new lines. */
const LOG_EVERY_MS = 1_000;
/** Lines that an open log shows. */
const LINES = 200;

/** All apps, oldest first. */
export const useRunningApps = () =>
  useQuery({
    queryKey: [...APPS, 'list'],
    queryFn: ({ signal }) => client.get('/apps', { signal }).then(({ items }) => items),
  });

/** Hubs that an app can be started in. */
export const useHubChoices = () =>
  useQuery({
    queryKey: ['hubs', 'of-running-apps'],
    queryFn: ({ signal }) =>
      client.get('/hubs', { signal }).then(({ items }) => items.map(({ id, name }) => ({ value: id, label: name }))),
  });

/** The last lines that an app wrote, followed while they're shown. Not one of this feature's queries: it asks by itself. */
export const useLog = (appId: string) =>
  useQuery({
    queryKey: ['running-app-log', appId],
    queryFn: ({ signal }) =>
      client
        .get('/apps/{appId}/logs', { path: { appId }, query: { lines: LINES }, signal })
        .then(({ lines }) => lines.join('\n')),
    refetchInterval: LOG_EVERY_MS,
  });

/** Actions on apps. Each shows its failures and reloads the apps. */
export function useAppActions() {
  const cache = useQueryClient();
  const then = useReported(APPS);
  const path = (app: RunningApp) => ({ path: { appId: app.id } });
  return {
    /** Throws if it's rejected, for the form to show why. */
    start: async (body: NewRunningApp) => {
      await client.post('/apps', { body });
      await cache.invalidateQueries({ queryKey: APPS });
    },
    restart: (app: RunningApp) => then(`Couldn't restart ${app.name}`, client.post('/apps/{appId}/restart', path(app))),
    stop: (app: RunningApp) => then(`Couldn't stop ${app.name}`, client.post('/apps/{appId}/stop', path(app))),
    remove: (app: RunningApp) => then(`Couldn't remove ${app.name}`, client.delete('/apps/{appId}', path(app))),
  };
}

const STATES: Record<RunningApp['state'], string> = {
  starting: 'Starting',
  up: 'Up',
  down: 'Not listening',
  ended: 'Ended',
};

/** `Up`, or `Ended with exit code 1`. */
export function stateOf({ state, exitCode, wasStopped }: RunningApp): string {
  if (state !== 'ended') return STATES[state];
  if (wasStopped) return 'Stopped';
  return exitCode === null ? STATES.ended : `Ended with exit code ${exitCode}`;
}

/** Why an app that runs can't be reached, or not where it was told to listen. */
export function noteOf({ state, port, listensOn }: RunningApp): string | null {
  if (listensOn !== null && listensOn !== port)
    return `Ignores PORT (${port}) and listens on ${listensOn}. Its URL points there.`;
  if (state === 'down') return 'Running, but not listening on a port';
  return null;
}
