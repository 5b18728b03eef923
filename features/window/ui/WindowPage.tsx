/** The desktop window and the tray icon: what they can do on this computer, and starting at login. */
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { client } from '@shell/client';
import { Button, ErrorState, Loading, Page, Switch, toast } from '@shell/components';
import { useWindow, WINDOW, type WindowState } from './data';
import './window.css';

export default function WindowPage() {
  const { data: state, error, refetch } = useWindow();
  const [, navigate] = useLocation();
  return (
    <Page
      title="Desktop window"
      actions={
        <Button icon="settings" onPress={() => navigate('/settings?key=autoFocusOnNeedsYou')}>
          Window settings
        </Button>
      }
    >
      {error && !state ? (
        <ErrorState title="Couldn't load the window's state" error={error} onRetry={() => void refetch()} />
      ) : !state ? (
        <Loading label="Loading the window's state" />
      ) : (
        <div className="window-page">
          <StartAtLogin state={state} />
          <dl className="window-facts">
            <Fact name="Window" value={opened(state)} />
            <Fact name="Coming to the front" value={state.raiseProblem ?? 'Works'} />
            <Fact
              name="Global keys"
              value={state.keysProblem ?? 'Ctrl+Alt+N opens what needs you next. Ctrl+Alt+P starts a session.'}
            />
            <Fact name="Tray icon" value={state.trayProblem ?? 'Shown'} />
          </dl>
        </div>
      )}
    </Page>
  );
}

function opened({ isOpen, version, isOutdated }: WindowState) {
  if (!isOpen) return 'Not open. Start pilothouse to open it; without pilothouse-desktop, your browser opens instead.';
  return isOutdated
    ? `Open, but older than Pilothouse: version ${version ?? ''}. Install the current one.`
    : `Open, version ${version ?? ''}`;
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function StartAtLogin({ state }: { state: WindowState }) {
  const cache = useQueryClient();
  if (state.startsAtLogin === null) return null;
  const set = async (isOn: boolean) => {
    try {
      await client.put('/window/start-at-login', { body: { isOn } });
    } catch (failure) {
      toast.problem("Couldn't change the start at login", failure);
    }
    await cache.invalidateQueries({ queryKey: WINDOW });
  };
  return (
    <Switch isSelected={state.startsAtLogin} onChange={(isOn) => void set(isOn)}>
      Start at login, without showing the window
    </Switch>
  );
}
