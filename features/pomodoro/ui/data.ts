/** Pomodoro: types, queries, and actions. */
import { useQuery } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { useReported } from '@shell/requests';
import type { Weekday } from '@shell/times';

export type Run = Schemas['PomodoroRun'];
export type Phase = Run['phase'];
export type Preset = Schemas['PomodoroPreset'];
export type Rule = Schemas['PomodoroRule'];
export type PresetFields = Omit<Preset, 'id' | 'builtIn'>;
export interface RuleFields {
  presetId: string;
  time: string;
  days: Weekday[];
  timeZone: string;
}

/** The start of this feature's query keys: one event invalidates all of them. */
export const POMODORO = ['pomodoro'];

/** The active run; null if there is none. */
export const useRun = () =>
  useQuery({
    queryKey: [...POMODORO, 'run'],
    queryFn: ({ signal }) => client.get('/pomodoro', { signal }).then(({ run }) => run),
  });

export const usePresets = () =>
  useQuery({
    queryKey: [...POMODORO, 'presets'],
    queryFn: ({ signal }) => client.get('/pomodoro/presets', { signal }).then(({ items }) => items),
  });

export const useRules = () =>
  useQuery({
    queryKey: [...POMODORO, 'rules'],
    queryFn: ({ signal }) => client.get('/pomodoro/rules', { signal }).then(({ items }) => items),
  });

/** The last 7 days, the last one today. */
export const useStats = () =>
  useQuery({
    queryKey: [...POMODORO, 'stats'],
    queryFn: ({ signal }) => client.get('/pomodoro/stats', { signal }).then(({ days }) => days),
  });

export const PHASES: Record<Phase, string> = { focus: 'Focus', break: 'Break', long: 'Long break' };

/** Seconds left of the phase. */
export function secondsLeft({ endsAt, leftSeconds }: Pick<Run, 'endsAt' | 'leftSeconds'>, now: number): number {
  return endsAt === null ? (leftSeconds ?? 0) : Math.max(0, Math.round((Date.parse(endsAt) - now) / 1_000));
}

/** `4:05`, or `1:30:00`. */
export function clockText(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (number: number) => String(number).padStart(2, '0');
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`;
}

/** `25 / 5 min, 15 min after 4 blocks`. */
export const lengthsOf = ({ focusMinutes, breakMinutes, longBreakMinutes, longEvery }: Preset): string =>
  [
    `${focusMinutes} / ${breakMinutes} min`,
    ...(longEvery > 0 ? [`${longBreakMinutes} min after ${longEvery} ${longEvery === 1 ? 'block' : 'blocks'}`] : []),
  ].join(', ');

/** Actions. Each shows its failures and loads everything again. */
export function usePomodoroActions() {
  const then = useReported(POMODORO);
  const preset = (presetId: string) => ({ path: { presetId } });
  const rule = (ruleId: string) => ({ path: { ruleId } });
  return {
    start: (presetId?: string) =>
      then("Couldn't start run", client.post('/pomodoro/start', { body: presetId === undefined ? {} : { presetId } })),
    pause: () => then("Couldn't pause run", client.post('/pomodoro/pause', {})),
    resume: () => then("Couldn't resume run", client.post('/pomodoro/resume', {})),
    skip: () => then("Couldn't skip phase", client.post('/pomodoro/skip', {})),
    stop: () => then("Couldn't stop run", client.post('/pomodoro/stop', {})),
    createPreset: (body: PresetFields) => then("Couldn't create preset", client.post('/pomodoro/presets', { body })),
    updatePreset: (id: string, body: Partial<PresetFields>) =>
      then("Couldn't change preset", client.patch('/pomodoro/presets/{presetId}', { ...preset(id), body })),
    removePreset: (id: string) =>
      then("Couldn't delete preset", client.delete('/pomodoro/presets/{presetId}', preset(id))),
    createRule: (body: RuleFields) => then("Couldn't create rule", client.post('/pomodoro/rules', { body })),
    updateRule: (id: string, body: Partial<RuleFields> & { on?: boolean }) =>
      then("Couldn't change rule", client.patch('/pomodoro/rules/{ruleId}', { ...rule(id), body })),
    removeRule: (id: string) => then("Couldn't delete rule", client.delete('/pomodoro/rules/{ruleId}', rule(id))),
  };
}
