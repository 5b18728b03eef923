import { useEffect } from 'react';
import { Icon, Loading } from '../components';
import type { SessionState } from '../session';

const reasons = {
  'no-code': 'It speaks for you to a program that can act on this computer, so each tab is signed in by itself. A link that was opened in a new tab is not: go on in the tab where you are signed in, or sign in anew.',
  'code-refused': 'The address that opened this page was used before or is older than a minute. Each one works once.',
  'token-refused': 'Pilothouse was restarted or the sign-in of this tab has ended. Nothing was lost.',
  unreachable: 'Pilothouse did not answer. It may be stopped.',
} as const;

/** The way in, for those who came without a fresh address. */
export function SignedOut({ session }: { session: Exclude<SessionState, { kind: 'signed-in' }> }) {
  useEffect(() => {
    document.title = 'Pilothouse';
  }, []);
  if (session.kind === 'signing-in') return <Loading label="Signing in" />;
  return (
    <main className="signed-out">
      <img src={`${import.meta.env.BASE_URL}favicon.svg`} width={40} height={40} alt="" />
      <h1>This page needs to be opened from Pilothouse</h1>
      <p>{reasons[session.reason]}</p>
      <div className="signed-out-how">
        <p>In a terminal on this computer, run</p>
        <pre>
          <Icon name="chevronRight" size={12} /> <code>pilothouse open</code>
        </pre>
        <p>A page with a fresh sign-in opens by itself. You can close this one.</p>
      </div>
    </main>
  );
}
