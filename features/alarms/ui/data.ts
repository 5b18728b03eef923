/** Alarms: types, queries, and actions. */
import { useQuery } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import type { Command } from '@shell/feature';
import { useReported } from '@shell/requests';
import { useSetting } from '@shell/settings';

export type Alarm = Schemas['Alarm'];
export type AlarmDay = Schemas['AlarmDay'];
/** Fields of an alarm that can be set. */
type AlarmFields = Partial<
  Pick<
    Alarm,
    | 'label'
    | 'time'
    | 'date'
    | 'days'
    | 'timeZone'
    | 'sound'
    | 'soundDurationSeconds'
    | 'soundFadeInSeconds'
    | 'soundPlayMode'
    | 'speakLabel'
    | 'maxSnoozes'
    | 'snoozeMinutes'
  >
>;
export type CreateAlarm = AlarmFields & { text?: string };
export type UpdateAlarm = AlarmFields & { on?: boolean };

/** The start of this feature's query keys: one event invalidates all of them. */
export const ALARMS = ['alarms'];

/** All alarms, the next one first. */
export const useAlarms = () =>
  useQuery({
    queryKey: [...ALARMS, 'list'],
    queryFn: ({ signal }) => client.get('/alarms', { signal }).then(({ items }) => items.toSorted(byNext)),
  });

const byNext = (a: Alarm, b: Alarm) => (a.nextAt ?? '9').localeCompare(b.nextAt ?? '9');

/** The alarms that ring now, the newest first. */
export function useRinging() {
  const isEnabled = useSetting('alarmsEnabled') === true;
  return useQuery({
    queryKey: [...ALARMS, 'ringing'],
    queryFn: ({ signal }) =>
      client.get('/alarms', { query: { state: 'ringing' }, signal }).then(({ items }) => items.toReversed()),
    enabled: isEnabled,
  });
}

/** The names of the built-in sounds. */
export const useSounds = () =>
  useQuery({
    queryKey: ['alarm-sounds'],
    queryFn: ({ signal }) => client.get('/alarms/sounds', { signal }).then(({ sounds }) => sounds),
    staleTime: Infinity,
  });

/** How a sentence is understood. Not one of this feature's queries: no event changes it. */
export const useUnderstood = (text: string) =>
  useQuery({
    queryKey: ['understood-alarm', text],
    queryFn: ({ signal }) => client.post('/alarms/understand', { body: { text }, signal }),
    enabled: text !== '',
    retry: false,
    placeholderData: (previous) => (text === '' ? undefined : previous),
  });

/** What people call it. */
export const nameOf = (alarm: Pick<Alarm, 'label'>) => alarm.label || 'Alarm';

/** Actions on alarms. Each shows its failures and reloads the alarms. */
export function useAlarmActions() {
  const then = useReported(ALARMS);
  const path = (alarm: Alarm) => ({ path: { alarmId: alarm.id } });
  return {
    create: (body: CreateAlarm) => then("Couldn't create alarm", client.post('/alarms', { body })),
    update: (alarm: Alarm, body: UpdateAlarm) =>
      then("Couldn't change alarm", client.patch('/alarms/{alarmId}', { ...path(alarm), body })),
    remove: (alarm: Alarm) => then("Couldn't delete alarm", client.delete('/alarms/{alarmId}', path(alarm))),
    ring: (alarm: Alarm) => then("Couldn't ring alarm", client.post('/alarms/{alarmId}/ring', path(alarm))),
    snooze: (alarm: Alarm) =>
      then("Couldn't snooze alarm", client.post('/alarms/{alarmId}/snooze', { ...path(alarm), body: {} })),
    dismiss: (alarm: Alarm) => then("Couldn't dismiss alarm", client.post('/alarms/{alarmId}/dismiss', path(alarm))),
  };
}

/** Commands for alarms that ring. */
export function useRingCommands(): Command[] {
  const { data } = useRinging();
  const { snooze, dismiss } = useAlarmActions();
  return (data ?? []).flatMap((alarm): Command[] => [
    {
      id: `alarms.dismiss.${alarm.id}`,
      label: `Dismiss ${nameOf(alarm)}`,
      group: 'Alarms',
      icon: 'close',
      run: () => void dismiss(alarm),
    },
    ...(alarm.canSnooze
      ? [
          {
            id: `alarms.snooze.${alarm.id}`,
            label: `Snooze ${nameOf(alarm)}`,
            group: 'Alarms',
            icon: 'clock' as const,
            run: () => void snooze(alarm),
          },
        ]
      : []),
  ]);
}

export { DAYS, daysOf, HERE } from '@shell/times';
