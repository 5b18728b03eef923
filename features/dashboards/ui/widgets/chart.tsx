/** Chart: a count or a number by labels, people, groups, boards or dates, as columns, bars, lines or parts of a whole. */
import * as v from 'valibot';
import type { Bucket, ChartResult, ChartSeries } from '@shell/engine/types';
import * as WORDS from '@shell/gen/titles';
import { Select, Switch, type Option } from '@shell/components';
import { BarChart, summary } from '../charts/BarChart';
import { dashAt, LineChart } from '../charts/LineChart';
import { categoryOf, footnotesOf, isStacked, marksOf, pointsOf, seriesOf } from '../charts/points';
import { RoundChart, sliced } from '../charts/RoundChart';
import { Legend } from '../charts/Shape';
import { TwinTable, type Twin } from '../charts/TwinTable';
import { ColumnPicker } from '../ColumnPicker';
import { mappedColumns, mappedTitle } from '../mapping';
import { objectOf, type JsonObject } from '../model';
import { filled, measured } from '../titles';
import { WHOLE_PERCENTS } from '../words';
import { spanNames } from '../written';
import type { Configured, EditorProps, ViewProps, WidgetKind } from './kind';

const VARIANTS = ['column', 'bar', 'line', 'pie', 'donut'] as const;
const AXES = ['column', 'group', 'board', 'name', 'created', 'updated'] as const;
const BUCKETS = ['day', 'week', 'month', 'quarter', 'year'] as const;
const FUNCTIONS = ['count', 'sum', 'average', 'median', 'min', 'max', 'countFilled', 'distinct'] as const;
const SORTS = ['label', 'xAsc', 'xDesc', 'yAsc', 'yDesc'] as const;
const MULTI = ['each', 'split'] as const;
type Variant = (typeof VARIANTS)[number];
type Function = (typeof FUNCTIONS)[number];
type Axis = (typeof AXES)[number];

/** What adds up, so that it can be parts of a whole and run on over time. */
const ADDS_UP: readonly Function[] = ['count', 'sum', 'countFilled'];
/** What an item of several people can be divided for. */
const DIVIDES: readonly Function[] = [...ADDS_UP, 'average'];
/** Whether parts can be told apart: lines stand beside one another, what stands upon one another is read as its sum. */
const stacks = (variant: Variant, fn: Function) => variant === 'line' || ADDS_UP.includes(fn);
const isRound = (variant: Variant) => variant === 'pie' || variant === 'donut';

const FUNCTION_NAMES = Object.fromEntries(FUNCTIONS.map((name) => [name, WORDS.MEASURES[name].alone])) as Record<
  Function,
  string
>;
const AXIS_NAMES: Record<Axis, string> = { ...WORDS.AXES, column: 'A column' };

const AxisSettings = v.object({
  by: v.fallback(v.picklist(AXES), 'column'),
  bucket: v.fallback(v.picklist([...BUCKETS, 'decade', 'century']), 'month'),
});
const BY_COLUMN = { by: 'column', bucket: 'month' } as const;
const Settings = v.object({
  variant: v.fallback(v.picklist(VARIANTS), 'column'),
  x: v.fallback(AxisSettings, BY_COLUMN),
  y: v.fallback(v.object({ function: v.picklist(FUNCTIONS) }), { function: 'count' }),
  z: v.fallback(v.nullish(AxisSettings), null),
  sort: v.fallback(v.picklist(SORTS), 'label'),
  hideEmpty: v.fallback(v.boolean(), false),
  multi: v.fallback(v.picklist(MULTI), 'each'),
  cumulative: v.fallback(v.boolean(), false),
  format: v.fallback(v.object({ abbreviate: v.fallback(v.boolean(), true) }), { abbreviate: true }),
});
const read = (settings: JsonObject) => v.parse(Settings, settings);

const ROLES = { x: 'Column to compare by', y: 'Number column', z: 'Column to stack by' };

/** `Sum of Cost`. */
const measure = ({ settings, cols }: Configured, boards: ViewProps['boards']) =>
  measured(read(settings).y.function, mappedTitle(cols, 'y', boards));

function axis({ settings, cols }: Configured, boards: ViewProps['boards'], role: 'x' | 'z' = 'x'): string {
  const by = read(settings)[role]?.by ?? 'column';
  return (by === 'column' && mappedTitle(cols, role, boards)) || WORDS.AXES[by];
}

const describe = (configured: Configured, boards: ViewProps['boards']) =>
  filled(WORDS.BY, measure(configured, boards), axis(configured, boards).toLowerCase());

