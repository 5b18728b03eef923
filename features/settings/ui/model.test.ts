import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { features } from '@shell/features';
import { isPlanned, type Json, type Schema, type Setting } from '@shell/settings';
import records from '@shell/testing/settings.json';
import {
  asCli,
  asCurl,
  chosen,
  COMMON,
  find,
  groupsOf,
  inForce,
  inWords,
  isModified,
  keyOf,
  kindOf,
  linesOf,
  nameOf,
  parseFilters,
  placeIn,
  refusal,
  shellQuote,
  stillRunning,
  wordsOf,
  type Filter,
} from './model';

/** What no fresh program has: values that were set, a change that waits for a restart, rows open to sessions. */
const changed: Record<string, Partial<Setting>> = {
  emailInboundApprovedSenders: { value: ['ana@example.org'], modified: true },
  pmInboxBoardPreferences: { value: { brd_1: 'assigned-only' }, modified: true },
  sessionStoreV2Enabled: { value: false, modified: true, pendingRestart: true },
  cliSpawnSpacingSeconds: { writableBy: ['owner', 'cli', 'agent'] },
  tasksV2HideCompleted: { writableBy: ['owner', 'cli', 'agent'] },
};
const settings = (records as unknown as Setting[]).map((s) => ({ ...s, ...changed[s.key] }));
const get = (key: string): Setting => {
  const setting = settings.find((s) => s.key === key);
  if (!setting) throw new Error(key);
  return setting;
};
const keys = (query: string, filters: Filter[] = [], recent = new Set<string>()) =>
  find(settings, query, filters, recent).map((s) => s.key);

describe('find', () => {
  it.each([
    ['a key as it is written', 'cpuCapPercent', ['sessionCpuCapPercent']],
    ['words of a key', 'spawn spacing', ['cliSpawnSpacingSeconds']],
    ['a title', 'CPU cap', ['sessionCpuCapEnabled', 'sessionCpuCapPercent', 'sessionCpuCapStrict']],
    ['a description', 'locked-down', ['cloudHardenedSessionEnabled']],
    ['a choice', 'waiting_room', ['postSendNavigation']],
    ["a choice's description", 'sensitive', ['agentPermissionLevel']],
    ['what people call it', 'theme', ['pmColorMode']],
    ['what people call it, in part', 'row height', ['pmBoardDensity']],
    ['two words for it', 'dark mode', ['pmColorMode']],
    ['a member', 'pm-feed-digest', ['dailyDigestSources']],
    ['words in any order and place', 'level agent', ['agentPermissionLevel']],
    ['nothing', 'zebra', []],
  ])('finds by %s', (_, query, expected) => expect(keys(query)).toEqual(expected));

  it('shows all without a query, in the order given', () => expect(keys('  ')).toEqual(settings.map((s) => s.key)));

  it('filters, and all filters must pass', () => {
    expect(keys('', ['modified'])).toEqual([
      'pmInboxBoardPreferences',
      'sessionStoreV2Enabled',
      'emailInboundApprovedSenders',
    ]);
    expect(keys('', ['restart'])).toEqual(['cliServerEnabled', 'sessionStoreV2Enabled', 'cloudControlPlaneEnabled']);
    expect(keys('', ['agents'])).toEqual(['cliSpawnSpacingSeconds', 'tasksV2HideCompleted']);
    expect(keys('', ['active'])).toEqual(settings.filter((s) => s.effect.active).map((s) => s.key));
    expect(keys('', ['active']).length + keys('', ['inactive']).length).toBe(settings.length);
    expect(keys('', ['inactive', 'restart'])).toEqual(['cloudControlPlaneEnabled']);
    expect(keys('', ['recent'], new Set(['alarmsEnabled']))).toEqual(['alarmsEnabled']);
    expect(keys('tasks', ['agents'])).toEqual(['tasksV2HideCompleted']);
  });
});

it('of the two filters that leave nothing together the newer one stays', () => {
  expect(chosen(['agents', 'inactive', 'active'], ['agents', 'inactive'])).toEqual(['agents', 'active']);
  expect(chosen(['inactive', 'active'], ['active'])).toEqual(['inactive']);
  expect(chosen(['active', 'modified'], ['active'])).toEqual(['active', 'modified']);
});

