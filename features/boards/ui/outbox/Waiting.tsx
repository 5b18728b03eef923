/** Shows waiting changes, and resolves all conflicts and rejected changes in one dialog. */
import { useEffect, useRef, useState } from 'react';
import { Button, Dialog, Time } from '@shell/components';
import type { Member } from '@shell/members';
import { Who } from '../Comments';
import { sameValue, type CellValue, type Column, type Group } from '../data';
import { showFull } from '../format';
import { PARENT, PLACE } from '../places';
import type { Conflict, Step } from './step';
import type { Outbox } from './useOutbox';
import './waiting.css';

interface WaitingProps {
  outbox: Pick<Outbox, 'waiting' | 'why' | 'troubled' | 'behind' | 'decide' | 'discard' | 'retry'>;
  columns: readonly Column[];
  groups: readonly Group[];
  members: readonly Member[];
  /** What a cell holds at this moment; `undefined` where the item is gone. */
  now: (item: string, column: string) => CellValue | undefined;
}

const counted = (count: number, one: string, many: string) => `${count.toLocaleString()} ${count === 1 ? one : many}`;
const ROWS_SHOWN = 200;

/** Nothing where nothing waits. */
export function Waiting({ outbox, columns, groups, members, now }: WaitingProps) {
  const { waiting, why, troubled, behind, decide, discard, retry } = outbox;
  const [isOpen, setIsOpen] = useState(false);
  const known = useRef(0);
  // Whatever is new is asked at once; what was put off waits until it is looked at.
  useEffect(() => {
    const newest = Math.max(0, ...troubled.map((step) => step.at));
    if (newest > known.current) setIsOpen(true);
    if (troubled.length === 0) setIsOpen(false);
    known.current = newest;
  }, [troubled]);
  const titleOf = (column: string) =>
    column === 'name'
      ? 'Name'
      : column === 'groupId'
        ? 'Group'
        : column === PLACE
          ? 'Position'
          : column === PARENT
            ? 'Parent'
            : (columns.find(({ id }) => id === column)?.title ?? column);
  const say = (column: string, value: CellValue) => {
    const spec = columns.find(({ id }) => id === column);
    if (column === PARENT)
      return typeof value === 'string' ? String(now(value, 'name') ?? 'a deleted item') : 'top-level item';
    const group = column === 'groupId' ? groups.find(({ id }) => id === value)?.name : undefined;
    return group ?? ((spec ? showFull(value, spec, members) : String(value ?? '')) || 'empty');
  };
  const conflicts = troubled.flatMap((step) =>
    step.problem && 'conflicts' in step.problem
      ? step.problem.conflicts.map((conflict) => ({ step, conflict: asNow(step, conflict, now) }))
      : [],
  );
  const refused = troubled.flatMap((step) =>
    step.problem && 'refused' in step.problem ? [{ step, why: step.problem.refused }] : [],
  );
  const all = (keep: 'mine' | 'theirs') => {
    for (const step of troubled)
      if (step.problem && 'conflicts' in step.problem)
        decide(
          step,
          step.problem.conflicts.map((conflict) => asNow(step, conflict, now)),
          keep,
        );
  };
  return (
    <>
      <p role="status" className={waiting > 0 ? 'waiting' : 'sr-only'}>
        {waiting > 0
          ? `${counted(waiting, 'change', 'changes')} waiting${why === null ? ' for the connection.' : `. ${why}`}`
          : ''}
      </p>
      {troubled.length > 0 && (
        <section aria-label="Unsaved changes" className="waiting">
          <span>
            {`${counted(conflicts.length + refused.length, 'change', 'changes')} not saved.`}
            {behind > 0 && ` ${counted(behind, 'later change', 'later changes')} waiting for your decision.`}
          </span>
          <Button onPress={() => setIsOpen(true)}>Review changes</Button>
        </section>
      )}
      <Dialog
        isOpen={isOpen && troubled.length > 0}
        onClose={() => setIsOpen(false)}
        title={refused.length > 0 ? 'Unsaved changes' : 'Conflicting changes'}
        size="large"
        actions={
          conflicts.length > 1 && (
            <>
              <Button onPress={() => all('theirs')}>Keep all theirs</Button>
              <Button variant="primary" onPress={() => all('mine')}>
                Keep all mine
              </Button>
            </>
          )
        }
      >
        <ul className="unsaved">
          {conflicts.slice(0, ROWS_SHOWN).map(({ step, conflict }) => (
            <ConflictRow
              key={`${step.at}/${conflict.item}/${conflict.column}`}
              conflict={conflict}
              title={titleOf(conflict.column)}
              say={say}
              onKeep={(keep) => decide(step, [conflict], keep)}
            />
          ))}
          {conflicts.length > ROWS_SHOWN && <li>{`and ${conflicts.length - ROWS_SHOWN} more`}</li>}
          {refused.map(({ step, why }) => {
            const what = described(step, titleOf);
            return (
              <li key={step.at}>
                <p>
                  <b>{what}</b> {`wasn't saved. ${why}`}
                </p>
                <div className="unsaved-actions">
                  <Button onPress={() => discard(step)} aria-label={`Discard, ${what}`}>
                    Discard
                  </Button>
                  <Button onPress={() => retry(step)} aria-label={`Retry, ${what}`}>
                    Retry
                  </Button>
                </div>
              </li>
            );
          })}
        </ul>
      </Dialog>
    </>
  );
}

