/** Imports a file as a board: choose it, look at what was found out, change what is wrong, import with progress. */
import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiError, authFetch, reasonOf } from '@shell/api';
import { Button, Dialog, Select, Switch, TextField, toast } from '@shell/components';
import { useLiveEvent } from '@shell/live';
import { useWorkspaces } from '@shell/workspace';
import { COLUMN_TYPES, isFromFile, useBoards, type Board, type ColumnType } from './data';
import { counted } from './format';

/** A row that was not taken, or a value in it. */
interface RowProblem {
  line: number;
  column?: string | null;
  code: string;
  detail: string;
}

interface FoundColumn {
  index: number;
  title: string;
  /** The type; none for the item's name and its group, which are no columns of the board. */
  type?: ColumnType;
  role: 'name' | 'group' | 'column' | 'skip';
  settings?: unknown;
  sample: string[];
  notes: string[];
}

interface Preview {
  encoding: string;
  delimiter: string;
  hasHeader: boolean;
  rowsEstimated: number;
  columns: FoundColumn[];
  problems: RowProblem[];
}

interface Imported {
  board: Board;
  rowsImported: number;
  rowsSkipped: number;
  problems: RowProblem[];
}

/** A column as the person left it. */
interface Chosen {
  index: number;
  title: string;
  type?: ColumnType;
  settings?: unknown;
  skip?: boolean;
}

/** What a column of the file can become. */
type Becomes = ColumnType | 'group' | 'skip';
const TYPES = Object.entries(COLUMN_TYPES)
  .filter(([type]) => isFromFile(type as ColumnType))
  .map(([value, label]) => ({ value: value as Becomes, label }));
const GROUP = { value: 'group' as Becomes, label: 'Group of the item' };
const SKIP = { value: 'skip' as Becomes, label: 'Leave out' };

/** The column as the program found it. */
const asFound = ({ index, title, type, settings }: FoundColumn): Chosen => (type ? { index, title, type, settings } : { index, title });

/** The column after a choice; the settings found belong to the type found. */
function chosenAs(found: FoundColumn, becomes: Becomes): Chosen {
  if (becomes === 'skip') return { index: found.index, title: found.title, skip: true };
  if (becomes === 'group' || becomes === found.type) return asFound(found);
  return { index: found.index, title: found.title, type: becomes };
}

async function send<T>(file: File, query: Record<string, string>, signal?: AbortSignal): Promise<T> {
  const response = await authFetch(`/boards/import?${new URLSearchParams(query)}`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/csv', Accept: 'application/json' },
    body: file,
    signal: signal ?? null,
  });
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (!response.ok) throw new ApiError(response.status, answer);
  return answer as T;
}

export function ImportDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return isOpen ? <Import onClose={onClose} /> : null;
}

