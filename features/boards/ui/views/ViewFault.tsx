/** Why a view shows every item, where the engine could not choose and order them. */
import { reasonOf } from '@shell/api';
import { Button, Icon } from '@shell/components';

export const ViewFault = ({ error }: { error: unknown }) =>
  error ? (
    <p className="view-chosen-items" role="alert">
      <Icon name="warning" />{' '}
      {`Couldn't apply this view's filter, sort, and totals. Every item is shown. ${reasonOf(error)}`}
    </p>
  ) : null;

/** A filter is stored that this page cannot read; nothing is chosen by it. */
export const UnreadFilter = ({ onDrop }: { onDrop: (() => void) | null }) =>
  onDrop && (
    <p className="view-chosen-items" role="alert">
      <Icon name="warning" /> This view's saved filter is invalid and hides nothing.{' '}
      <Button variant="plain" onPress={onDrop}>
        Remove filter
      </Button>
    </p>
  );
