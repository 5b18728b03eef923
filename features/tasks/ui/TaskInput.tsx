/** The text of a task while it's typed: with capitals, and for a new task with the day and priority that it mentions. */
import { useLayoutEffect, useRef, useState, type ClipboardEvent, type KeyboardEvent } from 'react';
import { Badge } from '@shell/components';
import { useSetting } from '@shell/settings';
import { capitalize, differing } from './capitalize';
import { useUnderstood } from './data';
import { dayWords, priorityLabel } from './words';

export const TEXT_MAX = 2_000;

interface Props {
  label: string;
  initial?: string;
  placeholder?: string;
  /** A new task: days and priorities in it are understood. Of another one, those that its text didn't have. */
  isNew: boolean;
  now: string;
  /** Takes the text; `plain` keeps its words. */
  onCommit: (text: string, plain: boolean, how: 'enter' | 'blur') => void;
  /** Several lines were pasted. */
  onLines?: (lines: string[]) => void;
  onCancel: () => void;
  /** Called with the key, before anything else, with the text so far. True if it was handled. */
  onKey?: (event: KeyboardEvent<HTMLInputElement>, text: string, plain: boolean) => boolean;
  /** Whether leaving it takes the text. */
  commitsOnBlur?: boolean;
  autoFocus?: boolean;
}

export function TaskInput(props: Props) {
  const {
    label,
    initial = '',
    placeholder,
    isNew,
    now,
    onCommit,
    onLines,
    onCancel,
    onKey,
    commitsOnBlur,
    autoFocus,
  } = props;
  const hasCapitals = useSetting('autoCapitalizeTasks') ?? true;
  const [text, setText] = useState(initial);
  /** The text whose words stay words. */
  const [plainOf, setPlainOf] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const caret = useRef<number | null>(null);
  /** Capitals that were set last, and positions at which they were undone. */
  const capitals = useRef<{ before: string; after: string } | null>(null);
  const kept = useRef<Set<number>>(new Set());
  const isOver = useRef(false);
  const understood = useUnderstood(isNew || text.trim() !== initial ? text : '', isNew ? '' : initial);
  const isPlain = plainOf !== null && text.startsWith(plainOf);
  const chips =
    !isPlain && understood && understood.text !== text.trim()
      ? { due: understood.due, priority: understood.priority }
      : null;
  const hasChips = chips !== null && (chips.due != null || chips.priority != null);

  useLayoutEffect(() => {
    if (autoFocus) {
      input.current?.focus();
      input.current?.setSelectionRange(initial.length, initial.length);
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- Once, when it appears.
  }, []);
  useLayoutEffect(() => {
    if (caret.current !== null) input.current?.setSelectionRange(caret.current, caret.current);
    caret.current = null;
  }, [text]);

  const type = (typed: string, at: number, isComposing: boolean) => {
    capitals.current = null;
    if (typed === '') kept.current.clear();
    if (!hasCapitals || isComposing) return setText(typed);
    const changed = capitalize(typed, at, kept.current);
    if (changed !== typed) {
      capitals.current = { before: typed, after: changed };
      caret.current = at;
    }
    setText(changed);
  };
  const commit = (how: 'enter' | 'blur') => {
    if (isOver.current) return;
    isOver.current = true;
    const last = hasCapitals ? capitalize(text, text.length + 1, kept.current) : text;
    onCommit(last.trim(), isPlain, how);
    isOver.current = false;
    if (isNew) {
      setText('');
      setPlainOf(null);
      kept.current.clear();
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    const done = () => {
      event.preventDefault();
      event.stopPropagation();
    };
    const set = capitals.current;
    if ((event.ctrlKey || event.metaKey) && event.key === 'z' && !event.shiftKey && set?.after === text) {
      // One undo restores what was typed.
      done();
      for (const at of differing(set.before, set.after)) kept.current.add(at);
      caret.current = event.currentTarget.selectionStart;
      capitals.current = null;
      setText(set.before);
      return;
    }
    if (onKey?.(event, text, isPlain)) return done();
    if (event.key === 'Enter') {
      done();
      commit('enter');
    } else if (event.key === 'Escape') {
      done();
      if (hasChips) setPlainOf(text.trimEnd());
      else {
        isOver.current = true;
        setText(initial);
        onCancel();
        isOver.current = false;
      }
    }
  };
  const onPaste = (event: ClipboardEvent<HTMLInputElement>) => {
    const lines = event.clipboardData
      .getData('text/plain')
      .split(/\r?\n/)
      .map((line) => line.trim());
    const filled = lines.filter((line) => line !== '');
    if (filled.length < 2 || !onLines) return;
    event.preventDefault();
    onLines(filled);
  };
  return (
    <span className="tasks-input">
      <input
        ref={input}
        aria-label={label}
        placeholder={placeholder}
        value={text}
        maxLength={TEXT_MAX}
        autoComplete="off"
        onChange={(event) =>
          type(
            event.target.value,
            event.target.selectionStart ?? event.target.value.length,
            (event.nativeEvent as InputEvent).isComposing,
          )
        }
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        onBlur={() => {
          if (!commitsOnBlur || isOver.current) return;
          if (text.trim() === '') onCancel();
          else commit('blur');
        }}
      />
      <span className="tasks-chips" role="status">
        {hasChips && (
          <>
            {chips.due != null && (
              <Badge tone="accent" icon="clock">
                {dayWords(chips.due, now)}
              </Badge>
            )}
            {chips.priority != null && (
              <Badge tone="warn" icon="star">
                {priorityLabel(chips.priority)}
              </Badge>
            )}
            <span className="tasks-hint">Esc keeps the words</span>
          </>
        )}
      </span>
    </span>
  );
}
