/** Chooses the items that a cell links to: type to find, arrows and Enter or a click to choose. The draft is a list of ids. */
import { useQuery } from '@tanstack/react-query';
import { useId, useState, type KeyboardEvent, type Ref } from 'react';
import { api, reasonOf } from '@shell/api';
import type { Column } from './data';
import { linkedItems } from './links';

/** Items of the linked board that are offered; more are found by their names among so many. */
const PAGE = 1000;
const PAGES_MAX = 10;
const SHOWN_MAX = 50;

interface Candidate {
  id: string;
  name: string;
  groupId: string;
}

async function readCandidates(board: string, signal: AbortSignal): Promise<Candidate[]> {
  const found: Candidate[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const answer = await api.get<{ items: Candidate[]; nextCursor?: string | null }>(`/boards/${board}/items`, { signal, query: { limit: PAGE, cursor } });
    found.push(...answer.items.map(({ id, name, groupId }) => ({ id, name, groupId })));
    cursor = answer.nextCursor ?? undefined;
    if (!cursor) break;
  }
  return found;
}

interface LinkFieldsProps {
  first: Ref<HTMLInputElement>;
  column: Column;
  label: string;
  draft: readonly string[];
  onDraft: (ids: string[]) => void;
  onKeyDown: (event: KeyboardEvent) => void;
  /** The focus went elsewhere. */
  onLeave: () => void;
}

export function LinkFields({ first, column, label, draft, onDraft, onKeyDown, onLeave }: LinkFieldsProps) {
  const { boardId = '', groupId } = column.settings;
  const isMany = column.settings.many ?? column.type === 'itemLink';
  const { data, error, isPending } = useQuery({ queryKey: ['linkable', boardId], staleTime: 0, queryFn: ({ signal }) => readCandidates(boardId, signal) });
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const list = useId();
  const wanted = typed.trim().toLocaleLowerCase();
  const fitting = (data ?? []).filter((item) => (!groupId || item.groupId === groupId || draft.includes(item.id)) && item.name.toLocaleLowerCase().includes(wanted));
  // What is chosen stands first, so that it can be taken out without looking for it.
  const shown = [...fitting].sort((a, b) => Number(draft.includes(b.id)) - Number(draft.includes(a.id))).slice(0, SHOWN_MAX);
  const active = Math.min(at, shown.length - 1);
  const names = draft.flatMap((id) => data?.find((item) => item.id === id)?.name ?? linkedItems(column).get(id)?.name ?? []);
  const toggle = (item: Candidate) => {
    const has = draft.includes(item.id);
    // What was deleted meanwhile goes with the first choice; the program would refuse it.
    const others = draft.filter((id) => id !== item.id && (linkedItems(column).has(id) || data?.some((one) => one.id === id)));
    onDraft([...(isMany ? others : []), ...(has ? [] : [item.id])]);
  };
  const keys = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const item = shown[active];
    if (step) {
      event.preventDefault();
      event.stopPropagation();
      if (shown.length > 0) setAt((active + step + shown.length) % shown.length);
    } else if (event.key === 'Enter' && (wanted !== '' || at > 0 || event.ctrlKey) && item && !event.shiftKey) {
      event.preventDefault();
      event.stopPropagation();
      toggle(item);
      setTyped('');
      setAt(0);
    } else {
      onKeyDown(event);
    }
  };
  return (
    <span className="cell-links" onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && onLeave()}>
      <input
        ref={first}
        type="text"
        role="combobox"
        className="cell-editor"
        aria-label={label}
        aria-expanded
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={shown[active] ? `${list}-${active}` : undefined}
        autoComplete="off"
        placeholder={names.join(', ') || 'Find an item'}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={keys}
      />
      <div className="cell-links-list">
        <ul id={list} role="listbox" aria-label={label} aria-multiselectable={isMany || undefined}>
          {shown.map((item, i) => (
            <li
              key={item.id}
              id={`${list}-${i}`}
              role="option"
              aria-selected={draft.includes(item.id)}
              data-active={i === active || undefined}
              // The field keeps the focus, and with it the cell its editor.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => toggle(item)}
            >
              {item.name}
            </li>
          ))}
        </ul>
        <span role="status" className="cell-links-note">
          {error ? reasonOf(error) : isPending ? 'Reading the items' : fitting.length === 0 ? 'No item is called so' : fitting.length > shown.length ? `${shown.length} of ${fitting.length.toLocaleString()} items: type to find others` : ''}
        </span>
      </div>
    </span>
  );
}
