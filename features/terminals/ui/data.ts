/** Terminals of a session: queries and actions. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';

export type Terminal = Schemas['Terminal'];

/** The size until a terminal is drawn for the first time. */
const FIRST_SIZE = { columns: 80, rows: 24 };

const keyOf = (sessionId: string) => ['terminals', sessionId];

/** The session's terminals, oldest first. */
export const useTerminals = (sessionId: string) =>
  useQuery({
    queryKey: keyOf(sessionId),
    queryFn: ({ signal }) => client.get('/terminals', { query: { sessionId }, signal }).then(({ items }) => items),
  });

/** Opens and closes terminals of a session. Each throws if it's rejected, and reloads the list either way. */
export function useTerminalActions(sessionId: string) {
  const cache = useQueryClient();
  const reload = () => cache.invalidateQueries({ queryKey: keyOf(sessionId) });
  const then = async <T>(request: Promise<T>): Promise<T> => {
    try {
      return await request;
    } finally {
      await reload();
    }
  };
  const open = () => client.post('/terminals', { body: { sessionId, ...FIRST_SIZE } });
  const close = (terminalId: string) => client.delete('/terminals/{terminalId}', { path: { terminalId } });
  return {
    reload,
    open: () => then(open()),
    close: (terminalId: string) => then(close(terminalId)),
    /** A new terminal in place of an ended one. */
    restart: (terminalId: string) => then(close(terminalId).then(open)),
  };
}
