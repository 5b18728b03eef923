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
        <ErrorState title="Couldn't load dashboards" error={error} onRetry={() => void refetch()} />
      ) : !dashboards ? (
        <Loading label="Loading dashboards" />
      ) : !dashboards.length ? (
        <EmptyState icon="dashboard" title="No dashboards yet" action={button}>
          Connect boards and add widgets to see figures and charts over several boards.
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
