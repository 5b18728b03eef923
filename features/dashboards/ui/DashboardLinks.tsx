import { useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { IconButton } from '@shell/components';
import { useCreateDashboard, useDashboards, useLeftFinished } from './data';
import { makeReady } from './ready';
import './nav.css';

/** Dashboards shown below the navigation entry; the page lists them all. */
const SHOWN_MAX = 12;

/** The section's own + and its dashboards. */
export function DashboardLinks() {
  const { data: dashboards } = useDashboards();
  const { create } = useCreateDashboard();
  const [location] = useLocation();
  useLeftFinished();
  const hasSome = !!dashboards?.length;
  useEffect(() => makeReady(hasSome), [hasSome]);
  return (
    <>
      <span className="dash-create">
        <IconButton icon="plus" label="Create dashboard" onPress={create} />
      </span>
      {hasSome && (
        <ul className="nav-list" aria-label="Dashboards">
          {dashboards.slice(0, SHOWN_MAX).map((dashboard) => (
            <li key={dashboard.id}>
              <Link
                href={`/dashboards/${dashboard.id}`}
                className="nav-link"
                aria-current={location === `/dashboards/${dashboard.id}` ? 'page' : undefined}
              >
                <span className="nav-label">{dashboard.name}</span>
              </Link>
            </li>
          ))}
          {dashboards.length > SHOWN_MAX && (
            <li>
              <Link href="/dashboards" className="nav-link">
                <span className="nav-label">{dashboards.length - SHOWN_MAX} more</span>
              </Link>
            </li>
          )}
        </ul>
      )}
    </>
  );
}
