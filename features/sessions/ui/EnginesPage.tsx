import { EmptyState, Page } from '@shell/components';

export default function EnginesPage() {
  return (
    <Page title="Engines">
      <EmptyState icon="session" title="Engines are on their way" />
    </Page>
  );
}
