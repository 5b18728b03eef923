/** One board: its items in a table that is edited in place. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { api, ApiError, reasonOf, request } from '@shell/api';
import { Button, ConfirmDialog, Dialog, ErrorState, IconButton, Loading, Menu, Page, Select, TextField, toast } from '@shell/components';
import { useLiveEvent } from '@shell/live';
import { change, COLUMN_TYPES, useMembers, type CellValue, type ColumnType } from './data';
import { counted } from './format';
import { Grid } from './Grid';
import { ItemPanel } from './ItemPanel';
import { BoardTable, type Changed } from './table';
import './boards.css';

const ARROW = 'application/vnd.apache.arrow.stream';
/** What has changed is asked for at once, and then at most this often. */
const FOLLOW_MS = 100;

interface Loaded {
  table: BoardTable;
  etag: string | null;
}

/** The board, its edits, and what to do to change it. */
function useBoard(id: string) {
  const cache = useQueryClient();
  const [table, setTable] = useState<BoardTable>();
  const newest = useRef<BoardTable>(undefined);
  const put = useCallback((next: BoardTable | undefined) => {
    newest.current = next;
    setTable(next);
  }, []);
  const query = useQuery({
    queryKey: ['board', id],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Loaded> => {
      const held = cache.getQueryData<Loaded>(['board', id]);
      const response = await request('GET', `/boards/${id}/full`, { signal, headers: { Accept: ARROW }, ...(held?.etag ? { ifNoneMatch: held.etag } : {}) });
      if (response.status === 304 && held) return held;
      return { table: BoardTable.read(await response.arrayBuffer(), newest.current), etag: response.headers.get('ETag') };
    },
  });
  useEffect(() => {
    const [held, read] = [newest.current?.meta.board, query.data?.table.meta.board];
    if (read?.id !== id) put(undefined);
    // A read that was under way when something newer arrived is not taken.
    else if (held?.id !== id || held.revision <= read.revision) put(query.data?.table);
  }, [query.data, id, put]);

  const following = useRef<{ running: boolean; again: boolean }>({ running: false, again: false });
  const follow = useCallback(async () => {
    const state = following.current;
    state.again = true;
    if (state.running) return;
    state.running = true;
    try {
      while (state.again) {
        state.again = false;
        const held = newest.current;
        if (held?.meta.board.id !== id) break;
        const changed = await api.get<Changed>(`/boards/${id}/changed?since=${held.meta.board.revision}`);
        // What was edited here meanwhile stays: the newest table is patched, unless it was read anew.
        const latest = newest.current;
        const same = latest?.meta.board.revision === held.meta.board.revision;
        const next = same ? latest.patched(changed) : latest;
        if (next && same) {
          put(next);
          // Whoever comes back to the board finds it as it was left; the tag was of what was read.
          cache.setQueryData<Loaded>(['board', id], { table: next, etag: null });
        }
        if (!next) await cache.invalidateQueries({ queryKey: ['board', id] });
        if ((newest.current?.meta.board.revision ?? 0) < changed.board.revision) state.again = true;
        await new Promise((resolve) => setTimeout(resolve, FOLLOW_MS));
      }
    } catch {
      // The next change, or the connection's return, asks again.
      await cache.invalidateQueries({ queryKey: ['board', id] });
    } finally {
      state.running = false;
    }
  }, [cache, id, put]);
  // What is kept of a board was not followed while the page was elsewhere.
  const isKept = useRef(query.data !== undefined);
  useEffect(() => {
    if (isKept.current) void follow();
  }, [follow]);
  useLiveEvent<{ boardId: string; revision: number }>('board-changed', (event) => {
    if (event.boardId === id && event.revision > (newest.current?.meta.board.revision ?? Infinity)) void follow();
  });

  const edit = useCallback(
    async (item: string, column: string, value: CellValue) => {
      put(newest.current?.edited(item, column, value, 0));
      try {
        const saved = await (column === 'name' ? change.rename(id, item, String(value ?? '')) : change.cell(id, item, column, value));
        const kept = column === 'name' ? saved.name : (saved.cells[column] ?? null);
        put(newest.current?.edited(item, column, kept, saved.boardRevision));
      } catch (failure) {
        put(newest.current?.reverted(item, column));
        const reason = failure instanceof ApiError ? failure.reasonAt('/value') : reasonOf(failure);
        toast.problem('The cell was not saved', new Error(reason));
      }
    },
    [id, put],
  );
  return { ...query, table, edit, follow };
}

