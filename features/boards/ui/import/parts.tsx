/** Parts of the import dialog: file selection, columns, and problems. */
import { useRef, useState } from 'react';
import { ApiError, reasonOf } from '@shell/api';
import { Button, Select } from '@shell/components';
import { COLUMN_TYPES, isFromFile, type Column, type ColumnType } from '../data';
import {
  becomesOf,
  differenceWords,
  newColumnFor,
  type Becomes,
  type Chosen,
  type DateOrder,
  type Difference,
  type FoundColumn,
  type RowProblem,
} from './importing';

/** Where a file is dropped or chosen. */
export function Drop({ onFile, isReading }: { onFile: (file: File) => void; isReading: boolean }) {
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
      <p>Drop a file here: CSV, TSV, Excel workbook (.xlsx), or JSON records.</p>
      <p className="import-note">
        Recognizes exports from Jira, Linear, Asana, monday, Notion, Airtable, Trello (JSON), and GitHub issues (JSON).
      </p>
      <input
        ref={input}
        className="import-file"
        type="file"
        accept=".csv,.tsv,.txt,.xlsx,.json,text/csv,application/json"
        aria-label="File to import"
        tabIndex={-1}
        onChange={(event) => {
          const chosen = event.target.files?.[0];
          if (chosen) onFile(chosen);
        }}
      />
      <Button variant="primary" icon="upload" isPending={isReading} onPress={() => input.current?.click()}>
        {isReading ? 'Loading file' : 'Choose a file'}
      </Button>
    </div>
  );
}

const DATE_ORDERS: readonly { value: DateOrder; label: string }[] = [
  { value: 'day-first', label: 'Day first, as in 31/12/2026' },
  { value: 'month-first', label: 'Month first, as in 12/31/2026' },
];

interface ColumnsProps {
  columns: readonly FoundColumn[];
  chosen: readonly Chosen[];
  /** Columns of the board that the file goes into; none for a new one. */
  board?: readonly Column[] | undefined;
  onChoose: (found: FoundColumn, becomes: Becomes) => void;
  /** Says which number of the dates that read both ways comes first, in the whole file. */
  onDateOrder: (order: DateOrder) => void;
  /** Makes members of people whom the file names; absent while that is under way. */
  onAddPeople?: ((people: readonly string[]) => void) | undefined;
}

/** The file's columns and their targets. */
export function Columns({ columns, chosen, board, onChoose, onDateOrder, onAddPeople }: ColumnsProps) {
  const own = board
    ?.filter((column) => isFromFile(column.type))
    .map((column) => ({ value: column.id as Becomes, label: column.title }));
  const options = own && [...own, { value: 'skip' as Becomes, label: 'Skip' }];
  return (
    <div className="import-scroll" tabIndex={0} role="region" aria-label="Detected columns">
      <table className="import-columns">
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">Import as</th>
            <th scope="col">Example</th>
          </tr>
        </thead>
        <tbody>
          {columns.map((found) => (
            <tr key={found.index}>
              <th scope="row">{found.title}</th>
              <td>
                {found.role === 'name' || (own && (found.role === 'group' || found.role === 'parent')) ? (
                  <span className="import-role">
                    {found.role === 'name' ? 'Item name' : found.role === 'group' ? 'Item group' : 'Parent item'}
                  </span>
                ) : (
                  <Select<Becomes>
                    aria-label={`Import ${found.title} as`}
                    options={options ?? newColumnFor(found)}
                    value={becomesOf(
                      found,
                      chosen.find((one) => one.index === found.index),
                    )}
                    onChange={(becomes) => onChoose(found, becomes)}
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
                {found.nearly && !own && <MakeIt found={found} type={found.nearly.type} onChoose={onChoose} />}
                {found.dateOrder && (
                  <Select<DateOrder>
                    aria-label={`Day and month order in this file, from ${found.title}`}
                    options={DATE_ORDERS}
                    value={found.dateOrder}
                    onChange={onDateOrder}
                  />
                )}
                {found.unknownPeople && found.unknownPeople.length > 0 && (
                  <Button
                    icon="people"
                    isPending={!onAddPeople}
                    onPress={() => onAddPeople?.(found.unknownPeople ?? [])}
                  >
                    {found.unknownPeople.length === 1
                      ? `Add ${found.unknownPeople[0]} as a member`
                      : `Add ${found.unknownPeople.length.toLocaleString()} missing people as members`}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Changes a column to the type that all but a few values fit. */
function MakeIt({
  found,
  type,
  onChoose,
}: {
  found: FoundColumn;
  type: ColumnType;
  onChoose: (found: FoundColumn, becomes: Becomes) => void;
}) {
  const words = `Change to ${COLUMN_TYPES[type]}`;
  return (
    <Button onPress={() => onChoose(found, type)} aria-label={`${words}, ${found.title}`}>
      {words}
    </Button>
  );
}

/** Why a file was not taken. */
export function Refusal({ error }: { error: unknown }) {
  const problems = error instanceof ApiError ? (error.problem.problems as RowProblem[] | undefined) : undefined;
  return (
    <div role="alert" className="field-error">
      <p>{reasonOf(error)}</p>
      {problems && <Problems problems={problems} />}
    </div>
  );
}

/** Problems with rows of the file. */
export function Problems({ problems }: { problems: readonly RowProblem[] }) {
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

interface DifferencesProps {
  title: string;
  /** The first of them. */
  differences: readonly Difference[];
  count: number;
}

/** Collapsible list of differences between the file and the board. */
export function Differences({ title, differences, count }: DifferencesProps) {
  if (count === 0) return null;
  const more = count - differences.length;
  return (
    <details className="import-differences">
      <summary>
        {title}: {count === 1 ? '1 cell' : `${count.toLocaleString()} cells`}
      </summary>
      <ul className="import-problems" tabIndex={0} aria-label={title}>
        {differences.map((difference) => (
          <li key={`${difference.itemId} ${difference.field}`}>{differenceWords(difference)}</li>
        ))}
        {more > 0 && <li>{more.toLocaleString()} more</li>}
      </ul>
    </details>
  );
}
