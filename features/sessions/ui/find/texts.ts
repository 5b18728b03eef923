/**
 * The texts of rows that the search goes through, in the order in which they are shown. Import this file lazily: it needs
 * what draws Markdown, terminals, and changes.
 */
import type { Ask } from '../data';
import { shownLines } from '../shown/Diff';
import { messageText } from '../shown/Markdown';
import { plainOutput } from '../shown/Terminal';
import type { Row } from '../transcript';
import { askParts, inputOf, lineOf, lineText, noteText } from '../words';
import { isAllowedByRule, reasonOfAllowed } from '../grouped';

type Bag = Record<string, unknown>;
const bag = (value: unknown): Bag => (typeof value === 'object' && value !== null ? (value as Bag) : {});
const text = (value: unknown) => (typeof value === 'string' ? value : '');

function textsOfOutput(output: Bag): readonly string[] {
  if (output.type === 'diff') {
    const lines = shownLines(text(output.oldText), text(output.newText));
    return [text(output.path), ...lines.map((line) => line.text)];
  }
  const content = bag(output.content);
  switch (content.type) {
    case 'text':
      return [plainOutput(text(content.text))];
    case 'resource_link':
      return [`${text(content.name)} ${text(content.uri)}`];
    case 'resource':
      return [text(bag(content.resource).text) || text(bag(content.resource).uri)];
    default:
      return [];
  }
}

function textsOf(row: Row, ask: Ask | undefined): readonly string[] {
  switch (row.kind) {
    case 'prompt':
      return [
        ...row.content.flatMap((chunk) =>
          chunk.type === 'text' ? [chunk.text] : chunk.type === 'link' ? [chunk.name || chunk.uri] : [],
        ),
        row.note,
      ];
    case 'text':
      return [messageText(row.text)];
    case 'thought':
      return [row.text];
    case 'picture':
      return [];
    case 'link':
      return [`${row.name} ${row.uri}`];
    case 'tool': {
      const { tool, output, reasons } = row;
      return [
        ...(tool.command ? [] : [lineOf(tool)]),
        ...reasons,
        ...(tool.command ? [`$ ${tool.command}`] : []),
        ...(tool.cwd ? [`in ${tool.cwd}`] : []),
        ...(!tool.command && tool.title ? [tool.title] : []),
        ...output.flatMap((one) => textsOfOutput(bag(one))),
        inputOf(tool, output) ?? '',
      ];
    }
    case 'plan':
      return row.plan.map(({ content }) => content);
    case 'ask':
      return [isAllowedByRule(row) ? reasonOfAllowed(row) : askParts(row, ask).join('')];
    case 'line':
      return [lineText(row)];
    case 'notes':
      return row.notes.map(noteText);
    case 'steps':
    case 'divider':
      return [];
  }
}

/** Texts by row: rows are replaced, never changed. Those of requests also depend on the answer. */
const known = new WeakMap<Row, string>();

function textOf(row: Row, asks: readonly Ask[]): string {
  const before = known.get(row);
  if (before !== undefined) return before;
  const ask = row.kind === 'ask' ? asks.find(({ id }) => id === row.ask) : undefined;
  const made = textsOf(row, ask).join('\n');
  if (row.kind !== 'ask') known.set(row, made);
  return made;
}

/** Number of matches in a row. */
export function countIn(row: Row, asks: readonly Ask[], pattern: RegExp): number {
  let count = 0;
  for (const _ of textOf(row, asks).matchAll(pattern)) count += 1;
  return count;
}
