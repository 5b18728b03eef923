import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { ErrorState, Loading } from '@shell/components';
import { changeBegun, useBegun } from './begun';
import { DashboardName } from './DashboardName';
import { NEW_NAME, NEW_PATH, useCreateDashboard, useNameOfNew } from './data';
import { setPageTitle } from '@shell/title';

/** A dashboard from the press that makes it until its page can be drawn: its name can be typed. */
export function NewDashboard() {
  const begun = useBegun();
  const { create, isMaking, error } = useCreateDashboard();
  const [location, navigate] = useLocation();
  const isNone = location === NEW_PATH && !isMaking && !error;
  useEffect(() => {
    setPageTitle(NEW_NAME);
  }, []);
  useEffect(() => {
    // Loaded again, or come back to: it has its own address by now, or was never made.
    if (isNone) navigate('/dashboards', { replace: true });
  }, [isNone, navigate]);
  useNameOfNew(() => {
    if (error) return false;
    changeBegun((now) => ({ ...now, naming: now.naming ?? {} }));
    return true;
  });
  return (
    <div className="page">
      <div className="page-main">
        <header className="page-head">
          <DashboardName
            name={begun.name ?? NEW_NAME}
            naming={begun.naming}
            onNaming={(naming) => changeBegun((now) => ({ ...now, naming }))}
            onRename={(name) => changeBegun((now) => ({ ...now, name }))}
          />
        </header>
        <div className="page-body">
          {error ? (
            <ErrorState title="Couldn't create dashboard" error={error} onRetry={create} />
          ) : (
            <Loading label="Creating dashboard" />
          )}
        </div>
      </div>
    </div>
  );
}
