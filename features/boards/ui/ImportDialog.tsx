/** Imports a file as a board or into one: choose it, look at what was found out, change what is wrong, import with progress, undo. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { client } from '@shell/client';
import { Button, Dialog, Select, Switch, TextField, toast } from '@shell/components';
import { useLiveEvent } from '@shell/live';
import { useWorkspaces } from '@shell/workspace';
import { useBoards, type Column } from './data';
import { counted } from './format';
import {
  TOOLS,
  addMembers,
  asked,
  cancelImport,
  chosenAs,
  misfitWords,
  rowsTaken,
  send,
  undoImport,
  unreadWords,
  updateWords,
  type Becomes,
  type Choices,
  type Chosen,
  type FoundColumn,
  type Imported,
  type Misfit,
  type Preview,
  type Tool,
  type UpdateCounts,
} from './import/importing';
import { Reading } from './import/Reading';
import { Columns, Differences, Drop, Problems, Refusal } from './import/parts';
import { boxOf } from './outbox/box';

const NEW_BOARD = 'new';
const TOOL_OPTIONS = Object.entries(TOOLS).map(([value, label]) => ({ value: value as Tool, label }));

interface ImportDialogProps {
  isOpen: boolean;
  /** The board that the file goes into, where the person comes from one. */
  into?: string | undefined;
  onClose: () => void;
}

/** What the person chose: for the file, and for its columns. */
interface Asked {
  choices: Choices;
  columns: readonly Chosen[];
}

export function ImportDialog({ isOpen, into, onClose }: ImportDialogProps) {
  const { current } = useWorkspaces();
  // A file that is chosen before that has nowhere to go.
  return isOpen && current ? <Import workspaceId={current.id} into={into} onClose={onClose} /> : null;
}

