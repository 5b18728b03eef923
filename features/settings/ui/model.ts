/** What the page does with settings that needs no page: finding, checking, writing them out. */
import { numberFault, type NumberRule } from '@shell/numbers';
import { sameJson, type Json, type Schema, type Setting } from '@shell/settings';

/** A described word or number of a select. */
export interface Choice {
  value: string | number;
  label: string;
  description?: string;
}

/** The accepted words or numbers of a schema, or null where it takes others. */
export function choicesOf(schema: Schema): Choice[] | null {
  if (schema.enum) return schema.enum.map((value) => ({ value, label: String(value) }));
  if (!schema.oneOf) return null;
  return schema.oneOf.map((choice) => ({
    value: choice.const,
    label: choice.title ?? String(choice.const),
    ...(choice.description ? { description: choice.description } : {}),
  }));
}

/** Which editor a schema gets. */
export type Kind = 'toggle' | 'number' | 'text' | 'select' | 'list' | 'map' | 'object' | 'unknown';

/** Text longer than this gets several lines. */
export const ONE_LINE = 200;

const typesOf = (schema: Schema): string[] => (Array.isArray(schema.type) ? schema.type : schema.type ? [schema.type] : []);

/** Whether null is a value of its own here. */
export const isNullable = (schema: Schema) => typesOf(schema).includes('null');

/** Which editor a schema gets. */
export function kindOf(schema: Schema): Kind {
  if (choicesOf(schema)) return 'select';
  const types = typesOf(schema);
  if (types.includes('boolean')) return 'toggle';
  if (types.includes('integer') || types.includes('number')) return 'number';
  if (types.includes('string')) return 'text';
  if (types.includes('array') && schema.items) return 'list';
  if (types.includes('object') && schema.properties) return 'object';
  if (types.includes('object') && typeof schema.additionalProperties === 'object') return 'map';
  return 'unknown';
}

/** Which numbers a schema takes. */
export const numberRule = (schema: Schema): NumberRule => ({
  minValue: schema.minimum,
  maxValue: schema.maximum,
  step: schema.multipleOf ?? (typesOf(schema).includes('integer') ? 1 : undefined),
});

/**
 * Why a value would be refused, as a sentence, or null. Spares a round trip and no more: the program decides. What this
 * does not know (time zones) it lets pass.
 */
export function refusal(schema: Schema, value: Json): string | null {
  if (value === null) return isNullable(schema) ? null : 'A value is needed here.';
  const choices = choicesOf(schema);
  if (choices) return choices.some((c) => c.value === value) ? null : `Choose one of ${choices.map((c) => c.label).join(', ')}.`;
  switch (kindOf(schema)) {
    case 'toggle':
      return typeof value === 'boolean' ? null : 'This is on or off.';
    case 'number':
      return numberFault(value, numberRule(schema));
    case 'text':
      return textRefusal(schema, value);
    case 'list':
      return listRefusal(schema, value);
    case 'map':
    case 'object':
      return membersRefusal(schema, value);
    default:
      return null;
  }
}

function textRefusal(schema: Schema, value: Json): string | null {
  if (typeof value !== 'string') return 'This takes text.';
  const length = [...value].length;
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    return `Use at most ${schema.maxLength.toLocaleString()} characters; this has ${length.toLocaleString()}.`;
  }
  if (!schema.pattern || new RegExp(schema.pattern, 'u').test(value)) return null;
  if (isTimeOfDay(schema)) return 'Enter a time of day as HH:MM, from 00:00 to 23:59.';
  return schema.pattern === '^-?[0-9]+$' ? 'Use digits, after a minus sign where there is one.' : 'This is not of the accepted form.';
}

function listRefusal(schema: Schema, value: Json): string | null {
  if (!Array.isArray(value)) return 'This takes a list.';
  const seen = new Set<string>();
  for (const [i, item] of value.entries()) {
    const reason = schema.items && refusal(schema.items, item);
    if (reason) return `Entry ${i + 1}: ${reason}`;
    const text = JSON.stringify(item);
    if (schema.uniqueItems && seen.has(text)) return `Entry ${i + 1} is there already.`;
    seen.add(text);
  }
  return null;
}