export default function BoardPage() {
  const { id = '' } = useParams<{ id: string }>();
  const { table, error, refetch, edit, follow } = useBoard(id);
  const { data: members } = useMembers();
  const [dialog, setDialog] = useState<'rename' | 'delete' | 'column' | null>(null);
  const [deleting, setDeleting] = useState<{ id: string; name: string } | null>(null);
  const [opened, setOpened] = useState<{ id: string; name: string } | null>(null);
  /** What had the focus when an item was opened, and gets it back. */
  const openedFrom = useRef<HTMLElement>(null);
  useEffect(() => setOpened(null), [id]);
  const [, navigate] = useLocation();
  if (error && !table) {
    const gone = error instanceof ApiError && error.status === 404;
    return (
      <Page title="Board">
        {gone ? (
          <ErrorState
            title="This board is not here"
            error={new Error('It was deleted, or the address is wrong.')}
            action={<Button onPress={() => navigate('/boards')}>Show all boards</Button>}
          />
        ) : (
          <ErrorState title="The board could not be read" error={error} onRetry={() => void refetch()} />
        )}
      </Page>
    );
  }
  if (!table) {
    return (
      <Page title="Board">
        <Loading label="Loading the board" />
      </Page>
    );
  }
  const { board } = table.meta;
  const then = async (run: () => Promise<unknown>, failed: string) => {
    try {
      await run();
      await follow();
    } catch (failure) {
      toast.problem(failed, failure);
    }
  };
  return (
    <Page
      title={board.name}
      detail={counted(table.count)}
      actions={
        <>
          <Button icon="plus" onPress={() => setDialog('column')}>
            Add column
          </Button>
          <Menu
            label="Board"
            groups={[
              { entries: [{ id: 'rename', label: 'Rename board', icon: 'edit', onAction: () => setDialog('rename') }] },
              { entries: [{ id: 'delete', label: 'Delete board', icon: 'trash', isDanger: true, onAction: () => setDialog('delete') }] },
            ]}
          >
            <IconButton icon="more" label="More about this board" />
          </Menu>
        </>
      }
      side={
        opened && (
          <ItemPanel
            key={opened.id}
            board={id}
            item={opened.id}
            name={opened.name}
            columns={table.meta.columns}
            groups={table.meta.groups}
            members={members ?? table.meta.members}
            onClose={() => {
              setOpened(null);
              openedFrom.current?.focus();
            }}
          />
        )
      }
    >
      <Grid
        table={table}
        members={members ?? table.meta.members}
        onEdit={(item, column, value) => void edit(item, column, value)}
        onDelete={(item, name) => setDeleting({ id: item, name })}
        onOpenItem={(item, name) => {
          openedFrom.current = document.activeElement as HTMLElement | null;
          setOpened({ id: item, name });
        }}
        onAdd={(name, group) => void then(() => change.addItem(id, name, group), 'The item was not added')}
      />
      <ConfirmDialog
        isOpen={deleting !== null}
        onClose={() => setDeleting(null)}
        title={`Delete ${deleting?.name ?? ''}`}
        action="Delete item"
        onConfirm={() =>
          deleting &&
          void then(async () => {
            await change.deleteItem(id, deleting.id);
            if (opened?.id === deleting.id) setOpened(null);
          }, 'The item was not deleted')
        }
      >
        The item goes with all its cells and comments. What its cells held stays readable in the record of changes.
      </ConfirmDialog>
      <NameDialog
        key={`${dialog}-${board.name}`}
        isOpen={dialog === 'rename'}
        onClose={() => setDialog(null)}
        title="Rename board"
        action="Rename board"
        initial={board.name}
        onSave={async (name) => {
          await change.renameBoard(id, name);
          await follow();
        }}
      />
      <ColumnDialog
        isOpen={dialog === 'column'}
        onClose={() => setDialog(null)}
        onSave={async (title, type) => {
          await change.addColumn(id, title, type);
          await follow();
        }}
      />
      <ConfirmDialog
        isOpen={dialog === 'delete'}
        onClose={() => setDialog(null)}
        title={`Delete ${board.name}`}
        action="Delete board"
        onConfirm={() =>
          void then(async () => {
            await change.deleteBoard(id);
            toast.done(`Deleted ${board.name}`);
            navigate('/boards');
          }, 'The board was not deleted')
        }
      >
        The board goes with its {counted(table.count)}. Dashboards that connect it stay and say that it is not available.
      </ConfirmDialog>
    </Page>
  );
}

interface NameDialogProps {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  action: string;
  initial: string;
  onSave: (name: string) => Promise<void>;
}

function NameDialog({ isOpen, onClose, title, action, initial, onSave }: NameDialogProps) {
  const [name, setName] = useState(initial);
  const [error, setError] = useState<string | null>(null);
  const save = async () => {
    try {
      await onSave(name.trim());
      onClose();
    } catch (failure) {
      setError(failure instanceof ApiError ? failure.reasonAt('/name') : reasonOf(failure));
    }
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button variant="primary" onPress={() => void save()}>
            {action}
          </Button>
        </>
      }
    >
      <TextField label="Name" value={name} onChange={setName} error={error} autoFocus onInputKeyDown={(event) => event.key === 'Enter' && void save()} />
    </Dialog>
  );
}

const TYPE_OPTIONS = Object.entries(COLUMN_TYPES).map(([value, label]) => ({ value: value as ColumnType, label }));

function ColumnDialog({ isOpen, onClose, onSave }: { isOpen: boolean; onClose: () => void; onSave: (title: string, type: ColumnType) => Promise<void> }) {
  const [title, setTitle] = useState('');
  const [type, setType] = useState<ColumnType>('text');
  const [error, setError] = useState<string | null>(null);
  const save = async () => {
    try {
      await onSave(title.trim(), type);
      setTitle('');
      setError(null);
      onClose();
    } catch (failure) {
      setError(failure instanceof ApiError ? failure.reasonAt('/title') : reasonOf(failure));
    }
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Add a column"
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button variant="primary" onPress={() => void save()}>
            Add column
          </Button>
        </>
      }
    >
      <TextField label="Title" value={title} onChange={setTitle} error={error} autoFocus onInputKeyDown={(event) => event.key === 'Enter' && void save()} />
      <Select label="Type" options={TYPE_OPTIONS} value={type} onChange={setType} />
    </Dialog>
  );
}
