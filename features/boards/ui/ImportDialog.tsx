/** Imports a file as a board or into one: choose it, look at what was found out, change what is wrong, import with progress, undo. */
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '@shell/api';
import { Button, Dialog, Select, Switch, TextField, toast } from '@shell/components';
import { useLiveEvent } from '@shell/live';
import { useWorkspaces } from '@shell/workspace';
import { useBoards, type Column } from './data';
import { counted } from './format';
import {
  TOOLS,
  asked,
  cancelImport,
  chosenAs,
  send,
  undoImport,
  updateWords,
  type Becomes,
  type Choices,
  type Chosen,
  type FoundColumn,
  type Imported,
  type Preview,
  type Tool,
  type UpdateCounts,
} from './import/importing';
import { Columns, Drop, Problems, Refusal } from './import/parts';

const NEW_BOARD = 'new';
const TOOL_OPTIONS = Object.entries(TOOLS).map(([value, label]) => ({ value: value as Tool, label }));

interface ImportDialogProps {
  isOpen: boolean;
  /** The board that the file goes into, where the person comes from one. */
  into?: string | undefined;
  onClose: () => void;
}

export function ImportDialog({ isOpen, into, onClose }: ImportDialogProps) {
  return isOpen ? <Import into={into} onClose={onClose} /> : null;
}

