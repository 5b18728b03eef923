/** Drip queues with their items: created, filled, put in order, and released. */
import { useState } from 'react';
import { Link, useSearch } from 'wouter';
import {
  Badge,
  Button,
  EmptyState,
  ErrorState,
  IconButton,
  Loading,
  Page,
  SortableList,
  Switch,
  Time,
} from '@shell/components';
import { useSetting } from '@shell/settings';
import { cadenceOf, itemIn, useDripActions, useItems, useQueues, type DripEntry, type DripQueue } from './data';
import { ItemDialog, type EditedItem } from './ItemDialog';
import { ItemPage } from './ItemPage';
import { QueueDialog } from './QueueDialog';
import './drip.css';

export default function DripPage() {
  const { queueId, itemId } = itemIn(`?${useSearch()}`);
  return itemId === '' ? <Queues /> : <ItemPage queueId={queueId} itemId={itemId} />;
}

function Queues() {
  const { data: queues, error, refetch } = useQueues();
  const isPaused = useSetting('dripGlobalPause') === true;
  const [editing, setEditing] = useState<DripQueue | 'new' | null>(null);
  return (
    <Page
      title="Drip"
      actions={
        <Button icon="plus" onPress={() => setEditing('new')}>
          New queue
        </Button>
      }
    >
      <div className="drip">
        {isPaused && (
          <p className="drip-paused" role="status">
            All queues are paused (dripGlobalPause). Nothing is released, and nothing accumulates.
          </p>
        )}
        {error && !queues ? (
          <ErrorState title="Couldn't load queues" error={error} onRetry={() => void refetch()} />
        ) : !queues ? (
          <Loading label="Loading queues" />
        ) : queues.length === 0 ? (
          <EmptyState icon="history" title="No queues">
            A queue releases its items into the inbox one at a time.
          </EmptyState>
        ) : (
          queues.map((queue) => <Queue key={queue.id} queue={queue} onEdit={() => setEditing(queue)} />)
        )}
      </div>
      {editing && <QueueDialog queue={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />}
    </Page>
  );
}

function Queue({ queue, onEdit }: { queue: DripQueue; onEdit: () => void }) {
  const { id, name, nextAt, waiting, released } = queue;
  const { update, remove, release, moveItem } = useDripActions();
  const { data: items, error, refetch } = useItems(id);
  const [edited, setEdited] = useState<EditedItem | null>(null);
  const entries = items?.map((item) => ({ ...item, name: item.title }));
  return (
    <section className="drip-queue" aria-label={name}>
      <div className="drip-head">
        <div className="drip-text">
          <h2>{name}</h2>
          <p className="drip-detail">
            {`${cadenceOf(queue)}, ${waiting} waiting, ${released} released`}
            {nextAt && (
              <>
                {', next '}
                <Time at={nextAt} isAhead />
              </>
            )}
          </p>
        </div>
        <Button icon="plus" onPress={() => setEdited('new')} aria-label={`Add item to ${name}`}>
          Add item
        </Button>
        <Button onPress={() => void release(id)} isDisabled={waiting === 0} aria-label={`Release next of ${name}`}>
          Release next
        </Button>
        <IconButton icon="edit" label={`Edit ${name}`} onPress={onEdit} />
        <IconButton icon="trash" label={`Delete ${name}`} onPress={() => void remove(queue)} />
        <Switch isSelected={queue.on} onChange={(on) => void update(id, { on })} aria-label={name} />
      </div>
      {error && !entries ? (
        <ErrorState title="Couldn't load items" error={error} onRetry={() => void refetch()} />
      ) : !entries ? (
        <Loading label="Loading items" />
      ) : entries.length === 0 ? (
        <p className="drip-detail">No items. Add text, Markdown, or HTML.</p>
      ) : (
        <SortableList
          label={`Items of ${name}`}
          entries={entries}
          onMove={(entry, to) => void moveItem(id, entry.id, 'before' in to ? to.before : undefined)}
        >
          {(item) => <ItemRow queueId={id} item={item} onEdit={() => setEdited(item)} />}
        </SortableList>
      )}
      {edited && <ItemDialog queueId={id} edited={edited} onClose={() => setEdited(null)} />}
    </section>
  );
}

const KINDS = { text: 'Text', markdown: 'Markdown', html: 'HTML' } as const;

function ItemRow({ queueId, item, onEdit }: { queueId: string; item: DripEntry; onEdit: () => void }) {
  const { release, skipItem, removeItem } = useDripActions();
  const { id, title, state, releasedAt } = item;
  const isSkipped = state === 'skipped';
  return (
    <>
      <div className="drip-text" data-state={state}>
        <Link href={`/drip?item=${queueId}.${id}`}>{title}</Link>{' '}
        <span className="drip-detail">
          {KINDS[item.kind]}
          {releasedAt && (
            <>
              {', released '}
              <Time at={releasedAt} />
            </>
          )}
        </span>{' '}
        {isSkipped && <Badge>Skipped</Badge>}
      </div>
      {state !== 'released' && (
        <>
          <IconButton icon="chevronRight" label={`Release ${title} now`} onPress={() => void release(queueId, id)} />
          <IconButton
            icon={isSkipped ? 'undo' : 'minus'}
            label={isSkipped ? `Restore ${title} to queue` : `Skip ${title}`}
            onPress={() => void skipItem(queueId, id, !isSkipped)}
          />
          <IconButton icon="edit" label={`Edit ${title}`} onPress={onEdit} />
        </>
      )}
      <IconButton icon="trash" label={`Delete ${title}`} onPress={() => void removeItem(queueId, id)} />
    </>
  );
}
