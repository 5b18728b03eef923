/** One board, looked at through one of its views. */
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useParams, useSearch } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { ApiError } from '@shell/api';
import { Button, ConfirmDialog, ErrorState, IconButton, Loading, Menu, NoAnswer, Page } from '@shell/components';
import { useConnection } from '@shell/live';
import { useMembers } from '@shell/members';
import { attempt } from './attempt';
import { useNameShown } from './BoardLinks';
import { ColumnDialog } from './ColumnDialog';
import { change } from './changes';
import { isFiles, type Attachment, type CellValue, type Column, type ColumnSettings, type ColumnType } from './data';
import { NameDialog } from './dialogs';
import { counted } from './format';
import { FilesDialog } from './files/FilesDialog';
import { FollowComputing } from './formula/Computing';
import { FormulaDialog } from './formula/FormulaDialog';
import { Grid } from './Grid';
import { transferEntries } from './import/transfer';
import { ItemFields, ItemGone, ItemTitle } from './ItemFields';
import { ItemPanel } from './ItemPanel';
import { steady } from '@shell/steady';
import { countedSubitems, newSubitem, subitemCount } from './subitems';
import { Subitems } from './Subitems';
import { offerBoard, offerStep, offerUndo } from './offers';
import { keep } from './trash';
import { useBoard } from './useBoard';
import { Large } from './outbox/Large';
import type { Outbox } from './outbox/useOutbox';
import { Waiting } from './outbox/Waiting';
import type { BoardTable } from './table';
import { useViews } from './views/useViews';
import { ViewBody } from './views/ViewBody';
import { UnreadFilter } from './views/ViewFault';
import { ViewControls } from './views/ViewControls';
import { ViewKeys } from './views/ViewKeys';
import { PANEL_ID, tabId, ViewBar } from './views/ViewBar';
import './boards.css';

const ImportDialog = lazy(() => import('./ImportDialog').then((file) => ({ default: file.ImportDialog })));

