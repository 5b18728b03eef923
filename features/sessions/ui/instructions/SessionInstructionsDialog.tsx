/** The dialog with the instructions that a session started with. */
import { Badge, Button, CopyButton, Dialog, EmptyState, ErrorState, Loading } from '@shell/components';
import type { Detail } from '../data';
import { aboutTokens, useInstructions, type SessionInstructions } from './data';
import './instructions.css';

/** Where a block is from, in words. */
const SOURCES: Record<SessionInstructions['blocks'][number]['source'], string> = {
  app: 'From Pilothouse',
  preset: 'Preset',
  hub: "Hub's own text",
  custom: 'Your text',
};

export function SessionInstructionsDialog({ session, onClose }: { session: Detail; onClose: () => void }) {
  const { data, error, refetch } = useInstructions(session.id);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Instructions of this session"
      size="large"
      actions={<Button onPress={onClose}>Close</Button>}
    >
      {error && !data ? (
        <ErrorState title="Couldn't load instructions" error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading label="Loading instructions" />
      ) : (
        <Blocks {...data} />
      )}
    </Dialog>
  );
}

function Blocks({ blocks, tokens, eachMessage, composedAt }: SessionInstructions) {
  if (blocks.length === 0 && eachMessage === null)
    return (
      <EmptyState icon="file" title="No instructions">
        {composedAt === null
          ? "This session hasn't started, or was started by an older version of Pilothouse."
          : 'All settings that add instructions were off when this session started.'}
      </EmptyState>
    );
  return (
    <>
      {blocks.length > 0 && (
        <p className="instructions-sum">
          <span>{`The agent got these texts when the session started: ${aboutTokens(tokens)}.`}</span>
          <CopyButton text={blocks.map(({ text }) => text).join('\n\n')} label="Copy instructions" />
        </p>
      )}
      {blocks.map((block) => (
        <section key={block.id} className="instructions-block" aria-label={block.name}>
          <h3>
            {block.name} <Badge>{SOURCES[block.source]}</Badge>
          </h3>
          <p className="field-help">{`${aboutTokens(block.tokens)}, ${block.setting}`}</p>
          <pre>{block.text}</pre>
        </section>
      ))}
      {eachMessage !== null && (
        <section className="instructions-block" aria-label="Each message">
          <h3>Each message</h3>
          <p className="field-help">Added to the end of each message, keyRemindersPromptEnabled</p>
          <pre>{eachMessage}</pre>
        </section>
      )}
    </>
  );
}
