/** What waits for a decision about tasks.md files, and what is wrong with them. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '@shell/client';
import { Button, toast } from '@shell/components';

const FILES = ['tasks', 'files'];
/** Files are looked at each second by Pilothouse; the page asks less often. */
const AGAIN_MS = 5_000;

const tasksOf = (count: number) => (count === 1 ? '1 task' : `${count} tasks`);

export function FileNotices() {
  const cache = useQueryClient();
  const { data: files } = useQuery({
    queryKey: FILES,
    queryFn: ({ signal }) => client.get('/tasks/files', { signal }).then(({ items }) => items),
    refetchInterval: AGAIN_MS,
  });
  const decide = async (hubId: string, decision: 'accept' | 'keep') => {
    try {
      await client.post(`/tasks/files/{hubId}/${decision}`, { path: { hubId } });
    } catch (failure) {
      toast.problem("Couldn't save decision", failure);
    }
    await cache.invalidateQueries({ queryKey: ['tasks'] });
  };
  const shown = (files ?? []).filter(({ state }) => state !== 'synced');
  if (shown.length === 0) return null;
  return (
    <ul className="tasks-files" aria-label="tasks.md files">
      {shown.map(({ hubId, hub, path, state, detail, removes }) => (
        <li key={hubId} title={path}>
          <p>
            <strong>{hub}</strong>
            {`: ${detail}`}
            {state === 'held' &&
              ` ${tasksOf(removes)} would be deleted. Until you decide, the file and the tasks aren't synced.`}
          </p>
          {state === 'held' && (
            <div className="tasks-files-buttons">
              <Button onPress={() => void decide(hubId, 'keep')}>Keep tasks</Button>
              <Button variant="danger" onPress={() => void decide(hubId, 'accept')}>
                {`Delete ${tasksOf(removes)}`}
              </Button>
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
