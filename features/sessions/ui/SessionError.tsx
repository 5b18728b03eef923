/** Why a session isn't working, and the next step for each class of failure. */
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Button, Icon } from '@shell/components';
import { formatInstant } from '@shell/dates';
import { useEngines, useSessionActions, type Detail } from './data';
import { reasonOf } from './states';
import { FAILURES } from './transcript';

interface Props {
  session: Pick<Detail, 'id' | 'state' | 'detail' | 'engine' | 'commands' | 'why'>;
  onResume: () => void;
  /** Sends a command of the engine. */
  onCommand: (command: string) => void;
}

interface Help {
  cause: string;
  /** The engine's own message. */
  said?: string;
  next: string;
  action: ReactNode;
}

type Bag = Record<string, unknown>;
const bag = (value: unknown): Bag => (typeof value === 'object' && value !== null ? (value as Bag) : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const timeOf = (ms: unknown): string => (typeof ms === 'number' ? formatInstant(ms) : '');

/** The titles of failures that pass. */
const TRANSIENT: Readonly<Record<string, string>> = {
  overload: 'Service overloaded',
  rate: 'Rate limited',
  network: "Can't reach service",
};

export function SessionError(props: Props) {
  const help = useHelp(props);
  if (!help) return null;
  return (
    <section className="session-trouble" role="group" aria-label="Session problem">
      <p className="session-trouble-cause">
        <Icon name="warning" size={14} />
        <strong>{help.cause}</strong>
      </p>
      {help.said && <p className="session-trouble-said">{help.said}</p>}
      <p>{help.next}</p>
      <div className="session-ask-actions">{help.action}</div>
    </section>
  );
}

function useHelp({ session, onResume, onCommand }: Props): Help | null {
  const { data: engines } = useEngines();
  const { checkEngine } = useSessionActions();
  const [, navigate] = useLocation();
  const detail = bag(session.detail);
  const until = timeOf(detail.until);
  const again = (label: string) => (
    <Button variant="primary" onPress={onResume}>
      {label}
    </Button>
  );
  switch (session.state) {
    case 'retrying':
      // The reason begins with the cause: "Rate limited; attempt 2 at 14:05".
      return until === ''
        ? null
        : {
            cause: session.why.split(';')[0] || FAILURES.transient!,
            next: `Retrying automatically at ${until}.`,
            action: again('Retry now'),
          };
    case 'parked':
      return {
        cause: FAILURES.limit!,
        said: session.why.startsWith('Usage limit re') ? '' : reasonOf(session),
        next:
          until === '' ? 'Reset time unknown. Retry after your limit resets.' : `Resumes automatically at ${until}.`,
        action: again('Retry now'),
      };
    case 'interrupted':
      return {
        cause: 'Session interrupted',
        said: session.why,
        next: 'Resume where it left off.',
        action: again('Resume'),
      };
    case 'failed':
      break;
    default:
      return null;
  }
  const failure = bag(detail.failure);
  const kind = text(failure.kind);
  const failed = { cause: FAILURES[kind] ?? FAILURES.unknown!, said: text(detail.detail) };
  const engine = engines?.find(({ id }) => id === session.engine);
  switch (kind) {
    case 'auth': {
      const name = engine?.name ?? session.engine;
      const lookAndResume = () => void checkEngine(session.engine).then(onResume);
      return {
        ...failed,
        cause: `Not logged in to ${name}`,
        next:
          engine?.howToLogIn && !failed.said.includes(engine.howToLogIn)
            ? `${engine.howToLogIn} Then retry.`
            : 'Log in, then retry.',
        action: (
          <>
            <Button variant="primary" onPress={lookAndResume}>
              Check and retry
            </Button>
            <Button onPress={() => navigate('/engines')}>View engines</Button>
          </>
        ),
      };
    }
    case 'contextFull': {
      const compact = session.commands.find(({ name }) => name === 'compact');
      return {
        ...failed,
        next: 'Compact the context or start a new session.',
        action: (
          <>
            {compact && (
              <Button variant="primary" onPress={() => onCommand('/compact')}>
                Compact
              </Button>
            )}
            <Button onPress={() => navigate('/sessions?new=')}>New session</Button>
          </>
        ),
      };
    }
    case 'request':
      return {
        ...failed,
        next: 'Rephrase your message or change the model.',
        action: (
          <>
            <Button variant="primary" onPress={() => document.getElementById('composer')?.focus()}>
              Edit message
            </Button>
            <Button onPress={onResume}>Retry</Button>
          </>
        ),
      };
    case 'limit':
      return { ...failed, next: 'Retry after your limit resets.', action: again('Retry now') };
    case 'transient':
      return {
        ...failed,
        cause: TRANSIENT[text(failure.what)] ?? failed.cause,
        next: 'Wait a moment, then retry.',
        action: again('Retry'),
      };
    case 'crash':
      return { ...failed, next: 'Resume where it left off.', action: again('Resume') };
    default:
      return { ...failed, next: 'Retry. If it fails again, start a new session.', action: again('Retry') };
  }
}
