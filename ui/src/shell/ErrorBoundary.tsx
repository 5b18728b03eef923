import { Component, useEffect, useRef, useState, type ReactNode } from 'react';
import { ErrorState } from '../components';
import { useConnection } from '../live';

/** Each browser's message for a file of the page that couldn't be loaded. */
const NOT_LOADED = /dynamically imported module|Importing a module script failed|Unable to preload/i;

/** Limits a failure to the page. Going to another address, or retrying, clears it. */
export class ErrorBoundary extends Component<{ children: ReactNode; resetOn: string }, { error: unknown }> {
  state = { error: null as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  componentDidUpdate(previous: { resetOn: string }) {
    if (this.state.error && previous.resetOn !== this.props.resetOn) this.setState({ error: null });
  }

  render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    if (error instanceof Error && NOT_LOADED.test(error.message)) return <NotLoaded />;
    return (
      <ErrorState title="This page stopped working" error={error} onRetry={() => this.setState({ error: null })} />
    );
  }
}

/**
 * A page's files load when it is first opened, so they are missing while Pilothouse is stopped. Browsers remember a
 * failed import, so only reloading the whole page retries it, which is safe once Pilothouse can be reached.
 */
function NotLoaded() {
  const connection = useConnection();
  const [tries, setTries] = useState(0);
  const wasAway = useRef(connection !== 'live');
  useEffect(() => {
    if (connection !== 'live') wasAway.current = true;
    else if (wasAway.current) location.reload();
  }, [connection]);
  const again = async () => {
    const answers = await fetch('/health', { cache: 'no-store' }).then(
      (answer) => answer.ok,
      () => false,
    );
    if (answers) location.reload();
    else setTries(tries + 1);
  };
  const still = tries > 0 ? " Still can't reach it." : '';
  return (
    <ErrorState
      title="Couldn't load this page"
      error={
        new Error(`Can't reach Pilothouse. Start it if it isn't running; this page then opens automatically.${still}`)
      }
      onRetry={() => void again()}
    />
  );
}
