/** What a row shows of a task. */
import { Link } from 'wouter';
import { Badge, Icon, IconButton, Menu, ScreenReaderOnly, type MenuGroup } from '@shell/components';
import { useTaskSession } from './data';
import { isSnoozed, type Line, type Task } from './model';
import { TaskInput } from './TaskInput';
import { dayWords, dueTone, priorityLabel } from './words';
import type { KeyboardEvent, MouseEvent } from 'react';

interface Props {
  task: Task;
  line: Line;
  now: string;
  progress: { finished: number; all: number } | null;
  /** Names of the tasks above it and of its hub, in a list without an outline. */
  path: string;
  isSelected: boolean;
  isEditing: boolean;
  hidesFinished: boolean;
  menu: () => MenuGroup[];
  onCheck: (event: MouseEvent) => void;
  onCollapse: () => void;
  onEdit: () => void;
  onText: (text: string, plain: boolean, how: 'enter' | 'blur') => void;
  onCancel: () => void;
  onInputKey: (event: KeyboardEvent<HTMLInputElement>, text: string, plain: boolean) => boolean;
}

export function TaskLine(props: Props) {
  const { task, line, now, progress, path, isSelected, isEditing, hidesFinished } = props;
  const priority = task.priority ?? 4;
  return (
    <>
      <span role="gridcell" className="tasks-lead" style={{ paddingLeft: `${(line.level - 1) * 22}px` }}>
        {line.parent ? (
          <button
            type="button"
            tabIndex={-1}
            className="tasks-fold"
            aria-label={line.collapsed ? `Expand ${task.text}` : `Collapse ${task.text}`}
            onClick={props.onCollapse}
          >
            <Icon name={line.collapsed ? 'chevronRight' : 'chevronDown'} size={12} />
          </button>
        ) : (
          <span className="tasks-fold" />
        )}
        <input
          type="checkbox"
          tabIndex={-1}
          className="tasks-check"
          data-priority={priority}
          data-selected={isSelected || undefined}
          checked={task.state !== 'open'}
          aria-label={`Finish ${task.text}`}
          onClick={props.onCheck}
          onChange={() => undefined}
        />
      </span>
      <span role="gridcell" className="tasks-text">
        {isEditing ? (
          <TaskInput
            label="Task"
            initial={task.text}
            isNew={false}
            now={now}
            onCommit={props.onText}
            onCancel={props.onCancel}
            onKey={props.onInputKey}
            commitsOnBlur
            autoFocus
          />
        ) : (
          <span className="tasks-name" onDoubleClick={props.onEdit}>
            {task.text}
          </span>
        )}
        {path !== '' && <span className="tasks-path">{path}</span>}
      </span>
      <span role="gridcell" className="tasks-meta">
        {task.state === 'dropped' && <Badge>Dropped</Badge>}
        {progress && (
          <span className="tasks-progress">
            <ScreenReaderOnly>Subtasks: </ScreenReaderOnly>
            {hidesFinished ? progress.all - progress.finished : `${progress.finished}/${progress.all}`}
          </span>
        )}
        {priority < 4 && (
          <Badge tone={priority === 1 ? 'bad' : 'warn'} icon="star">
            {priorityLabel(priority)}
          </Badge>
        )}
        {isSnoozed(task, now) && <Badge icon="bellOff">{dayWords(task.snoozedUntil!, now)}</Badge>}
        {task.due !== undefined && (
          <Badge tone={task.state === 'open' ? dueTone(task, now) : 'neutral'} icon="clock">
            {task.state === 'open' && dueTone(task, now) === 'bad' && <ScreenReaderOnly>Overdue: </ScreenReaderOnly>}
            {dayWords(task.due, now)}
          </Badge>
        )}
        {task.sessionId !== undefined && <SessionState task={task} />}
        <Menu label="Task actions" groups={props.menu()}>
          <IconButton icon="more" label={`Actions for ${task.text}`} excludeFromTabOrder />
        </Menu>
      </span>
    </>
  );
}

/** The session that works on a task: its state, and the start of its result. */
function SessionState({ task }: { task: Task }) {
  const { data: session } = useTaskSession(task.id, task.sessionId);
  if (!session) return null;
  return (
    <Link
      href={`/sessions/${session.sessionId}`}
      className="tasks-session"
      tabIndex={-1}
      title={session.result || session.title}
      onClick={(event) => event.stopPropagation()}
    >
      <Badge tone={session.needsYou ? 'warn' : 'neutral'} icon="session">
        {session.needsYou ? 'Needs you' : session.state}
      </Badge>
      {session.result !== '' && <span className="tasks-result">{session.result}</span>}
    </Link>
  );
}
