/** Numbers: one number over the items of all connected boards. */
import * as v from 'valibot';
import { Select, Switch, TextField, type Option } from '@shell/components';
import type { WidgetAnswer } from '../engine';
import { MEASURES, PER, SHARE } from '@shell/gen/titles';
import { mappedTitle } from '../mapping';
import { filled, measured } from '../titles';
import { counted, idle } from '../words';
import { ColumnPicker } from '../ColumnPicker';
import { OwnRules } from '../OwnItems';
import { objectOf, type JsonObject } from '../model';
import type { EditorProps, ViewProps, WidgetKind } from './kind';

const FUNCTIONS = ['sum', 'average', 'median', 'min', 'max', 'count', 'countFilled', 'distinct'] as const;
type Function = (typeof FUNCTIONS)[number];

/** What each function calculates. */
const FORMULAS: Record<Function, (column: string) => string> = {
  sum: (column) => `The sum of all values of ${column}.`,
  average: (column) => `The sum of all values of ${column}, divided by the number of values.`,
  median: (column) => `The middle value of ${column}. If the number of values is even, the mean of the middle two.`,
  min: (column) => `The smallest value of ${column}.`,
  max: (column) => `The largest value of ${column}.`,
  count: () => 'The number of items that match the filters.',
  countFilled: (column) => `The number of cells of ${column} that have a value.`,
  distinct: (column) => `The number of different values of ${column}.`,
};

const Settings = v.object({
  function: v.fallback(v.picklist(FUNCTIONS), 'sum'),
  format: v.fallback(
    v.object({
      abbreviate: v.fallback(v.boolean(), true),
      /** If left out, the unit shared by all mapped columns. Empty for no unit. */
      currency: v.fallback(v.optional(v.string()), undefined),
      currencyPosition: v.fallback(v.picklist(['left', 'right']), 'left'),
      percent: v.fallback(v.boolean(), false),
    }),
    { abbreviate: true, currency: undefined, currencyPosition: 'left', percent: false },
  ),
});
const read = (settings: JsonObject) => v.parse(Settings, settings);

const DIVIDED =
  "The result is divided by the number of items that match the filters and this widget's rules, with or without a value. If a board lacks a rule's column, none of its items match.";

const ROLES = { value: 'Number column' };

const itemsOf = ({ coverage: { itemsUsed } }: WidgetAnswer) => `over ${counted(itemsUsed, 'item')}`;

function View({ widget, settings, answer, onPick }: ViewProps) {
  const mixed = answer.reasons.includes('mixed-units');
  if (answer.kind !== 'numbers') return null;
  const { value = null, text, full, per } = answer.result ?? {};
  if (value === null) {
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
      <button
        type="button"
        className="figure-value"
        title={full}
        onClick={() => onPick({}, `${widget.title}: ${full ?? ''}`)}
      >
        <span aria-hidden="true">{text}</span>
        <span className="sr-only">{`${full ?? ''}, show items`}</span>
      </button>
      <p className="figure-detail">
        {/* The link comes first: a narrow tile cuts off the end. */}
        {isShare(settings) && (
          <button
            type="button"
            className="tile-link"
            title="Show matching items"
            aria-label="match: show matching items"
            onClick={() => onPick({ which: 'met' }, `${widget.title}: matching items`)}
          >
            match
          </button>
        )}
        {isShare(settings) && ', '}
        {(isShare(settings) || read(settings).function !== 'count') && itemsOf(answer)}
        {mixed && ', mixed units'}
        {per !== undefined && ' '}
        {per !== undefined && (
          <button
            type="button"
            className="tile-link"
            onClick={() => onPick({ which: 'met' }, `${widget.title}: items it's divided by`)}
          >
            {`per ${counted(per, 'item')}`}
          </button>
        )}
      </p>
    </div>
  );
}

/** Shown as a function, though the engine has none: the share of items that match the widget's rules. */
const AS_SHARE = 'share';
const functionOptions: Option<Function | typeof AS_SHARE>[] = [
  ...FUNCTIONS.map((value) => ({ value, label: MEASURES[value].alone })),
  { value: AS_SHARE, label: SHARE, description: 'Percentage of items that match rules' },
];
const isShare = ({ ratio }: JsonObject) => typeof ratio === 'object' && ratio !== null;
/** Whether the function's result is divided by the number of items that match the widget's rules. */
const isDivided = ({ per, ...rest }: JsonObject) => !isShare(rest) && typeof per === 'object' && per !== null;

/** Where the unit comes from, and how it is written. */
const UNITS: Option<'auto' | 'none' | 'left' | 'right' | 'text'>[] = [
  { value: 'auto', label: 'Same as the columns' },
  { value: 'none', label: 'None' },
  { value: 'left', label: 'Symbol before the number' },
  { value: 'right', label: 'Symbol after the number' },
  { value: 'text', label: 'Text after the number', description: 'Such as h or points' },
];

/** `Select` accepts no null: stands for the columns' own decimals. */
const AS_STORED = -1;
const decimalOptions = (chosen: unknown): Option<number>[] => {
  const counts = [...new Set([0, 1, 2, 3, 4, ...(typeof chosen === 'number' ? [chosen] : [])])];
  return [
    { value: AS_STORED, label: 'Same as the columns' },
    ...counts.map((count) => ({ value: count, label: String(count), description: "If the number isn't abbreviated" })),
  ];
};

