/** Your versions of events that a newer version of the server replaced. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '@shell/client';
import { Button, IconButton, toast } from '@shell/components';
import { CALENDAR } from './api';

export function Conflicts() {
  const cache = useQueryClient();
  const { data } = useQuery({
    queryKey: [...CALENDAR, 'conflicts'],
    queryFn: ({ signal }) => client.get('/calendar/conflicts', { signal }).then(({ items }) => items),
  });
  if (!data || data.length === 0) return null;
  const then = async (problem: string, request: Promise<unknown>) => {
    try {
      await request;
    } catch (failure) {
      toast.problem(problem, failure);
    }
    await cache.invalidateQueries({ queryKey: CALENDAR });
  };
  return (
    <section aria-label="Replaced by the server" className="cal-problem">
      <p>The server had newer versions of these events.</p>
      <ul>
        {data.map(({ undo, title }) => (
          <li key={undo} className="cal-side-head">
            <span className="cal-name">{title || 'Untitled event'}</span>
            <Button
              onPress={() =>
                void then("Couldn't restore your version", client.post('/calendar/events/restore', { body: { undo } }))
              }
            >
              Restore mine
            </Button>
            <IconButton
              icon="close"
              label={`Keep the server's ${title}`}
              onPress={() =>
                void then(
                  "Couldn't dismiss your version",
                  client.delete('/calendar/conflicts/{undo}', { path: { undo } }),
                )
              }
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