export default function BoardPage() {
  const { id = '' } = useParams<{ id: string }>();
  const { table: read, heldThere, error, refetch, follow, outbox } = useBoard(id);
  const connection = useConnection();
  const { data: members } = useMembers();
  const table = useMemo(() => (members ? read?.knowing(members) : read), [read, members]);
  const views = useViews(id);
  const [dialog, setDialog] = useState<BoardDialog | null>(null);
  const [deleting, setDeleting] = useState<{ id: string; name: string } | null>(null);
  const [formula, setFormula] = useState<CellPlace | null>(null);
  const [files, setFiles] = useState<FilesPlace | null>(null);
  const [added, setAdded] = useState<string | null>(null);
  const [opened, setOpened] = useState<{ id: string; name: string } | null>(null);
  /** What had the focus when an item was opened, and gets it back. */
  const openedFrom = useRef<HTMLElement>(null);
  useEffect(() => setOpened(null), [id]);
  const [, navigate] = useLocation();
  const search = useSearch();
  const isHere = table?.meta.board.id === id;
  useNameShown(isHere ? table?.meta.board : undefined);
  const isMade = useHistoryState<{ isMade?: boolean } | null>()?.isMade === true;
  useEffect(() => {
    if (!isHere || !isMade) return;
    const frame = requestAnimationFrame(() => {
      if (document.activeElement === document.body) document.querySelector<HTMLElement>('.page-head h1')?.focus();
    });
    return () => cancelAnimationFrame(frame);
  }, [isHere, isMade]);
  useEffect(() => {
    const asked = new URLSearchParams(search);
    const item = asked.get('item');
    if (item === null || !isHere) return;
    // It is opened once, and not again when the page is read anew.
    openedFrom.current = null;
    setOpened({ id: item, name: '' });
    asked.delete('item');
    navigate(`/boards/${id}${asked.size > 0 ? `?${asked}` : ''}`, { replace: true });
  }, [search, isHere, id, navigate]);
  if (error && !table) {
    const gone = error instanceof ApiError && error.status === 404;
    return (
      <Page title="Board">
        {gone ? (
          <ErrorState
            title="Board not found"
            error={new Error('It may have been deleted, or the link is wrong.')}
            action={<Button onPress={() => navigate('/boards')}>Show all boards</Button>}
          />
        ) : (
          <ErrorState title="Couldn't load board" error={error} onRetry={() => void refetch()} />
        )}
      </Page>
    );
  }
  if (!table || views.isLoading) {
    return (
      <Page title="Board">{connection === 'lost' ? <NoAnswer what="board" /> : <Loading label="Loading board" />}</Page>
    );
  }
  const { board } = table.meta;
  const openedRow = opened ? table.row(opened.id) : undefined;
  const openedName = openedRow === undefined ? (opened?.name ?? '') : String(table.cell(openedRow, 'name') ?? '');
  const subitems = subitemCount(table);
  const open = (item: string, name: string) => {
    openedFrom.current = document.activeElement as HTMLElement | null;
    setOpened({ id: item, name });
  };
  const addColumn = async (title: string, type: ColumnType, settings: ColumnSettings) => {
    setAdded((await change.addColumn(id, title, type, settings)).id);
    await follow();
  };
  const then = attempt(follow);
  /** Archives or deletes items as one step, with Undo. */
  const putAway = (where: 'archive' | 'remove', items: readonly string[], name: string) => {
    const made = outbox.write({ [where]: items });
    if (opened && items.includes(opened.id)) setOpened(null);
    offerStep(`${where === 'archive' ? 'Archived' : 'Deleted'} ${name}`, made, outbox.takeBack);
  };
  return (
    <Page
      title={board.name}
      detail={subitems > 0 ? `${counted(table.count)}, ${countedSubitems(subitems)}` : counted(table.count)}
      actions={
        <Actions
          board={id}
          name={board.name}
          onDialog={setDialog}
          onTrash={() => navigate(`/boards/${id}/trash`)}
          onArchive={() =>
            void then(async () => {
              await keep.archiveBoard(id);
              offerBoard(`Archived ${board.name}`, id, () => keep.restoreBoard(id));
              navigate('/boards');
            }, "Couldn't archive board")
          }
        />
      }
      side={
        opened && (
          <OpenItem
            key={opened.id}
            board={id}
            table={table}
            item={opened.id}
            name={openedName}
            outbox={outbox}
            follow={follow}
            onShowTrash={() => navigate(`/boards/${id}/trash`)}
            onArchive={() => {
              putAway('archive', [opened.id], opened.name);
              openedFrom.current?.focus();
            }}
            onDelete={() => setDeleting({ id: opened.id, name: openedName })}
            onRemove={(item, name) => putAway('remove', [item], name)}
            onOpen={(item, name) => setOpened({ id: item, name })}
            onOpenFormula={(column, item) => setFormula({ column, item })}
            onOpenFiles={(column, item) => setFiles({ column, item })}
            onClose={() => {
              setOpened(null);
              openedFrom.current?.focus();
            }}
          />
        )
      }
    >
      <div className="view-frame">
        <ViewKeys kind={views.open.kind} outbox={outbox} />
        <Waiting
          outbox={outbox}
          columns={table.meta.columns}
          groups={table.meta.groups}
          members={table.meta.members}
          now={heldThere}
        />
        <Large progress={outbox.progress} />
        <ViewBar board={id} state={views} columns={table.meta.columns}>
          <ViewControls view={views.open} columns={table.meta.columns} onSettings={views.change} />
        </ViewBar>
        <UnreadFilter onDrop={views.dropFilter} />
        <div className="view-panel" role="tabpanel" id={PANEL_ID} aria-labelledby={tabId(views.open)}>
          {views.open.kind === 'table' ? (
            <Grid
              key={`${id}/${views.open.id}`}
              table={table}
              members={table.meta.members}
              settings={views.open.settings}
              onSettings={views.change}
              outbox={outbox}
              added={dialog === 'column' ? null : added}
              onAddColumn={addColumn}
              onDelete={(item, name) => setDeleting({ id: item, name })}
              onPutAway={(where, items) => putAway(where, items, counted(items.length))}
              onOpenFormula={(column, item) => setFormula({ column, item })}
              onOpenFiles={(column, item, dropped) => setFiles({ column, item, ...(dropped ? { dropped } : {}) })}
              onOpenItem={open}
              onAddSubitem={(parent, name) => void outbox.write(newSubitem(parent, name))}
            />
          ) : (
            <ViewBody
              board={id}
              view={views.open}
              table={table}
              members={table.meta.members}
              outbox={outbox}
              follow={follow}
              onSettings={views.change}
              onOpenItem={open}
            />
          )}
        </div>
      </div>
      <ConfirmDialog
        isOpen={deleting !== null}
        onClose={() => setDeleting(null)}
        title={`Delete ${deleting?.name ?? ''}`}
        action="Delete item"
        onConfirm={() => {
          if (!deleting) return;
          const isOpened = opened?.id === deleting.id;
          putAway('remove', [deleting.id], deleting.name);
          if (isOpened) openedFrom.current?.focus();
        }}
      >
        Moves the item to Trash with its cells, comments, and subitems. You can restore it for 30 days.
      </ConfirmDialog>
      <NameDialog
        isOpen={dialog === 'rename'}
        onClose={() => setDialog(null)}
        title="Rename board"
        action="Rename board"
        initial={board.name}
        onSave={async (name) => {
          const { made, unchanged } = await change.renameBoard(id, name);
          await follow();
          if (!unchanged)
            offerUndo('Renamed board', { board: id, left: ({ meta }) => meta.board.name, stands: name }, () =>
              outbox.takeBack(made),
            );
        }}
      />
      <ColumnDialog isOpen={dialog === 'column'} onClose={() => setDialog(null)} onSave={addColumn} />
      {dialog === 'import' && (
        <Suspense>
          <ImportDialog isOpen into={id} onClose={() => setDialog(null)} />
        </Suspense>
      )}
      <CellDialogs
        board={id}
        table={table}
        files={files}
        formula={formula}
        follow={follow}
        onClose={() => {
          setFiles(null);
          setFormula(null);
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
            offerBoard(`Deleted ${board.name}`, id, () => keep.restoreBoard(id));
            navigate('/boards');
          }, "Couldn't delete board")
        }
      >
        Moves the board and its {counted(table.count)} to Trash. You can restore it for 30 days. Connected dashboards
        show it as unavailable.
      </ConfirmDialog>
    </Page>
  );
}

