/** An item's activity, newest first, with a way to undo each change. */
import { reasonOf } from '@shell/api';
import { Button, EmptyState, ErrorState, Icon, Loading, Time, toast } from '@shell/components';
import type { Member } from '@shell/members';
import { Who } from './Comments';
import { sameValue, type CellValue, type Column, type Group } from './data';
import { undoChange, useActivity, type Change, type Place } from './discussion';
import { showFull } from './format';
import { heldIn, offerUndo } from './offers';
import { boxOf } from './outbox/box';

interface ActivityProps {
  place: Place;
  columns: readonly Column[];
  groups: readonly Group[];
  members: readonly Member[];
  /** Reads it again. */
  onChanged: () => Promise<void>;
}

export function Activity({ place, columns, groups, members, onChanged }: ActivityProps) {
  const { data, error, refetch, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useActivity(place);
  const takeBack = async (changeId: string, title: string, value: string) => {
    const { item } = boxOf(place.board).called;
    try {
      const undone = await undoChange(place.board, changeId, `${title} of ${item(place.item)}`);
      await onChanged();
      const { itemId, field, boardRevision: revision } = undone;
      offerUndo(
        `${title} of ${item(place.item)} is ${short(value)} again`,
        { board: place.board, revision, left: (table) => heldIn(table, itemId ?? place.item, field) },
        () => boxOf(place.board).takeBack(undone.made).then(onChanged),
      );
    } catch (failure) {
      toast.problem("Couldn't undo change", new Error(reasonOf(failure)));
    }
  };
  const changes = data?.pages.flatMap((page) => page.items) ?? [];
  const undone = takenBack(changes);
  return (
    <>
      {isPending && <Loading label="Loading activity" />}
      {error && <ErrorState title="Couldn't load activity" error={error} onRetry={() => void refetch()} />}
      {data?.pages[0]?.items.length === 0 && (
        <EmptyState icon="history" title="No changes yet">
          Changes to this item appear here. Imports are listed with the board.
        </EmptyState>
      )}
      <ol className="activity">
        {changes.map((change) => {
          const { title, words } = describe(change, columns, groups, members);
          return (
            <li key={change.changeId} className="activity-entry">
              <strong dir="auto">{title}</strong>
              {words && (
                <p className="activity-values">
                  <bdi>{words.before}</bdi> <Icon name="chevronRight" size={12} />
                  <span className="sr-only">became</span> <bdi>{words.after}</bdi>
                </p>
              )}
              <p className="activity-notes">
                <Who actor={change.actor} />
                <Time at={change.at} />
              </p>
              {undone.has(change.changeId) && <p className="activity-notes">Undone</p>}
              {change.undoable && words && !undone.has(change.changeId) && (
                <Button
                  aria-label={`Undo: ${title}, ${words.before} to ${words.after}`}
                  icon="undo"
                  onPress={() => void takeBack(change.changeId, title, words.before)}
                >
                  Undo
                </Button>
              )}
            </li>
          );
        })}
      </ol>
      {hasNextPage && (
        <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          Show earlier changes
        </Button>
      )}
    </>
  );
}

const SHORT_CHARS = 60;
const short = (text: string) =>
  [...text].length > SHORT_CHARS ? `${[...text].slice(0, SHORT_CHARS).join('')}…` : text;

/** IDs of the changes that are currently undone by later ones. `changes` come newest first. */
export function takenBack(changes: readonly Change[]): Set<string> {
  const found = new Set<string>();
  const later = new Map<string, Change>();
  for (const change of changes) {
    // That an item was made, and what was said of it, is not of this kind.
    if (change.field === '' || change.field.startsWith('comments/')) continue;
    const next = later.get(change.field);
    if (
      next &&
      !found.has(next.changeId) &&
      sameValue(next.before, change.after) &&
      sameValue(next.after, change.before)
    )
      found.add(change.changeId);
    later.set(change.field, change);
  }
  return found;
}

interface Described {
  title: string;
  /** From what to what, where that can be said. */
  words?: { before: string; after: string };
}

const EMPTY = 'empty';

/** A change in words. */
export function describe(
  change: Change,
  columns: readonly Column[],
  groups: readonly Group[],
  members: readonly Member[],
): Described {
  const { field, before, after } = change;
  const turned = (one: unknown, made: string, altered: string, gone: string) =>
    one === null ? made : after === null ? gone : altered;
  const between = (title: string, inWords: (value: CellValue) => string): Described => {
    const say = (value: Change['before']) => inWords(value as CellValue) || EMPTY;
    return { title, words: { before: say(before), after: say(after) } };
  };
  if (field === '') return { title: turned(before, 'Created', 'Changed', 'Deleted') };
  if (field.startsWith('comments/'))
    return { title: turned(before, 'Commented', 'Edited a comment', 'Deleted a comment') };
  if (field === 'kept') {
    if (after !== null) return { title: after === 'archive' ? 'Archived' : 'Moved to Trash' };
    return { title: before === 'archive' ? 'Restored from Archive' : 'Restored from Trash' };
  }
  if (field === 'position') return { title: 'Moved' };
  if (field === 'parentId') {
    const isSubitem = (side: Change['before']) => Boolean((side as { parentId?: string } | null)?.parentId);
    const was = !isSubitem(before) ? 'top-level item' : isSubitem(after) ? 'subitem of another item' : 'subitem';
    return { title: 'Parent', words: { before: was, after: isSubitem(after) ? 'subitem' : 'top-level item' } };
  }
  if (field === 'name') return between('Name', (value) => String(value ?? ''));
  if (field === 'groupId')
    return between('Group', (value) => groups.find((group) => group.id === value)?.name ?? 'a deleted group');
  const column = columns.find((one) => one.id === field);
  if (!column) return { title: 'A deleted column' };
  return between(column.title, (value) => showFull(value, column, members) || (value === null ? '' : 'unknown value'));
}
