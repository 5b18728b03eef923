/** Copying, cutting and pasting in a table. */
import type { ClipboardEvent } from 'react';
import { toast } from '@shell/components';
import type { Made } from '../outbox/history';
import { newId, type CellChange, type NewItem } from '../outbox/step';
import { CELLS_MAX } from '../outbox/useOutbox';
import { fromTsv, toHtml, toTsv } from './clipboard';
import { cleared, copied, pasted, type Cells, type Refusal, type Sheet } from './edits';
import { IDS_TYPE, idsOf, lookUp, readIds } from './linkPaste';
import { countOf } from './selection';

interface Of {
  sheet: Sheet;
  selected: () => Cells;
  /** The clipboard is another's: of what is being edited, or of the titles. */
  isOff: boolean;
  write: (changes: readonly CellChange[], add?: readonly NewItem[]) => Made | null;
  /** Says something to who cannot see it. */
  say: (text: string) => void;
  onRefused: (refused: readonly Refusal[]) => void;
}

export function clipboardOf({ sheet, selected, isOff, write, say, onRefused }: Of) {
  const onCopy = (event: ClipboardEvent) => {
    if (isOff) return;
    const texts = copied(sheet, selected());
    if (texts.length === 0) return;
    event.preventDefault();
    event.clipboardData.setData('text/plain', toTsv(texts));
    event.clipboardData.setData('text/html', toHtml(texts));
    const ids = idsOf(sheet, selected());
    if (ids) event.clipboardData.setData(IDS_TYPE, ids);
    say(`Copied ${count(countOf(selected()))}`);
    if (event.type === 'cut') write(cleared(sheet, selected()));
  };
  const onPaste = (event: ClipboardEvent) => {
    if (isOff) return;
    const text = event.clipboardData.getData('text/plain');
    if (text === '') return;
    event.preventDefault();
    const [texts, chosen] = [fromTsv(text), selected()];
    const ids = readIds(event.clipboardData.getData(IDS_TYPE));
    const links = lookUp(sheet, chosen, texts);
    if (!links) return paste(pasted(sheet, chosen, texts));
    // What was chosen when it was pasted gets it, wherever the selection is by then.
    say('Looking the items up');
    links.then((from) => paste(pasted(sheet, chosen, texts, { from, ids })), (failure: unknown) => toast.problem('Nothing was pasted', failure));
  };
  const paste = (plan: ReturnType<typeof pasted>) => {
    const group = sheet.table.meta.groups.at(-1)?.id;
    // One paste is one step, with the items that it adds: all of it, or nothing where it is too much.
    const made = write(
      plan.changes,
      plan.added.map((item) => ({ ...item, id: newId(), ...(group ? { groupId: group } : {}) })),
    );
    if (!made && plan.changes.length + plan.added.length > CELLS_MAX) return;
    onRefused(plan.refused);
    say(`Pasted ${count(plan.changes.length)}`);
  };
  return { onCopy, onPaste };
}

/** `1 cell`, `1,200 cells`. */
export const count = (many: number, what = 'cell') => `${many.toLocaleString()} ${what}${many === 1 ? '' : 's'}`;
