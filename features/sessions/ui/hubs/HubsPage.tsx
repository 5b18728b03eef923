/** The hubs: their folders and sessions, and how they are added, changed, and removed. */
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { Badge, Button, ConfirmDialog, EmptyState, ErrorState, IconButton, Loading, Page } from '@shell/components';
import { useHubs, useSessionActions, type Hub } from '../data';
import { HubDialog } from './HubDialog';
import { HubInstructions } from '../instructions/HubInstructions';
import { ToolServers } from './ToolServers';
import './hubs.css';

const sessionsOf = ({ sessionCount }: Hub): string =>
  sessionCount === 1 ? '1 session' : `${(sessionCount ?? 0).toLocaleString()} sessions`;

export default function HubsPage() {
  const [, navigate] = useLocation();
  const edited = new URLSearchParams(useSearch()).get('edit');
  const { data: hubs, error, refetch } = useHubs();
  const { removeHub } = useSessionActions();
  const [isAdding, setAdding] = useState(false);
  const [removed, remove] = useState<Hub | null>(null);
  const [equipped, equip] = useState<Hub | null>(null);
  const [instructed, instruct] = useState<Hub | null>(null);
  const list = useRef<HTMLElement>(null);
  // The numbers of sessions change without news of hubs.
  useEffect(() => void refetch(), [refetch]);
  const edit = (id: string | null) => navigate(id === null ? '/hubs' : `/hubs?edit=${id}`, { replace: true });
  const shown = hubs?.find(({ id }) => id === edited);
  return (
    <Page
      title="Hubs"
      actions={
        <Button variant="primary" icon="plus" onPress={() => setAdding(true)}>
          Add a hub
        </Button>
      }
    >
      <section className="hubs" ref={list} tabIndex={-1} aria-label="Hubs">
        {error && !hubs ? (
          <ErrorState title="Couldn't load hubs" error={error} onRetry={() => void refetch()} />
        ) : !hubs ? (
          <Loading label="Loading hubs" />
        ) : hubs.length === 0 ? (
          <EmptyState
            icon="folder"
            title="No hubs yet"
            action={<Button onPress={() => setAdding(true)}>Add a hub</Button>}
          >
            A hub is a folder or repository in which sessions run.
          </EmptyState>
        ) : (
          <ul aria-label="Hubs">
            {hubs.map((hub) => (
              <li key={hub.id} className="hub">
                <HubLine hub={hub} />
                <IconButton icon="file" label={`Instructions of ${hub.name}`} onPress={() => instruct(hub)} />
                <IconButton icon="settings" label={`Tool servers of ${hub.name}`} onPress={() => equip(hub)} />
                <IconButton icon="edit" label={`Edit ${hub.name}`} onPress={() => edit(hub.id)} />
                <IconButton icon="trash" label={`Remove ${hub.name}`} onPress={() => remove(hub)} />
              </li>
            ))}
          </ul>
        )}
      </section>
      {isAdding && <HubDialog hubs={hubs ?? []} onClose={() => setAdding(false)} />}
      {hubs && shown && <HubDialog key={shown.id} hub={shown} hubs={hubs} onClose={() => edit(null)} />}
      {instructed && <HubInstructions hub={instructed} onClose={() => instruct(null)} />}
      {equipped && <ToolServers hub={equipped} onClose={() => equip(null)} />}
      {removed && (
        <ConfirmDialog
          isOpen
          title={`Remove ${removed.name}`}
          action="Remove hub"
          onClose={() => remove(null)}
          onConfirm={() => {
            // The button that opened this goes with the hub.
            list.current?.focus();
            void removeHub(removed.id);
          }}
        >
          <p>
            Its folder and files aren&apos;t changed. Its sessions and their transcripts stay, without a hub. Permission
            rules, tool servers, and instructions of this hub are deleted.
          </p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

function HubLine({ hub }: { hub: Hub }) {
  return (
    <div className="hub-what">
      <span className="hub-name">
        {hub.name}
        {!hub.isThere ? (
          <Badge tone="warn" icon="warning">
            Folder not found
          </Badge>
        ) : (
          hub.isRepository && <Badge>Git repository</Badge>
        )}
      </span>
      <code className="hub-folder">{hub.folder}</code>
      <Link href={`/sessions?hub=${hub.id}`} aria-label={`${sessionsOf(hub)} in ${hub.name}`}>
        {sessionsOf(hub)}
      </Link>
    </div>
  );
}
