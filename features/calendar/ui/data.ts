/** The calendar's queries and actions. */
import { useQuery, useQueryClient, keepPreviousData } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { request } from '@shell/api';
import { client } from '@shell/client';
import { toast } from '@shell/components';
import { patchCachedSetting, useSetting } from '@shell/settings';
import { CALENDAR, server } from './api';
import { boardKey, eventKey, type Times } from './model';
import { HERE, instantText, startOfDay } from './time';
import type { Window } from './layout';
import type { Account, BoardEntry, Calendar, EventFields, EventList, Occurrence, Reply, Scope } from './types';

/** All calendars, by account and name. */
export const useCalendars = () =>
  useQuery({
    queryKey: [...CALENDAR, 'calendars'],
    queryFn: ({ signal }) =>
      server.get<{ items: Calendar[] }>('/calendar/calendars', { signal }).then(({ items }) => items),
  });

export const useAccounts = () =>
  useQuery({
    queryKey: [...CALENDAR, 'accounts'],
    queryFn: ({ signal }) =>
      server.get<{ items: Account[] }>('/calendar/accounts', { signal }).then(({ items }) => items),
  });

/** Events, dates of boards, and sessions of some days. While others load, the previous ones stay. */
export const useEvents = ({ from, to }: Window) =>
  useQuery({
    queryKey: [...CALENDAR, 'events', from, to],
    queryFn: ({ signal }) =>
      server.get<EventList>('/calendar/events', {
        query: {
          from: instantText(startOfDay(from, HERE)),
          to: instantText(startOfDay(to, HERE)),
          timeZone: HERE.name,
        },
        signal,
      }),
    placeholderData: keepPreviousData,
  });

/** Which of a series; nothing for a single event. */
const which = ({ occurrence }: Occurrence, scope: Scope | null): Record<string, string> =>
  occurrence === null || scope === null ? {} : { occurrence, scope };

/** Whether dates of boards are shown, and how to change that. */
export function useLayers() {
  const cache = useQueryClient();
  const hasBoards = useSetting('pmCalendarOverlayEnabled') === true;
  const showBoards = async (value: boolean) => {
    const key = 'pmCalendarOverlayEnabled';
    patchCachedSetting(cache, key, { value });
    try {
      await server.patch('/settings/{key}', { path: { key }, body: { value } });
    } catch (failure) {
      patchCachedSetting(cache, key, { value: !value });
      toast.problem("Couldn't change setting", failure);
    }
    await cache.invalidateQueries({ queryKey: [...CALENDAR, 'events'] });
  };
  return { hasBoards, showBoards };
}

