/** Why a view shows every item, where the engine could not choose and order them. */
import { reasonOf } from '@shell/api';
import { Icon } from '@shell/components';

export const ViewFault = ({ error }: { error: unknown }) =>
  error ? (
    <p className="view-chosen-items" role="alert">
      <Icon name="warning" /> {`Every item is shown: the filter, the order and the totals of this view could not be applied. ${reasonOf(error)}`}
    </p>
  ) : null;
