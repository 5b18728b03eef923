/** Numbers: one figure over all connected boards, their items pooled. */
import * as v from 'valibot';
import { Select, Switch, TextField, type Option } from '@shell/components';
import type { WidgetAnswer } from '../engine';
import { mappedTitle, type Role } from '../mapping';
import { ColumnPicker } from '../ColumnPicker';
import type { JsonObject } from '../model';
import type { EditorProps, ViewProps, WidgetKind } from './kind';

const FUNCTIONS = ['sum', 'average', 'median', 'min', 'max', 'count', 'countFilled'] as const;
type Function = (typeof FUNCTIONS)[number];

const NAMES: Record<Function, string> = {
  sum: 'Sum',
  average: 'Average',
  median: 'Median',
  min: 'Smallest',
  max: 'Largest',
  count: 'Number of items',
  countFilled: 'Number of filled cells',
};

/** Titles that name the column. */
const TITLES: Record<Function, (column: string) => string> = {
  sum: (column) => `Sum of ${column}`,
  average: (column) => `Average ${column}`,
  median: (column) => `Median ${column}`,
  min: (column) => `Smallest ${column}`,
  max: (column) => `Largest ${column}`,
  count: () => NAMES.count,
  countFilled: (column) => `Filled cells of ${column}`,
};

const UnitSchema = v.union([
  v.literal('auto'),
  v.null(),
  v.object({ symbol: v.pipe(v.string(), v.maxLength(16)), place: v.picklist(['left', 'right']) }),
]);
const Settings = v.object({
  fn: v.fallback(v.picklist(FUNCTIONS), 'count'),
  /** `auto` takes the unit that all mapped columns share. */
  unit: v.fallback(UnitSchema, 'auto'),
  format: v.fallback(v.picklist(['number', 'percent']), 'number'),
  abbreviate: v.fallback(v.boolean(), true),
});
const read = (settings: JsonObject) => v.parse(Settings, settings);

const VALUE: Role = { name: 'value', label: 'Number column', types: ['number', 'rating', 'progress'] };
const roles = (settings: JsonObject): Role[] => (read(settings).fn === 'count' ? [] : [VALUE]);

const itemsOf = ({ coverage: { itemsUsed } }: WidgetAnswer) => `over ${itemsUsed.toLocaleString()} ${itemsUsed === 1 ? 'item' : 'items'}`;

function View({ settings, answer }: ViewProps) {
  const { fn } = read(settings);
  const mixed = answer.reasons.includes('mixed-units');
  if (answer.value === null) {
    return (
      <p className="figure">
        <span className="figure-value" aria-hidden="true">
          —
        </span>
        <span className="sr-only">No value</span>
      </p>
    );
  }
  return (
    <div className="figure">
      <p className="figure-value" title={answer.full}>
        <span aria-hidden="true">{answer.text}</span>
        <span className="sr-only">{answer.full}</span>
      </p>
      <p className="figure-detail">
        {fn !== 'count' && itemsOf(answer)}
        {mixed && ', mixed units'}
      </p>
    </div>
  );
}

const functionOptions: Option<Function>[] = FUNCTIONS.map((value) => ({ value, label: NAMES[value] }));

function Editor({ settings, onChange, boards }: EditorProps) {
  const { fn, unit, format, abbreviate } = read(settings);
  const set = (member: string, value: JsonObject[string]) => onChange({ ...settings, [member]: value });
  const own = unit !== 'auto' && unit !== null ? unit : null;
  return (
    <>
      <Select label="Function" options={functionOptions} value={fn} onChange={(value) => set('fn', value)} />
      {roles(settings).map((role) => (
        <ColumnPicker key={role.name} role={role} settings={settings} onChange={onChange} boards={boards} />
      ))}
      <Select
        label="Unit"
        options={[
          { value: 'auto', label: 'As the columns have it' },
          { value: 'none', label: 'None' },
          { value: 'left', label: 'Symbol before the figure' },
          { value: 'right', label: 'Symbol after the figure' },
        ]}
        value={unit === 'auto' ? 'auto' : (own?.place ?? 'none')}
        onChange={(value) => set('unit', value === 'auto' ? 'auto' : value === 'none' ? null : { symbol: own?.symbol ?? '', place: value })}
      />
      {own && <TextField label="Symbol" value={own.symbol} maxLength={16} onChange={(symbol) => set('unit', { ...own, symbol })} />}
      <Select
        label="Format"
        options={[
          { value: 'number', label: 'Number' },
          { value: 'percent', label: 'Percentage', description: 'Adds a percent sign to the number as it is' },
        ]}
        value={format}
        onChange={(value) => set('format', value)}
      />
      <Switch isSelected={abbreviate} onChange={(value) => set('abbreviate', value)}>
        Abbreviate, such as 1.2K
      </Switch>
    </>
  );
}

const kind: WidgetKind = {
  kind: 'numbers',
  label: 'Numbers',
  detail: 'One figure, such as a sum or an average',
  icon: 'hash',
  order: 10,
  size: { w: 3, h: 3 },
  min: { w: 2, h: 2 },
  create: (boards) => ({
    fn: boards.some((board) => board.columns.some((column) => column.type === 'number')) ? 'sum' : 'count',
    unit: 'auto',
    format: 'number',
    abbreviate: true,
    cols: {},
  }),
  describe: (settings, boards) => {
    const { fn } = read(settings);
    const title = fn === 'count' ? undefined : mappedTitle(settings, VALUE.name, boards);
    return title ? TITLES[fn](title) : NAMES[fn];
  },
  complete: (settings) => ({ ...settings, ...read(settings) }),
  ask: (settings) => {
    const { fn, unit, format, abbreviate } = read(settings);
    // Nothing said takes the unit that the columns share; an empty text takes it away.
    const dressed: JsonObject = unit === 'auto' ? {} : unit ? { currency: unit.symbol, currencyPosition: unit.place } : { currency: '', unit: '' };
    return { function: fn, cols: settings.cols ?? {}, format: { abbreviate, ...(format === 'percent' ? { percent: true } : {}), ...dressed } };
  },
  roles,
  Editor,
  View,
};

export default kind;
