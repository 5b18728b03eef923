/** The practice session that a newcomer starts with one click; the program has a folder for it. */
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