/** The table that says what the picture says. */
function twinOf(result: ChartResult, words: { x: string; y: string }): Twin {
  const series = isStacked(result) ? seriesOf(result) : [];
  const lines = result.series.map((_, at) => marksOf(result, at));
  const [first = []] = lines;
  const marks = result.percents ? sliced(first) : first;
  const hasItems = !series.length && result.function !== 'count';
  return {
    head: [
      words.x,
      ...(series.length ? series.map(({ label }) => label) : [words.y]),
      ...(result.percents ? ['Share'] : []),
      ...(hasItems ? ['Items'] : []),
    ],
    rows: marks.map((mark, at) => ({
      key: mark.key,
      label: mark.label,
      category: categoryOf(result, mark.pick),
      ...(series.length ? {} : { color: mark.color }),
      cells: [
        ...lines.map((line) => ({ text: line[at]?.full ?? '—', pick: line[at]?.pick })),
        ...(result.percents ? [{ text: `${result.percents[at] ?? 0}%` }] : []),
        ...(hasItems ? [{ text: (mark.items ?? 0).toLocaleString(), pick: mark.pick }] : []),
      ],
    })),
  };
}

function View(props: ViewProps) {
  const { widget, answer, boards, asTable, onPick } = props;
  if (answer.kind !== 'chart' || !answer.result) return null;
  const result = withDates(answer.result);
  const mixed = answer.reasons.includes('mixed-units') ? ', mixed units' : '';
  const words = { title: widget.title, x: axis(props, boards), y: measure(props, boards) + mixed };
  const notes = footnotesOf(result).map((note) => (
    <p key={note} className="chart-note">
      {note}
    </p>
  ));
  if (asTable) {
    return (
      <>
        <TwinTable title={widget.title} twin={twinOf(result, words)} onPick={onPick} />
        {notes}
      </>
    );
  }
  return (
    <>
      {isStacked(result) && (
        <Legend
          series={seriesOf(result).map((one, at) =>
            result.variant === 'line' ? { ...one, dash: dashAt(at) ?? '' } : one,
          )}
        />
      )}
      <Drawn result={result} words={words} onPick={onPick} />
      {notes}
    </>
  );
}

const hasDays = ({ bucket }: ChartResult) => bucket === 'day' || bucket === 'week';

/** The chart with its spans of time as people write them, wherever they stand: along its axis and as its parts. */
const withDates = (result: ChartResult): ChartResult => ({
  ...result,
  categories: dated(result.categories, result.bucket),
  series: dated(result.series, result.seriesBucket),
});

function dated<Part extends Pick<ChartSeries, 'key' | 'label' | 'kind'>>(
  parts: Part[],
  bucket: Bucket | undefined,
): Part[] {
  if (!bucket) return parts;
  const names = spanNames(
    bucket,
    parts.filter(({ kind }) => kind === 'value'),
  );
  return parts.map((one) => (one.kind === 'value' ? { ...one, label: names.shift()! } : one));
}

function Drawn({
  result,
  words,
  onPick,
}: { result: ChartResult; words: { title: string; x: string; y: string } } & Pick<ViewProps, 'onPick'>) {
  switch (result.variant) {
    case 'line': {
      const series = seriesOf(result);
      const lines = series.map((one, at) => ({
        key: one.key,
        label: isStacked(result) ? one.label : '',
        color: isStacked(result) ? one.color : null,
        dash: dashAt(at),
        marks: marksOf(result, at),
      }));
      const labels = result.categories.map(({ label }) => label);
      return (
        <LineChart
          title={words.title}
          summary={summary(pointsOf(result), words)}
          labels={labels}
          areDates={hasDays(result)}
          lines={lines}
          onPick={onPick}
        />
      );
    }
    case 'pie':
    case 'donut': {
      const slices = marksOf(result);
      const whole = slices.length && result.total ? result.total.text : '';
      return (
        <RoundChart
          isDonut={result.variant === 'donut'}
          title={words.title}
          summary={summary(slices, words)}
          slices={slices}
          percents={result.percents ?? []}
          whole={whole}
          onPick={onPick}
        />
      );
    }
    default:
      return <BarChart variant={result.variant} points={pointsOf(result)} words={words} onPick={onPick} />;
  }
}

const options = <T extends string>(values: readonly T[], names: Record<T, string>): Option<T>[] =>
  values.map((value) => ({ value, label: names[value] }));

const DATES = ['date', 'timeline'];

