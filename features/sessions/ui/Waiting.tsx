/** Prompts that are sent once the turn is over, in order; each can be taken back until then. */
import { IconButton } from '@shell/components';
import type { Detail } from './data';

export function Waiting({ prompts, onRemove }: { prompts: Detail['prompts']; onRemove: (promptId: number) => void }) {
  if (prompts.length === 0) return null;
  return (
    <ul className="session-waiting" aria-label="Prompts that wait">
      {prompts.map(({ promptId, text, images }) => (
        <li key={promptId}>
          <span className="session-waiting-text">{text}</span>
          {images > 0 && <span className="session-waiting-more">{images === 1 ? '1 picture' : `${images} pictures`}</span>}
          <IconButton icon="close" label={`Take back: ${text.slice(0, 60)}`} onPress={() => onRemove(promptId)} />
        </li>
      ))}
    </ul>
  );
}
