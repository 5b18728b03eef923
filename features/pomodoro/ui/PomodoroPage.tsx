/** Pomodoro: the run, statistics, presets, and rules. */
import { useState } from 'react';
import {
  BarChart,
  Button,
  EmptyState,
  ErrorState,
  IconButton,
  Loading,
  Page,
  Select,
  Switch,
  Time,
} from '@shell/components';
import { formatDate, useNow } from '@shell/dates';
import { useSetting } from '@shell/settings';
import { daysOf, HERE } from '@shell/times';
import {
  clockText,
  lengthsOf,
  PHASES,
  secondsLeft,
  usePomodoroActions,
  usePresets,
  useRules,
  useRun,
  useStats,
  type Preset,
  type Rule,
  type Run,
} from './data';
import { PresetDialog } from './PresetDialog';
import { RuleDialog } from './RuleDialog';
import './pomodoro.css';

export default function PomodoroPage() {
  const { data: run, error, refetch } = useRun();
  const { data: presets } = usePresets();
  return (
    <Page title="Pomodoro">
      <div className="pomodoro">
        {error && run === undefined ? (
          <ErrorState title="Couldn't load Pomodoro" error={error} onRetry={() => void refetch()} />
        ) : run === undefined || !presets ? (
          <Loading label="Loading Pomodoro" />
        ) : (
          <>
            {run ? <ActiveRun run={run} /> : <StartForm presets={presets} />}
            <Statistics />
            <Presets presets={presets} />
            <Rules presets={presets} />
          </>
        )}
      </div>
    </Page>
  );
}

function ActiveRun({ run }: { run: Run }) {
  const { pause, resume, skip, stop } = usePomodoroActions();
  const left = secondsLeft(run, useNow(1_000));
  const isPaused = run.endsAt === null;
  return (
    <section className="pomodoro-run" aria-label="Run">
      <p className="pomodoro-phase">
        {`${PHASES[run.phase]} ${run.phase === 'focus' ? run.block : ''}`}
        {isPaused && ', paused'}
      </p>
      <p className="pomodoro-clock" role="timer" aria-label="Time left">
        {clockText(left)}
      </p>
      <p className="pomodoro-detail">
        {run.name}
        {run.managesFocus && ', with Focus Mode'}
      </p>
      <div className="pomodoro-buttons">
        {isPaused ? (
          <Button variant="primary" onPress={() => void resume()}>
            Resume
          </Button>
        ) : (
          <Button onPress={() => void pause()}>Pause</Button>
        )}
        <Button onPress={() => void skip()}>{run.phase === 'focus' ? 'Skip to break' : 'Skip break'}</Button>
        <Button onPress={() => void stop()}>Stop</Button>
      </div>
    </section>
  );
}

function StartForm({ presets }: { presets: readonly Preset[] }) {
  const [chosen, setChosen] = useState('classic');
  const { start } = usePomodoroActions();
  const options = presets.map((preset) => ({ value: preset.id, label: `${preset.name} (${lengthsOf(preset)})` }));
  const value = presets.some(({ id }) => id === chosen) ? chosen : 'classic';
  return (
    <section className="pomodoro-start" aria-label="Start a run">
      <Select label="Preset" options={options} value={value} onChange={setChosen} />
      <Button variant="primary" onPress={() => void start(value)}>
        Start
      </Button>
    </section>
  );
}

const minutesText = (minutes: number) => `${minutes} min`;

function Statistics() {
  const { data: days, error } = useStats();
  if (error && !days) return <ErrorState title="Couldn't load statistics" error={error} />;
  const today = days?.at(-1);
  if (!days || !today) return <Loading label="Loading statistics" />;
  const blocks = today.blocks === 1 ? '1 focus block' : `${today.blocks} focus blocks`;
  const lines = days.map(({ date, minutes }) => ({
    id: date,
    label: formatDate(date),
    values: [{ amount: minutes, text: minutesText(minutes) }],
  }));
  return (
    <>
      <p className="pomodoro-today">{`Today: ${blocks}, ${minutesText(today.minutes)}`}</p>
      <BarChart title="Minutes of focus" by="Day" series={['Minutes']} lines={lines} isTable={false} />
    </>
  );
}

