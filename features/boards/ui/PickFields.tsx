/** Chooses among things by their names in a cell: type to find, arrows and Enter or a click to choose. */
import { useId, useLayoutEffect, useRef, useState, type KeyboardEvent, type Ref } from 'react';

export interface Choice {
  id: string;
  name: string;
}

interface PickFieldsProps {
  first: Ref<HTMLInputElement>;
  label: string;
  /** What is offered, in its order. */
  choices: readonly Choice[];
  isChosen: (choice: Choice) => boolean;
  isMany: boolean;
  typed: string;
  onTyped: (text: string) => void;
  placeholder: string;
  /** What is said under the list. */
  note: string;
  /** Whether nothing is called what was typed. */
  isUnknown: boolean;
  /** Takes a choice, or takes it back; gives what is chosen then. */
  onToggle: (choice: Choice) => readonly string[];
  /** A key that is not for the list, with what is chosen where that has just changed. */
  onKeyDown: (event: KeyboardEvent, chosen?: readonly string[]) => void;
  /** The focus went elsewhere. */
  onLeave: () => void;
}

/** Fewer choices than this are not worth being scrolled. */
const LIST_PX_MIN = 96;

/** Puts the list of a cell's choices above the cell where there is more room than below, between the titles and the totals. */
function putInView(list: HTMLElement, scroller: HTMLElement) {
  const [view, cell] = [scroller.getBoundingClientRect(), list.parentElement!.getBoundingClientRect()];
  const height = (name: string) => scroller.querySelector(name)?.getBoundingClientRect().height ?? 0;
  const above = cell.top - view.top - height('.grid-head');
  const below = view.top + scroller.clientHeight - height('.grid-foot') - cell.bottom;
  const most = parseFloat(getComputedStyle(list).maxHeight);
  if (below < most && above > below) list.dataset.above = 'true';
  list.style.maxHeight = `${Math.min(most, Math.max(above, below, LIST_PX_MIN))}px`;
}

export function PickFields({
  first,
  label,
  choices,
  isChosen,
  isMany,
  typed,
  onTyped,
  placeholder,
  note,
  isUnknown,
  onToggle,
  onKeyDown,
  onLeave,
}: PickFieldsProps) {
  const [at, setAt] = useState(0);
  const list = useId();
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const scroller = box.current?.closest<HTMLElement>('.grid-scroll');
    if (scroller) putInView(box.current!, scroller);
  }, []);
  const wanted = typed.trim();
  const active = Math.min(at, choices.length - 1);
  const put = (text: string) => {
    onTyped(text);
    setAt(0);
  };
  const keys = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const choice = choices[active];
    const isTaking =
      (event.key === 'Enter' && !event.shiftKey && (wanted !== '' || at > 0 || event.ctrlKey)) ||
      (event.key === 'Tab' && wanted !== '');
    if (step) {
      event.preventDefault();
      event.stopPropagation();
      if (choices.length > 0) setAt((active + step + choices.length) % choices.length);
    } else if (isTaking && event.key === 'Tab' && choice) {
      onKeyDown(event, isChosen(choice) ? undefined : onToggle(choice));
    } else if (isTaking) {
      // What was typed names nothing: it stays, with what is said about it.
      event.preventDefault();
      event.stopPropagation();
      if (!choice) return;
      onToggle(choice);
      put('');
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
        aria-activedescendant={choices[active] ? `${list}-${active}` : undefined}
        aria-invalid={isUnknown || undefined}
        autoComplete="off"
        placeholder={placeholder}
        value={typed}
        onChange={(event) => put(event.target.value)}
        onKeyDown={keys}
      />
      <div ref={box} className="cell-links-list">
        <ul id={list} role="listbox" aria-label={label} aria-multiselectable={isMany || undefined}>
          {choices.map((choice, i) => (
            // eslint-disable-next-line jsx-a11y/click-events-have-key-events -- The field that keeps the focus handles the keys.
            <li
              key={choice.id}
              id={`${list}-${i}`}
              role="option"
              aria-selected={isChosen(choice)}
              data-active={i === active || undefined}
              // The field keeps the focus, and with it the cell its editor.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => onToggle(choice)}
            >
              {choice.name}
            </li>
          ))}
        </ul>
        <span role="status" className="cell-links-note">
          {note}
        </span>
      </div>
    </span>
  );
}
