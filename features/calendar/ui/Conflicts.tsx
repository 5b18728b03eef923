/** Your versions of events that a newer version of the server replaced. */
import { useQuery } from '@tanstack/react-query';
import { client } from '@shell/client';
import { Button, IconButton } from '@shell/components';
import { useReported } from '@shell/requests';
import { CALENDAR } from './api';

export function Conflicts() {
  const { data } = useQuery({
    queryKey: [...CALENDAR, 'conflicts'],
    queryFn: ({ signal }) => client.get('/calendar/conflicts', { signal }).then(({ items }) => items),
  });
  const then = useReported(CALENDAR);
  if (!data || data.length === 0) return null;
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
