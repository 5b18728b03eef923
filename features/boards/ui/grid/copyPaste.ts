/** Copying, cutting and pasting in a table. */
import type { ClipboardEvent } from 'react';
import { toast } from '@shell/components';
import { newId, type CellChange, type NewItem } from '../outbox/step';
import { counted } from '../format';
import type { BoardTable } from '../table';
import { fromTsv, toHtml, toTsv } from './clipboard';
import { cleared, copied, landed, NEW_NAME, pasted, type Cells, type Refusal, type Sheet } from './edits';
import { IDS_TYPE, idsOf, lookUp, readIds } from './linkPaste';
import { countOf } from './selection';

interface Of {
  sheet: Sheet;
  selected: () => Cells;
  /** The clipboard is another's: of what is being edited, or of the titles. */
  isOff: boolean;
  write: (changes: readonly CellChange[], add?: readonly NewItem[]) => unknown;
  /** Says something to who cannot see it. */
  say: (text: string) => void;
  onRefused: (refused: readonly Refusal[]) => void;
  /** The board as it is by now, whatever it was when something was pasted. */
  present: () => BoardTable;
  /** One more paste looks its items up, or one less. */
  onLooking: (by: 1 | -1) => void;
}

export function clipboardOf({ sheet, selected, isOff, write, say, onRefused, present, onLooking }: Of) {
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
    // What was chosen when it was pasted gets it, wherever the selection is by then, above what it holds by then.
    onLooking(1);
    say('Looking up items');
    links
      .then(
        (from) => {
          const plan = pasted(sheet, chosen, texts, { from, ids });
          const { changes, refused } = landed(sheet, plan.changes, present());
          paste({ ...plan, changes, refused: [...plan.refused, ...refused] });
        },
        (failure: unknown) => toast.problem("Couldn't paste", failure),
      )
      .finally(() => onLooking(-1));
  };
  const paste = (plan: ReturnType<typeof pasted>) => {
    const group = present().meta.groups.at(-1)?.id;
    // One paste is one step, with the items that it adds.
    write(
      plan.changes,
      plan.added.map((item) => ({ ...item, id: newId(), ...(group ? { groupId: group } : {}) })),
    );
    onRefused(plan.refused);
    const added = plan.added.length;
    const pasted = `Pasted ${count(plan.changes.length)}${added > 0 ? `, added ${counted(added)}` : ''}`;
    say(pasted);
    const unnamed = plan.added.filter(({ name }) => name === NEW_NAME).length;
    const told = [
      ...plan.told,
      ...(unnamed > 0
        ? [
            `${unnamed === added ? 'The new items are' : `${unnamed.toLocaleString()} of them ${unnamed === 1 ? 'is' : 'are'}`} named ${NEW_NAME} because no name was pasted.`,
          ]
        : []),
    ];
    if (added > 0 || told.length > 0) toast.done(pasted, told.length > 0 ? { detail: told.join(' ') } : {});
  };
  return { onCopy, onPaste };
}

/** `1 cell`, `1,200 cells`. */
export const count = (many: number, what = 'cell') => `${many.toLocaleString()} ${what}${many === 1 ? '' : 's'}`;
