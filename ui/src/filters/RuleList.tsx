/** The rules of a filter, a line for each. */
import { useState, type ComponentType } from 'react';
import {
  Button as AnyButton,
  IconButton as AnyIconButton,
  Select as AnySelect,
  Switch as AnySwitch,
  TextField,
  type SelectProps,
} from '../components';
import type { InertRule, Rule } from '../engine/types';
import { useFocusKept } from '../focus';
import { calledOf, FORMER, namesOf, type Member } from '../members';
import { useMe } from '../preferences';
import {
  calledIn,
  compared,
  comparison,
  isAboutMe,
  operatorsOf,
  whyInert,
  type Field,
  type Operand,
  type Subject,
  type Unaskable,
} from './rules';
import type { RulesHandle } from './useRules';
import { sameJson, type Json } from '../settings';
import { steady } from '../steady';
import './filters.css';

// The list is drawn again with what each letter finds: what of it stays as it is, stays.
const [Button, IconButton, Switch] = [steady(AnyButton), steady(AnyIconButton), steady(AnySwitch)];
const Select = steady(AnySelect as ComponentType<SelectProps<string>>);

/** What the list shows. */
export interface RuleListProps {
  subject: Subject;
  handle: RulesHandle;
  /** Columns that are listed and cannot be chosen. */
  unaskable?: readonly Unaskable[];
  members: readonly Member[];
  inert: readonly InertRule[];
  label?: string;
}

/** Every rule with what it compares, a switch and a button that removes it; below them one that adds one. */
export function RuleList({ subject, handle, unaskable = [], members, inert, label = 'Filter rules' }: RuleListProps) {
  const list = useFocusKept<HTMLDivElement>('button[aria-label^="Remove"]', (frame) =>
    [...frame.querySelectorAll('button')].at(-1),
  );
  const stored = handle.entries.flat();
  return (
    <div className="filter-rules" role="group" aria-label={label} ref={list}>
      {handle.entries.map((rules, at) => {
        const isAny = rules.length > 1;
        const first = stored.indexOf(rules[0]!) + 1;
        return (
          <div
            key={handle.keys[at]}
            className="filter-entry"
            {...(isAny
              ? { role: 'group', 'aria-label': `Any of rules ${first} to ${first + rules.length - 1}`, 'data-any': '' }
              : {})}
          >
            {isAny && <span className="filter-hint">Any of these matches</span>}
            {rules.map((rule, place) => (
              <RuleLine
                key={rule.id}
                subject={subject}
                rule={rule}
                number={first + place}
                unaskable={unaskable}
                members={members}
                reason={whyInert(rule, inert)}
                onChange={handle.change}
                onRemove={() => handle.remove(rule.id)}
                onOr={
                  place === rules.length - 1 && handle.isStored(rules[0]!.id)
                    ? () => handle.add(rules[0]!.id)
                    : undefined
                }
              />
            ))}
          </div>
        );
      })}
      {handle.beyond.map(({ id, text, fault, without }) => (
        <div key={id} className="filter-rule" role="group" aria-label={`Also: ${text}`}>
          <span className="filter-beyond">{text}</span>
          <Reason text={fault} />
          <IconButton icon="close" label={`Remove: ${text}`} onPress={() => handle.onFilter(without)} />
        </div>
      ))}
      <Button variant="plain" icon="plus" onPress={() => handle.add()}>
        Add rule
      </Button>
    </div>
  );
}

/** Stands for a column that is not there. */
const LOST = '';

interface RuleLineProps {
  subject: Subject;
  rule: Rule;
  number: number;
  unaskable: readonly Unaskable[];
  members: readonly Member[];
  reason: string | undefined;
  onChange: (rule: Rule) => void;
  onRemove: () => void;
  /** Adds another rule of which one is enough. */
  onOr: (() => void) | undefined;
}

