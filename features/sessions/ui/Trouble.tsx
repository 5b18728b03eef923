/** Why a session stands still though its work is not done, and what helps: for each class of failure its own next step. */
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { Button, Icon } from '@shell/components';
import { useEngines, useSessionActions, type Detail } from './data';
import { FAILURES } from './transcript';

interface Props {
  session: Pick<Detail, 'id' | 'state' | 'detail' | 'engine' | 'commands' | 'why'>;
  onResume: () => void;
  /** Sends a command of the engine. */
  onCommand: (command: string) => void;
}

interface Help {
  cause: string;
  /** What the engine said of it. */
  said?: string;
  next: string;
  action: ReactNode;
}

type Bag = Record<string, unknown>;
const bag = (value: unknown): Bag => (typeof value === 'object' && value !== null ? (value as Bag) : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const timeOf = (ms: unknown): string => (typeof ms === 'number' ? new Date(ms).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' }) : '');

export function Trouble(props: Props) {
  const help = useHelp(props);
  if (!help) return null;
  return (
    <section className="session-trouble" role="group" aria-label="What is wrong">
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
      return until === '' ? null : { cause: FAILURES.transient!, next: `It is tried again by itself at ${until}.`, action: again('Try now') };
    case 'parked':
      return { cause: FAILURES.limit!, said: session.why, next: until === '' ? 'Try again once there is more.' : `Next attempt at ${until}.`, action: again('Try now') };
    case 'interrupted':
      return { cause: 'It was cut off in the middle of its work', said: session.why, next: 'It can go on where it was.', action: again('Go on') };
    case 'failed':
      break;
    default:
      return null;
  }
  const kind = text(bag(detail.failure).kind);
  const failed = { cause: FAILURES[kind] ?? FAILURES.unknown!, said: text(detail.detail) };
  const engine = engines?.find(({ id }) => id === session.engine);
  switch (kind) {
    case 'auth': {
      const name = engine?.name ?? session.engine;
      const lookAndResume = () => void checkEngine(session.engine).then(onResume);
      return {
        ...failed,
        cause: `Nobody is logged in to ${name}`,
        next: `${engine?.howToLogIn && !failed.said.includes(engine.howToLogIn) ? `${engine.howToLogIn} ` : ''}Once you are logged in, it can try again.`,
        action: (
          <>
            <Button variant="primary" onPress={lookAndResume}>
              I am logged in, try again
            </Button>
            <Button onPress={() => navigate('/engines')}>Engines</Button>
          </>
        ),
      };
    }
    case 'contextFull': {
      const compact = session.commands.find(({ name }) => name === 'compact');
      return {
        ...failed,
        next: 'Nothing more fits in what it remembers of this session. Make room, or start a new session with what matters.',
        action: (
          <>
            {compact && (
              <Button variant="primary" onPress={() => onCommand('/compact')}>
                Make room
              </Button>
            )}
            <Button onPress={() => navigate('/sessions?new=')}>Start a new session</Button>
          </>
        ),
      };
    }
    case 'request':
      return {
        ...failed,
        next: 'Trying the same again seldom helps. Say it in another way, or choose another model.',
        action: (
          <>
            <Button variant="primary" onPress={() => document.getElementById('composer')?.focus()}>
              Write another prompt
            </Button>
            <Button onPress={onResume}>Try again</Button>
          </>
        ),
      };
    case 'crash':
      return { ...failed, next: 'It can be started again and goes on where it was.', action: again('Start it again') };
    default:
      return { ...failed, next: 'It can try again where it was.', action: again('Try again') };
  }
}
