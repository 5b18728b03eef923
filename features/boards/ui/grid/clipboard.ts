/** Cells as spreadsheets exchange them: tab-separated text and an HTML table, and back into values by each column's type. */
import { parseDate } from '@shell/dates';
import { fitting } from '../accepted';
import { isReadOnly, shownAs, type CellValue, type Column } from '../data';
import { fromDraft, isSpan, show } from '../format';
import type { Member } from '@shell/members';
import { readNumber, writeNumber } from '@shell/numbers';
import { parseLinks, type Linkable } from './linkPaste';
import { daysIn, readingOf } from './reading';

/** A cell as plain text that can be read back: days as the program writes them, numbers with the page's decimal mark alone. */
export function plain(value: CellValue, spec: Column, members: readonly Member[]): string {
  if (value === null || value === undefined) return '';
  const column = shownAs(spec);
  if (column.type === 'checkbox') return value === true ? 'TRUE' : 'FALSE';
  if (isSpan(value)) return `${value.from}/${value.to}`;
  if (typeof value === 'number') return writeNumber(value);
  if (column.type === 'date') return String(value);
  return show(value, column, members);
}

/** Tab-separated lines. Texts with a tab, a leading quote, or a line break are quoted. */
export const toTsv = (cells: readonly (readonly string[])[]): string =>
  cells.map((line) => line.map(quoted).join('\t')).join('\n');

const quoted = (text: string) => (/[\t\n\r]|^"/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const MARKS: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string) => text.replace(/[&<>"]/g, (mark) => MARKS[mark]!);

export const toHtml = (cells: readonly (readonly string[])[]): string =>
  `<table>${cells.map((line) => `<tr>${line.map((text) => `<td>${escaped(text)}</td>`).join('')}</tr>`).join('')}</table>`;

/** Parses the clipboard format of spreadsheets. */
export function fromTsv(text: string): string[][] {
  const lines: string[][] = [[]];
  let at = 0;
  while (at <= text.length) {
    let cell = '';
    if (text[at] === '"') {
      at += 1;
      while (at < text.length && !(text[at] === '"' && text[at + 1] !== '"')) {
        cell += text[at];
        at += text[at] === '"' ? 2 : 1;
      }
      at += 1;
    }
    const end = text.slice(at).search(/[\t\n]/);
    const next = end < 0 ? text.length : at + end;
    cell += text.slice(at, next).replace(/\r$/, '');
    lines.at(-1)!.push(cell);
    if (text[next] === '\n') lines.push([]);
    at = next + 1;
    if (next >= text.length) break;
  }
  // A break at the end begins no line.
  const last = lines.at(-1)!;
  if (lines.length > 1 && last.length === 1 && last[0] === '') lines.pop();
  return lines;
}

const YES = ['true', 'yes', 'y', '1', 'x', '✓', '✔', 'done'];
const NO = ['false', 'no', 'n', '0', '-'];

/** The value of a text in a column, or the reason why it's rejected. */
export function parseCell(
  text: string,
  column: Column,
  members: readonly Member[],
  links?: { from: Linkable | undefined; copied: readonly string[] | null },
  /** Of the texts that it stands among; alone where left out. */
  reading = readingOf([text], column),
): { value: CellValue } | { refused: string } {
  const plainText = text.trim();
  if (isReadOnly(column)) return { refused: `${column.title} is read-only.` };
  if (plainText === '') return column.id === 'name' ? { refused: 'Item name is required.' } : { value: null };
  const folded = plainText.toLowerCase();
  switch (column.type) {
    case 'status':
    case 'dropdown': {
      const label = column.settings.labels?.find((one) => one.text.trim().toLowerCase() === folded);
      return label ? { value: label.id } : { refused: `${column.title} has no label “${plainText}”.` };
    }
    case 'checkbox':
      if (YES.includes(folded)) return { value: true };
      return NO.includes(folded) ? { value: false } : { refused: `${column.title} accepts yes or no.` };
    case 'number':
    case 'rating':
    case 'progress': {
      const number = readNumber(plainText, column.settings, reading.marks);
      return number === null
        ? { refused: `${column.title} accepts a number, not “${plainText}”.` }
        : fitting({ value: number }, column);
    }
    case 'date': {
      const day = parseDate(plainText, reading.first, reading.now);
      return day === null ? { refused: `${column.title} accepts a date, such as ${DAYS}.` } : { value: day };
    }
    case 'timeline': {
      const days = daysIn(plainText).map((day) => parseDate(day, reading.first, reading.now));
      const [from, to = from] = days;
      if (!from || !to || days.length > 2)
        return { refused: `${column.title} accepts one date or two, such as 2026-03-01 to 2026-03-14.` };
      return from <= to ? { value: { from, to } } : { refused: `${column.title} ends before it starts.` };
    }
    case 'file':
      return { refused: `You can't paste files into ${column.title}. Attach them instead.` };
    case 'itemLink':
    case 'sprint':
      return parseLinks(plainText, column, links?.from, links?.copied);
    default:
      return fromDraft(plainText, column, members);
  }
}

/** How a day can be written, in words. */
const DAYS = '2026-03-01, 1.3.2026, 1 March 2026, or tomorrow';
