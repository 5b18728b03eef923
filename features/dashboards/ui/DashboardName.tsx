import { useLayoutEffect, useRef } from 'react';
import { takeFocus, useFocusKept } from '@shell/focus';

/** Characters of a name; the program takes no more. */
const NAME_MAX = 255;

/** A name that is being typed. Until something is, the field follows the name. */
export interface Naming {
  typed?: { text: string; /** The name from before it. */ before: string };
}

interface Props {
  name: string;
  /** Null where it is a heading. */
  naming: Naming | null;
  onNaming: (naming: Naming | null) => void;
  onRename: (name: string) => void;
  /** It takes the place of the page where it was typed: the focus that is lost with that goes to it. */
  isSuccessor?: boolean;
}

/** The name as the page's heading; pressing it makes it a field. What is typed counts at once; Enter ends it, Escape puts back what was. */
export function DashboardName({ name, naming, onNaming, onRename, isSuccessor = false }: Props) {
  const heading = useFocusKept<HTMLHeadingElement>('button', () => null);
  const wasSuccessor = useRef(isSuccessor);
  useLayoutEffect(() => {
    if (wasSuccessor.current && document.activeElement === document.body)
      heading.current?.querySelector('button')?.focus();
  }, [heading]);
  return (
    <h1 className="dash-name" ref={heading}>
      {naming ? (
        <Field name={name} naming={naming} onNaming={onNaming} onRename={onRename} />
      ) : (
        <button type="button" className="dash-name-button" onClick={() => onNaming({})} title="Rename">
          {name}
        </button>
      )}
    </h1>
  );
}

function Field({ name, naming: { typed }, onNaming, onRename }: Props & { naming: Naming }) {
  const input = useRef<HTMLInputElement>(null);
  const isBegun = useRef(!!typed);
  // Before any further key: what was begun elsewhere goes on at its end.
  useLayoutEffect(() => {
    const { current } = input;
    if (!current) return;
    if (!isBegun.current) current.select();
    return takeFocus(current);
  }, []);
  return (
    <input
      ref={input}
      className="dash-name-input"
      aria-label="Dashboard name"
      value={typed?.text ?? name}
      maxLength={NAME_MAX}
      onChange={(event) => {
        const before = typed?.before ?? name;
        onNaming({ typed: { text: event.target.value, before } });
        // Without a name it keeps the one that it had.
        onRename(event.target.value.trim() || before);
      }}
      onBlur={() => onNaming(null)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== 'Escape') return;
        // The key ends here: the button that has the focus next would take it for a press.
        event.preventDefault();
        if (event.key === 'Escape') {
          event.stopPropagation();
          if (typed) onRename(typed.before);
        }
        onNaming(null);
      }}
    />
  );
}
