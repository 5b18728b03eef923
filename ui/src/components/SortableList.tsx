/** A list that is put in order by dragging and with Alt and an arrow key, with folders if its entries are in some. */
import { useLayoutEffect, useRef, useState, type DragEvent, type KeyboardEvent, type ReactNode } from 'react';
import { Icon } from './Icon';

/** An entry, after the folder that it's in. */
export interface SortableEntry {
  id: string;
  name: string;
  /** The folder that it's in; null or missing at the top. */
  folderId?: string | null;
  isFolder?: boolean;
}

/** Where an entry goes: before another one, or to the end of a folder (null for the top). */
export type Move = { before: string } | { folderId: string | null };

const folderOf = (entry: SortableEntry) => entry.folderId ?? null;

/** The entry and everything in it. */
export function within(entries: readonly SortableEntry[], id: string): Set<string> {
  const ids = new Set([id]);
  for (const entry of entries) if (entry.folderId && ids.has(entry.folderId)) ids.add(entry.id);
  return ids;
}

/** Before the entry that follows this one in its folder, or to the end of the folder. */
function after(entries: readonly SortableEntry[], entry: SortableEntry): Move {
  const siblings = entries.filter((other) => folderOf(other) === folderOf(entry));
  const next = siblings[siblings.findIndex(({ id }) => id === entry.id) + 1];
  return next ? { before: next.id } : { folderId: folderOf(entry) };
}

/** The move of a key: up and down, out of a folder (left), and into the folder above (right). None if there is none. */
export function keyMove(entries: readonly SortableEntry[], id: string, key: string): Move | undefined {
  const entry = entries.find((one) => one.id === id);
  if (!entry) return undefined;
  const siblings = entries.filter((other) => folderOf(other) === folderOf(entry));
  const at = siblings.findIndex((one) => one.id === id);
  const [previous, next] = [siblings[at - 1], siblings[at + 1]];
  const folder = entries.find((one) => one.id === folderOf(entry));
  if (key === 'ArrowUp') return previous ? { before: previous.id } : folder && { before: folder.id };
  if (key === 'ArrowDown') return next ? after(entries, next) : folder && after(entries, folder);
  if (key === 'ArrowLeft') return folder && after(entries, folder);
  if (key === 'ArrowRight') return previous?.isFolder ? { folderId: previous.id } : undefined;
  return undefined;
}

/** What dropping at this height of an entry does. The middle of a folder is its inside. */
export function dropMove(entries: readonly SortableEntry[], over: SortableEntry, share: number): Move {
  if (over.isFolder && share > 0.25 && share <= 1) return { folderId: over.id };
  return share <= 0.5 ? { before: over.id } : after(entries, over);
}

interface Props<E extends SortableEntry> {
  label: string;
  entries: readonly E[];
  onMove: (entry: E, move: Move) => void;
  /** The content of a row. */
  children: (entry: E) => ReactNode;
}

/** Rows with a grip. Alt with an arrow key moves the row that has the focus. */
export function SortableList<E extends SortableEntry>({ label, entries, onMove, children }: Props<E>) {
  const list = useRef<HTMLUListElement>(null);
  const [dragged, setDragged] = useState<string | null>(null);
  const [target, setTarget] = useState<{ id: string; where: 'before' | 'into' | 'after' } | null>(null);
  const [said, setSaid] = useState('');
  const depths = new Map<string, number>();
  for (const { id, folderId } of entries) depths.set(id, folderId ? (depths.get(folderId) ?? 0) + 1 : 0);

  // A row that moves within the page loses the focus.
  const held = useRef<Element | null>(null);
  useLayoutEffect(() => {
    const { current } = held;
    if (current instanceof HTMLElement && current.isConnected && document.activeElement !== current) current.focus();
    held.current = null;
  }, [entries]);

  const onKey = (event: KeyboardEvent, entry: E) => {
    if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !event.key.startsWith('Arrow')) return;
    event.preventDefault();
    event.stopPropagation();
    const move = keyMove(entries, entry.id, event.key);
    if (!move) return setSaid(`${entry.name} can't move further.`);
    held.current = document.activeElement;
    const goal = entries.find(({ id }) => id === ('before' in move ? move.before : move.folderId));
    setSaid(
      `Moved ${entry.name} ${!goal ? 'to the end' : 'before' in move ? `before ${goal.name}` : `into ${goal.name}`}.`,
    );
    onMove(entry, move);
  };
  const moveAt = (event: DragEvent, over: E): Move | undefined => {
    if (dragged === null || within(entries, dragged).has(over.id)) return undefined;
    const { top, height } = event.currentTarget.getBoundingClientRect();
    return dropMove(entries, over, height > 0 ? (event.clientY - top) / height : 0);
  };
  const end = () => {
    setDragged(null);
    setTarget(null);
  };
  return (
    <>
      <ul ref={list} className="sortable" aria-label={label}>
        {entries.map((entry) => (
          // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Keys of the elements inside bubble up here.
          <li
            key={entry.id}
            className="sortable-row"
            style={{ '--depth': depths.get(entry.id) } as React.CSSProperties}
            draggable
            data-dragged={entry.id === dragged || undefined}
            data-drop={target?.id === entry.id ? target.where : undefined}
            onKeyDown={(event) => onKey(event, entry)}
            onDragStart={(event) => {
              event.dataTransfer.effectAllowed = 'move';
              event.dataTransfer.setData('text/plain', entry.name);
              setDragged(entry.id);
            }}
            onDragOver={(event) => {
              const move = moveAt(event, entry);
              if (!move) return setTarget(null);
              event.preventDefault();
              const isInto = 'folderId' in move && move.folderId === entry.id;
              const isBefore = 'before' in move && move.before === entry.id;
              setTarget({ id: entry.id, where: isInto ? 'into' : isBefore ? 'before' : 'after' });
            }}
            onDrop={(event) => {
              const move = moveAt(event, entry);
              const moved = entries.find(({ id }) => id === dragged);
              event.preventDefault();
              end();
              const isSame = move && 'before' in move && move.before === moved?.id;
              if (moved && move && !isSame) onMove(moved, move);
            }}
            onDragEnd={end}
          >
            <span className="sortable-grip" aria-hidden="true">
              <Icon name="grip" />
            </span>
            {children(entry)}
          </li>
        ))}
      </ul>
      <span className="sr-only" role="status">
        {said}
      </span>
    </>
  );
}
