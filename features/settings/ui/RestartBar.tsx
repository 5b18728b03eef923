import { useEffect, useState } from 'react';
import { client } from '@shell/client';
import { Button, Icon, toast } from '@shell/components';
import { onResync } from '@shell/live';
import type { Setting } from '@shell/settings';

const MOST_NAMES = 4;
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
  const names = waiting.slice(0, MOST_NAMES).map((setting) => setting.title);
  if (waiting.length > MOST_NAMES) names.push(`${waiting.length - MOST_NAMES} more`);
  const moves = waiting.some((setting) => setting.key === MOVES_THE_PAGE);
  const restart = async () => {
    setRestarting(true);
    try {
      await client.post('/app/restart');
      toast.done('Pilothouse is restarting', { detail: moves ? 'Its page moves to another address. Open it with: pilothouse open' : 'This page connects again by itself.' });
    } catch (error) {
      setRestarting(false);
      toast.problem('Pilothouse could not be restarted', error);
    }
  };
  return (
    <div className="restart-bar" role="region" aria-label="Restart to apply">
      <Icon name="restart" />
      <p>
        <strong>{isRestarting ? 'Restarting to apply' : 'Restart to apply'}</strong> {new Intl.ListFormat(undefined).format(names)}
        {moves && <span>. This page then has another address; open it with: pilothouse open</span>}
      </p>
      <Button isPending={isRestarting} onPress={() => void restart()}>
        Restart
      </Button>
    </div>
  );
}
