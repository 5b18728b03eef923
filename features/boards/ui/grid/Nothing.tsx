/** Message of a table without visible items. */
import { Button, EmptyState } from '@shell/components';

/** Nothing passes the filters. */
export const NothingMatches = ({ of, onClear }: { of: string; onClear: () => void }) => (
  <EmptyState icon="filter" title="No matching items" action={<Button onPress={onClear}>Clear filters</Button>}>
    {`0 of ${of} match.`}
  </EmptyState>
);

/** The board has no items at all. */
export const NothingYet = ({ onAdd }: { onAdd: () => void }) => (
  <EmptyState
    icon="board"
    title="This board has no items yet"
    action={
      <Button variant="primary" icon="plus" onPress={onAdd}>
        Add the first item
      </Button>
    }
  >
    Add an item here, or import a file from the board menu.
  </EmptyState>
);
