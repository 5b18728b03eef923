/** Numbers: one figure over all connected boards, their items pooled. */
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

/** How each is made. */
const FORMULAS: Record<Function, (column: string) => string> = {
  sum: (column) => `All values of ${column}, added up.`,
  average: (column) => `All values of ${column}, added up and divided by how many there are.`,
  median: (column) => `The middle one of all values of ${column}; of an even number, the mean of the middle two.`,
  min: (column) => `The smallest value of ${column}.`,
  max: (column) => `The largest value of ${column}.`,
  count: () => 'How many items pass the filters.',
  countFilled: (column) => `How many cells of ${column} have a value.`,
  distinct: (column) => `How many different values ${column} has.`,
};

const Settings = v.object({
  function: v.fallback(v.picklist(FUNCTIONS), 'sum'),
  format: v.fallback(
    v.object({
      abbreviate: v.fallback(v.boolean(), true),
      /** Left out, the unit that all mapped columns share is taken; an empty text takes it away. */
      currency: v.fallback(v.optional(v.string()), undefined),
      currencyPosition: v.fallback(v.picklist(['left', 'right']), 'left'),
      percent: v.fallback(v.boolean(), false),
    }),
    { abbreviate: true, currency: undefined, currencyPosition: 'left', percent: false },
  ),
});
const read = (settings: JsonObject) => v.parse(Settings, settings);

const DIVIDED = 'That is divided by how many items pass the filters and meet the rules of this widget, be they with or without a value; on a board that has not a rule’s column none does.';

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
      <button type="button" className="figure-value" title={full} onClick={() => onPick({}, `${widget.title}: ${full ?? ''}`)}>
        <span aria-hidden="true">{text}</span>
        <span className="sr-only">{`${full ?? ''}, show items`}</span>
      </button>
      <p className="figure-detail">
        {/* What leads on stands first, for a narrow tile to cut what only tells. */}
        {isShare(settings) && (
          <button type="button" className="tile-link" title="Show matching items" aria-label="match: show matching items" onClick={() => onPick({ which: 'met' }, `${widget.title}: the items that meet the rules`)}>
            match
          </button>
        )}
        {isShare(settings) && ', '}
        {(isShare(settings) || read(settings).function !== 'count') && itemsOf(answer)}
        {mixed && ', mixed units'}
        {per !== undefined && ' '}
        {per !== undefined && (
          <button type="button" className="tile-link" onClick={() => onPick({ which: 'met' }, `${widget.title}: the items that it is divided by`)}>
            {`per ${counted(per, 'item')}`}
          </button>
        )}
      </p>
    </div>
  );
}

/** Not a function of the engine's: the part of the items that meets rules of its own takes the function's place. */
const AS_SHARE = 'share';
const functionOptions: Option<Function | typeof AS_SHARE>[] = [...FUNCTIONS.map((value) => ({ value, label: MEASURES[value].alone })), { value: AS_SHARE, label: SHARE, description: 'How many of 100 items meet rules' }];
const isShare = ({ ratio }: JsonObject) => typeof ratio === 'object' && ratio !== null;
/** A function of the engine's can be divided by the items that meet rules of its own. */
const isDivided = ({ per, ...rest }: JsonObject) => !isShare(rest) && typeof per === 'object' && per !== null;

/** How the unit is said. */
const UNITS: Option<'auto' | 'none' | 'left' | 'right' | 'text'>[] = [
  { value: 'auto', label: 'Same as the columns' },
  { value: 'none', label: 'None' },
  { value: 'left', label: 'Symbol before the figure' },
  { value: 'right', label: 'Symbol after the figure' },
  { value: 'text', label: 'Text after the figure', description: 'Such as h or points' },
];

/** `Select` takes no null: the columns decide. */
const AS_STORED = -1;
const decimalOptions = (chosen: unknown): Option<number>[] => {
  const counts = [...new Set([0, 1, 2, 3, 4, ...(typeof chosen === 'number' ? [chosen] : [])])];
  return [{ value: AS_STORED, label: 'Same as the columns' }, ...counts.map((count) => ({ value: count, label: String(count), description: 'Where the number is written in full' }))];
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
  const unit = text !== undefined ? 'text' : format.currency === undefined ? 'auto' : hasNone ? 'none' : format.currencyPosition;
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
      <Select label="Function" options={functionOptions} value={isShare(settings) ? AS_SHARE : chosen} onChange={setFunction} />
      {isShare(settings) && <OwnRules label="Rules that an item of the share meets" rules={ratio.rules} onRules={(rules) => set('ratio', { ...ratio, rules: rules ?? [] })} boards={props.boards} inert={idle(props.answer?.coverage, 'ratio')} />}
      {!isShare(settings) && (
        <Switch isSelected={isDivided(settings)} onChange={setDivided}>
          Divide by the items that meet rules
        </Switch>
      )}
      {isDivided(settings) && <OwnRules label="Rules that an item meets to divide" rules={per.rules} onRules={(rules) => set('per', { ...per, rules: rules ?? [] })} boards={props.boards} inert={idle(props.answer?.coverage, 'per')} />}
      <ColumnPicker role="value" label={ROLES.value} several {...props} />
      {!isShare(settings) && (
        <>
          <Select label="Unit" options={UNITS} value={unit} onChange={setUnit} />
          {unit === 'text' && <TextField label="Text" value={text ?? ''} maxLength={16} onChange={setText} />}
          {(unit === 'left' || unit === 'right') && <TextField label="Symbol" value={format.currency ?? ''} maxLength={16} onChange={(currency) => setFormat({ currency })} />}
          <Select
            label="Format"
            options={[
              { value: 'number', label: 'Number' },
              { value: 'percent', label: 'Percentage', description: 'Adds a percent sign to the number as it is' },
            ]}
            value={format.percent ? 'percent' : 'number'}
            onChange={(value) => setFormat({ percent: value === 'percent' })}
          />
        </>
      )}
      <Select label="Decimals" options={decimalOptions(own.decimals)} value={typeof own.decimals === 'number' ? own.decimals : AS_STORED} onChange={setDecimals} />
      <Switch isSelected={format.abbreviate} onChange={(abbreviate) => setFormat({ abbreviate })}>
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
  create: (boards) => ({ function: boards.some((board) => board.columns.some((column) => column.type === 'number')) ? 'sum' : 'count' }),
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
    if (isShare(settings)) return ['100 times the items that meet the rules of this widget, divided by all items that pass the filters. Items of a board that has not a rule’s column do not meet it.'];
    return [`${FORMULAS[chosen](column)} Items of all boards are pooled: a mean is never one of means.`, ...(chosen === 'count' ? [] : ['Empty cells are no values; they are not taken for 0.']), ...(isDivided(settings) ? [DIVIDED] : [])];
  },
  Editor,
  View,
};

export default kind;
