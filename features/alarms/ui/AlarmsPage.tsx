import { EmptyState, Page } from '@shell/components';

export default function AlarmsPage() {
  return (
    <Page title="Alarms">
      <EmptyState icon="board" title="Nothing here yet">
        Entries of Alarms appear here.
      </EmptyState>
    </Page>
  );
}
