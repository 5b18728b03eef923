/** Burndown: the work left in one sprint at the end of each day, next to an ideal line. */
import type { BurndownResult } from '@shell/engine/types';
import { Checkbox, Select } from '@shell/components';
import { IDEAL, REMAINING, SCOPE } from '@shell/gen/looks';
import { KINDS } from '@shell/gen/titles';
import { dayName } from '@shell/dates';
import { LineChart, type Line } from '../charts/LineChart';
import { markOf, type Series } from '../charts/points';
import { Legend } from '../charts/Shape';
import { TwinTable, type Twin } from '../charts/TwinTable';
import { GraceField, SprintEditor } from '../sprints/SprintEditor';
import {
  effortFormula,
  graceName,
  measureOf,
  membershipFormula,
  notesOf,
  sprintLabel,
  SPRINT_ROLES,
} from '../sprints/words';
import { counted } from '../words';
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

/** The days on the axis: the sprint's days, and later ones up to today. */
function daysOf({ days = [], ideal = [] }: BurndownResult): (string | null)[] {
  const longer = ideal.length > days.length ? ideal.map(({ day }) => day ?? null) : days.map(({ day }) => day);
  return longer;
}

function linesOf(result: BurndownResult): Line[] {
  const { days = [], ideal = [] } = result;
  return [
    ...(ideal.length
      ? [
          {
            key: 'ideal',
            label: 'Ideal',
            color: IDEAL,
            dash: '6 4',
            isPlain: true,
            marks: ideal.map(({ value }, at) => ({
              key: `${at}`,
              label: '',
              color: null,
              value,
              text: '',
              full: written(value),
            })),
          },
        ]
      : []),
    {
      key: 'scope',
      label: 'Scope',
      color: SCOPE,
      dash: '2 3',
      isPlain: true,
      isStep: true,
      marks: days.map(({ day, scope }, at) => markOf(`${at}`, dayOf(day), scope)),
    },
    // Only the last day lists its items: past days store totals.
    {
      key: 'remaining',
      label: 'Remaining',
      color: REMAINING,
      marks: days.map(({ day, remaining }, at) =>
        markOf(`${at}`, dayOf(day), remaining, at === days.length - 1 ? { pick: { which: 'remaining' } } : {}),
      ),
    },
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
  const end = projection ? `, projected to finish on ${dayOf(projection.day)}` : '';
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
    return scope.value !== null && before !== null && scope.value > before
      ? [`+${written(scope.value - before)} on ${dayOf(day)}`]
      : [];
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
  const workdays = Array.isArray(settings.workdays)
    ? settings.workdays.filter((day) => typeof day === 'number')
    : WORKDAYS;
  const chosen = typeof settings.sprint === 'string' ? settings.sprint : '';
  return (
    <>
      <Select
        label="Sprint"
        options={[
          { value: '', label: 'Active or latest' },
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
          <Checkbox
            key={name}
            isSelected={workdays.includes(day)}
            onChange={(is) =>
              onChange({
                ...settings,
                workdays: is ? [...workdays, day].sort() : workdays.filter((one) => one !== day),
              })
            }
          >
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
      'Ideal: the starting amount, falling to 0 in equal steps over the working days of the sprint.',
      ...(projection && projection.perDay !== null
        ? [
            `Projection: ${written(projection.perDay)} per working day so far. At this pace, the rest takes ${counted(projection.days, 'more working day')}.`,
          ]
        : []),
      membershipFormula(cols, boards),
      effortFormula(cols, boards),
    ];
    // Snapshots are mentioned only if the result has days.
    if (result?.days?.length && !answer?.reasons.includes('no-history')) {
      return [
        `Past days come from daily snapshots, today from the boards. Items added ${graceName(grace)} count from the start.`,
        'Filters check items as they are today.',
        ...common,
      ];
    }
    return [
      `Remaining on a day: the effort of items created by that day, minus the effort of items done by that day. Items created ${graceName(grace)} count from the start.`,
      ...common,
      'Items done without a completion date count as done today, or on the last day of a closed sprint.',
    ];
  },
  unknown: [
    'Past changes of effort.',
    'Items removed from the sprint.',
    'Items moved from or to another sprint.',
    'Items done and then reopened.',
  ],
  notes: (answer) => (answer.kind === 'burndown' ? notesOf(answer.result?.footnotes) : []),
  Editor,
  View,
};

export default kind;
