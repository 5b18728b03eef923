/** Where to go after a message was sent: the first entry of postSendNavigation that applies. */
import { useEffect, useRef } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { useSetting } from '@shell/settings';
import type { Session } from '../data';
import { goToNeed, needsQuery, type Need } from './data';

export function useAfterSend() {
  const places = useSetting('postSendNavigation') ?? [];
  const cache = useQueryClient();
  const [, navigate] = useLocation();
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  return async ({ id, projectId }: Pick<Session, 'id' | 'projectId'>) => {
    if (!places.some((place) => place !== 'stay')) return;
    const needs = await cache
      .fetchQuery({ ...needsQuery, staleTime: 0 })
      .catch(() => cache.getQueryData(needsQuery.queryKey) ?? []);
    // You went somewhere else meanwhile.
    if (!isHere.current) return;
    const others = needs.filter(({ sessionId }) => sessionId !== id);
    for (const place of places) {
      if (place === 'stay') return;
      if (place === 'waiting_room') return navigate('/waiting');
      const next: Need | undefined =
        place === 'next_in_inbox' ? others[0] : others.find((need) => need.sessionId && need.projectId === projectId);
      if (next) return goToNeed(next, navigate);
    }
  };
}
