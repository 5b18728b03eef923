/** Where a person writes to a session. */
import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Button } from '@shell/components';
import { setPreference, usePreference } from '@shell/preferences';
import { isInTurn } from './states';

/** Pixels that the field grows to. */
const HEIGHT_MAX_PX = 240;

interface Props {
  id: string;
  state: string;
  /** Prompts that were sent before, newest first. */
  history: readonly string[];
  onSend: (prompt: string) => Promise<unknown>;
  /** Buttons beside the one that sends. */
  children?: ReactNode;
}

export function Composer({ id, state, history, onSend, children }: Props) {
  const [draft] = usePreference(`draft.${id}`);
  const text = draft ?? '';
  const setText = (next: string) => setPreference(`draft.${id}`, next === '' ? null : next);
  const [isSending, setSending] = useState(false);
  /** Which prompt of before is shown; -1 for what is being written. */
  const [shown, setShown] = useState(-1);
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const box = field.current;
    if (!box) return;
    box.style.height = 'auto';
    box.style.height = `${Math.min(HEIGHT_MAX_PX, box.scrollHeight)}px`;
  }, [text]);
  useEffect(() => setShown(-1), [id]);
  const send = async () => {
    const prompt = text.trim();
    if (prompt === '' || isSending) return;
    setSending(true);
    const sent = await onSend(prompt);
    setSending(false);
    if (!sent) return;
    setText('');
    setShown(-1);
  };
  const leaf = (by: number) => {
    const next = Math.max(-1, Math.min(history.length - 1, shown + by));
    if (next === shown) return;
    setShown(next);
    setText(next < 0 ? '' : history[next]!);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      return void send();
    }
    const isLeafing = text === '' || (shown >= 0 && text === history[shown]);
    if (isLeafing && event.key === 'ArrowUp' && history.length > 0) {
      event.preventDefault();
      leaf(1);
    } else if (isLeafing && event.key === 'ArrowDown' && shown >= 0) {
      event.preventDefault();
      leaf(-1);
    } else if (event.key === 'Escape') {
      field.current?.blur();
    }
  };
  const waits = isInTurn(state);
  return (
    <div className="composer">
      <textarea
        ref={field}
        id="composer"
        aria-label="Prompt"
        rows={1}
        placeholder={waits ? 'Write what is to come next; it waits until the turn is over' : 'Write to the session'}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setShown(-1);
        }}
        onKeyDown={onKeyDown}
      />
      <div className="composer-foot">
        {children}
        <span className="composer-keys">Enter sends, Shift Enter starts a line</span>
        <Button variant="primary" isPending={isSending} onPress={() => void send()}>
          {waits ? 'Queue' : 'Send'}
        </Button>
      </div>
    </div>
  );
}