function Editor(props: EditorProps) {
  const { settings, onChange } = props;
  const { function: chosen, format } = read(settings);
  const set = (member: string, value: JsonObject[string]) => onChange({ ...settings, [member]: value });
  const own = objectOf(settings.format);
  const [ratio, per] = [objectOf(settings.ratio), objectOf(settings.per)];
  const setFunction = (value: Function | typeof AS_SHARE) => {
    const { ratio: before, ...rest } = settings;
    onChange(value === AS_SHARE ? { ...settings, ratio: before ?? { rules: [] } } : { ...rest, function: value });
  };
  const setDivided = (divided: boolean) => {
    const { per: _before, ...rest } = settings;
    onChange(divided ? { ...rest, per: { rules: [] } } : rest);
  };
  const setFormat = (change: JsonObject) => set('format', { ...own, ...change });
  const hasNone = format.currency === '' && own.unit === '';
  const text = typeof own.unit === 'string' && !format.currency && !hasNone ? own.unit : undefined;
  const unit =
    text !== undefined ? 'text' : format.currency === undefined ? 'auto' : hasNone ? 'none' : format.currencyPosition;
  const setText = (unit: string) => {
    const { currency: _symbol, currencyPosition: _place, ...rest } = own;
    set('format', unit ? { ...rest, currency: '', unit } : { ...rest, unit });
  };
  const setDecimals = (decimals: number) => {
    const { decimals: _before, ...rest } = own;
    set('format', decimals === AS_STORED ? rest : { ...rest, decimals });
  };
  const setUnit = (value: (typeof UNITS)[number]['value']) => {
    const { currency, currencyPosition: _place, unit: _unit, ...rest } = own;
    if (value === 'auto') set('format', rest);
    else if (value === 'none') set('format', { ...rest, currency: '', unit: '' });
    else if (value === 'text') setText('');
    else set('format', { ...rest, currency: currency ?? '', currencyPosition: value });
  };
  return (
    <>
      <Select
        label="Function"
        options={functionOptions}
        value={isShare(settings) ? AS_SHARE : chosen}
        onChange={setFunction}
      />
      {isShare(settings) && (
        <OwnRules
          label="Rules for the share"
          rules={ratio.rules}
          onRules={(rules) => set('ratio', { ...ratio, rules: rules ?? [] })}
          boards={props.boards}
          inert={idle(props.answer?.coverage, 'ratio')}
        />
      )}
      {!isShare(settings) && (
        <Switch isSelected={isDivided(settings)} onChange={setDivided}>
          Show as a share of matching items
        </Switch>
      )}
      {isDivided(settings) && (
        <OwnRules
          label="Rules for the divisor"
          rules={per.rules}
          onRules={(rules) => set('per', { ...per, rules: rules ?? [] })}
          boards={props.boards}
          inert={idle(props.answer?.coverage, 'per')}
        />
      )}
      <ColumnPicker role="value" label={ROLES.value} several {...props} />
      {!isShare(settings) && (
        <>
          <Select label="Unit" options={UNITS} value={unit} onChange={setUnit} />
          {unit === 'text' && <TextField label="Text" value={text ?? ''} maxLength={16} onChange={setText} />}
          {(unit === 'left' || unit === 'right') && (
            <TextField
              label="Symbol"
              value={format.currency ?? ''}
              maxLength={16}
              onChange={(currency) => setFormat({ currency })}
            />
          )}
          <Select
            label="Format"
            options={[
              { value: 'number', label: 'Number' },
              { value: 'percent', label: 'Percentage', description: 'Adds a percent sign to the unchanged number' },
            ]}
            value={format.percent ? 'percent' : 'number'}
            onChange={(value) => setFormat({ percent: value === 'percent' })}
          />
        </>
      )}
      <Select
        label="Decimals"
        options={decimalOptions(own.decimals)}
        value={typeof own.decimals === 'number' ? own.decimals : AS_STORED}
        onChange={setDecimals}
      />
      <Switch isSelected={format.abbreviate} onChange={(abbreviate) => setFormat({ abbreviate })}>
        Abbreviate numbers, such as 1.2K
      </Switch>
    </>
  );
}

const kind: WidgetKind = {
  kind: 'numbers',
  label: 'Numbers',
  detail: 'One number, such as a sum or an average',
  icon: 'hash',
  order: 10,
  size: { w: 3, h: 3 },
  min: { w: 2, h: 2 },
  create: (boards) => ({
    function: boards.some((board) => board.columns.some((column) => column.type === 'number')) ? 'sum' : 'count',
  }),
  describe: ({ settings, cols }, boards) => {
    if (isShare(settings)) return SHARE;
    const measure = measured(read(settings).function, mappedTitle(cols, 'value', boards));
    return isDivided(settings) ? filled(PER, measure) : measure;
  },
  roleNames: ROLES,
  without: { value: { action: 'Count items', change: { function: 'count' } } },
  explain: ({ settings, cols }, boards) => {
    const { function: chosen } = read(settings);
    const column = mappedTitle(cols, 'value', boards) ?? 'the number column';
    if (isShare(settings))
      return [
        "The percentage of items matching the filters that also match this widget's rules. If a board lacks a rule's column, none of its items match.",
      ];
    return [
      `${FORMULAS[chosen](column)} The items of all boards are counted together.`,
      ...(chosen === 'count' ? [] : ["Empty cells are ignored. They don't count as 0."]),
      ...(isDivided(settings) ? [DIVIDED] : []),
    ];
  },
  Editor,
  View,
};

export default kind;