function Editor(props: EditorProps) {
  const { settings, onChange, cols, boards } = props;
  const { variant, x, y, z, sort, hideEmpty, multi, cumulative, format } = read(settings);
  const set = (change: JsonObject) => onChange({ ...settings, ...change });
  const isOverTime =
    x.by === 'created' ||
    x.by === 'updated' ||
    (x.by === 'column' && mappedColumns(cols, 'x', boards).some(({ type }) => DATES.includes(type)));
  const addsUp = ADDS_UP.includes(y.function);
  /** What goes together with the other settings stays; what does not is taken out of them, for the engine would refuse it. */
  const agreed = (change: { variant?: Variant; function?: Function }): JsonObject => {
    const next = { variant: change.variant ?? variant, function: change.function ?? y.function };
    if (isRound(next.variant) && !ADDS_UP.includes(next.function))
      next.function = next.function === 'distinct' ? 'count' : 'sum';
    return {
      variant: next.variant,
      y: { ...objectOf(settings.y), function: next.function },
      ...(cumulative && !ADDS_UP.includes(next.function) ? { cumulative: false } : {}),
      ...(multi === 'split' && !DIVIDES.includes(next.function) ? { multi: 'each' } : {}),
      ...(z && !isRound(next.variant) && !stacks(next.variant, next.function) ? { z: null } : {}),
    };
  };
  return (
    <>
      <Select
        label="Kind"
        options={options(VARIANTS, { column: 'Columns', bar: 'Bars', line: 'Line', pie: 'Pie', donut: 'Donut' })}
        value={variant}
        onChange={(value) => set(agreed({ variant: value }))}
      />
      <Select
        label="Compare by"
        options={options(AXES, AXIS_NAMES)}
        value={x.by}
        onChange={(by) => set({ x: { ...objectOf(settings.x), by } })}
      />
      <ColumnPicker role="x" label={ROLES.x} {...props} />
      {isOverTime && (
        <Select
          label="Spans"
          options={options(BUCKETS, {
            day: 'Days',
            week: 'Weeks',
            month: 'Months',
            quarter: 'Quarters',
            year: 'Years',
          })}
          value={BUCKETS.find((bucket) => bucket === x.bucket) ?? null}
          onChange={(bucket) => set({ x: { ...objectOf(settings.x), bucket } })}
        />
      )}
      <Select
        label="Function"
        options={options(FUNCTIONS, FUNCTION_NAMES).map((option) =>
          isRound(variant) && !ADDS_UP.includes(option.value)
            ? { ...option, isDisabled: true, description: "Can't be split into shares" }
            : option,
        )}
        value={y.function}
        onChange={(value) => set(agreed({ function: value }))}
      />
      <ColumnPicker role="y" label={ROLES.y} {...props} />
      {!isRound(variant) && (
        <Select
          label={variant === 'line' ? 'Lines' : 'Stack by'}
          options={[
            { value: 'none', label: 'None' },
            ...options(AXES.slice(0, 3), AXIS_NAMES).map((option) =>
              stacks(variant, y.function)
                ? option
                : { ...option, isDisabled: true, description: `${FUNCTION_NAMES[y.function]} can't be added up` },
            ),
          ]}
          value={z ? z.by : 'none'}
          onChange={(by) => set({ z: by === 'none' ? null : { ...objectOf(settings.z), by } })}
        />
      )}
      <ColumnPicker role="z" label={ROLES.z} {...props} />
      <Select
        label="Sort"
        options={options(SORTS, {
          label: 'Label order',
          xAsc: 'Name, A to Z',
          xDesc: 'Name, Z to A',
          yDesc: 'Largest first',
          yAsc: 'Smallest first',
        })}
        value={sort}
        onChange={(value) => set({ sort: value })}
      />
      <Switch isSelected={hideEmpty} onChange={(value) => set({ hideEmpty: value })}>
        Hide items without a value
      </Switch>
      {DIVIDES.includes(y.function) && (
        <Switch isSelected={multi === 'split'} onChange={(value) => set({ multi: value ? 'split' : 'each' })}>
          Split items with several people or tags
        </Switch>
      )}
      {isOverTime && addsUp && (
        <Switch isSelected={cumulative} onChange={(value) => set({ cumulative: value })}>
          Cumulative
        </Switch>
      )}
      <Switch
        isSelected={format.abbreviate}
        onChange={(abbreviate) => set({ format: { ...objectOf(settings.format), abbreviate } })}
      >
        Abbreviate numbers, such as 1.2K
      </Switch>
    </>
  );
}

function formula(configured: Configured, boards: ViewProps['boards']): string[] {
  const { x, y, z, multi, cumulative, variant } = read(configured.settings);
  const by = axis(configured, boards);
  const what =
    y.function === 'count'
      ? 'the items'
      : `${FUNCTION_NAMES[y.function].toLocaleLowerCase()} of ${mappedTitle(configured.cols, 'y', boards) ?? 'the number'}`;
  return [
    `For each value of ${by}: ${y.function === 'count' ? 'the number of items' : what}. The items of all boards are counted together. Labels with the same name count as one value.`,
    ...(z && !isRound(variant) ? [`Split by ${axis(configured, boards, 'z')}.`] : []),
    ...(isRound(variant) ? [WHOLE_PERCENTS] : []),
    ...(multi === 'split' ? ['Items with several values are divided equally among them.'] : []),
    ...(cumulative ? ['Each span includes all earlier ones.'] : []),
    ...(x.by === 'created' || x.by === 'updated' ? ["Days are in this computer's time zone."] : []),
  ];
}

const kind: WidgetKind = {
  kind: 'chart',
  label: 'Chart',
  detail: 'Columns, bars, lines, or a pie that compare labels, people, boards, or dates',
  icon: 'chart',
  order: 20,
  size: { w: 6, h: 6 },
  min: { w: 3, h: 4 },
  create: () => ({ variant: 'column', x: { by: 'column' }, y: { function: 'count' }, sort: 'label' }),
  describe,
  roleNames: ROLES,
  without: { y: { action: 'Count items', change: { y: { function: 'count' } } } },
  hasTable: true,
  explain: formula,
  Editor,
  View,
};

export default kind;
