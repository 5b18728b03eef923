/** Progress of a step with several requests, and a button that cancels the rest. */
import { Button } from '@shell/components';
import type { Progress } from './undo';
import './waiting.css';

const WORDS: Readonly<Record<Progress['way'], string>> = { do: 'Saving', undo: 'Undoing', redo: 'Redoing' };

export function Large({ progress }: { progress: readonly Progress[] }) {
  return progress.map(({ way, rows, done, cancel }, at) => (
    <section key={at} aria-label={WORDS[way]} className="waiting">
      <span>{`${WORDS[way]} ${done.toLocaleString()} of ${rows.toLocaleString()} items`}</span>
      <progress aria-label={WORDS[way]} value={done} max={rows} />
      <Button onPress={cancel}>Cancel</Button>
    </section>
  ));
}
