import { QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { RouterProvider } from 'react-aria-components';
import { Router, useLocation } from 'wouter';
import { ToastRegion } from './components/toast';
import { makeQueryClient } from './query';
import { useSession } from './session';
import { Shell } from './shell/Shell';
import { SignedOut } from './shell/SignedOut';

/** The page: the shell if signed in, otherwise the sign-in instructions. */
export function App() {
  const session = useSession();
  // A new sign-in starts with an empty cache.
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

/** Makes React Aria's links use the router. */
function Links({ children }: { children: React.ReactNode }) {
  const [, navigate] = useLocation();
  return <RouterProvider navigate={navigate}>{children}</RouterProvider>;
}
