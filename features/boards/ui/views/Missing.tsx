/** A view that has nothing to be by: why, and the remedy. */
import { useState } from 'react';
import { Button, EmptyState, toast } from '@shell/components';
import { change } from '../changes';
import { firstSettings } from '../columnSettings';
import type { Column } from '../data';
import { BY_GROUP, dayColumns, stackColumns } from './columns';
import type { View, ViewSettings } from './data';

interface MissingProps {
  board: string;
  view: View;
  columns: readonly Column[];
  onSettings: (settings: ViewSettings) => void;
  /** A column was added. */
  onAdded: () => Promise<void>;
}

export function Missing({ board, view, columns, onSettings, onAdded }: MissingProps) {
  const [isBusy, setBusy] = useState(false);
  const isKanban = view.kind === 'kanban';
  const named = isKanban ? view.settings.byColumn : view.settings.dateColumn;
  const fitting = isKanban ? stackColumns(columns) : dayColumns(columns);
  const key = isKanban ? 'byColumn' : 'dateColumn';
  const choose = (id: string) => onSettings({ ...view.settings, [key]: id });
  const what = isKanban ? 'status column' : 'date column';
  const addOne = async () => {
    if (isBusy) return;
    setBusy(true);
    try {
      const { id } = await (isKanban
        ? change.addColumn(board, 'Status', 'status', firstSettings('status'))
        : change.addColumn(board, 'Date', 'date'));
      await onAdded();
      choose(id);
    } catch (failure) {
      toast.problem("Couldn't add column", failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="view-missing">
      <EmptyState
        icon={isKanban ? 'kanban' : view.kind === 'calendar' ? 'calendar' : 'timeline'}
        title={named ? "This view's column no longer exists" : `This view needs a ${what}`}
        action={
          <div className="view-remedies">
            {fitting.map((column) => (
              <Button key={column.id} onPress={() => choose(column.id)}>
                {`Use ${column.title}`}
              </Button>
            ))}
            {isKanban && <Button onPress={() => choose(BY_GROUP)}>Use groups</Button>}
            <Button variant="primary" icon="plus" isPending={isBusy} onPress={() => void addOne()}>
              {`Add a ${what}`}
            </Button>
          </div>
        }
      >
        {named
          ? "It was deleted or can't be used by this view. Choose another; your items are unchanged."
          : isKanban
            ? 'Its labels become the stacks.'
            : "It sets each item's day."}
      </EmptyState>
    </div>
  );
}
