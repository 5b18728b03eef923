/** Why a view shows every item, where the engine could not choose and order them. */
import { reasonOf } from '@shell/api';
import { Button, Icon } from '@shell/components';

export const ViewFault = ({ error }: { error: unknown }) =>
  error ? (
    <p className="view-chosen-items" role="alert">
      <Icon name="warning" /> {`Every item is shown: the filter, the order and the totals of this view could not be applied. ${reasonOf(error)}`}
    </p>
  ) : null;

/** A filter is stored that this page cannot read; nothing is chosen by it. */
export const UnreadFilter = ({ onDrop }: { onDrop: (() => void) | null }) =>
  onDrop && (
    <p className="view-chosen-items" role="alert">
      <Icon name="warning" /> The filter that is stored with this view cannot be read, so it hides nothing.{' '}
      <Button variant="plain" onPress={onDrop}>
        Remove this filter
      </Button>
    </p>
  );
