/** Chart: columns or bars, a bar for each label, person, group or board. */
import * as v from 'valibot';
import { Select, Switch, type Option } from '@shell/components';
import { BarChart } from '../charts/BarChart';
import { ChartTable } from '../charts/ChartTable';
import { footnotesOf, pointsOf } from '../charts/points';
import { ColumnPicker } from '../ColumnPicker';
import { mappedTitle } from '../mapping';
import { objectOf, type JsonObject } from '../model';
import type { Configured, EditorProps, ViewProps, WidgetKind } from './kind';

const VARIANTS = ['column', 'bar'] as const;
const AXES = ['column', 'group', 'board'] as const;
const FUNCTIONS = ['count', 'sum', 'average', 'median', 'min', 'max'] as const;
const SORTS = ['label', 'xAsc', 'xDesc', 'yDesc', 'yAsc'] as const;

const FUNCTION_NAMES: Record<(typeof FUNCTIONS)[number], string> = {
  count: 'Number of items',
  sum: 'Sum',
  average: 'Average',
  median: 'Median',
  min: 'Smallest',
  max: 'Largest',
};

const Settings = v.object({
  variant: v.fallback(v.picklist(VARIANTS), 'column'),
  x: v.fallback(v.object({ by: v.picklist(AXES) }), { by: 'column' }),
  y: v.fallback(v.object({ function: v.picklist(FUNCTIONS) }), { function: 'count' }),
  sort: v.fallback(v.picklist(SORTS), 'label'),
  hideEmpty: v.fallback(v.boolean(), false),
  format: v.fallback(v.object({ abbreviate: v.fallback(v.boolean(), true) }), { abbreviate: true }),
});
const read = (settings: JsonObject) => v.parse(Settings, settings);

const ROLES = { x: 'Column to compare by', y: 'Number column' };

/** `Sum of Cost`. */
function measure({ settings, cols }: Configured, boards: ViewProps['boards']): string {
  const name = FUNCTION_NAMES[read(settings).y.function];
  const title = mappedTitle(cols, 'y', boards);
  return title && read(settings).y.function !== 'count' ? `${name} of ${title}` : name;
}

function axis({ settings, cols }: Configured, boards: ViewProps['boards']): string {
  const { x } = read(settings);
  if (x.by !== 'column') return x.by === 'group' ? 'Group' : 'Board';
  return mappedTitle(cols, 'x', boards) ?? 'Value';
}

function View(props: ViewProps) {
  const { widget, settings, answer, boards, asTable } = props;
  const { variant, y } = read(settings);
  if (answer.kind !== 'chart' || !answer.result) return null;
  const mixed = answer.reasons.includes('mixed-units') ? ', mixed units' : '';
  const words = { title: widget.title, x: axis(props, boards), y: measure(props, boards) + mixed };
  const points = pointsOf(answer.result);
  return (
    <>
      {asTable ? <ChartTable points={points} words={words} hasItems={y.function !== 'count'} /> : <BarChart variant={variant} points={points} words={words} />}
      {footnotesOf(answer.result).map((note) => (
        <p key={note} className="chart-note">
          {note}
        </p>
      ))}
    </>
  );
}

const options = <T extends string>(values: readonly T[], names: Record<T, string>): Option<T>[] => values.map((value) => ({ value, label: names[value] }));

function Editor(props: EditorProps) {
  const { settings, onChange } = props;
  const { variant, x, y, sort, hideEmpty, format } = read(settings);
  const set = (member: string, value: JsonObject[string]) => onChange({ ...settings, [member]: value });
  return (
    <>
      <Select label="Kind" options={options(VARIANTS, { column: 'Columns', bar: 'Bars' })} value={variant} onChange={(value) => set('variant', value)} />
      <Select label="Compare by" options={options(AXES, { column: 'A column', group: 'Group', board: 'Board' })} value={x.by} onChange={(by) => set('x', { ...x, by })} />
      <ColumnPicker role="x" label={ROLES.x} {...props} />
      <Select label="Function" options={options(FUNCTIONS, FUNCTION_NAMES)} value={y.function} onChange={(value) => set('y', { ...y, function: value })} />
      <ColumnPicker role="y" label={ROLES.y} {...props} />
      <Select
        label="Sort"
        options={options(SORTS, { label: 'As the labels stand', xAsc: 'Name, A to Z', xDesc: 'Name, Z to A', yDesc: 'Largest first', yAsc: 'Smallest first' })}
        value={sort}
        onChange={(value) => set('sort', value)}
      />
      <Switch isSelected={hideEmpty} onChange={(value) => set('hideEmpty', value)}>
        Hide items without a value
      </Switch>
      <Switch isSelected={format.abbreviate} onChange={(abbreviate) => set('format', { ...objectOf(settings.format), abbreviate })}>
        Abbreviate, such as 1.2K
      </Switch>
    </>
  );
}

const kind: WidgetKind = {
  kind: 'chart',
  label: 'Chart',
  detail: 'Columns or bars that compare labels, people or boards',
  icon: 'chart',
  order: 20,
  size: { w: 6, h: 6 },
  min: { w: 3, h: 4 },
  create: () => ({ variant: 'column', x: { by: 'column' }, y: { function: 'count' }, sort: 'label' }),
  describe: (configured, boards) => `${measure(configured, boards)} by ${axis(configured, boards).toLocaleLowerCase()}`,
  roleNames: ROLES,
  hasTable: true,
  Editor,
  View,
};

export default kind;
