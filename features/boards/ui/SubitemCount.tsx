/** How many subitems an item has and how many are done, in few signs. */
import type { Progress } from './subitems';
import { progressText } from './subitems';
import './subitems.css';

export function SubitemCount({ progress }: { progress: Progress | null }) {
  if (!progress) return null;
  const words = progressText(progress);
  const work = progress.count - progress.canceled;
  return (
    <span
      className="subitem-count"
      role="img"
      aria-label={words}
      title={words}
      data-done={progress.done === work || undefined}
    >
      {progress.done === null
        ? progress.count.toLocaleString()
        : `${progress.done.toLocaleString()}/${work.toLocaleString()}`}
    </span>
  );
}
