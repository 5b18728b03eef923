/** The run in the toolbar: its phase and the time left, while one is active. */
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { Icon, toast, Tooltip } from '@shell/components';
import { useNow } from '@shell/dates';
import { clockText, PHASES, secondsLeft, useRun, type Run } from './data';
import './timer.css';

export function PomodoroTimer() {
  const { data: run } = useRun();
  usePhaseToasts(run);
  return run ? <Timer run={run} /> : null;
}

function Timer({ run }: { run: Run }) {
  const left = clockText(secondsLeft(run, useNow(1_000)));
  const label = `${PHASES[run.phase]}${run.endsAt === null ? ', paused' : ''}`;
  return (
    <Tooltip text={label}>
      <Link href="/pomodoro" className="pomodoro-timer" data-phase={run.phase} aria-label={`Pomodoro: ${label}`}>
        <Icon name="clock" />
        <span role="timer">{left}</span>
      </Link>
    </Tooltip>
  );
}

/** Says when a phase begins, on whatever page you are. */
function usePhaseToasts(run: Run | null | undefined) {
  const before = useRef<string | undefined>(undefined);
  const phase = run?.phase;
  const key = run ? `${run.startedAt} ${run.block} ${run.phase}` : undefined;
  useEffect(() => {
    if (phase !== undefined && before.current !== undefined && before.current !== key)
      toast.done(phase === 'focus' ? 'Time to focus' : 'Time for a break', { kind: 'pomodoro' });
    before.current = key;
  }, [key, phase]);
}