function RuleLine({ subject, rule, number, unaskable, members, reason, onChange, onRemove, onOr }: RuleLineProps) {
  const { fields } = subject;
  const field = subject.fieldOf(rule);
  const operators = field ? operatorsOf(field) : [];
  const operator = operators.find((one) => one.op === rule.op);
  const isOfMe = operator?.takes === 'people' && isAboutMe(rule.value);
  // Where nobody is asked for as well, empty cells are what is not wanted.
  const onEmpty = list(rule.value).includes('none') ? undefined : operator?.onEmpty;
  return (
    <div className="filter-rule" role="group" aria-label={`Rule ${number}`} data-off={rule.off || undefined}>
      <Select
        aria-label="Column"
        options={[
          ...(field ? [] : [{ value: LOST, label: calledIn(rule), isDisabled: true }]),
          ...fields.map(({ id, title }) => ({ value: id, label: title })),
          ...unaskable.map(({ id, title, why }) => ({ value: id, label: title, description: why, isDisabled: true })),
        ]}
        value={field?.id ?? LOST}
        onChange={(id) => {
          const next = fields.find((one) => one.id === id);
          if (!next) return;
          const keeps = field?.family === next.family;
          onChange({
            id: rule.id,
            col: subject.refOf(id),
            op: keeps ? rule.op : operatorsOf(next)[0]!.op,
            ...(keeps && next.family !== 'label' ? { value: rule.value } : {}),
          });
        }}
      />
      <Select
        aria-label="Comparison"
        options={[
          ...(operator ? [] : [{ value: rule.op, label: comparison(rule.op), isDisabled: true }]),
          ...operators.map(({ op, label, onEmpty: description }) => ({
            value: op,
            label,
            ...(description ? { description } : {}),
          })),
        ]}
        value={rule.op}
        onChange={(op) => {
          const takes = operators.find((one) => one.op === op)?.takes;
          const { value, ...rest } = rule;
          onChange({ ...rest, op, ...(takes === operator?.takes ? { value } : {}) });
        }}
      />
      {!operator && <span className="filter-hint">{compared(subject, rule, namesOf(members))}</span>}
      {field && operator && (
        <Value
          takes={operator.takes}
          field={field}
          members={members}
          value={rule.value}
          onChange={(value) => onChange({ ...rule, value })}
        />
      )}
      {onEmpty && <span className="filter-hint">{onEmpty}</span>}
      {isOfMe && <Me members={members} />}
      <Reason text={reason} />
      <span className="filter-ends">
        <Switch
          aria-label={`Use rule ${number}`}
          isSelected={!rule.off}
          onChange={(isUsed) => onChange({ ...rule, off: !isUsed })}
        />
        <IconButton icon="close" label="Remove rule" onPress={onRemove} />
        {onOr && (
          <Button variant="plain" aria-label={`Or another rule instead of rule ${number}`} onPress={onOr}>
            Or
          </Button>
        )}
      </span>
    </div>
  );
}

/** What is wrong with a rule. */
export const Reason = ({ text }: { text: string | undefined }) => text && <span className="filter-reason">{text}</span>;

/** Which member "me" is. */
export function Me({ members }: { members: readonly Member[] }) {
  const [me, choose] = useMe();
  const isKnown = members.some(({ id }) => id === me);
  return (
    <>
      {!isKnown && <Reason text="Me: choose your member" />}
      <Select
        aria-label="Your member"
        placeholder="Choose yourself"
        options={[
          ...members.map(({ id }) => ({ value: id, label: `Me: ${calledOf(id, members)}` })),
          { value: '', label: 'None of them' },
        ]}
        value={isKnown ? me : null}
        onChange={(id) => choose(id || null)}
      />
    </>
  );
}

interface ValueProps {
  takes: Operand;
  field: Field;
  members: readonly Member[];
  value: unknown;
  onChange: (value: unknown) => void;
}

const list = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

/** Whoever can be asked for; of those who are no members any more, whoever is. */
export const people = (members: readonly Member[], asked: readonly string[]) => {
  const known = [
    { id: 'me', text: 'Me' },
    ...members.map(({ id }) => ({ id, text: calledOf(id, members) })),
    { id: 'none', text: 'Unassigned' },
  ];
  return [...known, ...asked.filter((id) => !known.some((one) => one.id === id)).map((id) => ({ id, text: FORMER }))];
};

/** The labels that there are; and those asked for that are no more, for they can be taken out. */
const labels = (choices: readonly string[], asked: readonly string[]) => {
  const same = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase();
  return [...choices, ...asked.filter((text) => !choices.some((choice) => same(choice, text)))];
};

