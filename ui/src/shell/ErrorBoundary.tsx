import { Component, type ReactNode } from 'react';
import { ErrorState } from '../components';

/** Keeps a page's failure inside the page. Going to another address, or trying again, clears it. */
export class ErrorBoundary extends Component<{ children: ReactNode; resetOn: string }, { error: unknown }> {
  state = { error: null as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  componentDidUpdate(previous: { resetOn: string }) {
    if (this.state.error && previous.resetOn !== this.props.resetOn) this.setState({ error: null });
  }

  render() {
    if (!this.state.error) return this.props.children;
    return <ErrorState title="This page stopped working" error={this.state.error} onRetry={() => this.setState({ error: null })} />;
  }
}
