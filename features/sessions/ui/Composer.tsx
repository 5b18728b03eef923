/** The field for messages to a session: text, images, skills, files, and the choice of model, mode, and effort. */
import { useEffect, useLayoutEffect, useRef, useState, type ClipboardEvent, type KeyboardEvent } from 'react';
import { Button, Icon, IconButton, Select, Switch } from '@shell/components';
import { setPreference, usePreference } from '@shell/preferences';
import type { Detail, Prompt } from './data';
import { useCaret } from './mention/useCaret';
import { useSuggestions } from './mention/useSuggestions';
import { picturesIn, readPictures, reportNoPictures, withPictures, type PromptPicture } from './pictures';
import { Picture } from './shown/Picture';
import { isInTurn } from './states';

/** Maximum height of the field in pixels. */
const HEIGHT_MAX_PX = 240;
/** Maximum time between two presses of Escape. */
const TWICE_MS = 1_500;

/** What is chosen by the engine's options, by their categories. */
const CHOOSES: Readonly<Record<string, (value: string) => { model: string } | { mode: string } | { effort: string }>> =
  {
    model: (model) => ({ model }),
    mode: (mode) => ({ mode }),
    thought_level: (effort) => ({ effort }),
  };

interface Props {
  session: Pick<
    Detail,
    'id' | 'engine' | 'projectId' | 'cwd' | 'state' | 'choices' | 'commands' | 'canSteer' | 'acceptsImages'
  >;
  /** Sent messages, newest first. */
  history: readonly string[];
  /** Whether a question is open, which a message doesn't answer. */
  hasQuestion: boolean;
  /** Resolves to null if sending failed. */
  onSend: (prompt: Prompt) => Promise<unknown>;
  onCancel: () => void;
  onChoose: (choice: { model: string } | { mode: string } | { effort: string }) => void;
}

export function Composer({ session, history, hasQuestion, onSend, onCancel, onChoose }: Props) {
  const { id, state, choices, canSteer, acceptsImages } = session;
  const [draft] = usePreference(`draft.${id}`);
  const text = draft ?? '';
  const setText = (next: string) => setPreference(`draft.${id}`, next === '' ? null : next);
  const [pictures, setPictures] = useState<readonly PromptPicture[]>([]);
  const [isSending, setSending] = useState(false);
  const [isSteering, setSteering] = useState(false);
  /** Index of the sent message that is shown; -1 for the draft. */
  const [leaf, setLeaf] = useState(-1);
  const escaped = useRef(0);
  const field = useRef<HTMLTextAreaElement>(null);
  const putCaret = useCaret(field);
  useLayoutEffect(() => {
    const box = field.current;
    if (!box) return;
    box.style.height = 'auto';
    box.style.height = `${Math.min(HEIGHT_MAX_PX, box.scrollHeight)}px`;
  }, [text]);
  useEffect(() => setLeaf(-1), [id]);
  const inTurn = isInTurn(state);
  // Images can't be sent to the current turn: a message with images is queued.
  const steers = inTurn && canSteer && isSteering && pictures.length === 0;
  const [caret, setCaret] = useState(text.length);
  const write = (next: string, at = next.length) => {
    setText(next);
    setCaret(at);
    setLeaf(-1);
  };
  const suggested = useSuggestions({
    id: `suggestions-${id}`,
    text,
    caret,
    cwd: session.cwd,
    skills: { engine: session.engine, hubId: session.projectId, announced: session.commands },
    onPick: (next, at) => {
      write(next, at);
      putCaret(at);
    },
  });
  const send = async () => {
    const prompt = text.trim();
    if ((prompt === '' && pictures.length === 0) || isSending) return;
    setSending(true);
    const sent = await onSend({ prompt: prompt || 'See the image.', images: [...pictures], steer: steers });
    setSending(false);
    if (!sent) return;
    write('');
    setPictures([]);
  };
  const turn = (by: number) => {
    const next = Math.max(-1, Math.min(history.length - 1, leaf + by));
    if (next === leaf) return;
    setText(next < 0 ? '' : history[next]!);
    setLeaf(next);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    const isLeafing = text === '' || (leaf >= 0 && text === history[leaf]);
    if (suggested.onKey(event)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (event.key === 'Enter' && !event.shiftKey) void send();
    else if (isLeafing && event.key === 'ArrowUp' && history.length > 0) turn(1);
    else if (isLeafing && event.key === 'ArrowDown' && leaf >= 0) turn(-1);
    else if (event.key === 'Escape' && inTurn && event.timeStamp - escaped.current < TWICE_MS) onCancel();
    else {
      if (event.key === 'Escape') escaped.current = event.timeStamp;
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const onPaste = async (event: ClipboardEvent) => {
    const files = picturesIn(event.clipboardData);
    if (files.length === 0) return;
    event.preventDefault();
    if (acceptsImages === false) return reportNoPictures();
    const read = await readPictures(files);
    setPictures((before) => withPictures(before, read));
  };
  return (
    <div className="composer">
      {suggested.menu}
      {pictures.length > 0 && (
        <ul className="composer-pictures" aria-label="Attached images">
          {pictures.map((picture, index) => (
            <li key={index}>
              <Picture mime={picture.media} data={picture.data} label={`Image ${index + 1}`} />
              <IconButton
                icon="close"
                label={`Remove image ${index + 1}`}
                onPress={() => setPictures(pictures.filter((_, other) => other !== index))}
              />
            </li>
          ))}
        </ul>
      )}
      {hasQuestion && (
        <p className="composer-question" id={`question-${id}`}>
          <Icon name="bell" size={12} />A question is open above. Answer there, or send a message.
        </p>
      )}
      <textarea
        ref={field}
        id="composer"
        aria-describedby={hasQuestion ? `question-${id}` : undefined}
        aria-label="Message"
        aria-autocomplete="list"
        {...suggested.fieldProps}
        rows={1}
        placeholder={
          steers ? 'Message the current turn' : inTurn ? 'Queue a message for the next turn' : 'Message the agent'
        }
        value={text}
        onChange={(event) => write(event.target.value, event.target.selectionStart)}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onKeyDown={onKeyDown}
        onPaste={(event) => void onPaste(event)}
      />
      <div className="composer-foot">
        {choices
          .filter(({ id: choice, category, options }) => (category ?? choice) in CHOOSES && options.length > 0)
          .map((choice) => (
            <Select
              key={choice.id}
              aria-label={choice.name}
              value={choice.current}
              onChange={(value) => onChoose(CHOOSES[choice.category ?? choice.id]!(value))}
              options={choice.options.map(({ value, name }) => ({ value, label: name }))}
            />
          ))}
        {inTurn && canSteer && (
          <Switch isSelected={isSteering} onChange={setSteering}>
            Send to current turn
          </Switch>
        )}
        <span className="composer-keys">
          {inTurn ? 'Enter to send, Esc twice to cancel' : 'Enter to send, Shift+Enter for a new line'}
        </span>
        {inTurn && <Button onPress={onCancel}>Cancel turn</Button>}
        <Button variant="primary" isPending={isSending} onPress={() => void send()}>
          {steers ? 'Send now' : inTurn ? 'Queue' : 'Send'}
        </Button>
      </div>
    </div>
  );
}
