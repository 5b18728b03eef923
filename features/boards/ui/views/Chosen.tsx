/** How many items a view's filter lets through, and the way back to all of them. */
import { Button } from '@shell/components';
import { counted } from '../format';

interface ChosenProps {
  shown: number;
  of: number;
  onClear: () => void;
}

export function Chosen({ shown, of, onClear }: ChosenProps) {
  return (
    <div className="view-chosen-items">
      <span role="status">{`${shown.toLocaleString()} of ${counted(of)} ${shown === 1 ? 'matches' : 'match'} the filter of this view`}</span>
      <Button variant="plain" icon="close" onPress={onClear}>
        Clear filter
      </Button>
    </div>
  );
}
