/** Shows how a file of yours differs from the copy that would replace it, and asks what to do. */
import { useState } from 'react';
import { Button, Dialog, ErrorState, Loading, ScreenReaderOnly } from '@shell/components';
import { useDecisions, useDiff, type Diff, type Hub, type InstructionFile } from './data';

const SIGNS = { same: ' ', added: '+', removed: '-' } as const;
const WORDS = { same: '', added: 'Added: ', removed: 'Removed: ' } as const;

interface Props {
  hub: Hub;
  file: InstructionFile;
  onClose: () => void;
}

export function CompareDialog({ hub, file, onClose }: Props) {
  const { data: diff, error, refetch } = useDiff(hub.hubId, file.name);
  const { replace, keep } = useDecisions(hub, file);
  const [isPending, setPending] = useState(false);
  const decide = async (decision: () => Promise<boolean>) => {
    setPending(true);
    if (await decision()) onClose();
    else setPending(false);
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Replace ${file.name}?`}
      size="large"
      actions={
        <>
          <Button isDisabled={isPending} onPress={() => void decide(keep)}>
            Keep file
          </Button>
          <Button
            variant="primary"
            isDisabled={!diff}
            isPending={isPending}
            onPress={() => diff && void decide(() => replace(diff.version))}
          >
            Replace
          </Button>
        </>
      }
    >
      <p className="instruction-detail">
        {`Replace overwrites it with a copy of ${hub.source}. Your text is stored, and you can restore it.`}
      </p>
      {error && !diff ? (
        <ErrorState title="Couldn't compare file" error={error} onRetry={() => void refetch()} />
      ) : diff ? (
        <Lines diff={diff} />
      ) : (
        <Loading label="Comparing" />
      )}
    </Dialog>
  );
}

function Lines({ diff }: { diff: Diff }) {
  return (
    <>
      <div className="instruction-diff" role="region" aria-label="Differences" tabIndex={0}>
        {diff.lines.map(({ kind, text }, at) => (
          <div key={at} className="instruction-line" data-kind={kind}>
            <span aria-hidden="true">{SIGNS[kind]}</span>
            <ScreenReaderOnly>{WORDS[kind]}</ScreenReaderOnly>
            <span>{text}</span>
          </div>
        ))}
      </div>
      {diff.isTruncated && <p className="instruction-detail">Truncated</p>}
    </>
  );
}
