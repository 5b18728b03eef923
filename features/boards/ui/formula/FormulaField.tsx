/** Input of a formula, with a live preview of results and errors. */
import { useRef, useState } from 'react';
import { Button, TextField } from '@shell/components';
import type { Column } from '../data';
import { show } from '../format';
import { useFunctions, usePreview } from './data';
import './formula.css';

const GIVES = { number: 'a number', text: 'text', date: 'a date', checkbox: 'yes or no' } as const;

interface FormulaFieldProps {
  board: string;
  columns: readonly Column[];
  /** The column that it is of; none for a new one. */
  column?: Column;
  /** The item to show the result of; the first ones where left out. */
  item?: string;
  value: string;
  onChange: (formula: string) => void;
}

export function FormulaField({ board, columns, column, item, value, onChange }: FormulaFieldProps) {
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const [hasHelp, setHelp] = useState(false);
  const { data: preview } = usePreview(board, value, column?.id, item);
  const problem = value.trim() === '' ? null : preview?.problem;
  const insert = (text: string) => {
    const { selectionStart = value.length, selectionEnd = value.length } = field.current ?? {};
    onChange(value.slice(0, selectionStart ?? value.length) + text + value.slice(selectionEnd ?? value.length));
    field.current?.focus();
  };
  const letters = [...value];
  const usable = columns.filter((one) => one.id !== column?.id);
  return (
    <div className="formula-field">
      <TextField
        label="Formula"
        help="Put column names in braces, such as {Price} * {Quantity}."
        rows={3}
        mono
        value={value}
        onChange={onChange}
        inputRef={field}
        error={problem?.detail ?? null}
      />
      {problem && problem.length > 0 && (
        <p className="formula-marked" aria-hidden="true">
          {letters.slice(0, problem.at).join('')}
          <mark>{letters.slice(problem.at, problem.at + problem.length).join('')}</mark>
          {letters.slice(problem.at + problem.length).join('')}
        </p>
      )}
      {preview?.result && !problem && value.trim() !== '' && (
        <section aria-label="Preview" className="formula-preview">
          <p>Result: {GIVES[preview.result]}.</p>
          <dl>
            {preview.items.map((one) => (
              <div key={one.id}>
                <dt>{one.name}</dt>
                <dd data-empty={one.value === null || undefined}>
                  {one.value === null
                    ? one.reason
                    : show(
                        one.value,
                        { id: '', title: '', type: preview.result ?? 'text', settings: column?.settings ?? {} },
                        [],
                      ) || 'No'}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      <div className="formula-columns" role="group" aria-label="Insert a column">
        {usable.map((one) => (
          <Button
            key={one.id}
            onPress={() =>
              insert(`{${usable.filter((other) => other.title === one.title).length > 1 ? one.id : one.title}}`)
            }
          >
            {one.title}
          </Button>
        ))}
      </div>
      <Button onPress={() => setHelp(!hasHelp)}>{hasHelp ? 'Hide the functions' : 'Show the functions'}</Button>
      {hasHelp && <Functions />}
    </div>
  );
}

function Functions() {
  const { data: functions } = useFunctions();
  return (
    // A part that scrolls is reached by keyboard.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- It scrolls, so the keyboard must reach it.
    <dl className="formula-help" tabIndex={0} aria-label="Functions">
      {functions?.map((one) => (
        <div key={one.name}>
          <dt>{one.usage}</dt>
          <dd>
            {one.about}
            {one.example && (
              <>
                {' '}
                <code>{one.example}</code> gives {one.result}.
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
