/** Tasks: an outline in each hub, and what is due. All of it works by keyboard. */
import { useDeferredValue, useEffect, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react';
import { useLocation, useSearch } from 'wouter';
import { Button, EmptyState, ErrorState, Loading, Page, SearchField, Select, type MenuGroup } from '@shell/components';
import { useNow } from '@shell/dates';
import { offerSession } from '@shell/newSession';
import { usePreference } from '@shell/preferences';
import { useSetting } from '@shell/settings';
import { useShortcuts } from '@shell/shortcuts';
import { useHubNames } from './data';
import { CaughtTasks, useCaught } from './Caught';
import { DayDialog } from './DayDialog';
import { FileNotices } from './FileNotices';
import {
  droppedOn,
  indented,
  isOpen,
  linesOf,
  localNow,
  movedBy,
  NO_HUB,
  outdented,
  outermost,
  type Filters,
  type Line,
  type Task,
  type TaskEdit,
  type View,
} from './model';
import { edit, loadTasks, newTaskId, redo, tryEdit, undo, useTasks } from './store';
import { TaskInput } from './TaskInput';
import { TaskLine } from './TaskLine';
import { TaskList, type Drop } from './TaskList';
import { headWords, PRIORITIES } from './words';
import './tasks.css';

const VIEWS: readonly { view: View; label: string }[] = [
  { view: 'today', label: 'Today' },
  { view: 'upcoming', label: 'Upcoming' },
  { view: 'all', label: 'All' },
  { view: 'snoozed', label: 'Snoozed' },
];
const EMPTY: Record<View, { title: string; text: string }> = {
  today: { title: 'Nothing due today', text: 'Overdue tasks and those due today appear here.' },
  upcoming: { title: 'Nothing upcoming', text: 'Tasks that are due later appear here.' },
  all: { title: 'No tasks', text: 'Add a task above, such as: call Anna tomorrow 9.' },
  snoozed: { title: 'No snoozed tasks', text: 'Snoozed tasks return at their time.' },
};
const MINUTE_MS = 60_000;
const COLLAPSED_MAX = 2_000;

/** A line for a new task: after a task, or as the last one below it. */
interface Adding {
  after: string;
  level: number;
  isChild: boolean;
}

/** The tasks whose lines are folded; remembered. */
function useCollapsed() {
  const [stored, setStored] = usePreference('tasks.collapsed');
  const collapsed = useMemo(() => new Set(stored ? stored.split(' ') : []), [stored]);
  const set = (id: string, isCollapsed: boolean) => {
    const next = new Set(collapsed);
    if (isCollapsed) next.add(id);
    else next.delete(id);
    setStored(next.size > 0 ? [...next].slice(-COLLAPSED_MAX).join(' ') : null);
  };
  return { collapsed, set };
}

export default function TasksPage() {
  const search = new URLSearchParams(useSearch());
  const [, navigate] = useLocation();
  const { outline, version, isReady, failure } = useTasks();
  useEffect(() => loadTasks(), []);
  const hubs = useHubNames();
  const now = localNow(useNow(MINUTE_MS));
  const hidesFinished = useSetting('tasksV2HideCompleted') ?? false;
  const isCompact = useSetting('tasksV2CompactDensity') ?? false;
  const checkSelects = useSetting('tasksV2CheckboxSelects') ?? false;
  const { collapsed, set: setCollapsed } = useCollapsed();
  const filters: Filters = {
    view: VIEWS.find(({ view }) => view === search.get('view'))?.view ?? 'all',
    hub: search.get('hub') ?? '',
    q: search.get('q') ?? '',
    priority: Number(search.get('priority') ?? 0) || 0,
  };
  const show = (changes: Partial<Record<keyof Filters, string>>) => {
    const next = new URLSearchParams(search);
    for (const [name, value] of Object.entries(changes)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    next.delete('add');
    setSelected(new Set());
    setAdding(null);
    navigate(next.size > 0 ? `/tasks?${next.toString()}` : '/tasks', { replace: true });
  };
  const isCaught = search.get('view') === 'caught';
  const caught = useCaught();
  const [at, setAt] = useState<{ id: string | null; line: number }>({ id: null, line: 0 });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [adding, setAdding] = useState<Adding | null>(null);
  const [editing, setEditing] = useState<string | null>(null);
  const [asking, setAsking] = useState<{ what: 'due' | 'snoozedUntil'; ids: string[] } | null>(null);
  const [focusCount, setFocusCount] = useState(0);
  const leaves = useRef(false);
  const searchField = useRef<HTMLInputElement>(null);
  const addField = useRef<HTMLDivElement>(null);
  const focus = () => setFocusCount((count) => count + 1);

  const q = useDeferredValue(filters.q);
  const { view, hub, priority } = filters;
  const lines = useMemo(
    () => linesOf(outline, { view, hub, priority, q, hubs, collapsed, hidesFinished, now, adding }),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `version` counts the outline's changes.
    [outline, version, view, hub, priority, q, hubs, collapsed, hidesFinished, now, adding],
  );
  const lineOf = (id: string | null) => lines.findIndex((line) => line.kind === 'task' && line.id === id);
  const found = useMemo(() => lineOf(at.id), [lines, at.id]); // eslint-disable-line react-hooks/exhaustive-deps
  const nearest = (from: number) => {
    for (let away = 0; away < lines.length; away += 1)
      for (const line of [from + away, from - away]) if (lines[line]?.kind === 'task') return line;
    return -1;
  };
  const active = found >= 0 ? found : nearest(Math.min(at.line, lines.length - 1));
  const line = lines[active];
  const task = line?.kind === 'task' ? outline.get(line.id) : undefined;
  const isOutline = view === 'all';

  const activate = (id: string, isFocused = true) => {
    setAt({ id, line: Math.max(0, lineOf(id)) });
    if (isFocused) focus();
  };
  const step = (by: number) => {
    const direction = by > 0 ? 1 : -1;
    let next = Math.abs(by) === Infinity ? (by > 0 ? lines.length - 1 : 0) : active + by;
    const turn = Math.abs(by) === Infinity ? -direction : direction;
    while (lines[next] && lines[next]!.kind !== 'task') next += turn;
    if (lines[next]) activate(lines[next]!.id);
  };
  /** The selected tasks, or the active one. */
  const targets = (of?: string): string[] => {
    if (of !== undefined && !selected.has(of)) return [of];
    return selected.size > 0 ? outermost(outline, selected) : task ? [task.id] : [];
  };
  const count = (ids: readonly string[], verb: string) =>
    ids.length === 1 ? `${verb} task` : `${verb} ${ids.length.toLocaleString()} tasks`;
  const setState = (ids: readonly string[], state: Task['state']) => {
    const verb = state === 'done' ? 'Finished' : state === 'dropped' ? 'Dropped' : 'Reopened';
    const all =
      state === 'open' ? ids : ids.flatMap((id) => [...outline.subtree(id)].filter(isOpen).map((one) => one.id));
    void edit(
      ids.map((taskId): TaskEdit => ({ action: 'set', taskId, state })),
      count(all.length > 0 ? all : ids, verb),
    );
    setSelected(new Set());
  };
  const toggle = (ids: readonly string[]) =>
    setState(ids, ids.every((id) => !isOpen(outline.get(id)!)) ? 'open' : 'done');
  const remove = (ids: readonly string[]) => {
    void edit(
      ids.map((taskId): TaskEdit => ({ action: 'delete', taskId })),
      count(ids, 'Deleted'),
    );
    setSelected(new Set());
    focus();
  };
  const setPriority = (ids: readonly string[], level: number) =>
    void edit(
      ids.map((taskId): TaskEdit => ({ action: 'set', taskId, priority: level })),
      'Changed priority',
      { isQuiet: true },
    );
  const move = (of: Task, target: Omit<TaskEdit, 'action'> | null, label: string) => {
    if (!target) return;
    if (target.parentId) setCollapsed(target.parentId, false);
    void edit([{ action: 'move', taskId: of.id, ...target }], label, { isQuiet: true });
    activate(of.id);
  };
  const select = (id: string) =>
    setSelected((before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]));
  const selectTo = (id: string) => {
    const [from, to] = [active, lineOf(id)].sort((a, b) => a - b);
    const ids = lines.slice(from, to! + 1).filter(({ kind }) => kind === 'task');
    setSelected((before) => new Set([...before, ...ids.map((one) => one.id)]));
  };
  const pick = (id: string, event: MouseEvent) => {
    if ((event.target as HTMLElement).closest('a, button, input')) return;
    if (event.ctrlKey || event.metaKey) select(id);
    else if (event.shiftKey) selectTo(id);
    activate(id);
  };
  const check = (of: Task, event: MouseEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (event.shiftKey) selectTo(of.id);
    else if (checkSelects || event.ctrlKey || event.metaKey) select(of.id);
    else toggle([of.id]);
    activate(of.id);
  };
  const startSession = (of: Task) => {
    const hubOf = of.hubId !== undefined && hubs.has(of.hubId) ? of.hubId : '';
    navigate(
      offerSession(
        hubOf,
        of.text,
        (sessionId) => void edit([{ action: 'set', taskId: of.id, sessionId }], 'Started session', { isQuiet: true }),
      ),
    );
  };

  // New tasks.
  const addBelow = (of: Task, level: number) => {
    if (!isOutline) return addField.current?.querySelector('input')?.focus();
    setEditing(null);
    setAdding({ after: of.id, level, isChild: false });
  };
  const addTop = (texts: readonly string[], plain: boolean) => {
    const hubId = hub === '' || hub === NO_HUB ? {} : { hubId: hub };
    const due = view === 'today' ? { due: now.slice(0, 10) } : {};
    const edits = texts.map((text): TaskEdit => ({
      action: 'add',
      taskId: newTaskId(),
      text,
      plain,
      ...hubId,
      ...due,
    }));
    void edit(edits, count(texts, 'Added'), { isQuiet: true });
  };
  const addInline = (texts: readonly string[], plain: boolean, isLast: boolean) => {
    if (!adding) return;
    let last = adding;
    const edits = texts.map((text): TaskEdit => {
      const taskId = newTaskId();
      const where = last.isChild ? { parentId: last.after } : { afterId: last.after };
      last = { after: taskId, level: adding.level, isChild: false };
      return { action: 'add', taskId, text, plain, ...where };
    });
    if (adding.isChild) setCollapsed(adding.after, false);
    void edit(edits, count(texts, 'Added'), { isQuiet: true });
    setAt({ id: last.after, line: active + 1 });
    setAdding(isLast ? null : last);
  };
  const onNewKey = (event: KeyboardEvent) => {
    const after = adding && outline.get(adding.after);
    if (event.key !== 'Tab' || !adding || !after) return false;
    if (!event.shiftKey && !adding.isChild) setAdding({ ...adding, level: adding.level + 1, isChild: true });
    if (event.shiftKey && adding.isChild) setAdding({ ...adding, level: adding.level - 1, isChild: false });
    else if (event.shiftKey && after.parentId !== undefined)
      setAdding({ after: after.parentId, level: adding.level - 1, isChild: false });
    return true;
  };
  const saveText = (of: Task, text: string, plain: boolean) => {
    if (text !== '' && text !== of.text)
      void edit([{ action: 'set', taskId: of.id, text, understand: !plain }], 'Changed text', { isQuiet: true });
  };

  /** Keys with Tab, Alt, and Shift; true if handled. */
  const structure = (event: KeyboardEvent, of: Task): boolean => {
    if (event.key === 'Tab' && isOutline && !leaves.current) {
      move(
        of,
        event.shiftKey ? outdented(outline, of) : indented(outline, of),
        event.shiftKey ? 'Outdented' : 'Indented',
      );
      return true;
    }
    if (event.altKey && isOutline && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
      move(of, movedBy(outline, of, event.key === 'ArrowUp' ? -1 : 1), 'Moved');
      return true;
    }
    return false;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const isOnRow = (event.target as HTMLElement).getAttribute('role') === 'row';
    if (!isOnRow || !task || !line) return;
    if (structure(event, task)) event.preventDefault();
    else if (event.key === ' ') {
      event.preventDefault();
      toggle(targets());
    } else if (event.shiftKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
      event.preventDefault();
      if (!selected.has(task.id)) select(task.id);
      const next = lines[active + (event.key === 'ArrowUp' ? -1 : 1)];
      if (next?.kind === 'task' && !selected.has(next.id))
        setSelected((before) => new Set([...before, task.id, next.id]));
      step(event.key === 'ArrowUp' ? -1 : 1);
    }
    leaves.current = event.key === 'Escape' || (leaves.current && ['Tab', 'Shift'].includes(event.key));
  };
  const onRow = (run: (of: Task, on: Line) => void | false) => () => {
    const here = document.activeElement;
    if (!here?.closest('.tasks-row') || here.getAttribute('role') !== 'row' || !task || !line) return false;
    return run(task, line);
  };
  const anywhere = (run: () => unknown) => () => {
    if (document.activeElement instanceof HTMLInputElement && document.activeElement.type !== 'checkbox') return false;
    void run();
  };
  useShortcuts('Tasks', [
    { keys: 'ArrowDown', label: 'Next task', run: onRow(() => step(1)) },
    { keys: 'ArrowUp', label: 'Previous task', run: onRow(() => step(-1)) },
    { keys: 'Home', label: 'First task', run: onRow(() => step(-Infinity)) },
    { keys: 'End', label: 'Last task', run: onRow(() => step(Infinity)) },
    { keys: 'Enter', label: 'Add task below', run: onRow((of, on) => addBelow(of, on.level)) },
    { keys: 'n', label: 'Add task', run: () => addField.current?.querySelector('input')?.focus() },
    { keys: 'F2', label: 'Edit text', run: onRow((of) => setEditing(of.id)) },
    { keys: 'e', label: 'Edit text', run: onRow((of) => setEditing(of.id)) },
    { keys: 'Space', label: 'Finish or reopen' },
    { keys: 'Tab', label: 'Indent (Shift to outdent, Escape first to leave)' },
    { keys: 'Alt+ArrowUp', label: 'Move up' },
    { keys: 'Alt+ArrowDown', label: 'Move down' },
    {
      keys: 'ArrowLeft',
      label: 'Collapse, or go to parent',
      run: onRow((of, on) => {
        if (on.parent && !on.collapsed) setCollapsed(of.id, true);
        else if (of.parentId !== undefined && isOutline) activate(of.parentId);
      }),
    },
    {
      keys: 'ArrowRight',
      label: 'Expand, or go to first subtask',
      run: onRow((of, on) => {
        if (on.collapsed) setCollapsed(of.id, false);
        else if (on.parent) step(1);
      }),
    },
    { keys: 'x', label: 'Select task', run: onRow((of) => select(of.id)) },
    { keys: 'd', label: 'Set due date', run: onRow(() => setAsking({ what: 'due', ids: targets() })) },
    { keys: 's', label: 'Snooze', run: onRow(() => setAsking({ what: 'snoozedUntil', ids: targets() })) },
    ...PRIORITIES.map(({ value, label }) => ({
      keys: String(value),
      label: `${label} priority`,
      run: onRow(() => setPriority(targets(), value)),
    })),
    { keys: 'Delete', label: 'Delete', run: onRow(() => remove(targets())) },
    { keys: 'Escape', label: 'Clear selection', run: () => (selected.size > 0 ? setSelected(new Set()) : false) },
    { keys: 'Mod+z', label: 'Undo', run: (event) => (event.shiftKey ? anywhere(redo)() : anywhere(undo)()) },
    { keys: 'Mod+y', label: 'Redo', run: anywhere(redo) },
    { keys: '/', label: 'Search', run: () => searchField.current?.focus() },
  ]);

  const menuOf = (of: Task, on: Line) => (): MenuGroup[] => {
    const ids = targets(of.id);
    return [
      {
        entries: [
          isOpen(of)
            ? { id: 'done', label: 'Finish', icon: 'check', keys: 'Space', onAction: () => setState(ids, 'done') }
            : { id: 'open', label: 'Reopen', icon: 'undo', keys: 'Space', onAction: () => setState(ids, 'open') },
          ...(isOpen(of)
            ? [{ id: 'drop', label: 'Drop', icon: 'close' as const, onAction: () => setState(ids, 'dropped') }]
            : []),
          { id: 'edit', label: 'Edit text', icon: 'edit', keys: 'e', onAction: () => setEditing(of.id) },
          { id: 'below', label: 'Add task below', icon: 'plus', keys: 'Enter', onAction: () => addBelow(of, on.level) },
        ],
      },
      {
        entries: [
          {
            id: 'due',
            label: 'Set due date',
            icon: 'calendar',
            keys: 'd',
            onAction: () => setAsking({ what: 'due', ids }),
          },
          {
            id: 'snooze',
            label: 'Snooze',
            icon: 'bellOff',
            keys: 's',
            onAction: () => setAsking({ what: 'snoozedUntil', ids }),
          },
          of.sessionId === undefined
            ? { id: 'session', label: 'Start session', icon: 'session', onAction: () => startSession(of) }
            : {
                id: 'session',
                label: 'Open session',
                icon: 'session',
                onAction: () => navigate(`/sessions/${of.sessionId}`),
              },
        ],
      },
      {
        label: 'Priority',
        entries: PRIORITIES.map(({ value, label }) => ({
          id: `priority ${value}`,
          label,
          keys: String(value),
          isSelected: (of.priority ?? 4) === value,
          onAction: () => setPriority(ids, value),
        })),
      },
      {
        entries: [
          { id: 'delete', label: 'Delete', icon: 'trash', keys: 'Delete', isDanger: true, onAction: () => remove(ids) },
        ],
      },
    ];
  };
  const pathOf = (of: Task): string => {
    if (isOutline) return '';
    const names = outline.above(of).map(({ text }) => text);
    return [...names, ...(of.hubId === undefined ? [] : [hubs.get(of.hubId) ?? ''])]
      .filter(Boolean)
      .reverse()
      .join(' / ');
  };
  const rowOf = (of: Task, on: Line) => (
    <TaskLine
      task={of}
      line={on}
      now={now}
      progress={outline.progress(of.id)}
      path={pathOf(of)}
      isSelected={selected.has(of.id)}
      isEditing={editing === of.id}
      hidesFinished={hidesFinished}
      menu={menuOf(of, on)}
      onCheck={(event) => check(of, event)}
      onCollapse={() => setCollapsed(of.id, !on.collapsed)}
      onEdit={() => setEditing(of.id)}
      onText={(text, plain, how) => {
        saveText(of, text, plain);
        setEditing(null);
        if (how === 'enter') addBelow(of, on.level);
      }}
      onCancel={() => {
        setEditing(null);
        focus();
      }}
      onInputKey={(event, text, plain) => {
        if (event.key !== 'Tab' && !event.altKey) return false;
        const isHandled = structure(event, of);
        if (isHandled) {
          saveText(of, text.trim(), plain);
          setEditing(null);
        }
        return isHandled;
      }}
    />
  );
  const drop = (moved: string, on: string, where: Drop) => {
    const [of, target] = [outline.get(moved), outline.get(on)];
    if (of && target) move(of, droppedOn(outline, moved, target, where), 'Moved');
  };
  const dropOnHead = (moved: string, head: string) => {
    const of = outline.get(moved);
    if (of && isOutline) move(of, { parentId: '', hubId: head === NO_HUB ? '' : head, afterId: '' }, 'Moved');
  };
  const isFiltered = filters.q !== '' || filters.priority > 0 || (filters.hub !== '' && !isOutline);
  const shown = lines.filter(({ kind }) => kind === 'task').length;
  const hubOptions = [
    { value: '', label: 'All hubs' },
    ...[...hubs].map(([value, label]) => ({ value, label })),
    { value: NO_HUB, label: 'No hub' },
  ];
  return (
    <Page title="Tasks">
      <div className="tasks">
        <FileNotices />
        <div className="tasks-bar" role="search" aria-label="Filter tasks">
          <div className="tasks-views" role="group" aria-label="View">
            {VIEWS.map((one) => (
              <Button
                key={one.view}
                variant="plain"
                aria-pressed={!isCaught && view === one.view}
                onPress={() => show({ view: one.view === 'all' ? '' : one.view })}
              >
                {one.label}
              </Button>
            ))}
            <Button variant="plain" aria-pressed={isCaught} onPress={() => show({ view: 'caught' })}>
              {caught.data && caught.data.items.length > 0
                ? `Caught (${caught.data.items.length.toLocaleString()})`
                : 'Caught'}
            </Button>
          </div>
          {!isCaught && (
            <>
              <Select
                aria-label="Hub"
                value={filters.hub}
                onChange={(next) => show({ hub: next })}
                options={hubOptions}
              />
              <Select
                aria-label="Priority"
                value={String(filters.priority)}
                onChange={(next) => show({ priority: next === '0' ? '' : next })}
                options={[
                  { value: '0', label: 'All priorities' },
                  ...PRIORITIES.map(({ value, label }) => ({ value: String(value), label })),
                ]}
              />
              <SearchField
                aria-label="Search tasks"
                placeholder="Search"
                value={filters.q}
                onChange={(next) => show({ q: next })}
                maxLength={200}
                inputRef={searchField}
              />
            </>
          )}
        </div>
        {view !== 'snoozed' && !isCaught && (
          <div className="tasks-add" ref={addField}>
            <TaskInput
              key={search.has('add') ? 'asked' : 'add'}
              label="Add task"
              placeholder="Add task, such as: call Anna tomorrow 9"
              isNew
              now={now}
              autoFocus={search.has('add')}
              onCommit={(text, plain) => text !== '' && addTop([text], plain)}
              onLines={(texts) => addTop(texts, false)}
              onCancel={focus}
            />
          </div>
        )}
        {isCaught ? (
          <CaughtTasks hubs={hubs} now={now} />
        ) : failure !== null && !isReady ? (
          <ErrorState title="Couldn't load tasks" error={failure} onRetry={loadTasks} />
        ) : !isReady ? (
          <Loading label="Loading tasks" />
        ) : lines.length === 0 ? (
          isFiltered ? (
            <EmptyState
              icon="filter"
              title="No matching tasks"
              action={<Button onPress={() => show({ q: '', priority: '', hub: '' })}>Clear filters</Button>}
            >
              Change or clear the filters.
            </EmptyState>
          ) : (
            <EmptyState icon="task" title={EMPTY[view].title}>
              {EMPTY[view].text}
            </EmptyState>
          )
        ) : (
          <>
            <div className="tasks-bulk">
              <span role="status">
                {selected.size > 0
                  ? `${selected.size.toLocaleString()} selected`
                  : `${shown.toLocaleString()} ${shown === 1 ? 'task' : 'tasks'}`}
              </span>
              {selected.size > 0 && (
                <>
                  <Button icon="check" onPress={() => setState(targets(), 'done')}>
                    Finish
                  </Button>
                  <Button icon="close" onPress={() => setState(targets(), 'dropped')}>
                    Drop
                  </Button>
                  <Button icon="bellOff" onPress={() => setAsking({ what: 'snoozedUntil', ids: targets() })}>
                    Snooze
                  </Button>
                  <Button icon="trash" onPress={() => remove(targets())}>
                    Delete
                  </Button>
                  <Button variant="plain" onPress={() => setSelected(new Set())}>
                    Clear selection
                  </Button>
                </>
              )}
            </div>
            <div className="tasks-keys">
              <TaskList
                outline={outline}
                lines={lines}
                active={active}
                selected={selected}
                isCompact={isCompact}
                canDrag={isOutline}
                focusCount={focusCount}
                headOf={(head) => (
                  <>
                    {isOutline ? head.label : headWords(head.id, now)}{' '}
                    <span className="tasks-head-count">{head.count?.toLocaleString()}</span>
                  </>
                )}
                rowOf={rowOf}
                newLine={() => (
                  <TaskInput
                    label="New task"
                    isNew
                    now={now}
                    autoFocus
                    commitsOnBlur
                    onCommit={(text, plain, how) => {
                      if (text !== '') addInline([text], plain, how === 'blur');
                      else if (how === 'enter') {
                        setAdding(null);
                        focus();
                      }
                    }}
                    onLines={(texts) => addInline(texts, false, false)}
                    onCancel={() => {
                      setAdding(null);
                      focus();
                    }}
                    onKey={onNewKey}
                  />
                )}
                onPick={pick}
                onKeyDown={onKeyDown}
                onDrop={drop}
                onDropOnHead={dropOnHead}
              />
            </div>
          </>
        )}
      </div>
      {asking && (
        <DayDialog
          what={asking.what}
          canClear={asking.ids.some((id) => outline.get(id)?.[asking.what] !== undefined)}
          onPick={(text) =>
            tryEdit(
              asking.ids.map((taskId): TaskEdit => ({ action: 'set', taskId, [asking.what]: text })),
              asking.what === 'due' ? 'Changed due date' : 'Snoozed',
            )
          }
          onClose={() => {
            setAsking(null);
            focus();
          }}
        />
      )}
    </Page>
  );
}
