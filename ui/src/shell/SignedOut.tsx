import { useEffect } from 'react';
import { Icon, Loading } from '../components';
import type { SessionState } from '../session';
import { setPageTitle } from '../title';

const reasons = {
  'no-code':
    "Each tab signs in separately, because this page can act on your computer. Continue in the tab where you're signed in, or sign in again.",
  'code-refused': 'This sign-in link was used before or is more than a minute old. Each link works once.',
  'token-refused': "Pilothouse restarted, or this tab's sign-in ended. Nothing was lost.",
  unreachable: "Couldn't reach Pilothouse. Check that it's running.",
} as const;

/** Explains how to sign in, if the page was opened without a valid link. */
export function SignedOut({ session }: { session: Exclude<SessionState, { kind: 'signed-in' }> }) {
  useEffect(() => {
    setPageTitle('');
  }, []);
  if (session.kind === 'signing-in') return <Loading label="Signing in" />;
  return (
    <main className="signed-out">
      <img src={`${import.meta.env.BASE_URL}favicon.svg`} width={40} height={40} alt="" />
      <h1>You&apos;re signed out</h1>
      <p>{reasons[session.reason]}</p>
      <div className="signed-out-how">
        <p>In a terminal on this computer, run</p>
        <pre>
          <Icon name="chevronRight" size={12} /> <code>pilothouse open</code>
        </pre>
        <p>Pilothouse opens in a new tab. You can close this one.</p>
      </div>
    </main>
  );
}
