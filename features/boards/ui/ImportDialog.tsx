/**
 * Imports a file as a board or into one: choose it, check and correct the detected columns, import with progress, undo.
 */
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { client } from '@shell/client';
import { Button, Dialog, Select, Switch, TextField } from '@shell/components';
import { useWorkspaces } from '@shell/workspace';
import { useBoards, type Column } from './data';
import { counted } from './format';
import {
  TOOLS,
  asked,
  misfitWords,
  rowsTaken,
  unreadWords,
  updateWords,
  type Choices,
  type Imported,
  type Misfit,
  type Preview,
  type Tool,
  type UpdateCounts,
} from './import/importing';
import { Reading } from './import/Reading';
import { Columns, Differences, Drop, Problems, Refusal } from './import/parts';
import { useImport } from './import/useImport';
import { usePreview } from './import/usePreview';

const NEW_BOARD = 'new';
const TOOL_OPTIONS = Object.entries(TOOLS).map(([value, label]) => ({ value: value as Tool, label }));

interface ImportDialogProps {
  isOpen: boolean;
  /** The board that the file goes into, where the person comes from one. */
  into?: string | undefined;
  onClose: () => void;
}

type Previewing = ReturnType<typeof usePreview>;

export function ImportDialog({ isOpen, into, onClose }: ImportDialogProps) {
  const { current } = useWorkspaces();
  // A file that is chosen before that has nowhere to go.
  return isOpen && current ? <Import workspaceId={current.id} into={into} onClose={onClose} /> : null;
}

function Import({ workspaceId, into, onClose }: Omit<ImportDialogProps, 'isOpen'> & { workspaceId: string }) {
  const previewing = usePreview(workspaceId, into);
  const { file, choices, chosen, preview, error, setError, open, reset } = previewing;
  /** The board's name where the person typed one. */
  const [typed, setTyped] = useState<string | null>(null);
  const [misfit, setMisfit] = useState<Misfit>('cell');
  const [stops, setStops] = useState(false);
  const { progress, result, show, run, cancel } = useImport(onClose, setError);
  const why = useId();
  if (result) return <Result result={result} onClose={onClose} onShow={() => show(result.board.id)} />;
  if (progress) return <Progress file={file?.name ?? 'the file'} progress={progress} onCancel={cancel} />;
  if (!file || !preview) {
    return (
      <Dialog isOpen onClose={onClose} title="Import a file" size="medium">
        <Drop
          onFile={(of) => {
            setTyped(null);
            open(of);
          }}
          isReading={file !== null}
        />
        {error !== null && <Refusal error={error} />}
      </Dialog>
    );
  }
  const name = typed ?? preview.name ?? file.name.replace(/\.[^.]*$/, '');
  const taken = rowsTaken(preview, misfit);
  const wanted = choices.boardId ? preview.key === undefined : false;
  const start = () =>
    void run(file, preview.rowsEstimated, {
      workspaceId,
      ...(choices.boardId ? {} : { name: name.trim() || file.name }),
      onError: stops ? 'stop' : 'skip',
      onMisfit: misfit,
      // The key column that's shown may be a proposal: it's sent as it was seen.
      ...asked(choices.boardId && preview.key !== undefined ? { ...choices, key: preview.key } : choices, chosen),
    });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Import ${file.name}`}
      size="large"
      actions={
        <>
          <Button onPress={reset}>Choose another file</Button>
          {wanted && (
            <span id={why} className="import-note">
              Choose a key column first.
            </span>
          )}
          <Button
            variant="primary"
            isPending={previewing.isLooking}
            isDisabled={wanted}
            {...(wanted ? { 'aria-describedby': why } : {})}
            onPress={start}
          >
            Import {taken === 1 ? '1 row' : `${taken.toLocaleString()} rows`}
          </Button>
        </>
      }
    >
      <Options previewing={previewing} preview={preview} name={name} onName={setTyped} />
      <Found previewing={previewing} preview={preview} />
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
        <Switch isSelected={choices.overwrite ?? false} onChange={(overwrite) => previewing.adjust({ overwrite })}>
          Overwrite changes made here since the last import
        </Switch>
      )}
      {preview.tool?.name === 'trello' && preview.delimiter === '' && (
        <Switch isSelected={choices.archived ?? false} onChange={(archived) => previewing.choose({ archived })}>
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

/** The rows that were skipped. */
function Result({ result, onClose, onShow }: { result: Imported; onClose: () => void; onShow: () => void }) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Imported with skipped rows"
      size="medium"
      actions={
        <Button variant="primary" autoFocus onPress={onShow}>
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

function Progress({
  file,
  progress,
  onCancel,
}: {
  file: string;
  progress: { rows: number; rowsExpected: number };
  onCancel: () => void;
}) {
  return (
    <Dialog
      isOpen
      onClose={onCancel}
      title={`Importing ${file}`}
      actions={<Button onPress={onCancel}>Cancel import</Button>}
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

interface OptionsProps {
  previewing: Previewing;
  preview: Preview;
}

/** Import target and read options. */
function Options({
  previewing: { choices, choose, adjust },
  preview,
  name,
  onName,
}: OptionsProps & { name: string; onName: (name: string) => void }) {
  const { data: boards } = useBoards();
  const targets = [
    { value: NEW_BOARD, label: 'A new board' },
    ...(boards ?? []).map((board) => ({ value: board.id, label: board.name })),
  ];
  return (
    <div className="import-choices">
      <Select
        label="Import into"
        options={targets}
        value={choices.boardId ?? NEW_BOARD}
        onChange={(board) => choose({ boardId: board === NEW_BOARD ? undefined : board } as Choices)}
      />
      {!choices.boardId && <TextField label="Board name" value={name} onChange={onName} />}
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
  );
}

/** The detected columns and how they're imported. */
function Found({
  previewing: { choices, chosen, isAdding, choose, adjust, chooseColumn, addPeople },
  preview,
}: OptionsProps) {
  const { update } = preview;
  const { data: target } = useQuery({
    queryKey: ['boards', 'columns', choices.boardId],
    enabled: choices.boardId !== undefined,
    queryFn: async ({ signal }) =>
      (await client.get('/boards/{boardId}', { path: { boardId: choices.boardId! }, signal })) as { columns: Column[] },
  });
  return (
    <>
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
    </>
  );
}

const delimiterName = (delimiter: string) =>
  ({ ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'pipes' })[delimiter] ?? delimiter;

/** Describes the file's type. */
function described(preview: Preview): string {
  const what = preview.tool ? `${preview.tool.title} export. ` : '';
  const titleRow = preview.hasHeader ? 'titles in the first row' : 'no title row';
  if (preview.sheet !== undefined) return `${what}Excel workbook, ${titleRow}.`;
  if (preview.delimiter === '') return `${what}JSON file.`;
  return `${what}${preview.encoding}, columns separated by ${delimiterName(preview.delimiter)}, ${titleRow}.`;
}
