/** One of the first steps: the engines found on this computer, and a practice session that needs none of them. */
import { Badge, Button } from '@shell/components';
import { canStart, useEngines } from '../data';
import { usePractice } from '../usePractice';
import './board.css';

export default function FirstSession() {
  const { data: engines } = useEngines();
  const practice = usePractice();
  const found = (engines ?? []).filter(({ id }) => id !== 'practice');
  return (
    <section aria-labelledby="first-session-title">
      <h2 id="first-session-title">Watch a first session</h2>
      <p className="first-session-text">
        The built-in practice agent reads a file, asks before it runs a command, and writes a file in its own folder. It
        takes a minute and is free.
      </p>
      {found.length > 0 && (
        <ul className="first-session-engines" aria-label="Engines found on this computer">
          {found.map((engine) => (
            <li key={engine.id}>
              <span>{engine.name}</span>
              {canStart(engine) ? (
                <Badge tone="good" icon="check">
                  Found
                </Badge>
              ) : (
                <Badge>{engine.isFound ? 'Not ready' : 'Not installed'}</Badge>
              )}
              {engine.notReady && <NotReady text={engine.notReady} />}
            </li>
          ))}
        </ul>
      )}
      <Button variant="primary" icon="session" isPending={practice.isStarting} onPress={() => void practice.start()}>
        Start practice session
      </Button>
    </section>
  );
}

const INSTALL = 'Install it with: ';

/** Why an engine can't start, with an install command that stays on one line. */
function NotReady({ text }: { text: string }) {
  const at = text.indexOf(INSTALL);
  const end = at < 0 ? text.length : at + INSTALL.length;
  return (
    <span className="first-session-text">
      {text.slice(0, end)}
      {end < text.length && <code>{text.slice(end)}</code>}
    </span>
  );
}
