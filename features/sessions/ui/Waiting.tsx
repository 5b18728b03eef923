/** Queued messages, in the order they're sent after the turn. You can remove each until then. */
import { IconButton } from '@shell/components';
import type { Detail } from './data';

export function Waiting({ prompts, onRemove }: { prompts: Detail['prompts']; onRemove: (promptId: number) => void }) {
  if (prompts.length === 0) return null;
  return (
    <ul className="session-waiting" aria-label="Queued messages">
      {prompts.map(({ promptId, text, images }) => (
        <li key={promptId}>
          <span className="session-waiting-text">{text}</span>
          {images > 0 && <span className="session-waiting-more">{images === 1 ? '1 image' : `${images} images`}</span>}
          <IconButton icon="close" label={`Remove: ${text.slice(0, 60)}`} onPress={() => onRemove(promptId)} />
        </li>
      ))}
    </ul>
  );
}