describe('groups', () => {
  const built = settings.filter((s) => !isPlanned(s));

  it('has every setting once, the common ones on top and the planned ones last', () => {
    const groups = groupsOf(settings, true);
    expect(groups[0]).toMatchObject({ id: 'common', area: '', name: 'Common' });
    expect(groups.at(-1)).toMatchObject({ id: 'planned', name: 'Planned', settings: settings.filter(isPlanned) });
    const all = groups.flatMap((group) => group.settings.map((s) => s.key));
    expect(all.toSorted()).toEqual(settings.map((s) => s.key).toSorted());
    expect(groupsOf(settings, false).map((group) => group.id)).not.toContain('common');
    expect(groupsOf(built, true).map((group) => group.id)).not.toContain('planned');
  });

  it('has only built settings under Common, in its order, and links that lead to pages', () => {
    const keys = COMMON.filter((entry) => typeof entry === 'string');
    expect(groupsOf(settings, true)[0]?.settings.map((s) => s.key)).toEqual(keys);
    const routes = features.flatMap((feature) => feature.routes?.map((route) => route.path) ?? []);
    for (const entry of COMMON) if (typeof entry !== 'string') expect(routes).toContain(entry.path);
  });

  it('puts headings between sections', () => {
    const groups = groupsOf(find(settings, 'restart spacing', [], new Set()), false);
    expect(groups).toMatchObject([
      {
        id: 'Sessions & Agents/resilience, restart and revive',
        area: 'Sessions & Agents',
        name: 'Resilience, restart and revive',
      },
    ]);
    const lines = linesOf(groups, false);
    expect(lines[0]).toEqual({
      kind: 'head',
      group: groups[0]!.id,
      id: groups[0]!.id,
      area: 'Sessions & Agents',
      name: 'Resilience, restart and revive',
    });
    expect(lines.slice(1).map(keyOf)).toEqual(groups[0]!.settings.map((s) => s.key));
  });

  it('folds the planned settings under one line, and opens them with their sections', () => {
    const groups = groupsOf(find(settings, 'bugIntake', [], new Set()), false);
    expect(linesOf(groups, false)).toEqual([{ kind: 'planned', group: 'planned', count: 2 }]);
    const open = linesOf(groups, true);
    expect(open.slice(0, 2)).toEqual([
      { kind: 'planned', group: 'planned', count: 2 },
      {
        kind: 'head',
        group: 'planned',
        id: 'planned/Inbox & Notifications/diagnostics and bugs',
        area: 'Inbox & Notifications',
        name: 'Diagnostics and bugs',
      },
    ]);
    expect(open).toHaveLength(4);
  });
});

it('reads filters off the address, without those it does not know', () => {
  expect(parseFilters('modified,else,toString,restart')).toEqual(['modified', 'restart']);
  expect(parseFilters(null)).toEqual([]);
});

it('knows an editor for every schema in use', () => {
  expect(settings.filter((s) => kindOf(s.schema) === 'unknown')).toEqual([]);
  expect(kindOf({})).toBe('unknown');
});

