/** Input of a comment. @ suggests members, Ctrl+Enter saves, and Escape closes the suggestions, then cancels. */
import { useEffect, useId, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { reasonOf } from '@shell/api';
import { Button } from '@shell/components';
import { COMMENT_CHARS_MAX } from '@shell/gen/limits';
import { calledOf, type Member } from '@shell/members';
import { complete, fromDraft, suggest, toDraft, typing } from './mentions';

interface CommentFieldProps {
  label: string;
  action: string;
  members: readonly Member[];
  /** The stored text to begin with. */
  initial: string;
  /** Takes the text as it is stored; the field stays as it is where this fails. */
  onSave: (text: string) => Promise<unknown>;
  /** The draft as it is stored, at every change. */
  onDraft?: (text: string) => void;
  onCancel?: () => void;
}

export function CommentField({ label, action, members, initial, onSave, onDraft, onCancel }: CommentFieldProps) {
  const [draft, setDraft] = useState(() => toDraft(initial, members));
  const [caret, setCaret] = useState(0);
  const [isClosed, setClosed] = useState(false);
  const [active, setActive] = useState(0);
  const [error, setError] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  /** Where the caret goes once a completed mention is drawn. */
  const jump = useRef<number | null>(null);
  const id = useId();
  // A comment that is being edited was asked for; the field for a new one only stands there.
  const [isAsked] = useState(onCancel !== undefined);
  useEffect(() => {
    if (isAsked) field.current?.focus();
  }, [isAsked]);
  useLayoutEffect(() => {
    if (jump.current === null) return;
    field.current?.setSelectionRange(jump.current, jump.current);
    jump.current = null;
  }, [draft]);

  const at = typing(draft, caret);
  const offered = at && !isClosed ? suggest(at.letters, members) : [];
  const list = useRef<HTMLUListElement>(null);
  // The panel is often no longer than the field: below its edge the names would be taken unseen.
  // Newer browsers answer with a promise, which is nothing that an effect may give back.
  useLayoutEffect(() => void list.current?.scrollIntoView({ block: 'nearest' }), [offered.length]);
  const chosen = offered[Math.min(active, offered.length - 1)];
  const text = fromDraft(draft, members);
  const used = [...text].length;
  const isOver = used > COMMENT_CHARS_MAX;

  const put = (next: string, position: number) => {
    setDraft(next);
    setCaret(position);
    setActive(0);
    setClosed(false);
    setError(null);
    onDraft?.(fromDraft(next, members));
  };
  const pick = (member: Member) => {
    const done = complete(draft, caret, member, members);
    jump.current = done.caret;
    put(done.draft, done.caret);
    setClosed(true);
    field.current?.focus();
  };
  const save = async () => {
    if (text.trim() === '' || isOver || isSaving) return;
    setSaving(true);
    try {
      await onSave(text);
      put('', 0);
    } catch (failure) {
      setError(reasonOf(failure));
    }
    setSaving(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const take = () => event.preventDefault();
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      take();
      void save();
    } else if (chosen && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      take();
      const step = event.key === 'ArrowDown' ? 1 : offered.length - 1;
      setActive((offered.indexOf(chosen) + step) % offered.length);
    } else if (chosen && (event.key === 'Enter' || event.key === 'Tab')) {
      take();
      pick(chosen);
    } else if (event.key === 'Escape' && (chosen || onCancel)) {
      take();
      if (chosen) setClosed(true);
      else onCancel?.();
    }
  };
  return (
    <div className="comment-field">
      <textarea
        ref={field}
        className="comment-input"
        aria-label={label}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={chosen ? `${id}-members` : undefined}
        aria-activedescendant={chosen ? `${id}-${chosen.id}` : undefined}
        aria-describedby={`${id}-notes`}
        aria-invalid={isOver || error !== null || undefined}
        placeholder="Write a comment. @ mentions a member."
        dir="auto"
        rows={3}
        value={draft}
        // What was typed after the press would go with the saved text.
        readOnly={isSaving}
        onChange={(event) => put(event.target.value, event.target.selectionStart)}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onKeyDown={onKeyDown}
        onBlur={() => setClosed(true)}
      />
      {chosen && (
        <ul ref={list} className="mention-list" role="listbox" id={`${id}-members`} aria-label="Members">
          {offered.map((member) => (
            // The text keeps the focus: the list is worked from there, and by pointer.
            // eslint-disable-next-line jsx-a11y/click-events-have-key-events -- The field that keeps the focus handles the keys.
            <li
              key={member.id}
              id={`${id}-${member.id}`}
              role="option"
              aria-selected={member === chosen}
              className="mention-option"
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => pick(member)}
            >
              {calledOf(member.id, members)}
            </li>
          ))}
        </ul>
      )}
      <span className="sr-only" role="status">
        {chosen ? `${offered.length} ${offered.length === 1 ? 'member' : 'members'} to mention` : ''}
      </span>
      {error && (
        <p role="alert" className="comment-refused">
          {error}
        </p>
      )}
      <div className="comment-foot">
        <span className="comment-notes" id={`${id}-notes`} data-over={isOver || undefined}>
          {used > COMMENT_CHARS_MAX * 0.9
            ? `${used.toLocaleString()} of ${COMMENT_CHARS_MAX.toLocaleString()} characters`
            : 'Ctrl+Enter to save'}
        </span>
        {onCancel && <Button onPress={onCancel}>Cancel</Button>}
        <Button
          variant="primary"
          isDisabled={text.trim() === '' || isOver}
          isPending={isSaving}
          onPress={() => void save()}
        >
          {action}
        </Button>
      </div>
    </div>
  );
}
