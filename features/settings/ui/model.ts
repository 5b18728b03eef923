/** What the page does with settings that needs no page: finding, checking, writing them out. */
import type { IconName } from '@shell/components';
import type { SettingKey } from '@shell/gen/settings';
import { numberFault, type NumberRule } from '@shell/numbers';
import { isPlanned, sameJson, type Json, type Schema, type Setting } from '@shell/settings';

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

const typesOf = (schema: Schema): string[] =>
  Array.isArray(schema.type) ? schema.type : schema.type ? [schema.type] : [];

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
  if (value === null) return isNullable(schema) ? null : 'Enter a value.';
  const choices = choicesOf(schema);
  if (choices)
    return choices.some((c) => c.value === value) ? null : `Choose one of ${choices.map((c) => c.label).join(', ')}.`;
  switch (kindOf(schema)) {
    case 'toggle':
      return typeof value === 'boolean' ? null : 'Choose on or off.';
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
  if (typeof value !== 'string') return 'Enter text.';
  const length = [...value].length;
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    return `Use at most ${schema.maxLength.toLocaleString()} characters; this has ${length.toLocaleString()}.`;
  }
  if (!schema.pattern || new RegExp(schema.pattern, 'u').test(value)) return null;
  if (isTimeOfDay(schema)) return 'Enter a time of day as HH:MM, from 00:00 to 23:59.';
  return schema.pattern === '^-?[0-9]+$'
    ? 'Use digits, with an optional leading minus sign.'
    : "This format isn't accepted.";
}

function listRefusal(schema: Schema, value: Json): string | null {
  if (!Array.isArray(value)) return 'Enter a list.';
  const seen = new Set<string>();
  for (const [i, item] of value.entries()) {
    const reason = schema.items && refusal(schema.items, item);
    if (reason) return `Entry ${i + 1}: ${reason}`;
    const text = JSON.stringify(item);
    if (schema.uniqueItems && seen.has(text)) return `Entry ${i + 1} is a duplicate.`;
    seen.add(text);
  }
  return null;
}

