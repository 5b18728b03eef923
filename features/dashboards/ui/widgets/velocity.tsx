/** Velocity: the work finished in each recent sprint, and the average. */
import type { VelocityResult } from '@shell/engine/types';
import { COMPLETED } from '@shell/gen/looks';
import { KINDS } from '@shell/gen/titles';
import { BarChart } from '../charts/BarChart';
import { colorAt } from '../charts/color';
import { lookAt, markOf, type Point, type Series } from '../charts/points';
import { Legend } from '../charts/Shape';
import { TwinTable, type Twin } from '../charts/TwinTable';
import { LastField, Option, SprintEditor } from '../sprints/SprintEditor';
import { effortFormula, measureOf, membershipFormula, notesOf, sprintLabel, SPRINT_ROLES } from '../sprints/words';
import { counted } from '../words';
import type { EditorProps, ViewProps, WidgetKind } from './kind';

const scopePick = (sprint: string) => ({ sprint, which: 'scope' });
const completedPick = (sprint: string, board?: string) => ({ sprint, which: 'completed', ...(board ? { board } : {}) });

function pointsOf({ sprints, boards }: VelocityResult): Point[] {
  return sprints.map((sprint, at) => {
    const look = sprint.phase === 'active' ? ('hatch' as const) : ('plain' as const);
    const point: Point = {
      ...markOf(sprint.key, sprintLabel(sprint), sprint.completed, {
        color: COMPLETED,
        look,
        pick: completedPick(sprint.key),
      }),
      behind: markOf(`${sprint.key} scope`, 'Scope (today)', sprint.scope, {
        look: 'hollow',
        pick: scopePick(sprint.key),
      }),
    };
    if (!boards) return point;
    const parts = boards.flatMap((board, of) => {
      const completed = board.completed[at];
      return completed
        ? [
            markOf(board.id, board.name, completed, {
              color: colorAt(of),
              look: sprint.phase === 'active' ? 'hatch' : lookAt(of),
              pick: completedPick(sprint.key, board.id),
            }),
          ]
        : [];
    });
    return { ...point, parts };
  });
}

function seriesOf({ boards, sprints }: VelocityResult): Series[] {
  const completed = boards
    ? boards.map((board, at) => ({ key: board.id, label: board.name, color: colorAt(at), look: lookAt(at) }))
    : [{ key: 'completed', label: 'Completed', color: COMPLETED, look: 'plain' as const }];
  const active = sprints.some(({ phase }) => phase === 'active')
    ? [{ key: 'active', label: 'Active sprint', color: COMPLETED, look: 'hatch' as const }]
    : [];
  return [...completed, ...active, { key: 'scope', label: 'Scope (today)', color: null, look: 'hollow' }];
}

const twinOf = ({ sprints, boards }: VelocityResult): Twin => ({
  head: ['Sprint', 'Completed', ...(boards ?? []).map(({ name }) => name), 'Scope (today)'],
  rows: sprints.map((sprint, at) => ({
    key: sprint.key,
    label: sprintLabel(sprint),
    cells: [
      { text: sprint.completed.full, pick: completedPick(sprint.key) },
      ...(boards ?? []).map((board) => ({
        text: board.completed[at]?.full ?? '—',
        pick: completedPick(sprint.key, board.id),
      })),
      { text: sprint.scope.full, pick: scopePick(sprint.key) },
    ],
  })),
});

const averageOf = ({ average, averageOf: of }: VelocityResult) =>
  `Average ${average.text} over the last ${of.length === 1 ? 'closed sprint' : counted(of.length, 'closed sprint')}`;

function View({ widget, answer, boards, asTable, onPick, cols }: ViewProps) {
  if (answer.kind !== 'velocity' || !answer.result) return null;
  const { result } = answer;
  const { average } = result;
  const words = {
    title: widget.title,
    x: 'Sprint',
    y: `Completed ${measureOf(result.measure, cols, boards).toLocaleLowerCase()}`,
  };
  return (
    <>
      <p className="chart-lead">
        {average.value === null ? 'No average yet: no sprint with a scope has ended.' : averageOf(result)}
      </p>
      {asTable ? (
        <TwinTable title={widget.title} twin={twinOf(result)} onPick={onPick} />
      ) : (
        <>
          <Legend series={seriesOf(result)} />
          <BarChart
            variant="column"
            points={pointsOf(result)}
            words={words}
            onPick={onPick}
            level={average.value === null ? undefined : { value: average.value, label: `Average ${average.text}` }}
          />
        </>
      )}
    </>
  );
}

function Editor(props: EditorProps) {
  const result = props.answer?.kind === 'velocity' ? props.answer.result : undefined;
  return (
    <>
      <SprintEditor {...props} sprints={result?.sprints ?? []} />
      <LastField {...props} fallback={6} least={3} most={50} />
      <Option {...props} member="byBoard">
        Separate boards
      </Option>
      <Option {...props} member="onlyInside">
        Only items finished during the sprint
      </Option>
    </>
  );
}

const kind: WidgetKind = {
  kind: 'velocity',
  label: 'Velocity',
  detail: 'Work finished in recent sprints',
  icon: 'chart',
  order: 30,
  size: { w: 6, h: 6 },
  min: { w: 4, h: 5 },
  create: () => ({ last: 6 }),
  describe: () => KINDS.velocity,
  roleNames: SPRINT_ROLES,
  hasTable: true,
  explain: ({ cols, settings }, boards) => [
    'Completed: the effort of done items in a sprint. Scope (today): the effort of all items in it now.',
    "The average covers the last five closed sprints that have a scope. The active sprint (hatched) isn't included.",
    membershipFormula(cols, boards),
    effortFormula(cols, boards),
    ...(settings.onlyInside === true ? ['Only items finished by the last day of their sprint are counted.'] : []),
  ],
  limits: [
    "Items moved to another sprint leave their old sprint's scope. Completed stays accurate, because done items rarely move.",
  ],
  notes: (answer) => (answer.kind === 'velocity' ? notesOf(answer.result?.footnotes) : []),
  Editor,
  View,
};

export default kind;
