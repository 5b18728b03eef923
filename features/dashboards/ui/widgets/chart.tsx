/** Chart: columns or bars, a bar for each label, person, group or board. */
import * as v from 'valibot';
import { Select, Switch, type Option } from '@shell/components';
import { BarChart } from '../charts/BarChart';
import { ChartTable } from '../charts/ChartTable';
import { ColumnPicker } from '../ColumnPicker';
import { mappedTitle, type Role } from '../mapping';
import type { JsonObject } from '../model';
import { Marks } from '../toolbar/Marks';
import type { EditorProps, ViewProps, WidgetKind } from './kind';

const VARIANTS = ['column', 'bar'] as const;
const AXES = ['column', 'group', 'board'] as const;
const FUNCTIONS = ['count', 'sum', 'average', 'median', 'min', 'max'] as const;
const SORTS = ['label', 'x-asc', 'x-desc', 'y-desc', 'y-asc'] as const;

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
  y: v.fallback(v.object({ fn: v.picklist(FUNCTIONS) }), { fn: 'count' }),
  sort: v.fallback(v.picklist(SORTS), 'label'),
  hideEmpty: v.fallback(v.boolean(), false),
  abbreviate: v.fallback(v.boolean(), true),
});
const read = (settings: JsonObject) => v.parse(Settings, settings);

const X: Role = { name: 'x', label: 'Column to compare by', types: ['status', 'dropdown', 'tags', 'people', 'checkbox', 'date', 'timeline', 'sprint', 'itemLink', 'createdBy', 'updatedBy', 'text'] };
const Y: Role = { name: 'y', label: 'Number column', types: ['number', 'rating', 'progress'] };

function roles(settings: JsonObject): Role[] {
  const { x, y } = read(settings);
  return [...(x.by === 'column' ? [X] : []), ...(y.fn === 'count' ? [] : [Y])];
}

/** `Sum of Cost`. */
function measure(settings: JsonObject, boards: ViewProps['boards']): string {
  const { y } = read(settings);
  const title = y.fn === 'count' ? undefined : mappedTitle(settings, Y.name, boards);
  return title ? `${FUNCTION_NAMES[y.fn]} of ${title}` : FUNCTION_NAMES[y.fn];
}

function axis(settings: JsonObject, boards: ViewProps['boards']): string {
  const { x } = read(settings);
  if (x.by !== 'column') return x.by === 'group' ? 'Group' : 'Board';
  return mappedTitle(settings, X.name, boards) ?? 'Value';
}

function View({ widget, settings, answer, boards, asTable }: ViewProps) {
  const { variant, y } = read(settings);
  const mixed = answer.reasons.includes('mixed-units') ? ', mixed units' : '';
  const words = { title: widget.title, x: axis(settings, boards), y: measure(settings, boards) + mixed };
  return (
    <>
      {asTable ? <ChartTable points={answer.points} words={words} hasItems={y.fn !== 'count'} /> : <Marks marks={answer.points}><BarChart variant={variant} points={answer.points} words={words} /></Marks>}
      {answer.footnotes.map((note) => (
        <p key={note} className="chart-note">
          {note}
        </p>
      ))}
    </>
  );
}

/** The engine's words for the orders. */
const ORDERS: Record<(typeof SORTS)[number], string> = { label: 'label', 'x-asc': 'xAsc', 'x-desc': 'xDesc', 'y-desc': 'yDesc', 'y-asc': 'yAsc' };

const options = <T extends string>(values: readonly T[], names: Record<T, string>): Option<T>[] => values.map((value) => ({ value, label: names[value] }));

function Editor({ settings, onChange, boards }: EditorProps) {
  const { variant, x, y, sort, hideEmpty, abbreviate } = read(settings);
  const set = (member: string, value: JsonObject[string]) => onChange({ ...settings, [member]: value });
  return (
    <>
      <Select label="Kind" options={options(VARIANTS, { column: 'Columns', bar: 'Bars' })} value={variant} onChange={(value) => set('variant', value)} />
      <Select label="Compare by" options={options(AXES, { column: 'A column', group: 'Group', board: 'Board' })} value={x.by} onChange={(by) => set('x', { ...x, by })} />
      {x.by === 'column' && <ColumnPicker role={X} settings={settings} onChange={onChange} boards={boards} />}
      <Select label="Function" options={options(FUNCTIONS, FUNCTION_NAMES)} value={y.fn} onChange={(fn) => set('y', { ...y, fn })} />
      {y.fn !== 'count' && <ColumnPicker role={Y} settings={settings} onChange={onChange} boards={boards} />}
      <Select
        label="Sort"
        options={options(SORTS, { label: 'As the labels stand', 'x-asc': 'Name, A to Z', 'x-desc': 'Name, Z to A', 'y-desc': 'Largest first', 'y-asc': 'Smallest first' })}
        value={sort}
        onChange={(value) => set('sort', value)}
      />
      <Switch isSelected={hideEmpty} onChange={(value) => set('hideEmpty', value)}>
        Hide items without a value
      </Switch>
      <Switch isSelected={abbreviate} onChange={(value) => set('abbreviate', value)}>
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
  create: () => ({ variant: 'column', x: { by: 'column' }, y: { fn: 'count' }, sort: 'label', hideEmpty: false, abbreviate: true, cols: {} }),
  describe: (settings, boards) => `${measure(settings, boards)} by ${axis(settings, boards).toLocaleLowerCase()}`,
  complete: (settings) => ({ ...settings, ...read(settings) }),
  ask: (settings) => {
    const { variant, x, y, sort, hideEmpty, abbreviate } = read(settings);
    return { variant, x, y: { function: y.fn }, sort: ORDERS[sort], hideEmpty, cols: settings.cols ?? {}, format: { abbreviate } };
  },
  roles,
  hasTable: true,
  Editor,
  View,
};

export default kind;
