/** Connected boards that are not there: which they are, as far as that is known, and what can be done about each. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, Icon, toast } from '@shell/components';
import { restoreBoard, useAwayBoards } from './boards';

const PLACES = { trash: 'is in the trash', archive: 'is archived' };

export function Unavailable({
  workspaceId,
  missing,
  onDisconnect,
}: {
  workspaceId: string;
  missing: readonly string[];
  onDisconnect: (board: string) => void;
}) {
  const cache = useQueryClient();
  const { data: away } = useAwayBoards(workspaceId, missing);
  const [busy, setBusy] = useState<string | null>(null);
  const restore = async (id: string, name: string) => {
    setBusy(id);
    try {
      await restoreBoard(id);
      await cache.invalidateQueries({ queryKey: ['dashboards'] });
      toast.done(`Restored ${name}`);
    } catch (failure) {
      toast.problem(`Couldn't restore ${name}`, failure);
    }
    setBusy(null);
  };
  return (
    <ul className="dash-missing" aria-label="Unavailable boards">
      {missing.map((id) => {
        const found = away?.find((board) => board.id === id);
        return (
          <li key={id} className="dash-banner">
            <Icon name="warning" />
            <span role="status">
              {found
                ? `The connected board ${found.name} ${PLACES[found.place]}`
                : `A connected board ${away ? 'was deleted' : "isn't available"}`}
            </span>
            {found && (
              <Button variant="plain" isPending={busy === id} onPress={() => void restore(id, found.name)}>
                Restore
              </Button>
            )}
            <Button variant="plain" onPress={() => onDisconnect(id)}>
              Disconnect
            </Button>
          </li>
        );
      })}
    </ul>
  );
}
