import { useState } from 'react';
import { api } from '@shell/api';
import { Button, Icon, toast } from '@shell/components';
import type { Setting } from '@shell/settings';

const MOST_NAMES = 4;

/** Stands as long as a changed value waits for a restart; names only those. */
export function RestartBar({ settings }: { settings: readonly Setting[] }) {
  const [isBusy, setBusy] = useState(false);
  const waiting = settings.filter((setting) => setting.pendingRestart);
  if (waiting.length === 0) return null;
  const names = waiting.slice(0, MOST_NAMES).map((setting) => setting.title);
  if (waiting.length > MOST_NAMES) names.push(`${waiting.length - MOST_NAMES} more`);
  const restart = async () => {
    setBusy(true);
    try {
      await api.post('/app/restart', {});
      toast.done('Pilothouse is restarting', { detail: 'This page connects again by itself.' });
    } catch (error) {
      toast.problem('Pilothouse could not be restarted', error);
    }
    setBusy(false);
  };
  return (
    <div className="restart-bar" role="region" aria-label="Restart to apply">
      <Icon name="restart" />
      <p>
        <strong>Restart to apply</strong> {new Intl.ListFormat(undefined).format(names)}
      </p>
      <Button isPending={isBusy} onPress={() => void restart()}>
        Restart
      </Button>
    </div>
  );
}
