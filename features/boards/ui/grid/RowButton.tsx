/**
 * A button in a line of the table. Lines come and go by the dozen while a board scrolls, so that it is the browser's own, with
 * the browser's hint: one with the shell's hint costs more than all the cells of its line.
 */
import { Icon, type IconName } from '@shell/components';

interface RowButtonProps {
  icon: IconName;
  label: string;
  /** What does the same by keyboard. */
  keys?: string;
  isTabStop?: boolean;
  onPress: () => void;
}

export const RowButton = ({ icon, label, keys, isTabStop = false, onPress }: RowButtonProps) => (
  <button
    type="button"
    className="btn-icon"
    aria-label={label}
    title={keys ? `${label} (${keys})` : label}
    tabIndex={isTabStop ? 0 : -1}
    onClick={onPress}
    // The table has its own meaning for these keys.
    onKeyDown={(event) => (event.key === 'Enter' || event.key === ' ') && event.stopPropagation()}
  >
    <Icon name={icon} />
  </button>
);
