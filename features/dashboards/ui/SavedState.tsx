import { Badge, Button } from '@shell/components';
import type { Saved } from './draft/draft';

/** How the draft stands with the program, in words. */
export function SavedState({
  saved,
  onTakeTheirs,
  onKeepMine,
  onRestore,
}: {
  saved: Saved;
  onTakeTheirs: () => void;
  onKeepMine: () => void;
  onRestore: () => void;
}) {
  return (
    <span className="saved" role="status">
      {saved.kind === 'saved' && 'Saved'}
      {saved.kind === 'saving' && 'Saving'}
      {saved.kind === 'offline' && (
        <Badge tone="warn" icon="warning">
          Offline, saved locally
        </Badge>
      )}
      {saved.kind === 'gone' && (
        <>
          <Badge tone="bad" icon="warning">
            Deleted by someone else
          </Badge>
          <Button variant="plain" onPress={onRestore}>
            Restore
          </Button>
        </>
      )}
      {saved.kind === 'refused' && (
        <span title={saved.reason}>
          <Badge tone="bad" icon="warning">
            Not saved, stored locally
          </Badge>
          <span className="sr-only">{saved.reason}</span>
        </span>
      )}
      {saved.kind === 'conflict' && (
        <>
          <span title={saved.clashes.map((clash) => clash.what).join('\n')}>
            <Badge tone="warn" icon="warning">
              Conflict
            </Badge>
          </span>
          <Button variant="plain" onPress={onKeepMine}>
            Keep mine
          </Button>
          <Button variant="plain" onPress={onTakeTheirs}>
            Use theirs
          </Button>
        </>
      )}
    </span>
  );
}
