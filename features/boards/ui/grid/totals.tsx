/** A line with the totals of a group or of all items. */
import type { ColumnTotal, GroupTotal } from '@shell/engine/types';
import { shownAs, type Column } from '../data';
import { show, showCompact } from '../format';
import type { ShownColumn } from './columns';

/** Names of totals. */
export const TOTALS = { sum: 'Sum', average: 'Average', min: 'Smallest', max: 'Largest', filled: 'Filled' } as const;
export type TotalName = keyof typeof TOTALS;

const OF_NUMBERS: readonly TotalName[] = ['sum', 'average', 'min', 'max', 'filled'];
const OF_SCALES: readonly TotalName[] = ['average', 'sum', 'min', 'max', 'filled'];

/** Available totals of a column, the usual one first; empty if there are none. */
export function totalsFor(spec: Column): readonly TotalName[] {
  const column = shownAs(spec);
  if (column.type === 'number') return OF_NUMBERS;
  return column.type === 'rating' || column.type === 'progress' ? OF_SCALES : [];
}

/** Whether a table has anything to add up. */
export const hasTotals = (shown: readonly ShownColumn[]) =>
  shown.some(
    ({ column }) =>
      totalsFor(column).length > 0 ||
      column.type === 'status' ||
      column.type === 'dropdown' ||
      shownAs(column).type === 'checkbox',
  );

interface TotalsProps {
  shown: readonly ShownColumn[];
  totals: GroupTotal | undefined;
  chosen: Record<string, TotalName | undefined>;
  /** What the line is called. */
  label?: string;
}

/** The cells of a line of totals. */
export function TotalCells({ shown, totals, chosen, label = 'Totals' }: TotalsProps) {
  return shown.map(({ column, left, width }, at) => (
    <div
      role="gridcell"
      key={column.id}
      aria-colindex={at + 2}
      data-first={at === 0 || undefined}
      data-frozen={left !== null || undefined}
      data-numeric={shownAs(column).type === 'number' || undefined}
      className="grid-cell"
      style={left === null ? undefined : { left }}
    >
      {at === 0 ? (
        <span className="grid-text">{label}</span>
      ) : (
        totals && (
          <Total
            column={column}
            items={totals.items}
            total={totals.columns[column.id]}
            chosen={chosen[column.id]}
            width={width}
          />
        )
      )}
    </div>
  ));
}

/** Horizontal padding of a cell. */
const BESIDE_PX = 18;
/** Widths of a digit or letter and of a mark in a line of totals, rather too much than too little. */
const LETTER_PX = 7.6;
const MARK_PX = 4;
const widthOf = (text: string) =>
  [...text].reduce((px, letter) => px + (/[.,:'’\s]/.test(letter) ? MARK_PX : LETTER_PX), 0);

/** A figure as far as there is room for it with its name: in full, else shortened. Never cut, which would be another figure. */
export function figureIn(width: number, name: string, text: string, value: number, column: Column): string {
  const forms = [text, ...[1, 0].map((digits) => showCompact(value, column, digits))];
  const room = width - BESIDE_PX;
  return (
    forms.find((form) => widthOf(`${name} ${form}`) <= room) ??
    forms.find((form) => widthOf(form) <= room) ??
    forms.at(-1)!
  );
}

interface TotalProps {
  column: Column;
  items: number;
  total: ColumnTotal | undefined;
  chosen: TotalName | undefined;
  width: number;
}

function Total({ column, items, total, chosen, width }: TotalProps) {
  if (!total) return null;
  const names = totalsFor(column);
  if (names.length > 0) {
    const name = chosen && names.includes(chosen) ? chosen : names[0]!;
    const value = total[name];
    if (value === undefined) return null;
    const text =
      name === 'filled'
        ? `${value.toLocaleString()} of ${items.toLocaleString()}`
        : show(name === 'average' ? rounded(value, column) : value, column, []);
    const figure = name === 'filled' ? text : figureIn(width, TOTALS[name], text, value, column);
    return (
      <span className="grid-total" title={`${TOTALS[name]} ${text}`}>
        <span className="grid-total-name">{TOTALS[name]}</span>{' '}
        <span aria-hidden={figure !== text || undefined}>{figure}</span>
        {figure !== text && <span className="sr-only">{text}</span>}
      </span>
    );
  }
  if (shownAs(column).type === 'checkbox')
    return <span className="grid-text">{`${total.filled.toLocaleString()} of ${items.toLocaleString()}`}</span>;
  if (column.type === 'status' || column.type === 'dropdown')
    return <Shares column={column} items={items} total={total} />;
  return null;
}

/** Rounds a mean to two more decimals than its values. */
function rounded(value: number, column: Column): number {
  const power = 10 ** ((column.settings.decimals ?? 0) + 2);
  return Math.round(value * power) / power;
}

/** A bar of the labels' shares; the words are in its name. */
function Shares({ column, items, total }: { column: Column; items: number; total: ColumnTotal }) {
  const labels = (column.settings.labels ?? []).flatMap((label) => {
    const count = total.labels?.[label.id] ?? 0;
    return count > 0 ? [{ ...label, count }] : [];
  });
  const words = [
    ...labels.map((label) => `${label.text} ${label.count.toLocaleString()}`),
    ...(items > total.filled ? [`empty ${(items - total.filled).toLocaleString()}`] : []),
  ].join(', ');
  if (words === '') return null;
  return (
    <span className="grid-shares" role="img" aria-label={words} title={words}>
      {labels.map((label) => (
        <span key={label.id} style={{ flexGrow: label.count, background: label.color ?? 'var(--ink-3)' }} />
      ))}
      {items > total.filled && <span style={{ flexGrow: items - total.filled, background: 'var(--line)' }} />}
    </span>
  );
}
