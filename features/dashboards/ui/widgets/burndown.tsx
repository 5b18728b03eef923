/** Burndown: what is left of one sprint at the end of each of its days, beside the straight way to nothing. */
import type { BurndownResult } from '@shell/engine/types';
import { Checkbox, Select } from '@shell/components';
import { IDEAL, REMAINING, SCOPE } from '@shell/gen/looks';
import { KINDS } from '@shell/gen/titles';
import { LineChart, type Line } from '../charts/LineChart';
import { markOf, type Series } from '../charts/points';
import { Legend } from '../charts/Shape';
import { TwinTable, type Twin } from '../charts/TwinTable';
import { GraceField, SprintEditor } from '../sprints/SprintEditor';
import { effortFormula, measureOf, membershipFormula, notesOf, sprintLabel, SPRINT_ROLES } from '../sprints/words';
import { counted } from '../words';
import { dayName } from '../written';
import type { EditorProps, ViewProps, WidgetKind } from './kind';

const SERIES: Series[] = [
  { key: 'remaining', label: 'Remaining', color: REMAINING, look: 'plain', dash: '' },
  { key: 'scope', label: 'Scope', color: SCOPE, look: 'plain', dash: '2 3' },
  { key: 'ideal', label: 'Ideal', color: IDEAL, look: 'plain', dash: '6 4' },
];
const WEEK = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const WORKDAYS = [0, 1, 2, 3, 4];

const dayOf = (day: string | null | undefined) => (day ? dayName(day) : 'Start');
const long = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const written = (value: number | null) => (value === null ? '—' : long.format(value));

/** The days along the axis: those of the sprint, and those that passed since. */
function daysOf({ days = [], ideal = [] }: BurndownResult): (string | null)[] {
  const longer = ideal.length > days.length ? ideal.map(({ day }) => day ?? null) : days.map(({ day }) => day);
  return longer;
}

function linesOf(result: BurndownResult): Line[] {
  const { days = [], ideal = [] } = result;
  return [
    ...(ideal.length ? [{ key: 'ideal', label: 'Ideal', color: IDEAL, dash: '6 4', isPlain: true, marks: ideal.map(({ value }, at) => ({ key: `${at}`, label: '', color: null, value, text: '', full: written(value) })) }] : []),
    { key: 'scope', label: 'Scope', color: SCOPE, dash: '2 3', isPlain: true, isStep: true, marks: days.map(({ day, scope }, at) => markOf(`${at}`, dayOf(day), scope)) },
    // Of the days before it is known how much was left, not which items.
    { key: 'remaining', label: 'Remaining', color: REMAINING, marks: days.map(({ day, remaining }, at) => markOf(`${at}`, dayOf(day), remaining, at === days.length - 1 ? { pick: { which: 'remaining' } } : {})) },
  ];
}

function twinOf(result: BurndownResult): Twin {
  const { days = [], ideal = [] } = result;
  return {
    head: ['Day', 'Remaining', 'Scope', 'Ideal'],
    rows: daysOf(result).map((day, at) => ({
      key: day ?? 'start',
      label: dayOf(day),
      cells: [
        { text: days[at]?.remaining.full ?? '—', pick: at === days.length - 1 ? { which: 'remaining' } : undefined },
        { text: days[at]?.scope.full ?? '—', pick: at === days.length - 1 ? {} : undefined },
        { text: written(ideal[at]?.value ?? null) },
      ],
    })),
  };
}

function lead({ sprint, remaining, projection, days = [] }: BurndownResult, measure: string): string {
  if (!sprint) return '';
  const span = sprint.from && sprint.to ? `, ${dayOf(sprint.from)} to ${dayOf(sprint.to)}` : '';
  if (!days.length) return `${sprintLabel(sprint)}${span}`;
  const left = remaining && remaining.value !== null ? `: ${remaining.text} ${measure} left` : '';
  const end = projection ? `, at this pace done on ${dayOf(projection.day)}` : '';
  return `${sprintLabel(sprint)}${span}${left}${end}`;
}

