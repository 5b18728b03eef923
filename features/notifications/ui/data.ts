/** Focus Mode and the history of notifications: types and queries. */
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { toast } from '@shell/components';

export type FocusMode = Schemas['FocusMode'];
export type Decision = Schemas['NotificationDecision'];
export type Sounds = Schemas['NotificationSounds'];
export type Through = FocusMode['through'];

/** The start of the query keys. */
export const FOCUS = ['focus'];
export const HISTORY = ['notifications', 'history'];
export const SOUNDS = ['notifications', 'sounds'];

/** Focus Mode now. */
export const useFocusMode = () =>
  useQuery({ queryKey: FOCUS, queryFn: ({ signal }) => client.get('/focus', { signal }) });

/** Starts and ends Focus Mode. */
export function useFocusActions() {
  const cache = useQueryClient();
  const settle = (focus: FocusMode) => cache.setQueryData(FOCUS, focus);
  const start = useMutation({
    mutationFn: (body: { minutes?: number; through: Through }) => client.post('/focus', { body }),
    onSuccess: settle,
    onError: (error) => toast.problem("Couldn't start Focus Mode", error),
  });
  const end = useMutation({
    mutationFn: () => client.delete('/focus', {}),
    onSuccess: settle,
    onError: (error) => toast.problem("Couldn't end Focus Mode", error),
  });
  return { start, end };
}

/** Decisions about notifications, newest first. */
export const useHistory = () =>
  useInfiniteQuery({
    queryKey: HISTORY,
    queryFn: ({ pageParam, signal }) =>
      client.get('/notifications/history', { query: pageParam ? { cursor: pageParam } : {}, signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });

/** Shows a test notification of the system, with the sound of a kind of inbox rows. */
export const useTestNotification = () =>
  useMutation({
    mutationFn: (kind: string | undefined) =>
      client.post('/notifications/test', { body: kind === undefined ? {} : { kind } }),
    onSuccess: () => toast.done('Test notification sent'),
    onError: (error) => toast.problem("Couldn't send test notification", error),
  });

/** Sounds of notifications, and those to choose from. */
export const useSounds = () =>
  useQuery({ queryKey: SOUNDS, queryFn: ({ signal }) => client.get('/notifications/sounds', { signal }) });

/** Chooses sounds and mutes them. */
export function useSoundActions() {
  const cache = useQueryClient();
  const onSuccess = (sounds: Sounds) => cache.setQueryData(SOUNDS, sounds);
  const choose = useMutation({
    mutationFn: (body: { kind: string; sound?: string }) => client.post('/notifications/sounds', { body }),
    onSuccess,
    onError: (error) => toast.problem("Couldn't save sound", error),
  });
  const mute = useMutation({
    mutationFn: (muted: boolean) => client.post('/notifications/mute', { body: { muted } }),
    onSuccess,
    onError: (error, muted) => toast.problem(muted ? "Couldn't mute sounds" : "Couldn't unmute sounds", error),
  });
  return { choose, mute };
}