/** Actions of the calendar. Each shows its failures, reloads what is shown, and returns its answer, or null. */
export function useCalendarActions() {
  const cache = useQueryClient();
  /** Entries being moved, by key, which are drawn where they go. */
  const [moving, setMoving] = useState<ReadonlyMap<string, Times>>(new Map());
  const actions = useMemo(() => {
    const then = async <Answer>(problem: string, sent: Promise<Answer>): Promise<Answer | null> => {
      try {
        return await sent;
      } catch (failure) {
        toast.problem(problem, failure);
        return null;
      } finally {
        await cache.invalidateQueries({ queryKey: CALENDAR });
      }
    };
    // Moves are sent one after the other, so that the last one wins.
    let last: Promise<unknown> = Promise.resolve();
    const moveTo = async <Answer>(key: string, times: Times, send: () => Promise<Answer>): Promise<Answer | null> => {
      setMoving((before) => new Map(before).set(key, times));
      const sent = last.then(send);
      last = sent.catch(() => {});
      const answer = await then("Couldn't move event", sent);
      setMoving((before) => {
        if (before.get(key) !== times) return before;
        const after = new Map(before);
        after.delete(key);
        return after;
      });
      return answer;
    };
    const patch = (event: Occurrence, scope: Scope | null, body: Partial<EventFields>) =>
      server.patch<Occurrence>('/calendar/events/{eventId}', {
        path: { eventId: event.eventId },
        body: { ...which(event, scope), ...body },
      });
    const move = async (event: Occurrence, scope: Scope | null, times: Times): Promise<void> => {
      const answer = await moveTo(eventKey(event), times, () => patch(event, scope, times));
      if (!answer) return;
      const before = { start: event.start, end: event.end };
      // A series that was divided isn't joined again by moving one part back.
      const undo = scope === 'following' ? {} : { undo: () => undoMove(answer, scope, before) };
      toast.done('Event moved', { ...undo, kind: 'calendar-moved' });
    };
    const undoMove = (event: Occurrence, scope: Scope | null, times: Times) =>
      void moveTo(eventKey(event), times, () => patch(event, scope, times));
    const moveDue = async (board: BoardEntry, times: Times, isUndo = false): Promise<void> => {
      const path = { boardId: board.boardId, itemId: board.itemId, columnId: board.columnId };
      const sent = await moveTo(boardKey(board), times, () =>
        client
          .patch('/boards/{boardId}/items/{itemId}/cells/{columnId}', {
            path,
            body: { value: times.start, was: board.start },
          })
          .then(() => true),
      );
      if (!sent || isUndo) return;
      const undo = () => moveDue({ ...board, ...times }, { start: board.start, end: board.end }, true);
      toast.done('Due date changed', { undo, kind: 'calendar-moved' });
    };
    const calendar = (calendarId: string) => ({ path: { calendarId } });
    return {
      create: (body: Partial<EventFields>) =>
        then("Couldn't create event", server.post<Occurrence>('/calendar/events', { body })),
      update: (event: Occurrence, scope: Scope | null, body: Partial<EventFields>) =>
        then("Couldn't save event", patch(event, scope, body)),
      move,
      moveDue,
      remove: async (event: Occurrence, scope: Scope | null) => {
        const query = which(event, scope);
        const path = { eventId: event.eventId };
        const answer = await then(
          "Couldn't delete event",
          server.delete<{ undo: string }>('/calendar/events/{eventId}', { path, query }),
        );
        if (!answer) return;
        toast.done('Event deleted', {
          undo: async () =>
            void (await then(
              "Couldn't restore event",
              server.post('/calendar/events/restore', { body: { undo: answer.undo } }),
            )),
        });
      },
      respond: ({ eventId, occurrence }: Occurrence, response: Reply) =>
        then(
          "Couldn't send response",
          server.post('/calendar/events/{eventId}/respond', {
            path: { eventId },
            body: { ...(occurrence === null ? {} : { occurrence }), response },
          }),
        ),
      createCalendar: (body: { name: string; color: string }) =>
        then("Couldn't create calendar", server.post<Calendar>('/calendar/calendars', { body })),
      updateCalendar: ({ id }: Calendar, body: Partial<Pick<Calendar, 'name' | 'color' | 'isShown'>>) => {
        // Its checkbox doesn't wait for the server.
        cache.setQueryData<Calendar[]>([...CALENDAR, 'calendars'], (all) =>
          all?.map((one) => (one.id === id ? { ...one, ...body } : one)),
        );
        return then(
          "Couldn't change calendar",
          server.patch('/calendar/calendars/{calendarId}', { ...calendar(id), body }),
        );
      },
      removeCalendar: async ({ id, kind }: Calendar) => {
        const sent = server.delete('/calendar/calendars/{calendarId}', calendar(id)).then(() => true);
        if (!(await then("Couldn't remove calendar", sent))) return;
        const undo = async () =>
          void (await then(
            "Couldn't restore calendar",
            server.post('/calendar/calendars/{calendarId}/restore', calendar(id)),
          ));
        toast.done(kind === 'local' ? 'Calendar deleted' : 'Calendar removed', kind === 'local' ? { undo } : {});
      },
      sync: ({ id }: Pick<Account, 'id'>) =>
        then("Couldn't sync", server.post('/calendar/accounts/{accountId}/sync', { path: { accountId: id } })),
      removeAccount: async ({ id }: Account) => {
        const sent = server.delete('/calendar/accounts/{accountId}', { path: { accountId: id } }).then(() => true);
        if (await then("Couldn't remove account", sent)) toast.done('Account removed');
      },
    };
  }, [cache]);
  return { ...actions, moving };
}

export type CalendarActions = ReturnType<typeof useCalendarActions>;

/** Adds an account. Throws, so that its dialog can say why it failed. */
export const createAccount = (body: { url: string; username: string; password: string }) =>
  server.post<Account & { calendars: Calendar[] }>('/calendar/accounts', { body });

/** Subscribes to an address. Throws as well. */
export const subscribe = (body: { url: string; name?: string; color?: string }) =>
  server.post<Calendar>('/calendar/subscriptions', { body });

/** What an import did. */
export interface Imported {
  imported: number;
  updated: number;
  skipped: { title: string; reason: string }[];
}

/** Imports an .ics file. Throws as well. */
export const importFile = (calendarId: string, text: string) =>
  server.post<Imported>('/calendar/calendars/{calendarId}/import', { path: { calendarId }, body: { text } });

/** Saves a calendar as an .ics file. */
export async function exportCalendar({ id, name }: Calendar): Promise<void> {
  try {
    const { body } = await request('GET', `/calendar/calendars/${encodeURIComponent(id)}/export`, {
      headers: { Accept: '*/*' },
    });
    const address = URL.createObjectURL(new Blob([body], { type: 'text/calendar' }));
    const link = document.createElement('a');
    link.href = address;
    link.download = `${name.replace(/[^\p{L}\p{N} ._-]/gu, '_') || 'calendar'}.ics`;
    link.click();
    URL.revokeObjectURL(address);
  } catch (failure) {
    toast.problem("Couldn't export calendar", failure);
  }
}
