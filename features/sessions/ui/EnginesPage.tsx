/** The engines on this machine: version, login, and how to fix what's missing. */
import { useRef, useState } from 'react';
import { Badge, Button, ConfirmDialog, ErrorState, IconButton, Loading, Page, toast } from '@shell/components';
import { canStart, useEngines, useSessionActions, type Engine } from './data';
import { useEngineActions } from './engines/data';
import { AgentDialog, EngineDialog } from './engines/EngineDialog';
import { PermissionRules } from './PermissionRules';
import { usePractice } from './usePractice';
import './sessions.css';

const TIERS: Readonly<Record<string, string>> = { primary: 'Primary', second: 'Second', external: 'External' };
const LOGINS: Readonly<Record<string, string>> = { yes: 'Logged in', no: 'Not logged in', unknown: 'Login unknown' };

export default function EnginesPage() {
  const { data: engines, error, refetch } = useEngines();
  const practice = usePractice();
  const { remove } = useEngineActions();
  const [isAdding, setAdding] = useState(false);
  const [edited, edit] = useState<Engine | null>(null);
  const [removed, ask] = useState<Engine | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const removeAgent = async ({ id, name }: Engine) => {
    // The button that opened this goes with the agent.
    list.current?.focus();
    try {
      await remove(id);
      toast.done(`Removed ${name}`);
    } catch (failure) {
      toast.problem("Couldn't remove engine", failure);
    }
  };
  return (
    <Page
      title="Engines"
      actions={
        <>
          <Button icon="plus" onPress={() => setAdding(true)}>
            Add engine
          </Button>
          <Button variant="primary" isPending={practice.isStarting} onPress={() => void practice.start()}>
            Start practice session
          </Button>
        </>
      }
    >
      {error && !engines ? (
        <ErrorState title="Couldn't load engines" error={error} onRetry={() => void refetch()} />
      ) : !engines ? (
        <Loading label="Detecting engines" />
      ) : (
        <ul className="engines" aria-label="Engines" ref={list} tabIndex={-1}>
          {engines.map((engine) => (
            <li key={engine.id}>
              <EngineCard engine={engine} onEdit={() => edit(engine)} onRemove={() => ask(engine)} />
            </li>
          ))}
        </ul>
      )}
      <PermissionRules />
      {isAdding && <AgentDialog onClose={() => setAdding(false)} />}
      {edited && <EngineDialog key={edited.id} engine={edited} onClose={() => edit(null)} />}
      {removed && (
        <ConfirmDialog
          isOpen
          title={`Remove ${removed.name}`}
          action="Remove engine"
          onClose={() => ask(null)}
          onConfirm={() => void removeAgent(removed)}
        >
          <p>{`Sessions of ${removed.name} can't be resumed, but their transcripts stay. Its environment variables are deleted.`}</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

/** The command in a text, between backticks. */
const commandIn = (text: string) => /`([^`]+)`/.exec(text)?.[1];

function Login({ engine }: { engine: Engine }) {
  const command = commandIn(engine.howToLogIn);
  if (engine.login === 'yes' || !engine.isFound || !command) return null;
  const copy = () =>
    navigator.clipboard.writeText(command).then(
      () => toast.done('Copied command'),
      (failure: unknown) => toast.problem("Couldn't copy command", failure),
    );
  return (
    <p className="engine-login">
      <span>
        To log in, run <code>{command}</code> in a terminal.
      </span>
      <IconButton icon="copy" label={`Copy ${command}`} onPress={() => void copy()} />
    </p>
  );
}

interface CardProps {
  engine: Engine;
  onEdit: () => void;
  onRemove: () => void;
}

function EngineCard({ engine, onEdit, onRemove }: CardProps) {
  const { checkEngine } = useSessionActions();
  const [isLooking, setLooking] = useState(false);
  const look = async () => {
    setLooking(true);
    await checkEngine(engine.id);
    setLooking(false);
  };
  const isReady = canStart(engine);
  return (
    <section className="engine" aria-label={engine.name}>
      <header className="engine-head">
        <h2>{engine.name}</h2>
        <Badge tone={isReady ? 'good' : 'neutral'} icon={isReady ? 'check' : 'info'}>
          {isReady ? 'Ready' : engine.isFound === null ? 'Detecting' : engine.isFound ? 'Not ready' : 'Not installed'}
        </Badge>
        {engine.isDefault && <Badge>Default</Badge>}
        <span className="engine-tier">{TIERS[engine.tier] ?? engine.tier}</span>
        <span className="engine-buttons">
          <Button isPending={isLooking} onPress={() => void look()} aria-label={`Check ${engine.name} again`}>
            Check again
          </Button>
          {engine.id !== 'practice' && <IconButton icon="edit" label={`Edit ${engine.name}`} onPress={onEdit} />}
          {engine.isAdded && <IconButton icon="trash" label={`Remove ${engine.name}`} onPress={onRemove} />}
        </span>
      </header>
      <p className="engine-facts">
        {[engine.version && `Version ${engine.version}`, isReady && LOGINS[engine.login], engine.path]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {engine.notReady && (
        // How to log in is below, with a button to copy it.
        <p className="engine-trouble">{engine.notReady.replace(engine.howToLogIn, '').trim()}</p>
      )}
      <Login engine={engine} />
    </section>
  );
}
