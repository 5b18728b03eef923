/** Each hub's instruction file with its copies: their states, decisions about your own files, and restoring them. */
import { useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import {
  Badge,
  Button,
  ConfirmDialog,
  EmptyState,
  ErrorState,
  Icon,
  Loading,
  Page,
  Time,
  type IconName,
} from '@shell/components';
import { useSetting } from '@shell/settings';
import { CompareDialog } from './CompareDialog';
import { useDecisions, useInstructions, type Hub, type InstructionFile } from './data';
import './instruction-files.css';

export default function InstructionFilesPage() {
  const { data: hubs, error, refetch } = useInstructions();
  const isOn = useSetting('agentInstructionsSyncEnabled');
  const search = new URLSearchParams(useSearch());
  const [, navigate] = useLocation();
  const hub = hubs?.find(({ hubId }) => hubId === search.get('hub'));
  const file = hub?.files.find(({ name }) => name === search.get('file'));
  const close = () => navigate('/instruction-files', { replace: true });
  return (
    <Page title="Instruction files">
      <div className="instruction-files">
        {isOn === false && (
          <p className="instruction-files-off">
            <Icon name="info" size={12} /> Sync is off, so no copy is written. <Link href="/settings">Settings</Link>
          </p>
        )}
        {error && !hubs ? (
          <ErrorState title="Couldn't load instruction files" error={error} onRetry={() => void refetch()} />
        ) : !hubs ? (
          <Loading label="Loading instruction files" />
        ) : hubs.length === 0 ? (
          <EmptyState icon="file" title="No instruction files">
            {"Add the source file to a hub's folder. Choose its copies in "}
            <Link href="/settings">Settings</Link>.
          </EmptyState>
        ) : (
          hubs.map((one) => (
            <HubSection
              key={one.hubId}
              hub={one}
              onCompare={({ name }) =>
                navigate(`/instruction-files?${new URLSearchParams({ hub: one.hubId, file: name }).toString()}`)
              }
            />
          ))
        )}
      </div>
      {hub && file && isOn && <CompareDialog key={file.name} hub={hub} file={file} onClose={close} />}
    </Page>
  );
}

function HubSection({ hub, onCompare }: { hub: Hub; onCompare: (file: InstructionFile) => void }) {
  const heading = `instructions-${hub.hubId}`;
  return (
    <section aria-labelledby={heading} className="instruction-hub">
      <h2 id={heading}>{hub.hub}</h2>
      <p className="instruction-detail">
        {!hub.isThere
          ? `Folder missing: ${hub.folder}`
          : hub.hasSource
            ? `Source: ${hub.source}`
            : `No ${hub.source} in this hub`}
      </p>
      {hub.problem && (
        <p className="instruction-problem" role="status">
          <Icon name="warning" size={12} /> {hub.problem}
        </p>
      )}
      {hub.files.length > 0 ? (
        <ul aria-label={`Copies in ${hub.hub}`} className="instruction-list">
          {hub.files.map((file) => (
            <FileRow key={file.name} hub={hub} file={file} onCompare={() => onCompare(file)} />
          ))}
        </ul>
      ) : (
        <p className="instruction-detail">No copies</p>
      )}
    </section>
  );
}

const STATES: Record<
  InstructionFile['state'],
  { label: string; tone: 'neutral' | 'good' | 'warn'; icon: IconName; detail: string }
> = {
  inStep: { label: 'Up to date', tone: 'good', icon: 'check', detail: '' },
  waiting: { label: 'Needs you', tone: 'warn', icon: 'warning', detail: 'You or another tool wrote this file.' },
  kept: { label: 'Your file', tone: 'neutral', icon: 'edit', detail: "Your own file isn't replaced." },
  skipped: { label: 'Skipped', tone: 'warn', icon: 'warning', detail: '' },
  pending: { label: 'Pending', tone: 'neutral', icon: 'clock', detail: 'Not written yet.' },
  removed: { label: 'Not copied', tone: 'neutral', icon: 'close', detail: 'No longer on the list.' },
};

function FileRow({ hub, file, onCompare }: { hub: Hub; file: InstructionFile; onCompare: () => void }) {
  const [isRestoring, setRestoring] = useState(false);
  const { restore } = useDecisions(hub, file);
  const state = STATES[file.state];
  const original = file.originals[0];
  const notes = [file.reason ?? state.detail, file.note, file.warning].filter(Boolean);
  return (
    <li className="instruction-file">
      <div className="instruction-text">
        <code>{file.name}</code>
        {notes.map((note) => (
          <p key={note} className="instruction-detail">
            {note}
          </p>
        ))}
        {original && (
          <p className="instruction-detail">
            {'Your text was replaced '}
            <Time at={original.replacedAt} />
          </p>
        )}
      </div>
      <Badge tone={state.tone} icon={state.icon}>
        {state.label}
      </Badge>
      {(file.state === 'waiting' || file.state === 'kept') && (
        <Button onPress={onCompare} aria-label={`Compare ${file.name}`}>
          Compare
        </Button>
      )}
      {original && (
        <Button icon="undo" onPress={() => setRestoring(true)} aria-label={`Restore ${file.name}`}>
          Restore
        </Button>
      )}
      <ConfirmDialog
        isOpen={isRestoring}
        onClose={() => setRestoring(false)}
        title={`Restore ${file.name}`}
        action="Restore"
        onConfirm={() => original && void restore(original.id)}
      >
        {"Restores your text. It isn't replaced again without your approval."}
      </ConfirmDialog>
    </li>
  );
}