describe('refusal', () => {
  const cap: Schema = { type: 'integer', minimum: 25, maximum: 90, multipleOf: 5 };
  const text: Schema = { type: 'string', maxLength: 3 };
  const clock = get('pmInboxQuietHoursStart').schema;
  const words = get('agentInstructionsSyncMirrors').schema;
  const map = get('pmInboxBoardPreferences').schema;
  it.each<[string, Schema, Json, string | null]>([
    ['in range', cap, 60, null],
    ['off the step', cap, 52, 'Enter a whole number from 25 to 90, in steps of 5.'],
    ['above', cap, 95, 'Enter a whole number from 25 to 90, in steps of 5.'],
    ['no number', cap, null, 'Enter a value.'],
    [
      'a fraction for an integer',
      { type: 'integer', minimum: 0, maximum: 9 },
      1.5,
      'Enter a whole number from 0 to 9.',
    ],
    ['no maximum', { type: 'number', minimum: 0 }, 1e9, null],
    ['below the only bound', { type: 'number', minimum: 0 }, -1, 'Enter a number of 0 or more.'],
    ['a step that floats miss', { type: 'number', multipleOf: 0.1 }, 0.3, null],
    ['characters, not bytes or halves of a pair', text, '👩🚀é', null],
    ['too long', text, 'abcd', 'Use at most 3 characters; this has 4.'],
    ['null where it may be', { type: ['string', 'null'], maxLength: 3 }, null, null],
    ['a time', clock, '23:59', null],
    ['no time', clock, '24:00', 'Enter a time of day as HH:MM, from 00:00 to 23:59.'],
    ['digits', get('messengerBotAllowedGroupIds').schema, ['-100', '7'], null],
    [
      'no digits',
      get('messengerBotAllowedGroupIds').schema,
      ['x'],
      'Entry 1: Use digits, with an optional leading minus sign.',
    ],
    ['a number of a few', { enum: [5, 9] }, 9, null],
    ['no number of a few', { enum: [5, 9] }, 10, 'Choose one of 5, 9.'],
    ['twice the same', words, ['AGENTS.md', 'AGENTS.md'], 'Entry 2 is a duplicate.'],
    ['a map', map, { a: 'none' }, null],
    ['a wrong word in a map', map, { a: 'some' }, 'a: Choose one of all, assigned-only, none.'],
    ['an object', get('dailyDigestSources').schema, { rss: true }, null],
    ['an unknown member', get('dailyDigestSources').schema, { fax: true }, "fax isn't a known name."],
    ['missing', get('trustedSheets').schema, [{ label: 'Budget' }], 'Entry 1: Enter the spreadsheet id.'],
    [
      'nested',
      get('trustedSheets').schema,
      [{ editableColumns: [703] }],
      'Entry 1: editableColumns: Entry 1: Enter a whole number from 0 to 702.',
    ],
  ])('%s', (_, schema, value, expected) => expect(refusal(schema, value)).toBe(expected));

  it('accepts every default and value of the records', () => {
    for (const s of settings)
      expect([s.key, refusal(s.schema, s.default), refusal(s.schema, s.value)]).toEqual([s.key, null, null]);
  });
});

describe('words', () => {
  it('splits keys', () => {
    expect(wordsOf('sessionRefillDailySpendCapUSD')).toBe('session refill daily spend cap usd');
    expect(wordsOf('vendorBBalanceMonitorEnabled')).toBe('vendor b balance monitor enabled');
    expect(nameOf('pm-events')).toBe('Pm events');
    expect(nameOf('dueDateCol')).toBe('Due date col');
  });
  it.each<[Json, string]>([
    [true, 'on'],
    [null, 'not set'],
    ['', 'empty'],
    ['a\n b', 'a b'],
    ['x'.repeat(80), `${'x'.repeat(57)}...`],
    [[], 'none'],
    [['a', 'b'], 'a, b'],
    [['a', 'b', 'c', 'd'], '4 entries'],
    [[{}], '1 entry'],
    [{ brd_1: 'none' }, 'brd_1: none'],
    [{ rss: true, sms: false }, 'Rss'],
    [{ rss: false }, 'all off'],
  ])('%j is %s', (value, words) => expect(inWords({}, value)).toBe(words));
  it('uses the labels of choices', () => {
    const schema: Schema = { oneOf: [{ const: 'read_only', title: 'Read only' }, { const: 'full' }] };
    expect(inWords(schema, 'read_only')).toBe('Read only');
    expect(inWords(schema, 'full')).toBe('full');
    expect(inWords({ type: 'array', items: schema }, ['full', 'read_only'])).toBe('full, Read only');
  });
  it('takes the default where the history has no value', () => {
    const setting = { default: true };
    expect([inForce(setting, null), inForce(setting, false), inForce(undefined, null)]).toEqual([true, false, null]);
  });
  it('adds the unit', () => expect(inWords({}, 60, '%')).toBe('60 %'));
});

