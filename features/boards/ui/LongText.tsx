/** Auto-growing field for long text. Enter saves; Shift+Enter and Alt+Enter start a new line. */
import { useLayoutEffect, useRef, type KeyboardEvent } from 'react';

interface LongTextProps {
  hold: (element: HTMLElement | null) => void;
  label: string;
  draft: string;
  onDraft: (draft: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
  onLeave: () => void;
}

export function LongText({ hold, label, draft, onDraft, onKeyDown, onLeave }: LongTextProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const box = field.current;
    if (!box) return;
    box.style.height = 'auto';
    box.style.height = `${box.scrollHeight}px`;
    box.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [draft]);
  return (
    <textarea
      ref={(element) => {
        field.current = element;
        hold(element);
      }}
      aria-label={label}
      className="cell-editor cell-long"
      rows={1}
      value={draft}
      onChange={(event) => onDraft(event.target.value)}
      onBlur={onLeave}
      onKeyDown={(event) => {
        // Enter that chooses what an input method offers is no Enter of ours.
        const isPart = event.nativeEvent.isComposing;
        if (event.key !== 'Enter' || isPart || !(event.shiftKey || event.altKey))
          return isPart ? event.stopPropagation() : onKeyDown(event);
        event.preventDefault();
        event.stopPropagation();
        const box = event.currentTarget;
        box.setRangeText('\n', box.selectionStart, box.selectionEnd, 'end');
        onDraft(box.value);
      }}
    />
  );
}
