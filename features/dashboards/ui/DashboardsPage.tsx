import { Link } from 'wouter';
import { Button, EmptyState, ErrorState, Icon, Loading, Page, Time } from '@shell/components';
import { useCreateDashboard, useDashboards } from './data';
import './dashboards.css';

/** All dashboards of the workspace. */
export default function DashboardsPage() {
  const { data: dashboards, error, refetch } = useDashboards();
  const create = useCreateDashboard();
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
        <ul className="dash-list">
          {dashboards.map((dashboard) => (
            <li key={dashboard.id}>
              <Link href={`/dashboards/${dashboard.id}`} className="dash-list-link">
                <Icon name="dashboard" />
                <span className="dash-list-name">{dashboard.name}</span>
                <span className="dash-list-time">
                  <Time at={dashboard.updatedAt} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Page>
  );
}