/** A cell that a dialog is open for. */
interface CellPlace {
  column: Column;
  item: string;
}
interface FilesPlace extends CellPlace {
  dropped?: readonly File[];
}

/** The current value of a cell. */
function held(table: BoardTable, item: string, column: string): CellValue {
  const row = table.row(item);
  return row === undefined ? null : table.cell(row, column);
}

function filesOf(table: BoardTable, item: string, column: string): readonly Attachment[] {
  const cell = held(table, item, column);
  return isFiles(cell) ? cell : [];
}

interface OpenItemProps {
  board: string;
  table: BoardTable;
  item: string;
  name: string;
  outbox: Outbox;
  follow: () => Promise<void>;
  onShowTrash: () => void;
  onArchive: () => void;
  onDelete: () => void;
  /** Deletes a subitem. */
  onRemove: (item: string, name: string) => void;
  onOpen: (item: string, name: string) => void;
  onOpenFormula: (column: Column, item: string) => void;
  onOpenFiles: (column: Column, item: string) => void;
  onClose: () => void;
}

/** The item that is open at the side. */
function OpenItem({
  board,
  table,
  item,
  name,
  outbox,
  follow,
  onShowTrash,
  onArchive,
  onDelete,
  onRemove,
  onOpen,
  onOpenFormula,
  onOpenFiles,
  onClose,
}: OpenItemProps) {
  const isGone = table.row(item) === undefined;
  const edit = (of: string, column: string, after: CellValue, before: CellValue) =>
    void outbox.write({ cells: [{ item: of, column, before, after }] });
  return (
    <ItemPanel
      board={board}
      item={item}
      name={name}
      heading={<ItemTitle item={item} name={name} edit={edit} />}
      gone={isGone ? <ItemGone onShowTrash={onShowTrash} /> : undefined}
      columns={table.meta.columns}
      groups={table.meta.groups}
      members={table.meta.members}
      onArchive={onArchive}
      onDelete={onDelete}
      filesOf={(column) => filesOf(table, item, column)}
      onFiles={follow}
      onClose={onClose}
    >
      <FollowComputing table={table}>
        <ItemFields
          table={table}
          item={item}
          members={table.meta.members}
          edit={edit}
          outbox={outbox}
          onOpenFormula={onOpenFormula}
          onOpenFiles={onOpenFiles}
        />
      </FollowComputing>
      {!isGone && <Subitems table={table} item={item} write={outbox.write} onRemove={onRemove} onOpen={onOpen} />}
    </ItemPanel>
  );
}

