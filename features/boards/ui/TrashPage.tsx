/** Archive and Trash of a board or of all boards: search, restore, or permanently delete entries. */
import { useState } from 'react';
import { useLocation, useParams, useSearch } from 'wouter';
import { client } from '@shell/client';
import {
  Button,
  ConfirmDialog,
  EmptyState,
  ErrorState,
  Icon,
  Loading,
  Page,
  SearchField,
  Tabs,
  Time,
  toast,
} from '@shell/components';
import { useWorkspaces } from '@shell/workspace';
import { useQuery } from '@tanstack/react-query';
import { Who } from './Comments';
import { counted } from './format';
import { countedSubitems } from './subitems';
import { keep, useTrash, type Place, type TrashEntry } from './trash';
import './trash.css';

const ICONS = { item: 'task', group: 'folder', column: 'sidebar', board: 'board' } as const;
const KINDS = { item: 'Item', group: 'Group', column: 'Column', board: 'Board' } as const;

export default function TrashPage() {
  const { id } = useParams<{ id?: string }>();
  const { current } = useWorkspaces();
  const [search, setSearch] = useState('');
  const [path, navigate] = useLocation();
  const place = new URLSearchParams(useSearch()).get('place') === 'archive' ? 'archive' : 'trash';
  const { data: board } = useQuery({
    queryKey: ['board-head', id],
    enabled: id !== undefined,
    queryFn: ({ signal }) => client.get('/boards/{boardId}', { path: { boardId: id! }, signal }),
  });
  const of = id === undefined ? { workspace: current?.id } : { board: id };
  const list = (place: Place) => <List of={of} place={place} search={search.trim()} />;
  const back =
    id === undefined ? { href: '/boards', label: 'View boards' } : { href: `/boards/${id}`, label: 'Open the board' };
  return (
    <Page
      title="Archive and Trash"
      detail={id === undefined ? 'Boards' : board?.name}
      actions={<Button onPress={() => navigate(back.href)}>{back.label}</Button>}
    >
      <div className="trash">
        <div className="trash-search">
          <SearchField
            aria-label="Search Archive and Trash"
            placeholder="Search by name"
            value={search}
            onChange={setSearch}
          />
        </div>
        <Tabs
          label="Archive and Trash"
          selected={place}
          onSelect={(next) =>
            next !== place && navigate(next === 'archive' ? `${path}?place=archive` : path, { replace: true })
          }
          tabs={[
            { id: 'trash', label: 'Trash', content: list('trash') },
            { id: 'archive', label: 'Archive', content: list('archive') },
          ]}
        />
      </div>
    </Page>
  );
}

interface ListProps {
  of: { board: string } | { workspace: string | undefined };
  place: Place;
  search: string;
}

function List({ of, place, search }: ListProps) {
  const { entries, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage, again } = useTrash(
    of,
    place,
    search,
  );
  const [leaving, setLeaving] = useState<TrashEntry | null>(null);
  const board = 'board' in of ? of.board : '';
  const then = async (run: () => Promise<unknown>, done: string, failed: string) => {
    try {
      await run();
      toast.done(done);
    } catch (failure) {
      toast.problem(failed, failure);
    }
    again();
  };
  if (error) return <ErrorState title="Couldn't load list" error={error} onRetry={() => void refetch()} />;
  if (!entries) return <Loading label="Loading list" />;
  return (
    <>
      {entries.length === 0 && <Nothing place={place} searched={search !== ''} isBoard={board !== ''} />}
      <ul className="trash-list">
        {entries.map((entry) => (
          <li key={`${entry.kind}/${entry.id}`} className="trash-entry">
            <Icon name={ICONS[entry.kind]} />
            <div className="trash-what">
              <strong dir="auto">{entry.name}</strong>
              <p className="trash-notes">
                <span>{KINDS[entry.kind]}</span>
                {entry.itemCount > 0 && (
                  <span>
                    with {entry.kind === 'item' ? countedSubitems(entry.itemCount) : counted(entry.itemCount)}
                  </span>
                )}
                <span>
                  {place === 'trash' ? 'Deleted' : 'Archived'} <Time at={entry.at} />
                </span>
                {entry.actor && (
                  <span>
                    by <Who actor={entry.actor} isWithin />
                  </span>
                )}
                {entry.deletedAt && (
                  <span>
                    Permanently deleted <Time at={entry.deletedAt} isAhead />
                  </span>
                )}
              </p>
            </div>
            <Button
              icon="undo"
              aria-label={`Restore ${entry.name}`}
              onPress={() => void then(() => keep.restore(board, entry), `Restored ${entry.name}`, "Couldn't restore")}
            >
              Restore
            </Button>
            <Button icon="trash" aria-label={`Delete permanently: ${entry.name}`} onPress={() => setLeaving(entry)}>
              Delete permanently
            </Button>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
      <ConfirmDialog
        isOpen={leaving !== null}
        onClose={() => setLeaving(null)}
        title={`Permanently delete ${leaving?.name ?? ''}`}
        action="Delete permanently"
        onConfirm={() =>
          leaving &&
          void then(() => keep.deleteForGood(board, leaving), `Permanently deleted ${leaving.name}`, "Couldn't delete")
        }
      >
        Deletes it with everything in it. You can't undo this.
      </ConfirmDialog>
    </>
  );
}

function Nothing({ place, searched, isBoard }: { place: Place; searched: boolean; isBoard: boolean }) {
  if (searched) {
    return (
      <EmptyState icon="search" title="No results">
        Try another word or the other tab.
      </EmptyState>
    );
  }
  return place === 'trash' ? (
    <EmptyState icon="trash" title={isBoard ? 'Trash is empty' : 'No deleted boards'}>
      {isBoard
        ? 'You can restore deleted items, groups, and columns for 30 days.'
        : 'To restore items, groups, or columns, open Trash from the menu of their board.'}
    </EmptyState>
  ) : (
    <EmptyState icon="archive" title={isBoard ? 'Archive is empty' : 'No archived boards'}>
      {isBoard
        ? 'Archived items stay here until you restore or delete them.'
        : 'To restore items, open Archive from the menu of their board.'}
    </EmptyState>
  );
}
