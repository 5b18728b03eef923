/** Starts the practice session for new users, in a folder that Pilothouse creates. */
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useSessionActions } from './data';

export function usePractice() {
  const { practise } = useSessionActions();
  const [, navigate] = useLocation();
  const [isStarting, setStarting] = useState(false);
  return {
    isStarting,
    start: async () => {
      if (isStarting) return;
      setStarting(true);
      const session = await practise();
      setStarting(false);
      if (session) navigate(`/sessions/${session.id}`);
    },
  };
}