function membersRefusal(schema: Schema, value: Json): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'Enter named values.';
  for (const [name, member] of Object.entries(value)) {
    const rule = schema.properties?.[name] ?? schema.additionalProperties;
    if (typeof rule !== 'object') return `${name} isn't a known name.`;
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
export const isModified = ({
  modified,
  problem,
  value,
  default: usual,
}: Pick<Setting, 'modified' | 'problem' | 'value' | 'default'>): boolean =>
  modified && (problem !== undefined || !sameJson(value as Json, usual as Json));

/** What the running program still does where a value waits for a restart, in the words of the page. */
export const stillRunning = ({ value }: Pick<Setting, 'value'>): string =>
  `${typeof value === 'boolean' ? `Still ${inWords({}, !value)}` : 'Still using the old value'}. Restart to apply.`;

/** The filters, with what they are called. */
export const FILTERS = {
  modified: 'Modified',
  restart: 'Requires restart',
  active: 'In effect',
  inactive: 'Not in effect',
  agents: 'Agents can change',
  recent: 'Changed in the last day',
} as const;

/** Name of a filter, as the address has it. */
export type Filter = keyof typeof FILTERS;

/** What is chosen after a press: of two that no setting passes together the newer one stays. */
export function chosen(now: readonly Filter[], before: readonly Filter[]): Filter[] {
  const older =
    now.includes('active') && now.includes('inactive') ? (before.includes('active') ? 'active' : 'inactive') : null;
  return now.filter((name) => name !== older);
}

/** Reads the filters off the address; unknown ones are left out. */
export const parseFilters = (text: string | null): Filter[] =>
  (text ?? '').split(',').filter((name): name is Filter => Object.hasOwn(FILTERS, name));

/** Where in an imported document a JSON pointer of the request leads: `sessionPaths, entry 2`. */
export function placeIn(document: Json, pointer: string): string {
  let here: unknown = { document };
  const words = pointer
    .split('/')
    .slice(1)
    .map((escaped) => {
      const name = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
      const isList = Array.isArray(here);
      here =
        typeof here === 'object' && here !== null && Object.hasOwn(here, name)
          ? (here as Record<string, unknown>)[name]
          : undefined;
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
    text = [
      setting.key,
      wordsOf(setting.key),
      setting.title,
      setting.alsoCalled ?? '',
      setting.description,
      ...choices,
      ...members,
    ]
      .join('\n')
      .toLowerCase();
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
export function find(
  settings: readonly Setting[],
  query: string,
  filters: readonly Filter[],
  recent: ReadonlySet<string>,
): Setting[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return settings.filter((setting) => {
    if (!filters.every((filter) => passes(setting, filter, recent))) return false;
    if (words.length === 0) return true;
    const text = textOf(setting);
    return words.every((word) => text.includes(word));
  });
}

/** A page outside of settings that people look for among them. */
export interface PageLink {
  path: string;
  label: string;
  detail: string;
  icon: IconName;
}

/** The group on top of the page, in order: settings, and links to pages. */
export const COMMON: readonly (SettingKey | PageLink)[] = [
  'pmColorMode',
  'pmBoardDensity',
  'agentPermissionLevel',
  'autoApprovePlans',
  'agentAlertsEnabled',
  'toastDisplayDurationSeconds',
  {
    path: '/engines',
    label: 'Engines',
    detail: 'Choose the default engine, and see versions and logins.',
    icon: 'session',
  },
  {
    path: '/models',
    label: 'Models',
    detail: 'Choose the model for titles and digests, and add providers.',
    icon: 'star',
  },
  { path: '/usage', label: 'Usage', detail: 'See what was spent, by day, purpose, and session.', icon: 'chart' },
];

/** Ids of the groups that are no section of the specification. */
export const COMMON_ID = 'common';
export const PLANNED_ID = 'planned';

/** Settings under one heading. */
export interface Group {
  id: string;
  /** Empty for the groups that belong to no area. */
  area: string;
  name: string;
  settings: Setting[];
}

/** Id of a section, unique over all areas. */
export const sectionId = (setting: Pick<Setting, 'area' | 'section'>) => `${setting.area}/${setting.section}`;

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** One group per section, in the order of the settings. */
function sectionsOf(settings: readonly Setting[]): Group[] {
  const groups = new Map<string, Group>();
  for (const setting of settings) {
    const id = sectionId(setting);
    const group = groups.get(id) ?? { id, area: setting.area, name: capitalized(setting.section), settings: [] };
    groups.set(id, group);
    group.settings.push(setting);
  }
  return [...groups.values()];
}

/**
 * The settings as the page groups them: common ones first, then the sections, and those of features that aren't built last.
 * Without `withCommon` (in search results) every setting is under its section.
 */
export function groupsOf(settings: readonly Setting[], withCommon: boolean): Group[] {
  const byKey = new Map(settings.map((setting) => [setting.key, setting]));
  const keys = withCommon ? COMMON.filter((entry) => typeof entry === 'string') : [];
  const common = keys.flatMap((key) => byKey.get(key) ?? []).filter((setting) => !isPlanned(setting));
  const planned = settings.filter(isPlanned);
  return [
    ...(common.length > 0 ? [{ id: COMMON_ID, area: '', name: 'Common', settings: common }] : []),
    ...sectionsOf(settings.filter((setting) => !isPlanned(setting) && !common.includes(setting))),
    ...(planned.length > 0 ? [{ id: PLANNED_ID, area: '', name: 'Planned', settings: planned }] : []),
  ];
}

/** A line of the list. `group` is the id of the group that it belongs to. */
export type Line = { group: string } & (
  | { kind: 'head'; id: string; area: string; name: string }
  | { kind: 'setting'; setting: Setting }
  | { kind: 'link'; link: PageLink }
  | { kind: 'planned'; count: number }
);

/** Focus key of a line, or null for a heading. */
export function keyOf(line: Line): string | null {
  switch (line.kind) {
    case 'head':
      return null;
    case 'setting':
      return line.setting.key;
    case 'link':
      return line.link.path;
    case 'planned':
      return PLANNED_ID;
  }
}

/** The groups as lines: each with its heading, the planned ones only while they are open. */
export function linesOf(groups: readonly Group[], isPlannedOpen: boolean): Line[] {
  const under = ({ id, area, name, settings }: Group, group: string): Line[] => [
    { kind: 'head', group, id, area, name },
    ...settings.map((setting): Line => ({ kind: 'setting', group, setting })),
  ];
  return groups.flatMap((group): Line[] => {
    switch (group.id) {
      case COMMON_ID:
        return [
          ...under(group, group.id),
          ...COMMON.flatMap((link): Line[] =>
            typeof link === 'string' ? [] : [{ kind: 'link', group: group.id, link }],
          ),
        ];
      case PLANNED_ID: {
        const sections = isPlannedOpen ? sectionsOf(group.settings) : [];
        return [
          { kind: 'planned', group: group.id, count: group.settings.length },
          ...sections.flatMap((section) => under({ ...section, id: `${PLANNED_ID}/${section.id}` }, group.id)),
        ];
      }
      default:
        return under(group, group.id);
    }
  });
}

/** The value in force on one side of a change: `null` in the history stands for the default. */
export const inForce = (setting: Pick<Setting, 'default'> | undefined, value: Json): Json =>
  value ?? (setting ? (setting.default as Json) : null);

/** A value in a few words, for toasts, history and summaries. */
export function inWords(schema: Schema, value: Json | undefined, unit?: string | null): string {
  if (value === undefined || value === null) return 'not set';
  const label = labelOf(schema, value);
  if (label !== null) return label;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number') return unit ? `${value.toLocaleString()} ${unit}` : value.toLocaleString();
  if (typeof value === 'string') {
    if (value === '') return 'empty';
    const line = value.replaceAll(/\s+/g, ' ');
    return line.length > 60 ? `${line.slice(0, 57)}...` : line;
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return 'none';
    if (value.length <= 3 && value.every((item) => typeof item !== 'object'))
      return value.map((item) => labelOf(schema.items ?? {}, item) ?? String(item)).join(', ');
    return entries(value.length);
  }
  const members = Object.entries(value);
  if (members.length === 0) return 'none';
  if (members.every(([, member]) => typeof member === 'boolean')) {
    const on = members.filter(([, member]) => member).map(([name]) => nameOf(name));
    return on.length === 0
      ? 'all off'
      : on.length <= 3
        ? on.join(', ')
        : `${on.length} of ${Object.keys(schema.properties ?? value).length} on`;
  }
  if (members.length <= 2) return members.map(([name, member]) => `${name}: ${String(member)}`).join(', ');
  return entries(members.length);
}

/** Label of a value that is one of a few choices, or null. */
function labelOf(schema: Schema, value: Json): string | null {
  return choicesOf(schema)?.find((choice) => choice.value === value)?.label ?? null;
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