function View({ widget, answer, boards, asTable, onPick, cols }: ViewProps) {
  if (answer.kind !== 'burndown' || !answer.result) return null;
  const { result } = answer;
  const { days = [] } = result;
  const said = lead(result, measureOf(result.measure, cols, boards).toLocaleLowerCase());
  const isActive = result.sprint?.phase === 'active' && days.length > 0;
  const changed = days.flatMap(({ day, scope }, at) => {
    const before = days[at - 1]?.scope.value ?? scope.value;
    return scope.value !== null && before !== null && scope.value > before ? [`+${written(scope.value - before)} on ${dayOf(day)}`] : [];
  });
  return (
    <>
      <p className="chart-lead" title={said}>
        {said}
      </p>
      {asTable ? (
        <TwinTable title={widget.title} twin={twinOf(result)} onPick={onPick} />
      ) : (
        <>
          <Legend series={SERIES.filter(({ key }) => key !== 'ideal' || result.ideal?.length)} />
          <LineChart
            title={widget.title}
            summary={`${said}. ${days.length ? `At the start: ${days[0]?.remaining.full ?? '—'}.` : ''} ${changed.length ? `Scope changed: ${changed.join(', ')}.` : ''}`}
            labels={daysOf(result).map(dayOf)}
            lines={linesOf(result)}
            here={isActive ? { at: days.length - 1, label: 'Today' } : undefined}
            onPick={onPick}
          />
        </>
      )}
    </>
  );
}

function Editor(props: EditorProps) {
  const { settings, onChange, answer } = props;
  const sprints = answer?.kind === 'burndown' ? (answer.result?.sprints ?? []) : [];
  const workdays = Array.isArray(settings.workdays) ? settings.workdays.filter((day) => typeof day === 'number') : WORKDAYS;
  const chosen = typeof settings.sprint === 'string' ? settings.sprint : '';
  return (
    <>
      <Select
        label="Sprint"
        options={[
          { value: '', label: 'Active, or the latest' },
          ...sprints.map((sprint) => ({ value: sprint.key, label: sprintLabel(sprint) })),
          ...(chosen && !sprints.some(({ key }) => key === chosen) ? [{ value: chosen, label: 'Deleted sprint' }] : []),
        ]}
        value={chosen}
        onChange={(key) => {
          const { sprint: _before, ...rest } = settings;
          onChange(key ? { ...rest, sprint: key } : rest);
        }}
      />
      <SprintEditor {...props} sprints={sprints} />
      <GraceField {...props} />
      <fieldset className="mapping">
        <legend className="field-label">Working days</legend>
        {WEEK.map((name, day) => (
          <Checkbox key={name} isSelected={workdays.includes(day)} onChange={(is) => onChange({ ...settings, workdays: is ? [...workdays, day].sort() : workdays.filter((one) => one !== day) })}>
            {name}
          </Checkbox>
        ))}
      </fieldset>
    </>
  );
}

const kind: WidgetKind = {
  kind: 'burndown',
  label: 'Burndown',
  detail: 'Work left in a sprint, by day',
  icon: 'chart',
  order: 50,
  size: { w: 6, h: 6 },
  min: { w: 4, h: 5 },
  create: () => ({}),
  describe: () => KINDS.burndown,
  roleNames: SPRINT_ROLES,
  hasTable: true,
  explain: ({ cols }, boards, answer) => {
    const result = answer?.kind === 'burndown' ? answer.result : undefined;
    const projection = result?.projection;
    const grace = result?.graceDays ?? 1;
    const common = [
      'Ideal: what was there at the beginning, falling to nothing in equal steps over the working days of the sprint.',
      ...(projection && projection.perDay !== null ? [`Projection: ${written(projection.perDay)} a working day so far; what remains takes ${counted(projection.days, 'more working day')}.`] : []),
      membershipFormula(cols, boards),
      effortFormula(cols, boards),
    ];
    // Without days it is not known what they would be of.
    if (result?.days?.length && !answer?.reasons.includes('no-history')) {
      return [
        `Each day is as it was recorded when it ended, and today as it is now. What came up to ${grace === 1 ? '1 day' : `${grace} days`} after the first day was there from the beginning.`,
        'The filters look at items as they are today.',
        ...common,
      ];
    }
    return [
      `Remaining on a day: the effort of items that were created up to that day, less the effort of those that were done by it. What was created up to ${grace === 1 ? '1 day' : `${grace} days`} after the first day was there from the beginning.`,
      ...common,
      'An item that is done without a date counts as done today, or on the last day of a closed sprint.',
    ];
  },
  unknown: ['Efforts that were changed since.', 'Items that were taken out of the sprint.', 'Items that came from another sprint, or went to one.', 'Items that were done and opened again.'],
  notes: (answer) => (answer.kind === 'burndown' ? notesOf(answer.result?.footnotes) : []),
  Editor,
  View,
};

export default kind;
