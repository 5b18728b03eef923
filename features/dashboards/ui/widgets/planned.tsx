/** Planned vs. unplanned: how much of each sprint was there at its start, and how much was added later. */
import type { PlannedResult } from '@shell/engine/types';
import { CLASSES } from '@shell/gen/looks';
import { KINDS } from '@shell/gen/titles';
import { BarChart } from '../charts/BarChart';
import { markOf, type Point, type Series } from '../charts/points';
import { Legend } from '../charts/Shape';
import { TwinTable, type Twin } from '../charts/TwinTable';
import { ColumnPicker } from '../ColumnPicker';
import { mappedTitle } from '../mapping';
import { GraceField, LastField, SprintEditor } from '../sprints/SprintEditor';
import {
  effortFormula,
  graceName,
  measureOf,
  membershipFormula,
  notesOf,
  sprintLabel,
  SPRINT_ROLES,
} from '../sprints/words';
import type { EditorProps, ViewProps, WidgetKind } from './kind';

const ROLES = { ...SPRINT_ROLES, unplanned: 'Unplanned column' };

/** The classes to show. Unknown ones are hidden while they are empty. */
const classesOf = ({ sprints }: PlannedResult) =>
  CLASSES.filter(({ key }) => !key.startsWith('unknown') || sprints.some((sprint) => sprint[key].value));

const pointsOf = (result: PlannedResult): Point[] =>
  result.sprints.map((sprint) => {
    const parts = classesOf(result).map(({ key, label, color, look }) =>
      markOf(key, label, sprint[key], { color, look, pick: { sprint: sprint.key, which: key } }),
    );
    const value = parts.reduce((sum, part) => sum + (part.value ?? 0), 0);
    const { unplannedPercent } = sprint;
    return {
      key: sprint.key,
      label: sprintLabel(sprint),
      color: null,
      value,
      text: unplannedPercent.value === null ? '' : unplannedPercent.text,
      full:
        parts
          .filter((part) => part.value)
          .map((part) => `${part.label} ${part.full}`)
          .join(', ') || '0',
      parts,
    };
  });

const seriesOf = (result: PlannedResult): Series[] => classesOf(result);

const twinOf = (result: PlannedResult): Twin => ({
  head: ['Sprint', ...classesOf(result).map(({ label }) => label), 'Unplanned share'],
  rows: result.sprints.map((sprint) => ({
    key: sprint.key,
    label: sprintLabel(sprint),
    cells: [
      ...classesOf(result).map(({ key }) => ({ text: sprint[key].full, pick: { sprint: sprint.key, which: key } })),
      { text: sprint.unplannedPercent.text },
    ],
  })),
});

function View({ widget, answer, boards, asTable, onPick, cols }: ViewProps) {
  if (answer.kind !== 'planned' || !answer.result) return null;
  const { result } = answer;
  const words = { title: widget.title, x: 'Sprint', y: measureOf(result.measure, cols, boards) };
  if (asTable) return <TwinTable title={widget.title} twin={twinOf(result)} onPick={onPick} />;
  return (
    <>
      <p className="chart-lead">Above each sprint: its unplanned share.</p>
      <Legend series={seriesOf(result)} />
      <BarChart variant="column" points={pointsOf(result)} words={words} onPick={onPick} />
    </>
  );
}

function Editor(props: EditorProps) {
  const result = props.answer?.kind === 'planned' ? props.answer.result : undefined;
  return (
    <>
      <SprintEditor {...props} sprints={result?.sprints ?? []} />
      <ColumnPicker role="unplanned" label={ROLES.unplanned} {...props} />
      <LastField {...props} fallback={6} least={1} most={50} />
      <GraceField {...props} />
    </>
  );
}

const kind: WidgetKind = {
  kind: 'planned',
  label: 'Planned vs. unplanned',
  detail: 'Work added after each sprint started',
  icon: 'chart',
  order: 40,
  size: { w: 6, h: 6 },
  min: { w: 4, h: 5 },
  create: () => ({ last: 6 }),
  describe: () => KINDS.planned,
  roleNames: ROLES,
  hasTable: true,
  explain: ({ cols, settings }, boards, answer) => {
    const seen = answer?.kind === 'planned' ? (answer.result?.sprints.filter((sprint) => sprint.seen) ?? []) : [];
    const said = mappedTitle(cols, 'unplanned', boards);
    const grace = typeof settings.graceDays === 'number' ? settings.graceDays : 1;
    return [
      said
        ? `Items are unplanned based on ${said}, on boards that have it.`
        : `Items created ${graceName(grace)} of their sprint are planned. Items created later are unplanned.`,
      ...(seen.length > 0 && !said
        ? [
            `${seen.map(({ label }) => label).join(', ')}: from daily snapshots. Items in the sprint after those days are planned, and items in it at its end are counted. Filters check items as they are today.`,
          ]
        : []),
      'Unplanned share: unplanned effort divided by all effort known to be planned or unplanned.',
      membershipFormula(cols, boards),
      effortFormula(cols, boards),
    ];
  },
  unknown: [
    'Items created early but added to the sprint late look planned.',
    "Items removed from the sprint aren't counted.",
  ],
  notes: (answer) => (answer.kind === 'planned' ? notesOf(answer.result?.footnotes) : []),
  Editor,
  View,
};

export default kind;
