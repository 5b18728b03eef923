/** Files that a session made: their list, and the bytes of one. */
import { useQuery } from '@tanstack/react-query';
import { authFetch } from '@shell/api';
import { client, type Schemas } from '@shell/client';
import { sessionKey, type Session } from '../data';

/** A file that a session made. */
export type Artifact = Schemas['Artifact'];

/** The session's artifacts, newest first. Loaded again after each turn. */
export const useArtifacts = ({ id, turns }: Pick<Session, 'id' | 'turns'>) =>
  useQuery({
    queryKey: [...sessionKey(id), 'artifacts', turns],
    queryFn: ({ signal }) =>
      client.get('/sessions/{sessionId}/artifacts', { path: { sessionId: id }, signal }).then(({ items }) => items),
    placeholderData: (before) => before,
  });

/** The content of an artifact. */
export const useArtifact = (session: string, { id, path }: Artifact) =>
  useQuery({
    queryKey: [...sessionKey(session), 'artifact', id],
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams({ path });
      const answer = await authFetch(`/sessions/${encodeURIComponent(session)}/artifacts/file?${query}`, { signal });
      if (answer.ok) return answer.blob();
      const problem = (await answer.json().catch(() => ({}))) as { detail?: string };
      throw new Error(problem.detail ?? `Pilothouse returned status ${answer.status}.`);
    },
    // A changed file has another ID.
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
  });
