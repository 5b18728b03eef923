/** A cell in words, and words back into a cell. */
import { calledOf, membersCalled, type Member } from '@shell/members';
import { readNumber, writeNumber } from '@shell/numbers';
import { formatDate, formatDateRange, formatInstant } from '@shell/dates';
import { fitting } from './accepted';
import { isFiles, isList, shownAs, type CellValue, type Column, type Span } from './data';
import { idsOf, isLink, linkedItems, nameOf } from './links';

/** Digits of a broken number, before and after the mark, that are sure; the ones behind them are an error of computing. */
const SURE_DIGITS = 15;
/** Digits after the mark that are written at most. */
const FRACTION_MAX = 20;

/** How a cell reads. Empty is the empty text. */
export const show = (value: CellValue, spec: Column, members: readonly Member[]): string =>
  worded(value, spec, members, 'set');

/** Like `show`, with all digits of a number, including those that its column hides. */
export const showFull = (value: CellValue, spec: Column, members: readonly Member[]): string =>
  worded(value, spec, members, 'full');

function worded(value: CellValue, spec: Column, members: readonly Member[], digits: Digits): string {
  if (value === null || value === undefined) return '';
  const column = shownAs(spec);
  switch (column.type) {
    case 'number':
    case 'rating':
    case 'progress':
      return typeof value === 'number' ? showNumber(value, column, digits) : '';
    case 'status':
    case 'dropdown':
      return column.settings.labels?.find((label) => label.id === value)?.text ?? '';
    case 'people':
      return isList(value) ? value.map((id) => calledOf(id, members)).join(', ') : '';
    case 'tags':
      return isList(value) ? value.join(', ') : '';
    case 'date':
      return typeof value === 'string' ? formatDate(value) : '';
    case 'timeline':
      return isSpan(value) ? formatDateRange(value.from, value.to) : '';
    case 'createdAt':
    case 'updatedAt':
      return typeof value === 'string' ? formatInstant(value) : '';
    case 'createdBy':
    case 'updatedBy':
      return typeof value === 'string' ? nameOf(value, members) : '';
    case 'itemLink':
    case 'sprint':
      // An item that was deleted since shows nowhere.
      return isList(value) ? value.flatMap((id) => linkedItems(column).get(id)?.name ?? []).join(', ') : '';
    case 'file':
      return isFiles(value) ? value.map((file) => file.name).join(', ') : '';
    case 'checkbox':
      return value === true ? 'Yes' : '';
    default:
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
}

/** Whether a cell holds a span of days. */
export const isSpan = (value: CellValue): value is Span =>
  typeof value === 'object' && value !== null && 'from' in value;

const formats = new Map<string, Intl.NumberFormat>();

/** How many digits after the mark: as its column is set, all of them, or so many at most of a short form. */
type Digits = 'set' | 'full' | number;

function formOf(digits: Digits, { currency, decimals }: Column['settings']): Intl.NumberFormatOptions {
  if (typeof digits === 'number')
    return { notation: 'compact', minimumFractionDigits: 0, maximumFractionDigits: digits };
  const least = decimals === undefined ? {} : { minimumFractionDigits: decimals };
  if (digits === 'full') return { ...least, maximumFractionDigits: FRACTION_MAX };
  if (currency && decimals === undefined) return {};
  return { ...least, maximumFractionDigits: decimals ?? 6 };
}

/** A number without the error of computing it: 435 for 4.35 * 100. */
const sure = (value: number): number => (Number.isInteger(value) ? value : Number(value.toPrecision(SURE_DIGITS)));

function showNumber(value: number, column: Column, digits: Digits): string {
  const { currency, decimals, percent, unit } = column.settings;
  const key = `${currency ?? ''}/${decimals ?? ''}/${digits}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(undefined, {
      ...(currency ? { style: 'currency', currency } : {}),
      ...formOf(digits, column.settings),
    });
    formats.set(key, format);
  }
  return `${format.format(sure(value))}${percent || column.type === 'progress' ? '%' : ''}${unit && !currency ? ` ${unit}` : ''}`;
}

/** A compact number, such as `€299.9M`, with at most this many decimals. */
export const showCompact = (value: number, column: Column, digits: number) =>
  showNumber(value, shownAs(column), digits);

/** The text that an editor starts with. */
export function toDraft(value: CellValue, column: Column, members: readonly Member[]): string {
  if (value === null) return '';
  if (isLink(column)) return isList(value) ? value.join(' ') : '';
  if (column.type === 'people' || column.type === 'tags') return show(value, column, members);
  if (isSpan(value)) return value.from === value.to ? value.from : `${value.from} to ${value.to}`;
  return typeof value === 'number' ? writeNumber(value) : String(value);
}

/** The value of a typed text, or a sentence about accepted values. */
export const fromDraft = (
  draft: string,
  column: Column,
  members: readonly Member[],
): { value: CellValue } | { refused: string } => fitting(read(draft, column, members), column);

function read(draft: string, column: Column, members: readonly Member[]): { value: CellValue } | { refused: string } {
  const text = draft.trim();
  if (text === '') return { value: null };
  switch (column.type) {
    case 'number':
    case 'rating':
    case 'progress': {
      const number = readNumber(text, column.settings);
      return number === null
        ? { refused: `${column.title} accepts a number, such as ${writeNumber(12.5)}.` }
        : { value: number };
    }
    case 'itemLink':
    case 'sprint':
      return { value: idsOf(text) };
    case 'tags':
      return { value: split(text) };
    case 'people': {
      const names = split(text);
      const found = names.map((name) => membersCalled(name, members));
      const unknown = names.find((_, i) => found[i]!.length === 0);
      if (unknown !== undefined) return { refused: `Member ${unknown} not found. Add members on the Members page.` };
      const shared = names.findIndex((_, i) => found[i]!.length > 1);
      if (shared >= 0)
        return {
          refused: `${found[shared]!.length} members are named ${names[shared]}. Enter one in full, such as ${calledOf(found[shared]![0]!.id, members)}.`,
        };
      return { value: found.flatMap((all) => all.map(({ id }) => id)) };
    }
    case 'link':
      return { value: HOST_FIRST.test(text) ? `https://${text}` : draft };
    default:
      return { value: draft };
  }
}

/** An address that begins with its host, as one types it: `example.org/page`. */
const HOST_FIRST = /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+(:\d+)?([/?#]\S*)?$/u;

const split = (text: string) => [
  ...new Set(
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
];

/** `1 item`, `1,200 items`. */
export const counted = (items: number) => `${items.toLocaleString()} ${items === 1 ? 'item' : 'items'}`;
