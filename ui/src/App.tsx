import { QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { RouterProvider } from 'react-aria-components';
import { Router, useLocation } from 'wouter';
import { ToastRegion } from './components/toast';
import { makeQueryClient } from './query';
import { useSession } from './session';
import { Shell } from './shell/Shell';
import { SignedOut } from './shell/SignedOut';

/** The page: the shell with a token, the way in without one. */
export function App() {
  const session = useSession();
  // What one sign-in has read is not shown to the next.
  const [client, setClient] = useState(makeQueryClient);
  const [of, setOf] = useState(session);
  if (of !== session) {
    setOf(session);
    setClient(makeQueryClient());
  }
  return (
    <QueryClientProvider client={client}>
      <Router base="/app">
        <Links>{session.kind === 'signed-in' ? <Shell /> : <SignedOut session={session} />}</Links>
      </Router>
      <ToastRegion />
    </QueryClientProvider>
  );
}

/** React Aria's links go through the router. */
function Links({ children }: { children: React.ReactNode }) {
  const [, navigate] = useLocation();
  return <RouterProvider navigate={navigate}>{children}</RouterProvider>;
}
