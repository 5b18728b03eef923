import { useEffect, useState } from 'react';
import { client } from '@shell/client';
import { Button, Icon, toast } from '@shell/components';
import { onResync } from '@shell/live';
import type { Setting } from '@shell/settings';

const MOST_NAMES = 4;
/** A restart that takes longer has gone elsewhere. */
const LATE_MS = 30_000;
/** Turning the control server on or off moves the page to another port, where this page cannot follow. */
const MOVES_THE_PAGE = 'cliServerEnabled';

/** Stands as long as a changed value waits for a restart; names only those. */
export function RestartBar({ settings }: { settings: readonly Setting[] }) {
  const waiting = settings.filter((setting) => setting.pendingRestart);
  return waiting.length === 0 ? null : <Bar waiting={waiting} />;
}

function Bar({ waiting }: { waiting: readonly Setting[] }) {
  const [isRestarting, setRestarting] = useState(false);
  // Back again; if values still wait then, they can be tried again.
  useEffect(() => onResync(() => setRestarting(false)), []);
  // It came back at another address, or not at all: either way nothing more will be heard here.
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (!isRestarting) return;
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, [isRestarting]);
  const names = waiting.slice(0, MOST_NAMES).map((setting) => setting.title);
  if (waiting.length > MOST_NAMES) names.push(`${waiting.length - MOST_NAMES} more`);
  const moves = waiting.some((setting) => setting.key === MOVES_THE_PAGE);
  const restart = async () => {
    setRestarting(true);
    try {
      await client.post('/app/restart');
      toast.done('Pilothouse is restarting', {
        detail: moves
          ? 'The page address changes. To open it, run: pilothouse open'
          : 'This page reconnects automatically.',
      });
    } catch (error) {
      setRestarting(false);
      toast.problem("Couldn't restart Pilothouse", error);
    }
  };
  return (
    <div className="restart-bar" role="region" aria-label="Restart to apply">
      <Icon name="restart" />
      <p>
        <strong>{isRestarting ? 'Restarting to apply' : 'Restart to apply'}</strong>{' '}
        {new Intl.ListFormat(undefined).format(names)}
        {isLate ? (
          <span role="status">. Pilothouse isn't at this address anymore. To open it, run: pilothouse open</span>
        ) : (
          moves && <span>. The page address will change. To open it, run: pilothouse open</span>
        )}
      </p>
      <Button isPending={isRestarting && !isLate} onPress={() => void restart()}>
        Restart
      </Button>
    </div>
  );
}
