/** Running apps: development servers with their URLs, started, restarted, stopped, and removed. */
import { useState } from 'react';
import { Badge, Button, CopyButton, EmptyState, ErrorState, IconButton, Loading, Page, Time } from '@shell/components';
import { noteOf, stateOf, useAppActions, useLog, useRunningApps, type RunningApp } from './data';
import { StartDialog } from './StartDialog';
import './running-apps.css';

export default function RunningAppsPage() {
  const { data: apps, error, refetch } = useRunningApps();
  const [isStarting, setStarting] = useState(false);
  return (
    <Page
      title="Running apps"
      actions={
        <Button icon="plus" onPress={() => setStarting(true)}>
          Start app
        </Button>
      }
    >
      <div className="running-apps">
        {error && !apps ? (
          <ErrorState title="Couldn't load running apps" error={error} onRetry={() => void refetch()} />
        ) : !apps ? (
          <Loading label="Loading running apps" />
        ) : apps.length === 0 ? (
          <EmptyState icon="link" title="No running apps">
            Start a development server here, or with <code>pilothouse run NAME -- COMMAND</code>, to give it a URL such
            as http://NAME.localhost.
          </EmptyState>
        ) : (
          <ul className="running-apps-list" aria-label="Running apps">
            {apps.map((app) => (
              <AppRow key={app.id} app={app} />
            ))}
          </ul>
        )}
      </div>
      {isStarting && <StartDialog onClose={() => setStarting(false)} />}
    </Page>
  );
}

const TONES = { starting: 'neutral', up: 'good', down: 'warn', ended: 'neutral' } as const;

function AppRow({ app }: { app: RunningApp }) {
  const { restart, stop, remove } = useAppActions();
  const [isLogShown, setLogShown] = useState(false);
  const note = noteOf(app);
  const isRunning = app.state !== 'ended';
  return (
    <li className="running-apps-row">
      <div className="running-apps-text">
        <p className="running-apps-name">
          {app.name} <Badge tone={TONES[app.state]}>{stateOf(app)}</Badge>
        </p>
        {app.url && (
          <p className="copy-spot">
            <a href={app.url} target="_blank" rel="noreferrer">
              {app.url}
            </a>
            <CopyButton text={app.url} label={`Copy URL of ${app.name}`} />
          </p>
        )}
        <p className="running-apps-detail">
          <code>{app.command}</code>
          {`, ${app.hubName ?? app.folder}`}
          {app.pid !== null && `, process ${app.pid}`}
          {', started '}
          <Time at={app.startedAt} />
        </p>
        {note && <p className="running-apps-detail">{note}</p>}
      </div>
      <Button onPress={() => setLogShown(!isLogShown)} aria-expanded={isLogShown} aria-label={`Log of ${app.name}`}>
        Log
      </Button>
      <IconButton icon="restart" label={`Restart ${app.name}`} onPress={() => void restart(app)} />
      {isRunning ? (
        <Button onPress={() => void stop(app)} aria-label={`Stop ${app.name}`}>
          Stop
        </Button>
      ) : (
        <IconButton icon="trash" label={`Remove ${app.name}`} onPress={() => void remove(app)} />
      )}
      {isLogShown && <AppLog app={app} />}
    </li>
  );
}

function AppLog({ app }: { app: RunningApp }) {
  const { data: text, error, refetch } = useLog(app.id);
  if (error && text === undefined)
    return <ErrorState title="Couldn't load log" error={error} onRetry={() => void refetch()} />;
  return (
    <pre className="running-apps-log" tabIndex={0} role="region" aria-label={`Log of ${app.name}`}>
      {text === undefined ? 'Loading…' : text || 'No output yet.'}
    </pre>
  );
}
