/** Among the first steps: the engines found here, and a session that needs none of them. */
import { useState } from 'react';
import { useLocation } from 'wouter';
import { Badge, Button, toast } from '@shell/components';
import { canStart, useEngines } from '../data';
import { practise } from './data';
import './board.css';

export default function FirstSession() {
  const [, navigate] = useLocation();
  const { data: engines } = useEngines();
  const [isStarting, setStarting] = useState(false);
  const found = (engines ?? []).filter(({ id }) => id !== 'practice');
  const start = async () => {
    if (isStarting) return;
    setStarting(true);
    try {
      navigate(`/sessions/${(await practise()).id}`);
    } catch (failure) {
      toast.problem('The practice session was not started', failure);
      setStarting(false);
    }
  };
  return (
    <section aria-labelledby="first-session-title">
      <h2 id="first-session-title">Watch a first session</h2>
      <p className="first-session-text">The practice agent is a part of Pilothouse. It reads a file, asks you once before it runs a command, and writes a file, all in a folder of its own. It takes a minute and costs nothing.</p>
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
                <Badge>Not found</Badge>
              )}
              {engine.trouble && <span className="first-session-text">{engine.trouble}</span>}
            </li>
          ))}
        </ul>
      )}
      <Button variant="primary" icon="session" isPending={isStarting} onPress={() => void start()}>
        Start a practice session
      </Button>
    </section>
  );
}