/** A conflict with the current value. If that changed since the conflict, the author isn't known. */
function asNow(step: Step, conflict: Conflict, now: WaitingProps['now']): Conflict {
  const held = conflict.column === 'kept' ? undefined : now(conflict.item, conflict.column);
  const before = step.cells.find(({ item, column }) => item === conflict.item && column === conflict.column)?.before;
  // What was there when the editing began: the page has not heard of the other value yet.
  const isOld = before !== undefined && held !== undefined && sameValue(held, before);
  if (held === undefined || isOld || sameValue(held, conflict.theirs)) return conflict;
  const { by: _by, at: _at, ...rest } = conflict;
  return { ...rest, theirs: held };
}

interface RowProps {
  conflict: Conflict;
  title: string;
  say: (column: string, value: CellValue) => string;
  onKeep: (keep: 'mine' | 'theirs') => void;
}

function ConflictRow({ conflict, title, say, onKeep }: RowProps) {
  const { name, column, mine, theirs, by, at } = conflict;
  const isGone = column === 'kept';
  const place = isGone ? name : `${title} of ${name}`;
  const did = isGone ? (theirs === 'archive' ? 'was archived' : 'was deleted') : 'was changed';
  return (
    <li>
      <p>
        <b>{place}</b> {did}
        {by && (
          <>
            {' '}
            by <Who actor={by} isWithin />
            {by.kind === 'owner' && ' in another window'}
          </>
        )}
        {at && (
          <>
            {' '}
            <Time at={at} />
          </>
        )}{' '}
        while you were editing it.
      </p>
      {!isGone && (
        <dl className="clash">
          <dt>Your value</dt>
          <dd dir="auto">{say(column, mine)}</dd>
          <dt>Current value</dt>
          <dd dir="auto">{say(column, theirs)}</dd>
        </dl>
      )}
      <div className="unsaved-actions">
        {isGone ? (
          <Button onPress={() => onKeep('theirs')} aria-label={`Discard, ${place}`}>
            Discard my change
          </Button>
        ) : (
          <>
            <Button onPress={() => onKeep('theirs')} aria-label={`Keep theirs, ${place}`}>
              Keep theirs
            </Button>
            <Button variant="primary" onPress={() => onKeep('mine')} aria-label={`Keep mine, ${place}`}>
              Keep mine
            </Button>
          </>
        )}
      </div>
    </li>
  );
}

/** A short description of a step. */
export function described(step: Step, titleOf: (column: string) => string): string {
  const { cells, add, archive, remove, names, said } = step;
  if (said) {
    const on = `on ${names[said.item] ?? 'an item'}`;
    return said.way === 'delete'
      ? `Deleting a comment ${on}`
      : `${said.way === 'add' ? 'Your comment' : 'Your edited comment'} ${on}, “${said.text}”,`;
  }
  const count = cells.length + add.length + archive.length + remove.length;
  if (count !== 1) return `A set of ${count.toLocaleString()} changes`;
  const [cell, item] = [cells[0], add[0]];
  if (cell) return `${titleOf(cell.column)} of ${names[cell.item] ?? 'an item'}`;
  if (item) return `The new ${item.parentId === undefined ? 'item' : 'subitem'} ${item.name}`;
  const gone = archive[0] ?? remove[0] ?? '';
  return `${archive.length > 0 ? 'Archiving' : 'Deleting'} ${names[gone] ?? 'an item'}`;
}