function Presets({ presets }: { presets: readonly Preset[] }) {
  const [editing, setEditing] = useState<Preset | 'new' | null>(null);
  const { removePreset } = usePomodoroActions();
  return (
    <section className="pomodoro-list" aria-labelledby="pomodoro-presets">
      <div className="pomodoro-head">
        <h2 id="pomodoro-presets">Presets</h2>
        <Button icon="plus" onPress={() => setEditing('new')}>
          New preset
        </Button>
      </div>
      <ul aria-labelledby="pomodoro-presets">
        {presets.map((preset) => (
          <li key={preset.id} className="pomodoro-row">
            <span className="pomodoro-name">{preset.name}</span>
            <span className="pomodoro-detail">{lengthsOf(preset)}</span>
            {!preset.builtIn && (
              <>
                <IconButton icon="edit" label={`Edit ${preset.name}`} onPress={() => setEditing(preset)} />
                <IconButton icon="trash" label={`Delete ${preset.name}`} onPress={() => void removePreset(preset.id)} />
              </>
            )}
          </li>
        ))}
      </ul>
      {editing && <PresetDialog preset={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />}
    </section>
  );
}

function Rules({ presets }: { presets: readonly Preset[] }) {
  const { data: rules, error } = useRules();
  const isOff = useSetting('pomodoroScheduleEnabled') === false;
  const [editing, setEditing] = useState<Rule | 'new' | null>(null);
  return (
    <section className="pomodoro-list" aria-labelledby="pomodoro-rules">
      <div className="pomodoro-head">
        <h2 id="pomodoro-rules">Rules</h2>
        <Button icon="plus" onPress={() => setEditing('new')}>
          New rule
        </Button>
      </div>
      {isOff && <p className="pomodoro-detail">Rules start nothing while pomodoroScheduleEnabled is off.</p>}
      {error && !rules ? (
        <ErrorState title="Couldn't load rules" error={error} />
      ) : !rules ? (
        <Loading label="Loading rules" />
      ) : rules.length === 0 ? (
        <EmptyState icon="calendar" title="No rules">
          A rule starts a run at a time on days of the week.
        </EmptyState>
      ) : (
        <ul aria-labelledby="pomodoro-rules">
          {rules.map((rule) => (
            <RuleRow
              key={rule.id}
              rule={rule}
              preset={presets.find(({ id }) => id === rule.presetId)?.name ?? 'Classic'}
              onEdit={() => setEditing(rule)}
            />
          ))}
        </ul>
      )}
      {editing && (
        <RuleDialog rule={editing === 'new' ? null : editing} presets={presets} onClose={() => setEditing(null)} />
      )}
    </section>
  );
}

function RuleRow({ rule, preset, onEdit }: { rule: Rule; preset: string; onEdit: () => void }) {
  const { updateRule, removeRule } = usePomodoroActions();
  const name = [`${daysOf(rule)} ${rule.time.slice(0, 5)}`, rule.timeZone === HERE ? '' : rule.timeZone]
    .filter(Boolean)
    .join(', ');
  return (
    <li className="pomodoro-row">
      <span className="pomodoro-name">{name}</span>
      <span className="pomodoro-detail">
        {preset}
        {rule.nextAt && (
          <>
            {', '}
            <Time at={rule.nextAt} isAhead />
          </>
        )}
      </span>
      <IconButton icon="edit" label={`Edit ${name}`} onPress={onEdit} />
      <IconButton icon="trash" label={`Delete ${name}`} onPress={() => void removeRule(rule.id)} />
      <Switch isSelected={rule.on} onChange={(on) => void updateRule(rule.id, { on })} aria-label={name} />
    </li>
  );
}