interface CellDialogsProps {
  board: string;
  table: BoardTable;
  files: FilesPlace | null;
  formula: CellPlace | null;
  follow: () => Promise<void>;
  onClose: () => void;
}

/** The files of a cell, and the formula of a column. */
function CellDialogs({ board, table, files, formula, follow, onClose }: CellDialogsProps) {
  return (
    <>
      {files && (
        <FilesDialog
          key={`${files.column.id}-${files.item}`}
          cell={{ board, item: files.item, column: files.column.id }}
          label={files.column.title}
          name={String(held(table, files.item, 'name') ?? '')}
          files={filesOf(table, files.item, files.column.id)}
          {...(files.dropped ? { dropped: files.dropped } : {})}
          onChanged={follow}
          onClose={onClose}
        />
      )}
      {formula && (
        <FormulaDialog
          key={`${formula.column.id}-${formula.item}`}
          board={board}
          columns={table.meta.columns}
          column={formula.column}
          item={formula.item}
          onClose={onClose}
          onSave={async (written) => {
            await change.updateColumn(board, formula.column.id, {
              settings: { ...formula.column.settings, formula: written },
              was: { settings: formula.column.settings },
            });
            await follow();
          }}
        />
      )}
    </>
  );
}

type BoardDialog = 'rename' | 'delete' | 'column' | 'import';

interface ActionsProps {
  board: string;
  name: string;
  onDialog: (dialog: BoardDialog) => void;
  onTrash: () => void;
  onArchive: () => void;
}

/** Actions on the board, memoized because every view change renders the page again. */
const Actions = steady(function Actions({ board, name, onDialog, onTrash, onArchive }: ActionsProps) {
  return (
    <>
      <Button icon="plus" onPress={() => onDialog('column')}>
        Add column
      </Button>
      <Menu
        label="Board"
        groups={[
          { entries: [{ id: 'rename', label: 'Rename board', icon: 'edit', onAction: () => onDialog('rename') }] },
          transferEntries(board, name, () => onDialog('import')),
          {
            entries: [
              { id: 'trash', label: 'View Trash', icon: 'trash', onAction: onTrash },
              { id: 'archive', label: 'Archive board', icon: 'archive', onAction: onArchive },
            ],
          },
          {
            entries: [
              {
                id: 'delete',
                label: 'Delete board',
                icon: 'trash',
                isDanger: true,
                onAction: () => onDialog('delete'),
              },
            ],
          },
        ]}
      >
        <IconButton icon="more" label="More board actions" />
      </Menu>
    </>
  );
});
