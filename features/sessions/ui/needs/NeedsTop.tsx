/** The queue at the top of the sidebar; only its count while the sidebar is collapsed. */
import { Button as AriaButton } from 'react-aria-components';
import { Tooltip } from '@shell/components';
import { showNeed, useNeeds } from './data';
import { NeedsList } from './NeedsList';

export function NeedsTop({ isCollapsed }: { isCollapsed: boolean }) {
  const { data: needs } = useNeeds();
  const first = needs?.[0];
  if (!first) return null;
  if (!isCollapsed) return <NeedsList isNarrow />;
  const label = `${needs.length.toLocaleString()} need${needs.length === 1 ? 's' : ''} you`;
  return (
    <Tooltip text={label}>
      <AriaButton className="needs-button" aria-label={label} onPress={() => showNeed(first.id)}>
        <span className="needs-count">{needs.length.toLocaleString()}</span>
      </AriaButton>
    </Tooltip>
  );
}
