/** The engines on this machine: version, login, and how to fix what's missing. */
import { useState } from 'react';
import { Badge, Button, ErrorState, Loading, Page } from '@shell/components';
import { canStart, useEngines, useSessionActions, type Engine } from './data';
import { PermissionRules } from './PermissionRules';
import { usePractice } from './usePractice';
import './sessions.css';

const TIERS: Readonly<Record<string, string>> = { primary: 'Primary', second: 'Second', external: 'External' };
const LOGINS: Readonly<Record<string, string>> = { yes: 'Logged in', no: 'Not logged in', unknown: 'Login unknown' };

export default function EnginesPage() {
  const { data: engines, error, refetch } = useEngines();
  const practice = usePractice();
  return (
    <Page
      title="Engines"
      actions={
        <Button variant="primary" isPending={practice.isStarting} onPress={() => void practice.start()}>
          Start practice session
        </Button>
      }
    >
      {error && !engines ? (
        <ErrorState title="Couldn't load engines" error={error} onRetry={() => void refetch()} />
      ) : !engines ? (
        <Loading label="Detecting engines" />
      ) : (
        <ul className="engines" aria-label="Engines">
          {engines.map((engine) => (
            <li key={engine.id}>
              <EngineCard engine={engine} />
            </li>
          ))}
        </ul>
      )}
      <PermissionRules />
    </Page>
  );
}

function EngineCard({ engine }: { engine: Engine }) {
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
          {isReady ? 'Ready' : engine.isFound === null ? 'Detecting' : 'Not ready'}
        </Badge>
        {engine.isDefault && <Badge>Default</Badge>}
        <span className="engine-tier">{TIERS[engine.tier] ?? engine.tier}</span>
        <Button isPending={isLooking} onPress={() => void look()} aria-label={`Check ${engine.name} again`}>
          Check again
        </Button>
      </header>
      <p className="engine-facts">
        {[engine.version && `Version ${engine.version}`, isReady && LOGINS[engine.login], engine.path]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {engine.notReady && <p className="engine-trouble">{engine.notReady}</p>}
    </section>
  );
}
