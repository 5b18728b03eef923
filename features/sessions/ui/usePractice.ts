/** The practice session that a newcomer starts with one click; where there is no hub yet, a folder is asked for first. */
import { useState } from 'react';
import { useLocation } from 'wouter';
import { PRACTICE_PROMPT, useHubs, useSessionActions } from './data';

export function usePractice() {
  const { data: hubs } = useHubs();
  const { create } = useSessionActions();
  const [, navigate] = useLocation();
  const [isStarting, setStarting] = useState(false);
  const [asksFolder, setAsksFolder] = useState(false);
  return {
    isStarting,
    asksFolder,
    leave: () => setAsksFolder(false),
    start: async () => {
      if (isStarting) return;
      const hub = hubs?.find(({ isThere }) => isThere);
      if (!hub) return setAsksFolder(true);
      setStarting(true);
      const session = await create({ projectId: hub.id, engine: 'practice', prompt: PRACTICE_PROMPT });
      setStarting(false);
      if (session) navigate(`/sessions/${session.id}`);
    },
  };
}