function Import({ onClose }: { onClose: () => void }) {
  const { current } = useWorkspaces();
  const { refetch } = useBoards();
  const [, navigate] = useLocation();
  const [file, setFile] = useState<File | null>(null);
  const [preview, setPreview] = useState<Preview | null>(null);
  const [columns, setColumns] = useState<Chosen[]>([]);
  const [name, setName] = useState('');
  const [stops, setStops] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [progress, setProgress] = useState<{ rows: number; rowsExpected: number } | null>(null);
  const [result, setResult] = useState<Imported | null>(null);
  const importId = useRef('');
  const abort = useRef<AbortController>(null);
  useLiveEvent<{ importId: string; rows: number; rowsExpected: number }>('import-progress', (event) => {
    if (event.importId === importId.current) setProgress((before) => before && event);
  });

  const look = async (chosen: File) => {
    setFile(chosen);
    setError(null);
    setPreview(null);
    setName(chosen.name.replace(/\.[^.]*$/, ''));
    if (!current) return;
    try {
      const found = await send<Preview>(chosen, { workspaceId: current.id, name: chosen.name, dryRun: 'true' });
      setPreview(found);
      setColumns(found.columns.map(asFound));
    } catch (failure) {
      setError(failure);
      setFile(null);
    }
  };

  const run = async () => {
    if (!file || !current || !preview) return;
    importId.current = crypto.randomUUID();
    abort.current = new AbortController();
    setError(null);
    setProgress({ rows: 0, rowsExpected: preview.rowsEstimated });
    const changed = columns.some((column, i) => column.skip || column.type !== preview.columns[i]?.type);
    try {
      const imported = await send<Imported>(
        file,
        {
          workspaceId: current.id,
          name: name.trim() || file.name,
          onError: stops ? 'stop' : 'skip',
          importId: importId.current,
          ...(changed ? { columns: JSON.stringify(columns) } : {}),
        },
        abort.current.signal,
      );
      void refetch();
      if (imported.rowsSkipped === 0) {
        toast.done(`Imported ${counted(imported.rowsImported)}`);
        navigate(`/boards/${imported.board.id}`);
      } else {
        setResult(imported);
      }
    } catch (failure) {
      if (!abort.current.signal.aborted) setError(failure);
    } finally {
      setProgress(null);
    }
  };

  const cancel = () => {
    abort.current?.abort();
    void authFetch(`/boards/imports/${importId.current}`, { method: 'DELETE' });
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
          {counted(result.rowsImported)} went into {result.board.name}. {result.rowsSkipped.toLocaleString()} rows could not be read:
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
        <Drop onFile={(chosen) => void look(chosen)} isReading={file !== null} />
        {error !== null && <Refusal error={error} />}
      </Dialog>
    );
  }
  const choose = (found: FoundColumn, becomes: Becomes) =>
    setColumns((before) => before.map((column) => (column.index === found.index ? chosenAs(found, becomes) : column)));
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
          <Button variant="primary" onPress={() => void run()}>
            Import {preview.rowsEstimated === 1 ? '1 row' : `${preview.rowsEstimated.toLocaleString()} rows`}
          </Button>
        </>
      }
    >
      <TextField label="Name of the board" value={name} onChange={setName} />
      <p className="import-note">
        {preview.encoding}, columns divided by {delimiterName(preview.delimiter)}, {preview.hasHeader ? 'the first row holds the titles' : 'no row of titles'}.
      </p>
      <div className="import-scroll" tabIndex={0} role="region" aria-label="Columns found">
        <table className="import-columns">
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">Becomes</th>
              <th scope="col">For example</th>
            </tr>
          </thead>
          <tbody>
            {preview.columns.map((found, i) => (
              <tr key={found.index}>
                <th scope="row">{found.title}</th>
                <td>
                  {found.role === 'name' ? (
                    <span className="import-role">Name of the item</span>
                  ) : (
                    <Select<Becomes>
                      aria-label={`What ${found.title} becomes`}
                      options={[...(found.role === 'group' ? [GROUP] : []), ...TYPES, SKIP]}
                      value={columns[i]?.skip ? 'skip' : (columns[i]?.type ?? 'group')}
                      onChange={(becomes) => choose(found, becomes)}
                    />
                  )}
                </td>
                <td className="import-sample">
                  <p>{found.sample.slice(0, 3).join(' · ')}</p>
                  {found.notes.map((note) => (
                    <p key={note} className="import-note">
                      {note}
                    </p>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Switch isSelected={stops} onChange={setStops}>
        Import nothing when a row cannot be read
      </Switch>
      {preview.problems.length > 0 && <Problems problems={preview.problems} />}
      {error !== null && <Refusal error={error} />}
    </Dialog>
  );
}

function Drop({ onFile, isReading }: { onFile: (file: File) => void; isReading: boolean }) {
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  return (
    <div
      className="import-drop"
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const dropped = event.dataTransfer.files[0];
        if (dropped) onFile(dropped);
      }}
    >
      <p>Drop a CSV file here: an export of Jira, Trello, Linear, Asana, monday or any spreadsheet.</p>
      <input
        ref={input}
        className="import-file"
        type="file"
        accept=".csv,.tsv,.txt,.xlsx,text/csv"
        aria-label="File to import"
        tabIndex={-1}
        onChange={(event) => {
          const chosen = event.target.files?.[0];
          if (chosen) onFile(chosen);
        }}
      />
      <Button variant="primary" icon="upload" isDisabled={isReading} onPress={() => input.current?.click()}>
        {isReading ? 'Reading the file' : 'Choose a file'}
      </Button>
    </div>
  );
}

const delimiterName = (delimiter: string) => ({ ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' })[delimiter] ?? delimiter;

function Refusal({ error }: { error: unknown }) {
  const problems = error instanceof ApiError ? (error.problem.problems as RowProblem[] | undefined) : undefined;
  return (
    <div role="alert" className="field-error">
      <p>{reasonOf(error)}</p>
      {problems && <Problems problems={problems} />}
    </div>
  );
}

function Problems({ problems }: { problems: readonly RowProblem[] }) {
  return (
    <ul className="import-problems" tabIndex={0} aria-label="Problems">
      {problems.map((problem, i) => (
        <li key={i}>
          Line {problem.line.toLocaleString()}
          {problem.column ? `, ${problem.column}` : ''}: {problem.detail}
        </li>
      ))}
    </ul>
  );
}
