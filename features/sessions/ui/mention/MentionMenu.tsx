/** The suggestions below or above a field that keeps the focus. */
import type { ReactNode } from 'react';
import './mention.css';

export interface Suggestion {
  key: string;
  content: ReactNode;
  pick: () => void;
}

interface Props {
  id: string;
  label: string;
  suggestions: readonly Suggestion[];
  /** Index of the marked suggestion. */
  at: number;
}

export function MentionMenu({ id, label, suggestions, at }: Props) {
  return (
    <ul className="composer-menu" role="listbox" aria-label={label} id={id}>
      {suggestions.map(({ key, content, pick }, index) => (
        // eslint-disable-next-line jsx-a11y/click-events-have-key-events -- The field that keeps the focus handles the keys.
        <li
          key={key}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === at}
          onMouseDown={(event) => event.preventDefault()}
          onClick={pick}
        >
          {content}
        </li>
      ))}
    </ul>
  );
}