describe('commands to copy', () => {
  const hostile = [
    "it's",
    '$(rm -rf /)',
    '`id`',
    'a b',
    '',
    '"',
    '\\',
    'a\nb',
    '!x',
    '*',
    '~',
    '#c',
    '-n',
    "''",
    'ä€👩‍🚀',
    '$HOME',
    ';ls',
    '&',
    '|',
    '<>',
  ];

  it.each(hostile)('a POSIX shell reads %j back', (word) => {
    expect(execFileSync('sh', ['-c', `printf '%s' ${shellQuote(word)}`], { encoding: 'utf8' })).toBe(word);
  });
  it('leaves plain words as they are', () => expect(shellQuote('read_only')).toBe('read_only'));

  it.each<[string, Json, string]>([
    ['tasksEnabled', true, 'pilothouse settings set tasksEnabled true'],
    ['alarmsDefaultMaxSnoozes', -1, 'pilothouse settings set alarmsDefaultMaxSnoozes -- -1'],
    ['heardAboutUs', "a friend's", "pilothouse settings set heardAboutUs 'a friend'\\''s'"],
    ['heardAboutUs', '', "pilothouse settings set heardAboutUs ''"],
    ['heardAboutUs', 'null', `pilothouse settings set heardAboutUs --value-json '"null"'`],
    ['postSendNavigation', ['stay'], `pilothouse settings set postSendNavigation '["stay"]'`],
    ['initialTitleModel', null, 'pilothouse settings set initialTitleModel null'],
  ])('%s as %j', (key, value, command) => expect(asCli({ ...get(key), value })).toBe(command));

  it.each<[string, NodeJS.ProcessEnv, string]>([
    ['Linux x86_64', { HOME: '/ana' }, '/ana/.local/share/pilothouse/cli-token'],
    ['Linux x86_64', { HOME: '/ana', XDG_DATA_HOME: '/my data' }, '/my data/pilothouse/cli-token'],
    ['MacIntel', { HOME: '/Users/ana' }, '/Users/ana/Library/Application Support/Pilothouse/cli-token'],
    ['Win32', { LOCALAPPDATA: 'C:\\Users\\ana b' }, 'C:\\Users\\ana b/Pilothouse/cli-token'],
    ['MacIntel', { HOME: '/Users/ana', PILOTHOUSE_DATA_DIR: '/else where' }, '/else where/cli-token'],
  ])('writes curl that a shell on %s runs with the token read from its file', (system, env, read) => {
    const text = asCurl({ ...get('heardAboutUs'), value: "it's" }, 'http://127.0.0.1:19519', system);
    const script = `curl() { printf '%s\\n' "$@"; }; cat() { printf 'T:%s:%s' "$*" "$#"; }; ${text}`;
    const words = execFileSync('sh', ['-c', script], { encoding: 'utf8', env: { PATH: process.env.PATH, ...env } })
      .trim()
      .split('\n');
    expect(words).toEqual([
      '--request',
      'PATCH',
      'http://127.0.0.1:19519/settings/heardAboutUs',
      '--header',
      `Authorization: Bearer T:${read}:1`,
      '--header',
      'Content-Type: application/json',
      '--data',
      `{"value":"it's"}`,
    ]);
  });
});

it.each([
  ['/document/settings/agentFiles/1', 'agentFiles, entry 2'],
  ['/document/settings/byNumber/1', 'byNumber, 1'],
  ['/document/settings/byNumber/a~1b~0c', 'byNumber, a/b~c'],
  ['/document/settings/density', 'density'],
  ['/document/settings', 'settings'],
  ['/document/unknownStored/gone/0/deep', 'gone, 0, deep'],
  ['/document/version', 'version'],
  ['/mode', 'mode'],
  ['', ''],
])('%s of an import is named %j', (pointer, words) => {
  const document: Json = {
    settings: { agentFiles: ['AGENTS.md', 'x'], byNumber: { 1: 'x' }, density: 3 },
    unknownStored: {},
  };
  expect(placeIn(document, pointer)).toBe(words);
});

it('a stored value that is the default is not called modified, one that is not accepted is', () => {
  const one = { modified: true, value: [1], default: [1] };
  expect(isModified(one)).toBe(false);
  expect(isModified({ ...one, value: [2] })).toBe(true);
  expect(isModified({ ...one, problem: { stored: 'x', detail: 'No.' } })).toBe(true);
  expect(isModified({ ...one, modified: false, value: [2] })).toBe(false);
});

it('says of a toggle that waits for a restart what it still is, as the page says it elsewhere', () => {
  expect(stillRunning({ value: true })).toBe('Still off. Restart to apply.');
  expect(stillRunning({ value: 5 })).toBe('Still using the old value. Restart to apply.');
});
