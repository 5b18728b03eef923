/** Chooses the items that a cell links to; the program finds them by their names. The draft is a list of ids. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState, type KeyboardEvent, type Ref } from 'react';
import { reasonOf } from '@shell/api';
import { client, type Schemas } from '@shell/client';
import type { Column } from './data';
import { linkedItems } from './links';
import { PickFields, type Choice } from './PickFields';

/** Items that are offered at once; the others are found by typing. */
const SHOWN_MAX = 50;

interface Found {
  items: Choice[];
  total: number;
}

/** The items of a board, or of one of its groups, that have the text in their names. */
async function find(board: string, groupId: string | undefined, wanted: string, signal: AbortSignal): Promise<Found> {
  const all: Schemas['QueryEntry'][] =
    wanted === '' ? [] : [{ col: { by: 'builtin', name: 'name' }, op: 'contains', value: wanted }];
  if (groupId) {
    const { groups } = await client.get('/boards/{boardId}', { path: { boardId: board }, signal });
    const group = groups.find((one) => one.id === groupId);
    if (!group) return { items: [], total: 0 };
    all.push({ col: { by: 'builtin', name: 'group' }, op: 'anyOf', value: [group.name] });
  }
  const answer = await client.post('/boards/{boardId}/query', {
    path: { boardId: board },
    body: { filters: { v: 1, all }, columns: [], limit: SHOWN_MAX },
    signal,
    isReading: true,
  });
  // Another group may have the same name.
  return {
    items: answer.items.filter((item) => !groupId || item.groupId === groupId).map(({ id, name }) => ({ id, name })),
    total: answer.total,
  };
}

interface LinkFieldsProps {
  first: Ref<HTMLInputElement>;
  column: Column;
  label: string;
  /** The letter that began editing. */
  typed: string | null;
  draft: readonly string[];
  onDraft: (ids: string[]) => void;
  onKeyDown: (event: KeyboardEvent, chosen?: readonly string[]) => void;
  /** The focus went elsewhere. */
  onLeave: () => void;
}

export function LinkFields({ column, typed: begun, draft, onDraft, ...field }: LinkFieldsProps) {
  const { boardId = '', groupId } = column.settings;
  const isMany = column.settings.many ?? column.type === 'itemLink';
  const [typed, setTyped] = useState(begun ?? '');
  /** Names of what was chosen here, which the board does not tell yet. */
  const [picked, setPicked] = useState<ReadonlyMap<string, string>>(new Map());
  const wanted = typed.trim();
  const { data, error, isPending, isPlaceholderData } = useQuery({
    queryKey: ['linkable', boardId, groupId, wanted],
    staleTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => find(boardId, groupId, wanted, signal),
  });
  const has = (name: string) => name.toLocaleLowerCase().includes(wanted.toLocaleLowerCase());
  // What is chosen stands first, so that it can be taken out without looking for it.
  const chosen = draft.flatMap((id): Choice[] => {
    const name = picked.get(id) ?? linkedItems(column).get(id)?.name;
    return name === undefined ? [] : [{ id, name }];
  });
  const found = (data?.items ?? []).filter(
    ({ id, name }) => !chosen.some((one) => one.id === id) && (!isPlaceholderData || has(name)),
  );
  const choices = [...chosen.filter(({ name }) => has(name)), ...found];
  const isUnknown = data !== undefined && !isPlaceholderData && choices.length === 0;
  const note = () => {
    if (error) return reasonOf(error);
    if (isPending || (isPlaceholderData && choices.length === 0)) return 'Loading items';
    if (isUnknown) return 'No matching items';
    return data.total > data.items.length
      ? `${data.items.length} of ${data.total.toLocaleString()} items: type to search`
      : '';
  };
  return (
    <PickFields
      {...field}
      choices={choices}
      isChosen={({ id }) => draft.includes(id)}
      isMany={isMany}
      typed={typed}
      onTyped={setTyped}
      placeholder={chosen.map(({ name }) => name).join(', ') || 'Find an item'}
      note={note()}
      isUnknown={isUnknown && wanted !== ''}
      onToggle={(item) => {
        // What was deleted meanwhile is shown nowhere and stays, since it may come back.
        const others = draft.filter((id) => id !== item.id);
        const next = [...(isMany ? others : []), ...(draft.includes(item.id) ? [] : [item.id])];
        setPicked(new Map(picked).set(item.id, item.name));
        onDraft(next);
        return next;
      }}
    />
  );
}
