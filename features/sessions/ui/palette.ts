/** Sessions and files of hubs in the palette, with what can be done with them. */
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useLocation, useSearch } from 'wouter';
import { client } from '@shell/client';
import { copyText, toast } from '@shell/components';
import type { Command } from '@shell/feature';
import { SESSIONS, useHubs, useNewest, useSessionActions, type Hub, type Session } from './data';
import { showNeed, useNeeds } from './needs/data';
import { rename } from './renaming';
import { canArchive, canPause, canStop, resumeLabel, standing } from './states';

/** Letters from which the server is asked. */
const LETTERS_MIN = 2;
/** Hubs whose files are searched at once. */
const HUBS_MAX = 5;

const copyPath = async (path: string) => void (await copyText(path, 'Path', path));

/** Makes the command of a session. */
function useCommandOf() {
  const { data: needs } = useNeeds();
  const { data: hubs } = useHubs();
  const act = useSessionActions();
  return (session: Session): Command => {
    const { id, title, state, cwd } = session;
    const hub = hubs?.find((one) => one.id === session.projectId);
    const need = needs?.find(({ sessionId }) => sessionId === id);
    const resume = resumeLabel(state);
    const isWorktree = hub !== undefined && hub.folder !== cwd && hub.purpose === '';
    const action = (
      name: string,
      label: string,
      icon: Command['icon'],
      run: () => void | Promise<unknown>,
    ): Command => ({
      id: `sessions.session.${id}.${name}`,
      label,
      group: title,
      ...(icon ? { icon } : {}),
      run: async () => {
        await run();
      },
    });
    const done = (title: string) => (changed: unknown) => void (changed !== null && toast.done(title));
    return {
      id: `sessions.session.${id}`,
      label: title,
      group: 'Sessions',
      icon: 'session',
      detail: [standing(state).word, hub?.name].filter(Boolean).join(' · '),
      path: `/sessions/${id}`,
      actions: [
        ...(need
          ? [action('answer', need.askId ? 'Answer' : 'Show what it needs', 'bell', () => showNeed(need.id))]
          : []),
        { ...action('open', 'Open', 'eye', () => {}), run: ({ navigate }) => navigate(`/sessions/${id}`) },
        ...(resume ? [action('resume', resume, 'restart', () => act.resume(id).then(done('Session resumed')))] : []),
        ...(canPause(state)
          ? [action('pause', 'Pause', 'clock', () => act.pause(id).then(done('Session paused')))]
          : []),
        ...(canStop(state) ? [action('stop', 'Stop', 'close', () => act.stop(id).then(done('Session stopped')))] : []),
        ...(canArchive(state)
          ? [action('archive', 'Archive', 'archive', () => act.archive(id).then(done('Session archived')))]
          : []),
        action('rename', 'Rename', 'edit', () => rename({ id, title })),
        action('copy', isWorktree ? 'Copy worktree path' : 'Copy folder path', 'copy', () => copyPath(cwd)),
      ],
    };
  };
}

/** The newest sessions. */
export function useSessionCommands(): Command[] {
  const { data } = useNewest();
  return (data ?? []).filter(({ state }) => state !== 'archived').map(useCommandOf());
}

const findSessions = (text: string, signal: AbortSignal): Promise<Session[]> =>
  client.get('/sessions/find', { signal, query: { q: text } }).then(({ items }) => items);

/** All sessions with a title that has the text, and files of hubs. */
export function useSessionsFound(text: string): Command[] {
  const { data } = useQuery({
    queryKey: [...SESSIONS, 'found', text],
    enabled: text.length >= LETTERS_MIN,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => findSessions(text, signal),
  });
  const found = (text.length >= LETTERS_MIN ? (data ?? []) : []).map(useCommandOf());
  return [...found, ...useFilesFound(text)];
}

/** Hubs whose files are searched: that of the open page first, then those of the newest sessions. */
function useNearHubs(): Hub[] {
  const { data: hubs } = useHubs();
  const { data: sessions } = useNewest();
  const [location] = useLocation();
  const asked = new URLSearchParams(useSearch()).get('hub');
  const open = /^\/sessions\/([^/]+)$/.exec(location)?.[1];
  const ids = new Set([
    asked ?? sessions?.find(({ id }) => id === open)?.projectId,
    ...(sessions ?? []).map(({ projectId }) => projectId),
    ...(hubs ?? []).map(({ id }) => id),
  ]);
  const known = [...ids].flatMap((id) => hubs?.find((hub) => hub.id === id) ?? []);
  return known.filter(({ isThere, purpose }) => isThere && purpose === '').slice(0, HUBS_MAX);
}

/** Files whose paths have the text. Choosing one copies its path. */
function useFilesFound(text: string): Command[] {
  const isAsked = text.length >= LETTERS_MIN;
  const hubs = useNearHubs();
  const answers = useQueries({
    queries: hubs.map(({ id }) => ({
      queryKey: ['hub-files', id, text],
      enabled: isAsked,
      // Agents change files without events.
      staleTime: 0,
      placeholderData: keepPreviousData,
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        client.get('/hubs/{hubId}/files', { path: { hubId: id }, signal, query: { q: text } }),
    })),
  });
  if (!isAsked) return [];
  return answers.flatMap(({ data }, at) =>
    (data?.items ?? []).map(({ path, fullPath }): Command => {
      const hub = hubs[at]!;
      const id = `hubs.file.${hub.id}.${path}`;
      return {
        id,
        label: path.slice(path.lastIndexOf('/') + 1),
        group: 'Files',
        icon: 'file',
        detail: `${hub.name} · ${path}`,
        run: () => copyPath(fullPath),
        actions: [
          { id: `${id}.full`, label: 'Copy path', group: path, icon: 'copy', run: () => copyPath(fullPath) },
          {
            id: `${id}.relative`,
            label: 'Copy path in hub',
            group: path,
            icon: 'copy',
            run: () => copyPath(path),
          },
        ],
      };
    }),
  );
}
