import { useEffect, useState } from 'react';
import { IconButton } from './Button';
import { toast } from './toast';

/** How long the button shows a check mark after copying. */
const SHOWN_MS = 2_000;

/** Copies text and says so. `what` names it in messages; `detail` is shown below. Resolves to whether it worked. */
export async function copyText(text: string, what?: string, detail?: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
  } catch (failure) {
    toast.problem(what ? `Couldn't copy ${what.toLowerCase()}` : "Couldn't copy", failure);
    return false;
  }
  toast.done(what ? `${what} copied` : 'Copied', { kind: 'copied', ...(detail ? { detail } : {}) });
  return true;
}

/**
 * Copies a text. Inside an element of the class `copy-spot`, it's shown while the pointer or the focus is there. A
 * function is called when the button is pressed, for texts that take work to put together.
 */
export function CopyButton({ text, label }: { text: string | (() => string); label: string }) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isDone]);
  const copy = async () => setDone(await copyText(typeof text === 'string' ? text : text()));
  return (
    <span className="copy-button" data-done={isDone || undefined}>
      <IconButton icon={isDone ? 'check' : 'copy'} label={label} onPress={() => void copy()} />
    </span>
  );
}