function Import({ into, onClose }: Omit<ImportDialogProps, 'isOpen'>) {
  const { current } = useWorkspaces();
  const { data: boards, refetch } = useBoards();
  const [, navigate] = useLocation();
  const [file, setFile] = useState<File | null>(null);
  const [choices, setChoices] = useState<Choices>(into ? { boardId: into } : {});
  const [chosen, setChosen] = useState<readonly Chosen[]>([]);
  const [preview, setPreview] = useState<Preview | null>(null);
  const [name, setName] = useState('');
  const [stops, setStops] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [progress, setProgress] = useState<{ rows: number; rowsExpected: number } | null>(null);
  const [result, setResult] = useState<Imported | null>(null);
  const importId = useRef('');
  const abort = useRef<AbortController>(null);
  /** The look whose answer counts: the last that was asked for. */
  const looks = useRef(0);
  const { data: target } = useQuery({
    queryKey: ['boards', 'columns', choices.boardId],
    enabled: choices.boardId !== undefined,
    queryFn: ({ signal }) => api.get<{ columns: Column[] }>(`/boards/${choices.boardId}`, { signal }),
  });
  useLiveEvent<{ importId: string; rows: number; rowsExpected: number }>('import-progress', (event) => {
    if (event.importId === importId.current) setProgress((before) => before && event);
  });

  /** Asks what would become of the file; what was chosen holds once the answer is there. */
  const look = async (of: File, next: Choices, columns: readonly Chosen[]) => {
    if (!current) return;
    const turn = ++looks.current;
    setError(null);
    try {
      const found = await send<Preview>(of, { workspaceId: current.id, dryRun: 'true', ...asked(next, columns) });
      if (turn !== looks.current) return;
      setPreview(found);
      setChoices(next);
      setChosen(columns);
    } catch (failure) {
      if (turn !== looks.current) return;
      setError(failure);
      if (!preview) setFile(null);
    }
  };
  const open = (of: File) => {
    setFile(of);
    setName(of.name.replace(/\.[^.]*$/, ''));
    void look(of, into ? { boardId: into } : {}, []);
  };
  /** Another tool, sheet or board: the columns are found anew. */
  const choose = (more: Choices) => {
    if (file) void look(file, { ...choices, key: undefined, ...more } as Choices, []);
  };
  const adjust = (more: Choices) => {
    if (file) void look(file, { ...choices, ...more }, chosen);
  };
  const chooseColumn = (found: FoundColumn, becomes: Becomes) => {
    const others = chosen.filter((one) => one.index !== found.index && (one.role === undefined || one.role !== becomes));
    const next = [...others, chosenAs(found.index, becomes)];
    // Types are settled at the import; who is the name or the group, or a column of a board, changes what is counted.
    if (file && (becomes === 'name' || becomes === 'group' || becomes === 'parent' || choices.boardId)) void look(file, choices, next);
    else setChosen(next);
  };

  const undo = async (id: string) => {
    try {
      const undone = await undoImport(id);
      void refetch();
      if (undone.boardDeleted) navigate('/boards');
      const stay = undone.keptCount === 1 ? '1 change that was made since stays.' : `${undone.keptCount.toLocaleString()} changes that were made since stay.`;
      toast.done('Took the import back', undone.keptCount > 0 ? { detail: stay } : {});
    } catch (failure) {
      toast.problem('The import was not taken back', failure);
    }
  };
  const told = (imported: Imported, id: string) => {
    const update = imported.rowsImported === undefined ? `Added ${counted(imported.added ?? 0)}, changed ${(imported.changed ?? 0).toLocaleString()}` : undefined;
    toast.done(update ?? `Imported ${counted(imported.rowsImported ?? 0)}`, { undo: () => undo(id) });
  };

  const run = async () => {
    if (!file || !current || !preview) return;
    const id = crypto.randomUUID();
    importId.current = id;
    abort.current = new AbortController();
    setError(null);
    setProgress({ rows: 0, rowsExpected: preview.rowsEstimated });
    try {
      const query = {
        workspaceId: current.id,
        ...(choices.boardId ? {} : { name: name.trim() || file.name }),
        onError: stops ? 'stop' : 'skip',
        importId: id,
        ...asked(choices, chosen),
      };
      const imported = await send<Imported>(file, query, abort.current.signal);
      void refetch();
      told(imported, id);
      if (imported.rowsSkipped === 0) navigate(`/boards/${imported.board.id}`);
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
    toast.done('Cancelled the import; nothing of it was kept');
  };

  if (result) {
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title="Imported, with rows left out"
        size="medium"
        actions={
          <Button variant="primary" autoFocus onPress={() => navigate(`/boards/${result.board.id}`)}>
            Open board
          </Button>
        }
      >
        <p>
          {result.rowsImported === undefined ? updateWords(result as Imported & UpdateCounts)[0] : `${counted(result.rowsImported)} went into ${result.board.name}.`}{' '}
          {result.rowsSkipped.toLocaleString()} rows could not be read:
        </p>
        <Problems problems={result.problems} />
      </Dialog>
    );
  }
  if (progress) {
    return (
      <Dialog isOpen onClose={cancel} title={`Importing ${file?.name ?? 'the file'}`} actions={<Button onPress={cancel}>Cancel import</Button>}>
        <progress className="import-progress" aria-label="Rows imported" value={progress.rows} max={Math.max(progress.rowsExpected, 1)} />
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
  const targets = [{ value: NEW_BOARD, label: 'A new board' }, ...(boards ?? []).map((board) => ({ value: board.id, label: board.name }))];
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
              setPreview(null);
              setFile(null);
            }}
          >
            Choose another file
          </Button>
          <Button variant="primary" isDisabled={wanted} onPress={() => void run()}>
            Import {preview.rowsEstimated === 1 ? '1 row' : `${preview.rowsEstimated.toLocaleString()} rows`}
          </Button>
        </>
      }
    >
      <div className="import-choices">
        <Select
          label="Goes into"
          options={targets}
          value={choices.boardId ?? NEW_BOARD}
          onChange={(board) => choose({ boardId: board === NEW_BOARD ? undefined : board } as Choices)}
        />
        {!choices.boardId && <TextField label="Name of the board" value={name} onChange={setName} />}
        <Select<Tool> label="Exported by" options={TOOL_OPTIONS} value={preview.tool?.name ?? 'none'} onChange={(tool) => choose({ tool })} />
        {preview.sheets.length > 1 && (
          <Select label="Sheet" options={preview.sheets.map((sheet) => ({ value: sheet, label: sheet }))} value={preview.sheet ?? ''} onChange={(sheet) => choose({ sheet })} />
        )}
        {choices.boardId && (
          <Select<number>
            label="Rows are told apart by"
            options={preview.columns.map((column) => ({ value: column.index, label: column.title }))}
            value={preview.key ?? null}
            placeholder="Choose a column"
            onChange={(key) => adjust({ key })}
          />
        )}
      </div>
      <p className="import-note">{described(preview)}</p>
      {update && (
        <div role="status" className="import-update">
          {updateWords(update).map((words) => (
            <p key={words}>{words}</p>
          ))}
        </div>
      )}
      <Columns columns={preview.columns} chosen={chosen} board={choices.boardId ? (target?.columns ?? []) : undefined} onChoose={chooseColumn} />
      {choices.boardId && (
        <Switch isSelected={choices.overwrite ?? false} onChange={(overwrite) => adjust({ overwrite })}>
          Overwrite what was changed here since the last import
        </Switch>
      )}
      {preview.tool?.name === 'trello' && preview.delimiter === '' && (
        <Switch isSelected={choices.archived ?? false} onChange={(archived) => choose({ archived })}>
          Import archived cards too
        </Switch>
      )}
      <Switch isSelected={stops} onChange={setStops}>
        Import nothing when a row cannot be read
      </Switch>
      {preview.problems.length > 0 && <Problems problems={preview.problems} />}
      {error !== null && <Refusal error={error} />}
    </Dialog>
  );
}

const delimiterName = (delimiter: string) => ({ ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' })[delimiter] ?? delimiter;

/** What kind of file it is. */
function described(preview: Preview): string {
  const what = preview.tool ? `An export of ${preview.tool.title}. ` : '';
  if (preview.sheet !== undefined) return `${what}An Excel workbook, ${preview.hasHeader ? 'the first row holds the titles' : 'no row of titles'}.`;
  if (preview.delimiter === '') return `${what}A JSON file.`;
  return `${what}${preview.encoding}, columns divided by ${delimiterName(preview.delimiter)}, ${preview.hasHeader ? 'the first row holds the titles' : 'no row of titles'}.`;
}