function Value({ takes, field, members, value, onChange }: ValueProps) {
  switch (takes) {
    case 'none':
      return null;
    case 'labels':
      return (
        <Choices
          options={labels(field.choices, list(value)).map((text) => ({ id: text, text }))}
          value={list(value)}
          onChange={onChange}
        />
      );
    case 'people':
      return <Choices options={people(members, list(value))} value={list(value)} onChange={onChange} />;
    case 'words':
      return (
        <Draft
          key="words"
          label="Values, with commas between them"
          value={list(value)}
          shown={list(value).join(', ')}
          read={(text) =>
            text
              .split(',')
              .map((one) => one.trim())
              .filter(Boolean)
          }
          onChange={onChange}
        />
      );
    case 'text':
      return (
        <Draft
          key="text"
          label="Value"
          value={value}
          shown={typeof value === 'string' ? value : ''}
          read={(text) => text}
          onChange={onChange}
        />
      );
    case 'number':
    case 'dayCount':
      return (
        <Draft
          key="number"
          label={takes === 'dayCount' ? 'Days' : 'Value'}
          value={value}
          shown={typeof value === 'number' ? String(value) : ''}
          read={number}
          onChange={onChange}
        />
      );
    case 'day':
      return <Day label="Date" value={typeof value === 'string' ? value : ''} onChange={onChange} />;
    case 'numbers':
    case 'days': {
      const [from, to] = Array.isArray(value) ? (value as unknown[]) : [];
      const put = (at: 0 | 1) => (next: unknown) => onChange(at === 0 ? [next, to ?? null] : [from ?? null, next]);
      const text = (one: unknown) => (typeof one === 'string' || typeof one === 'number' ? String(one) : '');
      return takes === 'days' ? (
        <>
          <Day label="From" value={text(from)} onChange={put(0)} />
          <Day label="To" value={text(to)} onChange={put(1)} />
        </>
      ) : (
        <>
          <Draft key="from" label="From" value={from} shown={text(from)} read={number} onChange={put(0)} />
          <Draft key="to" label="To" value={to} shown={text(to)} read={number} onChange={put(1)} />
        </>
      );
    }
  }
}

/** A number as typed; what is none is kept as text, which the engine calls wrong. */
function number(text: string): unknown {
  const bare = text.trim();
  return bare === '' ? null : Number.isFinite(Number(bare)) ? Number(bare) : bare;
}

/** What is typed stays as it is typed, and is read at every letter; `shown` takes its place once the value is another, by undo or by someone else. */
function Draft({
  label,
  value,
  shown,
  read,
  onChange,
}: {
  label: string;
  value: unknown;
  shown: string;
  read: (text: string) => unknown;
  onChange: (value: unknown) => void;
}) {
  const [draft, setDraft] = useState({ text: shown, of: value });
  const isValue = (other: unknown) => sameJson(other as Json | undefined, value as Json | undefined);
  if (!isValue(draft.of)) setDraft({ text: isValue(read(draft.text)) ? draft.text : shown, of: value });
  return (
    <TextField
      aria-label={label}
      placeholder={label}
      value={draft.text}
      onChange={(text) => {
        setDraft({ ...draft, text });
        onChange(read(text));
      }}
    />
  );
}

function Day({ label, value, onChange }: { label: string; value: string; onChange: (value: unknown) => void }) {
  return (
    <input
      type="date"
      className="filter-day"
      aria-label={label}
      max="9999-12-31"
      value={value}
      onChange={(event) => onChange(event.target.value || null)}
    />
  );
}

/** Values to choose, each on or off. */
export function Choices({
  options,
  value,
  onChange,
}: {
  options: { id: string; text: string }[];
  value: readonly string[];
  onChange: (value: string[]) => void;
}) {
  return (
    <span className="filter-choices" role="group" aria-label="Values">
      {options.map(({ id, text }) => {
        const isOn = value.includes(id);
        return (
          <button
            key={id}
            type="button"
            className="filter-choice"
            aria-pressed={isOn}
            onClick={() => onChange(isOn ? value.filter((one) => one !== id) : [...value, id])}
          >
            {text}
          </button>
        );
      })}
    </span>
  );
}
