/** The field of the search in a transcript, with the number of matches. */
import { useEffect, useRef, type KeyboardEvent } from 'react';
import { IconButton, ScreenReaderOnly, TextField } from '@shell/components';
import { useShortcuts } from '@shell/shortcuts';
import type { Find } from './useFind';
import './find.css';

/** How many matches there are, and which one is shown. */
function countOf({ pattern, position, total, isLoading, isPartial }: Find): string {
  if (!pattern) return '';
  const all = `${total.toLocaleString()}${isPartial ? '+' : ''}`;
  if (total > 0) return `${position.toLocaleString()} of ${all}`;
  return isLoading ? 'Searching' : 'No matches';
}

export function FindBar({ find, onClose }: { find: Find; onClose: () => void }) {
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const { query, setQuery, step, total } = find;
  const count = countOf(find);
  useEffect(() => field.current?.focus(), []);
  useShortcuts('Find', [
    { keys: 'F3', label: 'Next match (Shift+F3: previous)', run: (event) => step(event.shiftKey ? -1 : 1) },
    { keys: 'Escape', label: 'Close the search', run: onClose },
  ]);
  // The keys above don't count where text is typed.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const isField = event.target === field.current;
    if (event.key === 'Escape') onClose();
    else if (event.key === 'F3' || (isField && event.key === 'Enter')) step(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Keys of the elements inside bubble up here.
    <div role="search" aria-label="Find in transcript" className="find-bar" onKeyDown={onKeyDown}>
      <TextField
        aria-label="Find in transcript"
        placeholder="Find"
        inputRef={field}
        value={query}
        onChange={setQuery}
        suffix={count}
      />
      <ScreenReaderOnly>
        <span role="status">{count}</span>
      </ScreenReaderOnly>
      <IconButton
        icon="chevronUp"
        label="Previous match"
        keys="Shift Enter"
        isDisabled={total === 0}
        onPress={() => step(-1)}
      />
      <IconButton icon="chevronDown" label="Next match" keys="Enter" isDisabled={total === 0} onPress={() => step(1)} />
      <IconButton icon="close" label="Close search" keys="Esc" onPress={onClose} />
    </div>
  );
}
