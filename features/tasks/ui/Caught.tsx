/** Follow-ups that were caught in ended sessions: accepted, edited, or dismissed, by mouse and keyboard. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { Link, useLocation } from 'wouter';
import { client, type Schemas } from '@shell/client';
import { Button, EmptyState, ErrorState, Loading, toast } from '@shell/components';
import { useShortcuts } from '@shell/shortcuts';
import { remember } from './store';
import { TaskInput } from './TaskInput';

type Caught = Schemas['CaughtTask'];

const CAUGHT = ['tasks', 'caught'];

export const useCaught = () =>
  useQuery({ queryKey: CAUGHT, queryFn: ({ signal }) => client.get('/tasks/caught', { signal }) });

interface Props {
  /** Names of hubs, by ID. */
  hubs: ReadonlyMap<string, string>;
  now: string;
}

/** What is sent to accept a follow-up. */
interface Accepting {
  text?: string;
  plain?: boolean;
}

const accept = (caughtId: string, body: Accepting) =>
  client.post('/tasks/caught/{caughtId}/accept', { path: { caughtId }, body });
const dismiss = (caughtId: string) => client.post('/tasks/caught/{caughtId}/dismiss', { path: { caughtId } });
const restore = (caughtId: string) => client.post('/tasks/caught/{caughtId}/restore', { path: { caughtId } });
/** The last first, so that their order stays. */
const restoreAll = async (ids: readonly string[]) => {
  for (const id of [...ids].reverse()) await restore(id);
};

export function CaughtTasks({ hubs, now }: Props) {
  const cache = useQueryClient();
  const { data, error, refetch } = useCaught();
  const [, navigate] = useLocation();
  const [editing, setEditing] = useState<string | null>(null);
  /** A line to be focused once the list is drawn again. */
  const [next, setNext] = useState<number | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const items = data?.items ?? [];

  const focusLine = (index: number) => {
    const lines = list.current?.querySelectorAll('li') ?? [];
    lines[Math.max(0, Math.min(index, lines.length - 1))]?.querySelector('button')?.focus();
  };
  useEffect(() => {
    if (next === null) return;
    focusLine(next);
    setNext(null);
  }, [next, items.length]);

  /** Sends a change, with what undoes it. */
  const change = async (
    line: number | null,
    label: string,
    what: string,
    run: () => Promise<unknown>,
    undo: () => Promise<unknown>,
  ) => {
    setEditing(null);
    try {
      await run();
      const fresh = (of: () => Promise<unknown>) => () =>
        of().finally(() => cache.invalidateQueries({ queryKey: CAUGHT }));
      remember(label, fresh(undo), fresh(run));
    } catch (why) {
      toast.problem(`Couldn't ${what}`, why);
    }
    await cache.invalidateQueries({ queryKey: CAUGHT });
    if (line !== null) setNext(line);
  };
  const take = (of: Caught, line: number, body: Accepting = {}) =>
    change(
      line,
      'Accepted task',
      'accept task',
      () => accept(of.id, body),
      () => restore(of.id),
    );
  const drop = (of: Caught, line: number) =>
    change(
      line,
      'Dismissed task',
      'dismiss task',
      () => dismiss(of.id),
      () => restore(of.id),
    );
  const takeAll = () => {
    const caughtIds = items.map(({ id }) => id);
    const label = caughtIds.length === 1 ? 'Accepted task' : `Accepted ${caughtIds.length.toLocaleString()} tasks`;
    return change(
      null,
      label,
      'accept tasks',
      () => client.post('/tasks/caught/accept', { body: { caughtIds } }),
      () => restoreAll(caughtIds),
    );
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    if (target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
    const line = Number(target.closest<HTMLElement>('[data-line]')?.dataset.line ?? -1);
    const of = items[line];
    if (!of) return;
    const keys: Record<string, () => unknown> = {
      ArrowDown: () => focusLine(line + 1),
      ArrowUp: () => focusLine(line - 1),
      Home: () => focusLine(0),
      End: () => focusLine(items.length - 1),
      a: () => take(of, line),
      e: () => setEditing(of.id),
      F2: () => setEditing(of.id),
      Delete: () => drop(of, line),
    };
    const run = keys[event.key];
    if (!run) return;
    event.preventDefault();
    event.stopPropagation();
    void run();
  };
  useShortcuts('Caught tasks', [
    { keys: 'ArrowDown', label: 'Next task' },
    { keys: 'ArrowUp', label: 'Previous task' },
    { keys: 'a', label: 'Accept' },
    { keys: 'e', label: 'Edit, then accept' },
    { keys: 'Delete', label: 'Dismiss' },
  ]);

  if (!data) {
    if (error) return <ErrorState title="Couldn't load caught tasks" error={error} onRetry={() => void refetch()} />;
    return <Loading label="Loading caught tasks" />;
  }
  if (items.length === 0) {
    if (!data.enabled)
      return (
        <EmptyState
          icon="task"
          title="Catching tasks is off"
          action={<Button onPress={() => navigate('/settings?key=tasksV2CatchesEnabled')}>View setting</Button>}
        >
          When it’s on, follow-ups in ended sessions appear here.
        </EmptyState>
      );
    if (data.needsModel)
      return (
        <EmptyState
          icon="task"
          title="Choose a model"
          action={<Button onPress={() => navigate('/models')}>Open models</Button>}
        >
          A utility model finds follow-ups when a session ends.
        </EmptyState>
      );
    return (
      <EmptyState icon="task" title="Nothing caught">
        Follow-ups from ended sessions appear here for you to accept.
      </EmptyState>
    );
  }
  return (
    <>
      <div className="tasks-bulk">
        <span role="status">{`${items.length.toLocaleString()} caught`}</span>
        <Button icon="check" onPress={() => void takeAll()}>
          Accept all
        </Button>
      </div>
      <ul className="tasks-caught" aria-label="Caught tasks" ref={list} onKeyDownCapture={onKeyDown}>
        {items.map((of, line) => (
          <li key={of.id} data-line={line} aria-label={of.text}>
            <div className="tasks-caught-text">
              {editing === of.id ? (
                <TaskInput
                  label="Task"
                  initial={of.text}
                  isNew={false}
                  now={now}
                  autoFocus
                  onCommit={(text, plain) => {
                    if (text !== '') void take(of, line, text === of.text ? {} : { text, plain });
                  }}
                  onCancel={() => {
                    setEditing(null);
                    setNext(line);
                  }}
                />
              ) : (
                <span className="tasks-name">{of.text}</span>
              )}
              <span className="tasks-path">
                {of.sessionId != null && (
                  <Link href={`/sessions/${of.sessionId}`}>{of.session === '' ? 'Session' : of.session}</Link>
                )}
                {of.hubId != null && hubs.has(of.hubId) && ` in ${hubs.get(of.hubId)!}`}
              </span>
            </div>
            <Button icon="check" aria-label={`Accept ${of.text}`} onPress={() => void take(of, line)}>
              Accept
            </Button>
            <Button variant="plain" icon="edit" aria-label={`Edit ${of.text}`} onPress={() => setEditing(of.id)}>
              Edit
            </Button>
            <Button variant="plain" icon="close" aria-label={`Dismiss ${of.text}`} onPress={() => void drop(of, line)}>
              Dismiss
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}
