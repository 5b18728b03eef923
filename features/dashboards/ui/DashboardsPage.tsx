import { Button, EmptyState, ErrorState, LinkList, LinkRow, Loading, Page } from '@shell/components';
import { useCreateDashboard, useDashboards } from './data';
import { Deleted } from './Deleted';
import './dashboards.css';

/** All dashboards of the workspace. */
export default function DashboardsPage() {
  const { data: dashboards, error, refetch } = useDashboards();
  const { create } = useCreateDashboard();
  const button = (
    <Button variant="primary" icon="plus" onPress={create}>
      Create dashboard
    </Button>
  );
  return (
    <Page title="Dashboards" actions={!!dashboards?.length && button}>
      {error && !dashboards ? (
        <ErrorState title="Dashboards could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : !dashboards ? (
        <Loading label="Loading dashboards" />
      ) : !dashboards.length ? (
        <EmptyState icon="dashboard" title="No dashboards yet" action={button}>
          A dashboard shows figures and charts over several boards at once. Connect boards, add widgets, and every value follows your work.
        </EmptyState>
      ) : (
          <LinkList>
            {dashboards.map(({ id, name, updatedAt }) => (
              <LinkRow key={id} href={`/dashboards/${id}`} icon="dashboard" name={name} changedAt={updatedAt} />
            ))}
          </LinkList>
      )}
      {!!dashboards && <Deleted />}
    </Page>
  );
}
