import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { ErrorState, Loading } from '@shell/components';
import { DashboardName, type Naming } from './DashboardName';
import { NEW_NAME, NEW_PATH, useCreateDashboard, useNameOfNew } from './data';

/** What was typed of a dashboard that is on its way. */
export interface Begun {
  name?: string;
  naming: Naming | null;
}

export const NOTHING_BEGUN: Begun = { naming: {} };

/** A dashboard from the press that makes it until its page can be drawn: its name can be typed. */
export function NewDashboard({ begun, onBegun }: { begun: Begun; onBegun: (change: (begun: Begun) => Begun) => void }) {
  const { create, isMaking, error } = useCreateDashboard();
  const [location, navigate] = useLocation();
  const isNone = location === NEW_PATH && !isMaking && !error;
  useEffect(() => {
    document.title = `${NEW_NAME} - Pilothouse`;
    // The next one begins anew.
    return () => onBegun(() => NOTHING_BEGUN);
  }, [onBegun]);
  useEffect(() => {
    // Loaded again, or come back to: it has its own address by now, or was never made.
    if (isNone) navigate('/dashboards', { replace: true });
  }, [isNone, navigate]);
  useNameOfNew(() => {
    if (error) return false;
    onBegun((now) => ({ ...now, naming: now.naming ?? {} }));
    return true;
  });
  return (
    <div className="page">
      <div className="page-main">
        <header className="page-head">
          <DashboardName name={begun.name ?? NEW_NAME} naming={begun.naming} onNaming={(naming) => onBegun((now) => ({ ...now, naming }))} onRename={(name) => onBegun((now) => ({ ...now, name }))} />
        </header>
        <div className="page-body">{error ? <ErrorState title="The dashboard was not created" error={error} onRetry={create} /> : <Loading label="Creating dashboard" />}</div>
      </div>
    </div>
  );
}