function membersRefusal(schema: Schema, value: Json): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'This takes named values.';
  for (const [name, member] of Object.entries(value)) {
    const rule = schema.properties?.[name] ?? schema.additionalProperties;
    if (typeof rule !== 'object') return `There is no ${name} here.`;
    const reason = refusal(rule, member);
    if (reason) return `${name}: ${reason}`;
  }
  const [missing] = missingOf(schema, value);
  return missing === undefined ? null : `Enter the ${nameOf(missing).toLowerCase()}.`;
}

/** Names of the members that an object must have and has not. */
export function missingOf(schema: Schema, value: Json): string[] {
  const members = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  return (schema.required ?? []).filter((name) => members[name] === undefined || members[name] === '');
}

/** Whether the text is a time of day, `HH:MM`. */
export const isTimeOfDay = (schema: Schema) =>
  schema.format === 'time-of-day' || !!schema.pattern?.startsWith('^([01][0-9]|2[0-3]):[0-5][0-9]');

/** Words of a camel-case key: `sessionCpuCapPercent` becomes `session cpu cap percent`. */
export const wordsOf = (key: string) =>
  key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase();

/** What a person would call a member of an object: `pm-events` becomes `Pm events`. */
export function nameOf(member: string): string {
  const words = wordsOf(member).replaceAll(/[-_]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Whether what is stored is something else than the default; the same value stored is no difference to anyone. */
export const isModified = ({ modified, problem, value, default: usual }: Pick<Setting, 'modified' | 'problem' | 'value' | 'default'>): boolean =>
  modified && (problem !== undefined || !sameJson(value as Json, usual as Json));

/** What the running program still does where a value waits for a restart, in the words of the page. */
export const stillRunning = ({ value }: Pick<Setting, 'value'>): string =>
  `The running program still ${typeof value === 'boolean' ? `has it ${inWords({}, !value)}` : 'uses the value that it started with'}; restart it to apply.`;

/** The filters, with what they are called. */
export const FILTERS = {
  modified: 'Modified',
  restart: 'Needs a restart',
  active: 'In effect here',
  inactive: 'No effect here',
  agents: 'Agents may change',
  recent: 'Changed in the last day',
} as const;

/** Name of a filter, as the address has it. */
export type Filter = keyof typeof FILTERS;

/** What is chosen after a press: of two that no setting passes together the newer one stays. */
export function chosen(now: readonly Filter[], before: readonly Filter[]): Filter[] {
  const older = now.includes('active') && now.includes('inactive') ? (before.includes('active') ? 'active' : 'inactive') : null;
  return now.filter((name) => name !== older);
}

/** Reads the filters off the address; unknown ones are left out. */
export const parseFilters = (text: string | null): Filter[] =>
  (text ?? '').split(',').filter((name): name is Filter => Object.hasOwn(FILTERS, name));

/** Where in an imported document a JSON pointer of the request leads: `sessionPaths, entry 2`. */
export function placeIn(document: Json, pointer: string): string {
  let here: unknown = { document };
  const words = pointer.split('/').slice(1).map((escaped) => {
    const name = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    const isList = Array.isArray(here);
    here = typeof here === 'object' && here !== null && Object.hasOwn(here, name) ? (here as Record<string, unknown>)[name] : undefined;
    return isList ? `entry ${Number(name) + 1}` : name;
  });
  const isOfSetting = words.length > 2 && words[0] === 'document';
  return words.slice(isOfSetting ? 2 : words[0] === 'document' ? 1 : 0).join(', ');
}

const texts = new WeakMap<Setting, string>();

/** What a search looks into: key, title, other names, description, choices. Kept by record, for a list that filters as one types. */
function textOf(setting: Setting): string {
  let text = texts.get(setting);
  if (text === undefined) {
    const choices = [setting.schema, setting.schema.items, setting.schema.additionalProperties]
      .flatMap((schema) => (typeof schema === 'object' ? (choicesOf(schema) ?? []) : []))
      .map((choice) => `${choice.value} ${choice.label} ${choice.description ?? ''}`);
    const members = Object.keys(setting.schema.properties ?? {});
    text = [setting.key, wordsOf(setting.key), setting.title, setting.alsoCalled ?? '', setting.description, ...choices, ...members].join('\n').toLowerCase();
    texts.set(setting, text);
  }
  return text;
}

function passes(setting: Setting, filter: Filter, recent: ReadonlySet<string>): boolean {
  switch (filter) {
    case 'modified':
      return isModified(setting);
    case 'restart':
      return setting.pendingRestart || setting.applies === 'next-start';
    case 'active':
      return setting.effect.active;
    case 'inactive':
      return !setting.effect.active;
    case 'agents':
      return setting.writableBy.includes('agent');
    case 'recent':
      return recent.has(setting.key);
  }
}

/** The settings that have every word of the query and pass every filter, in the order given. */
export function find(settings: readonly Setting[], query: string, filters: readonly Filter[], recent: ReadonlySet<string>): Setting[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return settings.filter((setting) => {
    if (!filters.every((filter) => passes(setting, filter, recent))) return false;
    if (words.length === 0) return true;
    const text = textOf(setting);
    return words.every((word) => text.includes(word));
  });
}

/** A line of the list: a section's head or a setting. */
export type Line = { kind: 'head'; id: string; area: string; section: string; count: number } | { kind: 'setting'; setting: Setting };

/** Name of a section over all areas. */
export const sectionId = (setting: Pick<Setting, 'area' | 'section'>) => `${setting.area}/${setting.section}`;

/** Puts heads between the sections. */
export function linesOf(settings: readonly Setting[]): Line[] {
  const counts = new Map<string, number>();
  for (const setting of settings) counts.set(sectionId(setting), (counts.get(sectionId(setting)) ?? 0) + 1);
  const lines: Line[] = [];
  let last = '';
  for (const setting of settings) {
    const id = sectionId(setting);
    if (id !== last) lines.push({ kind: 'head', id, area: setting.area, section: setting.section, count: counts.get(id) ?? 0 });
    last = id;
    lines.push({ kind: 'setting', setting });
  }
  return lines;
}

/** A value in a few words, for toasts, history and summaries. */
export function inWords(schema: Schema, value: Json | undefined, unit?: string | null): string {
  if (value === undefined || value === null) return 'not set';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number') return unit ? `${value.toLocaleString()} ${unit}` : value.toLocaleString();
  if (typeof value === 'string') {
    if (value === '') return 'empty';
    const line = value.replaceAll(/\s+/g, ' ');
    return line.length > 60 ? `${line.slice(0, 57)}...` : line;
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return 'none';
    if (value.length <= 3 && value.every((item) => typeof item !== 'object')) return value.join(', ');
    return entries(value.length);
  }
  const members = Object.entries(value);
  if (members.length === 0) return 'none';
  if (members.every(([, member]) => typeof member === 'boolean')) {
    const on = members.filter(([, member]) => member).map(([name]) => nameOf(name));
    return on.length === 0 ? 'all off' : on.length <= 3 ? on.join(', ') : `${on.length} of ${Object.keys(schema.properties ?? value).length} on`;
  }
  if (members.length <= 2) return members.map(([name, member]) => `${name}: ${String(member)}`).join(', ');
  return entries(members.length);
}

const entries = (count: number) => (count === 1 ? '1 entry' : `${count.toLocaleString()} entries`);

/** A word as a POSIX shell reads it back. */
export function shellQuote(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The command that sets this value. */
export function asCli(setting: Setting): string {
  // Read as the word it is, it would return the setting to its default.
  if (setting.value === 'null') return `pilothouse settings set ${setting.key} --value-json '"null"'`;
  const text = typeof setting.value === 'string' ? setting.value : JSON.stringify(setting.value);
  // Without `--` a leading dash would be read as an option.
  return `pilothouse settings set ${setting.key} ${text.startsWith('-') ? '-- ' : ''}${shellQuote(text)}`;
}

/** Where the program keeps its data unless it is told otherwise, as a shell of this system reads it. */
const usualDirectory = (system: string) =>
  system.startsWith('Win')
    ? '$LOCALAPPDATA/Pilothouse'
    : system.startsWith('Mac')
      ? '$HOME/Library/Application Support/Pilothouse'
      : '${XDG_DATA_HOME:-$HOME/.local/share}/pilothouse';

/** The same as a request, on a system by its `navigator.platform`. The token is read from its file when the command runs; it is never copied. */
export function asCurl(setting: Setting, origin: string, system: string): string {
  return [
    `curl --request PATCH ${shellQuote(`${origin}/settings/${setting.key}`)}`,
    `  --header "Authorization: Bearer $(cat "\${PILOTHOUSE_DATA_DIR:-${usualDirectory(system)}}/cli-token")"`,
    `  --header 'Content-Type: application/json'`,
    `  --data ${shellQuote(JSON.stringify({ value: setting.value }))}`,
  ].join(' \\\n');
}
