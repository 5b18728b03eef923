import { EmptyState, Page } from '@shell/components';

export default function SearchPage() {
  return (
    <Page title="Search transcripts">
      <EmptyState icon="search" title="Search is on its way" />
    </Page>
  );
}
