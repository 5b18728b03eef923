/** Requests of the calendar, and what the sidebar needs; it's part of the first load. */
import { useQuery } from '@tanstack/react-query';
import { client } from '@shell/client';
import { dayText } from '@shell/dates';
import { HERE } from './time';
import type { Occurrence } from './types';

/** The start of this feature's query keys: one event invalidates all of them. */
export const CALENDAR = ['calendar'];

interface Input {
  path?: Record<string, string>;
  query?: Record<string, string | null>;
  body?: object;
  signal?: AbortSignal;
}
type Send = <Answer>(path: string, input?: Input) => Promise<Answer>;

/** `client`, with the answers' types of types.ts. */
export const server = client as unknown as Record<'get' | 'post' | 'patch' | 'delete', Send>;

/** A day's events. */
export const useAgenda = (day: number) =>
  useQuery({
    queryKey: [...CALENDAR, 'agenda', day],
    queryFn: ({ signal }) =>
      server
        .get<{ items: Occurrence[] }>('/calendar/agenda', {
          query: { date: dayText(day), timeZone: HERE.name },
          signal,
        })
        .then(({ items }) => items),
  });