function Import({ workspaceId, into, onClose }: Omit<ImportDialogProps, 'isOpen'> & { workspaceId: string }) {
  const { data: boards, refetch } = useBoards();
  const [, navigate] = useLocation();
  const [file, setFile] = useState<File | null>(null);
  const [choices, setChoices] = useState<Choices>(into ? { boardId: into } : {});
  const [chosen, setChosen] = useState<readonly Chosen[]>([]);
  const [preview, setPreview] = useState<Preview | null>(null);
  /** The board's name where the person typed one. */
  const [typed, setTyped] = useState<string | null>(null);
  const [misfit, setMisfit] = useState<Misfit>('cell');
  const [isAdding, setAdding] = useState(false);
  const [stops, setStops] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [progress, setProgress] = useState<{ rows: number; rowsExpected: number } | null>(null);
  const [result, setResult] = useState<Imported | null>(null);
  const importId = useRef('');
  const abort = useRef<AbortController>(null);
  /** The look whose answer counts: the last that was asked for; those before it are ended. */
  const looking = useRef<AbortController>(null);
  /** What was asked for last, which the next choice adds to, also before its answer. */
  const asking = useRef<Asked>({ choices, columns: chosen });
  /** What the last answer is to. */
  const answered = useRef(asking.current);
  const [isLooking, setLooking] = useState(false);
  useEffect(() => () => looking.current?.abort(), []);
  const cache = useQueryClient();
  const why = useId();
  const { data: target } = useQuery({
    queryKey: ['boards', 'columns', choices.boardId],
    enabled: choices.boardId !== undefined,
    queryFn: async ({ signal }) =>
      (await client.get('/boards/{boardId}', { path: { boardId: choices.boardId! }, signal })) as { columns: Column[] },
  });
  useLiveEvent<{ importId: string; rows: number; rowsExpected: number }>('import-progress', (event) => {
    if (event.importId === importId.current) setProgress((before) => before && event);
  });

  /** Asks what would become of the file; what was chosen holds once the answer is there. */
  const look = async (of: File, more: Partial<Asked> = {}) => {
    looking.current?.abort();
    const { signal } = (looking.current = new AbortController());
    const next = (asking.current = { ...asking.current, ...more });
    setLooking(true);
    setError(null);
    try {
      const found = await send<Preview>(
        of,
        { workspaceId, dryRun: 'true', ...asked(next.choices, next.columns) },
        signal,
      );
      if (signal.aborted) return;
      setPreview(found);
      answered.current = next;
      setChoices(next.choices);
      setChosen(next.columns);
    } catch (failure) {
      if (signal.aborted) return;
      // What stands there goes on from what was answered.
      asking.current = answered.current;
      setChosen(answered.current.columns);
      setError(failure);
      if (!preview) setFile(null);
    } finally {
      if (!signal.aborted) setLooking(false);
    }
  };
  const open = (of: File) => {
    setFile(of);
    setTyped(null);
    void look(of, { choices: into ? { boardId: into } : {}, columns: [] });
  };
  /** Another tool, sheet, board or way to read the file: the columns are found anew. */
  const choose = (more: Choices) => {
    if (file)
      void look(file, {
        choices: { ...asking.current.choices, key: undefined, dateOrder: undefined, ...more } as Choices,
        columns: [],
      });
  };
  const adjust = (more: Choices) => {
    if (file) void look(file, { choices: { ...asking.current.choices, ...more } });
  };
  const chooseColumn = (found: FoundColumn, becomes: Becomes) => {
    const others = asking.current.columns.filter(
      (one) => one.index !== found.index && (one.role === undefined || one.role !== becomes),
    );
    const columns = [...others, chosenAs(found.index, becomes)];
    // What the name, the group and the columns of a board are is shown once the program agrees; a type at once.
    if (becomes !== 'name' && becomes !== 'group' && becomes !== 'parent' && !choices.boardId) setChosen(columns);
    // What does not fit its column is counted anew.
    if (file) void look(file, { columns });
  };
  const addPeople = async (people: readonly string[]) => {
    setAdding(true);
    try {
      await addMembers(people);
      toast.done(
        people.length === 1 ? `Added ${people[0]} as a member` : `Added ${people.length.toLocaleString()} members`,
      );
    } catch (failure) {
      toast.problem("Couldn't add all members", failure);
    }
    void cache.invalidateQueries({ queryKey: ['members'] });
    if (file) await look(file);
    setAdding(false);
  };
  const name = typed ?? preview?.name ?? file?.name.replace(/\.[^.]*$/, '') ?? '';

  const takeBack = async (id: string, board: string) => {
    const undone = await undoImport(id);
    void refetch();
    if (undone.boardDeleted) navigate('/boards');
    const along = undone.changedSince ? `${board} is in Trash with its later changes.` : board;
    const stay =
      undone.keptCount === 1 ? 'Kept 1 later change.' : `Kept ${undone.keptCount.toLocaleString()} later changes.`;
    toast.done('Import undone', { detail: undone.keptCount > 0 ? `${board}. ${stay}` : along });
  };
  const told = (imported: Imported, id: string) => {
    const board = imported.board.name;
    if (imported.rowsImported !== undefined) {
      const undo = () =>
        takeBack(id, board).catch((failure: unknown) => toast.problem("Couldn't undo import", failure));
      toast.done(`Imported ${counted(imported.rowsImported)} into ${board}`, { undo });
      return;
    }
    // What was done to a board that was there is a step on it, which nothing does again but another import.
    const back = async () => {
      await takeBack(id, board);
      close();
      return null;
    };
    const box = boxOf(imported.board.id);
    const made = box.note(Promise.resolve(back), 'the import');
    const close = toast.done(
      `Added ${counted(imported.added ?? 0)}, changed ${(imported.changed ?? 0).toLocaleString()} in ${board}`,
      { undo: () => box.takeBack(made) },
    );
  };

  /** Goes to a board, where the dialog may stand already. */
  const show = (board: string) => {
    onClose();
    navigate(`/boards/${board}`);
  };
  const run = async () => {
    if (!file || !preview) return;
    const id = crypto.randomUUID();
    importId.current = id;
    abort.current = new AbortController();
    setError(null);
    setProgress({ rows: 0, rowsExpected: preview.rowsEstimated });
    try {
      const query = {
        workspaceId,
        ...(choices.boardId ? {} : { name: name.trim() || file.name }),
        onError: stops ? 'stop' : 'skip',
        onMisfit: misfit,
        importId: id,
        // What the rows are told apart by was proposed, perhaps: it is what the person saw.
        ...asked(choices.boardId && preview.key !== undefined ? { ...choices, key: preview.key } : choices, chosen),
      };
      const imported = await send<Imported>(file, query, abort.current.signal);
      void refetch();
      told(imported, id);
      if (imported.rowsSkipped === 0) show(imported.board.id);
      else setResult(imported);
    } catch (failure) {
      if (!abort.current.signal.aborted) setError(failure);
    } finally {
      setProgress(null);
    }
  };

  const cancel = () => {
    abort.current?.abort();
    cancelImport(importId.current);
    setProgress(null);
    toast.done('Import canceled');
  };

  if (result) {
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title="Imported with skipped rows"
        size="medium"
        actions={
          <Button variant="primary" autoFocus onPress={() => show(result.board.id)}>
            Open board
          </Button>
        }
      >
        <p>
          {result.rowsImported === undefined
            ? updateWords(result as Imported & UpdateCounts).join(' ')
            : `Imported ${counted(result.rowsImported)} into ${result.board.name}.`}{' '}
          {unreadWords(result.rowsSkipped)}
        </p>
        <Problems problems={result.problems} />
      </Dialog>
    );
  }
  if (progress) {
    return (
      <Dialog
        isOpen
        onClose={cancel}
        title={`Importing ${file?.name ?? 'the file'}`}
        actions={<Button onPress={cancel}>Cancel import</Button>}
      >
        <progress
          className="import-progress"
          aria-label="Rows imported"
          value={progress.rows}
          max={Math.max(progress.rowsExpected, 1)}
        />
        <p role="status">
          {progress.rows.toLocaleString()} of about {progress.rowsExpected.toLocaleString()} rows
        </p>
      </Dialog>
    );
  }
  if (!preview) {
    return (
      <Dialog isOpen onClose={onClose} title="Import a file" size="medium">
        <Drop onFile={open} isReading={file !== null} />
        {error !== null && <Refusal error={error} />}
      </Dialog>
    );
  }
  const { update } = preview;
  const taken = rowsTaken(preview, misfit);
  const targets = [
    { value: NEW_BOARD, label: 'A new board' },
    ...(boards ?? []).map((board) => ({ value: board.id, label: board.name })),
  ];
  const wanted = choices.boardId ? preview.key === undefined : false;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Import ${file?.name ?? 'a file'}`}
      size="large"
      actions={
        <>
          <Button
            onPress={() => {
              looking.current?.abort();
              setPreview(null);
              setFile(null);
            }}
          >
            Choose another file
          </Button>
          {wanted && (
            <span id={why} className="import-note">
              Choose a key column first.
            </span>
          )}
          <Button
            variant="primary"
            isPending={isLooking}
            isDisabled={wanted}
            {...(wanted ? { 'aria-describedby': why } : {})}
            onPress={() => void run()}
          >
            Import {taken === 1 ? '1 row' : `${taken.toLocaleString()} rows`}
          </Button>
        </>
      }
    >
      <div className="import-choices">
        <Select
          label="Import into"
          options={targets}
          value={choices.boardId ?? NEW_BOARD}
          onChange={(board) => choose({ boardId: board === NEW_BOARD ? undefined : board } as Choices)}
        />
        {!choices.boardId && <TextField label="Board name" value={name} onChange={setTyped} />}
        <Select<Tool>
          label="Exported from"
          options={TOOL_OPTIONS}
          value={preview.tool?.name ?? 'none'}
          onChange={(tool) => choose({ tool })}
        />
        {preview.sheets.length > 1 && (
          <Select
            label="Sheet"
            options={preview.sheets.map((sheet) => ({ value: sheet, label: sheet }))}
            value={preview.sheet ?? ''}
            onChange={(sheet) => choose({ sheet })}
          />
        )}
        {choices.boardId && (
          <Select<number>
            label="Key column"
            options={preview.columns.map((column) => ({ value: column.index, label: column.title }))}
            value={preview.key ?? null}
            placeholder="Choose a column"
            onChange={(key) => adjust({ key })}
          />
        )}
      </div>
      <p className="import-note">{described(preview)}</p>
      {preview.notes.map((note) => (
        <p key={note} className="import-note">
          {note}
        </p>
      ))}
      <Reading preview={preview} onChoose={choose} />
      {update && (
        <div role="status" className="import-update">
          {updateWords(update).map((words) => (
            <p key={words}>{words}</p>
          ))}
        </div>
      )}
      {update && <Differences title="Changes" differences={update.changedCells} count={update.changedCount} />}
      {update && <Differences title="Changed here and kept" differences={update.keptCells} count={update.kept} />}
      <Columns
        columns={preview.columns}
        chosen={chosen}
        board={choices.boardId ? (target?.columns ?? []) : undefined}
        onChoose={chooseColumn}
        onDateOrder={(dateOrder) => adjust({ dateOrder })}
        onAddPeople={isAdding ? undefined : (people) => void addPeople(people)}
      />
      {preview.misfitRows > 0 && (
        <Select<Misfit>
          label={misfitWords(preview)}
          options={[
            { value: 'cell', label: choices.boardId ? 'Skip only these cells' : 'Leave these cells empty' },
            { value: 'row', label: preview.misfitRows === 1 ? 'Skip the row' : 'Skip the rows' },
          ]}
          value={misfit}
          onChange={setMisfit}
        />
      )}
      {choices.boardId && (
        <Switch isSelected={choices.overwrite ?? false} onChange={(overwrite) => adjust({ overwrite })}>
          Overwrite changes made here since the last import
        </Switch>
      )}
      {preview.tool?.name === 'trello' && preview.delimiter === '' && (
        <Switch isSelected={choices.archived ?? false} onChange={(archived) => choose({ archived })}>
          Include archived cards
        </Switch>
      )}
      <Switch isSelected={stops} onChange={setStops}>
        Import nothing if a row can't be read
      </Switch>
      {preview.problems.length > 0 && <Problems problems={preview.problems} />}
      {error !== null && <Refusal error={error} />}
    </Dialog>
  );
}

const delimiterName = (delimiter: string) =>
  ({ ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'pipes' })[delimiter] ?? delimiter;

/** What kind of file it is. */
function described(preview: Preview): string {
  const what = preview.tool ? `${preview.tool.title} export. ` : '';
  const titleRow = preview.hasHeader ? 'titles in the first row' : 'no title row';
  if (preview.sheet !== undefined) return `${what}Excel workbook, ${titleRow}.`;
  if (preview.delimiter === '') return `${what}JSON file.`;
  return `${what}${preview.encoding}, columns separated by ${delimiterName(preview.delimiter)}, ${titleRow}.`;
}
