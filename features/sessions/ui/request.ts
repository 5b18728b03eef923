/** A session's request as the page needs it: permission to use a tool, or values of a form. */
import { toolOf, type ToolUse } from './transcript';

type Bag = Record<string, unknown>;
const bag = (value: unknown): Bag =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Bag) : {};
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** An answer that the engine offers. */
export interface Offer {
  id: string;
  name: string;
  kind: 'allowOnce' | 'allowAlways' | 'rejectOnce' | 'rejectAlways';
}

export interface Permission {
  tool: ToolUse;
  offers: Offer[];
  /** The Markdown of a plan. */
  plan: string;
}

const KINDS = ['allowOnce', 'allowAlways', 'rejectOnce', 'rejectAlways'] as const;

export function permissionOf(request: unknown): Permission {
  const { tool, offers } = bag(request);
  const read = list(offers).flatMap((one): Offer[] => {
    const { id, name, kind } = bag(one);
    const known = KINDS.find((each) => each === kind);
    return known ? [{ id: text(id), name: text(name), kind: known }] : [];
  });
  return { tool: toolOf(tool), offers: read, plan: text(bag(bag(tool).input).plan) };
}

/** A field of a question's form. */
export type Field = { name: string; label: string; help: string; isRequired: boolean } & (
  | { kind: 'text'; isLong: boolean; initial: string }
  | { kind: 'number'; isWhole: boolean; min: number | undefined; max: number | undefined; initial: number }
  | { kind: 'choice'; options: { value: string; label: string }[]; initial: string | null }
  | { kind: 'several'; options: { value: string; label: string }[]; initial: string[] }
  | { kind: 'yesNo'; initial: boolean }
);

const number = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);

/** The choices of a schema: `enum` with `enumNames`, or constants in `oneOf` or `anyOf`. */
function optionsOf(schema: Bag): { value: string; label: string }[] {
  const names = list(schema.enumNames);
  const plain = list(schema.enum).flatMap((value, at) =>
    typeof value === 'string' ? [{ value, label: text(names[at]) || value }] : [],
  );
  const named = [...list(schema.oneOf), ...list(schema.anyOf)]
    .map(bag)
    .flatMap(({ const: value, title }) => (typeof value === 'string' ? [{ value, label: text(title) || value }] : []));
  return [...plain, ...named];
}

/** The fields of a question. An unusable schema gives a single text field. */
export function fieldsOf(schema: unknown): Field[] {
  const { properties, required } = bag(schema);
  const needed = new Set(list(required));
  const fields = Object.entries(bag(properties)).map(([name, value]): Field => {
    const one = bag(value);
    const head = { name, label: text(one.title) || name, help: text(one.description), isRequired: needed.has(name) };
    const options = optionsOf(one);
    if (options.length > 0) return { ...head, kind: 'choice', options, initial: text(one.default) || null };
    if (one.type === 'boolean') return { ...head, kind: 'yesNo', initial: one.default === true };
    if (one.type === 'number' || one.type === 'integer')
      return {
        ...head,
        kind: 'number',
        isWhole: one.type === 'integer',
        min: number(one.minimum),
        max: number(one.maximum),
        initial: number(one.default) ?? NaN,
      };
    if (one.type === 'array')
      return {
        ...head,
        kind: 'several',
        options: optionsOf(bag(one.items)),
        initial: list(one.default).filter((each) => typeof each === 'string'),
      };
    return { ...head, kind: 'text', isLong: (number(one.maxLength) ?? 0) > 200, initial: text(one.default) };
  });
  return fields.length > 0
    ? fields
    : [{ name: 'answer', label: 'Answer', help: '', isRequired: true, kind: 'text', isLong: true, initial: '' }];
}

/** The values entered, and the required fields that are empty. Empty values are left out. */
export function filled(
  fields: readonly Field[],
  values: Readonly<Record<string, unknown>>,
): { value: Record<string, unknown>; missing: string[] } {
  const value: Record<string, unknown> = {};
  const missing: string[] = [];
  for (const field of fields) {
    const given = values[field.name] ?? field.initial;
    const isEmpty =
      given === '' ||
      given === null ||
      (typeof given === 'number' && Number.isNaN(given)) ||
      (Array.isArray(given) && given.length === 0);
    if (!isEmpty) value[field.name] = given;
    else if (field.isRequired) missing.push(field.name);
  }
  return { value, missing };
}

/** A request on one line. */
export function titleOf(kind: string, request: unknown): string {
  const { tool, message } = bag(request);
  const use = toolOf(tool);
  if (kind === 'question') return text(message);
  return kind === 'plan' ? 'Plan needs approval' : use.command || use.title || 'Allow this action?';
}
