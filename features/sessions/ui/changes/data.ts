/** The changes of a session: what differs from its base, and what you can do with it. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { toast } from '@shell/components';
import { sessionKey, type Detail } from '../data';

export type Changes = Schemas['SessionChanges'];
export type ChangedFile = Schemas['ChangedFile'];
export type FileChanges = Schemas['FileChanges'];

const path = (sessionId: string) => ({ path: { sessionId } });
const changesKey = (id: string) => [...sessionKey(id), 'changes'];

/** What of a session tells that files have changed: a turn that began or ended. */
export type Turn = Pick<Detail, 'id' | 'state' | 'turns'>;
const turnKey = ({ id, state, turns }: Turn) => [...changesKey(id), state, turns];

/** The changed files. Loaded again when the window gets the focus, as the agent keeps working. */
export const useChanges = (session: Turn) =>
  useQuery({
    queryKey: turnKey(session),
    queryFn: ({ signal }) => client.get('/sessions/{sessionId}/changes', { ...path(session.id), signal }),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: 'always',
    retry: false,
  });

/** The changes to one file. */
export const useFileChanges = (session: Turn, file: ChangedFile) =>
  useQuery({
    queryKey: [...turnKey(session), file.path, file.oldPath, file.added, file.removed],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      client.get('/sessions/{sessionId}/changes/file', {
        ...path(session.id),
        signal,
        query: { path: file.path, oldPath: file.oldPath },
      }),
    retry: false,
    staleTime: 0,
  });

export type PullRequest = NonNullable<Schemas['SessionPullRequest']['pullRequest']>;

/** How often the checks of a pull request are loaded again while one runs. */
const CHECKS_MS = 30_000;

/** The pull request of a session's branch. */
export const usePullRequest = (session: Turn) =>
  useQuery({
    queryKey: [...turnKey(session), 'pull'],
    queryFn: ({ signal }) => client.get('/sessions/{sessionId}/changes/pull', { ...path(session.id), signal }),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state }) =>
      state.data?.pullRequest?.checks.some((check) => check.state === 'running') ? CHECKS_MS : false,
    retry: false,
  });

/** The log of a failed check. Empty if there's none. */
export async function failedLog(sessionId: string, jobId: string | null): Promise<string> {
  if (jobId === null) return '';
  const log = client.get('/sessions/{sessionId}/changes/pull/log', { ...path(sessionId), query: { jobId } });
  // The check is named to the agent with or without its log.
  return log.then(({ text }) => text ?? '').catch(() => '');
}

/** Actions on the changes of a session. Each shows its failures and reloads the changes. */
export function useChangeActions(id: string) {
  const cache = useQueryClient();
  const reload = () => void cache.invalidateQueries({ queryKey: changesKey(id) });
  const then = async <T>(problem: string, request: Promise<T>): Promise<T | null> => {
    try {
      return await request;
    } catch (failure) {
      toast.problem(problem, failure);
      return null;
    } finally {
      reload();
    }
  };
  return {
    reload,
    /** Reverts a file, or one hunk of it, and offers Undo. */
    revert: async (file: ChangedFile, version: string, hunk?: number) => {
      const reverted = await then(
        "Couldn't revert",
        client.post('/sessions/{sessionId}/changes/revert', {
          ...path(id),
          body: {
            path: file.path,
            version,
            ...(file.oldPath ? { oldPath: file.oldPath } : {}),
            ...(hunk === undefined ? {} : { hunk }),
          },
        }),
      );
      if (!reverted) return;
      const { undoId } = reverted;
      toast.done(hunk === undefined ? `Reverted ${file.path}` : `Reverted a change in ${file.path}`, {
        undo: async () => {
          await then(
            "Couldn't restore",
            client.post('/sessions/{sessionId}/changes/restore', { ...path(id), body: { undoId } }),
          );
        },
      });
    },
    /** Stages or unstages a file, or one hunk of it. Without a version, whatever the file is now. */
    setStaged: async (isStaged: boolean, file: ChangedFile, version?: string, hunk?: number) => {
      const options = {
        ...path(id),
        body: {
          path: file.path,
          ...(version === undefined ? {} : { version }),
          ...(file.oldPath ? { oldPath: file.oldPath } : {}),
          ...(hunk === undefined ? {} : { hunk }),
        },
      };
      await (isStaged
        ? then("Couldn't stage", client.post('/sessions/{sessionId}/changes/stage', options))
        : then("Couldn't unstage", client.post('/sessions/{sessionId}/changes/unstage', options)));
    },
    /** Commits what is staged, or all changes. */
    commit: async (message: string, onlyStaged: boolean) => {
      const body = { message, onlyStaged };
      const done = await then(
        "Couldn't commit",
        client.post('/sessions/{sessionId}/changes/commit', { ...path(id), body }),
      );
      if (done) toast.done(`Committed ${done.commit.slice(0, 8)}`);
      return done !== null;
    },
    /** Moves the session's worktree to Trash, and offers Undo. */
    removeWorktree: async (worktreeId: string) => {
      const target = { path: { worktreeId } };
      const removed = await then(
        "Couldn't remove the worktree",
        client.delete('/worktrees/{worktreeId}', { ...target, query: { keepWork: true, stopSession: true } }),
      );
      if (!removed) return;
      toast.done('Worktree moved to Trash for 30 days', {
        ...(removed.rescuedBranch ? { detail: `Unsaved work is on the branch ${removed.rescuedBranch}.` } : {}),
        undo: async () => {
          await then("Couldn't restore the worktree", client.post('/worktrees/{worktreeId}/restore', target));
        },
      });
    },
    merge: async (base: string) => {
      const done = await then("Couldn't merge", client.post('/sessions/{sessionId}/changes/merge', path(id)));
      if (done) toast.done(`Merged into ${base}`);
    },
    /** Pushes the branch and opens a pull request, or the page for one. */
    publish: async (title: string) => {
      const done = await then(
        "Couldn't open pull request",
        client.post('/sessions/{sessionId}/changes/publish', { ...path(id), body: { title } }),
      );
      if (!done) return;
      const { url, isOpen, trouble } = done;
      const action = url ? { action: { label: 'Open', run: () => void window.open(url, '_blank', 'noopener') } } : {};
      const detail = trouble ? { detail: trouble } : {};
      toast.done(isOpen ? 'Pull request opened' : 'Branch pushed', { ...action, ...detail });
    },
  };
}
