/**
 * A dashboard of twelve widgets over twenty boards, and how the widget engine, DuckDB-WASM, crossfilter2 and Arquero compute it:
 * what `dashboards.mjs` measures. What differs between Node.js and a browser is given to each: where its modules come from.
 *
 * The engine gets the query as JSON and answers with JSON, both of which are measured: what the page sends and shows, put together by
 * the page's own code. As from the page, it gets the widgets once, and tells but once what it is that it tells of. The peers get
 * what helps them: one table, sets of people and tags as codes, months, done and late items as columns, and sums by code, which
 * are divided among people and tags here. Widgets are configured as a person does it; nothing in the engine knows this workload.
 */
import {
  dictionary,
  columnFromArray,
  dateDay,
  float64,
  int16,
  int32,
  int64,
  int8,
  tableFromColumns,
  tableToIPC,
  utf8,
} from '@uwdata/flechette';

const BOARDS = 20;
const FIRST_DAY = 20_000;
const DAYS = 730;
const DAY_MS = 86_400_000;
const STATUSES = 6;
const DONE = 5;
const PEOPLE = 45;
const TAGS = 40;
const SPRINTS = 52;
const NOW = FIRST_DAY + 14 * 41;
const SHOWN = 6;
const BURNDOWN = 40;
const iso = (day) => new Date(day * DAY_MS).toISOString().slice(0, 10);
export const range = (n) => Array.from({ length: n }, (_, i) => i);

/** The items of all boards in plain columns; -1 is the empty cell. */
export function make(items) {
  let seed = 11;
  const next = (n) => (seed = (seed * 48_271) % 2_147_483_647) % n;
  const of = (Type) => new Type(items);
  const data = {
    items,
    board: of(Int8Array),
    status: of(Int8Array),
    people: of(Int16Array),
    tags: of(Int16Array),
    sprint: of(Int8Array),
    points: of(Int8Array),
    amount: of(Int32Array),
    due: of(Int32Array),
    finished: of(Int32Array),
    created: of(Int32Array),
    month: of(Int8Array),
    late: of(Int8Array),
    combined: of(Int16Array),
    name: new Array(items),
    sets: { people: [], tags: [] },
  };
  const known = { people: new Map(), tags: new Map() };
  const set = (kind, members) => {
    const key = [...new Set(members)].join();
    if (!known[kind].has(key)) {
      known[kind].set(key, data.sets[kind].length);
      data.sets[kind].push([...new Set(members)]);
    }
    return known[kind].get(key);
  };
  for (let i = 0; i < items; i++) {
    data.board[i] = Math.floor((i * BOARDS) / items);
    data.name[i] = `task ${String(i).padStart(7, '0')} of ${['design', 'review', 'release', 'support'][next(4)]}`;
    data.status[i] = next(STATUSES);
    data.people[i] = set(
      'people',
      range(next(3)).map(() => next(PEOPLE)),
    );
    data.tags[i] = set(
      'tags',
      range(next(3)).map(() => next(TAGS)),
    );
    data.sprint[i] = next(SPRINTS);
    data.points[i] = next(10) ? next(13) : -1;
    data.amount[i] = next(10) ? next(1_000_000) : -1;
    data.due[i] = next(10) ? FIRST_DAY + next(DAYS) : -1;
    const start = FIRST_DAY + 14 * data.sprint[i];
    data.finished[i] = data.status[i] === DONE ? start + next(14) : -1;
    data.created[i] = start - 10 + next(20);
    const due = new Date(data.due[i] * DAY_MS);
    data.month[i] = data.due[i] < 0 ? -1 : (due.getUTCFullYear() - 2024) * 12 + due.getUTCMonth();
  }
  // A sprint's days are those between which its items were finished.
  data.from = new Int32Array(SPRINTS).fill(1e9);
  for (let i = 0; i < items; i++)
    if (data.finished[i] >= 0) data.from[data.sprint[i]] = Math.min(data.from[data.sprint[i]], data.finished[i]);
  for (let i = 0; i < items; i++) {
    data.late[i] = Number(data.created[i] > data.from[data.sprint[i]] + 1);
    data.combined[i] = (data.sprint[i] * STATUSES + data.status[i]) * 2 + data.late[i];
  }
  return data;
}

/** Choices of so many of the statuses. */
const choices = (count) =>
  range(1 << STATUSES)
    .map((bits) => range(STATUSES).filter((status) => (bits >> status) & 1))
    .filter((chosen) => chosen.length === count);
const of = (list, turn) => list[turn % list.length];
const PAIRS = range(81)
  .map((at) => `${1 + Math.floor(at / 9)}${1 + (at % 9)}`)
  .filter(([a, b]) => a !== b);

/** Filters as plain conditions, from which each engine's own are made: at each turn another one that lets about as many items pass. */
export const FILTERS = {
  all: () => ({}),
  broad: (turn) => ({ statuses: of(choices(4), turn) }),
  medium: (turn) => ({ statuses: of(choices(3), turn), after: iso(dayOf('2025-06-26') + (turn % 11)) }),
  narrow: (turn) => ({ statuses: of(choices(1), turn), after: '2026-06-01', tags: [(3 + turn) % TAGS] }),
  text: (turn) => ({ text: of(PAIRS, turn * 5) }),
  tags: (turn) => ({ tags: [(3 + turn) % TAGS, (7 + turn) % TAGS] }),
};
const dayOf = (text) => Date.parse(text) / DAY_MS;
const setsWith = (data, tags) =>
  data.sets.tags.flatMap((members, code) => (members.some((tag) => tags.includes(tag)) ? [code] : []));

// What every engine has to come to, as one object of plain numbers.

const byCode = (sets, rows) => {
  const sums = {};
  for (const [code, sum] of rows)
    for (const member of sets[code].length ? sets[code] : ['none']) sums[member] = (sums[member] ?? 0) + sum;
  return sums;
};
/** From sums of points by sprint, status and lateness. */
function sprints(rows) {
  const shown = range(SPRINTS)
    .filter((at) => at <= 41)
    .slice(-SHOWN);
  const velocity = {},
    planned = {};
  for (const at of shown) ((velocity[at] = [0, 0]), (planned[at] = [0, 0, 0, 0]));
  for (const [code, sum] of rows) {
    const late = code % 2,
      status = (code >> 1) % STATUSES,
      sprint = Math.floor(code / 2 / STATUSES);
    if (!velocity[sprint]) continue;
    velocity[sprint][1] += sum;
    if (status === DONE) velocity[sprint][0] += sum;
    planned[sprint][late + (status === DONE ? 2 : 0)] += sum;
  }
  return { velocity, planned };
}
/** From sums of points of a sprint by the days of creation and finishing. */
function burndown(from, rows) {
  let scope = 0,
    burned = 0;
  for (const [created, finished, sum] of rows) {
    scope += sum;
    if (finished >= 0) burned += sum;
  }
  // What was finished was there, also where it was created later.
  const there = (created, finished) => (finished >= 0 ? Math.min(created, finished) : created);
  const before = rows.reduce(
    (sum, [created, finished, points]) => sum + (there(created, finished) <= from + 1 ? points : 0),
    0,
  );
  return { begun: before, scope, left: scope - burned };
}
const medianOf = (values) => {
  values.sort();
  const at = values.length >> 1;
  return values.length % 2 ? values[at] / 100 : (values[at - 1] + values[at]) / 200;
};

export function differences(a, b, path = '') {
  if (typeof a === 'object') {
    const keys = new Set([...Object.keys(a), ...Object.keys(b ?? {})]);
    return [...keys].flatMap((key) => differences(a[key] ?? 0, b?.[key] ?? 0, `${path}.${key}`));
  }
  return Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a)) ? [] : [`${path}: ${a} and ${b}`];
}

export const engines = {};

/** The product's engine: twenty boards as the server sends them, one query of twelve widgets. */
engines.engine = async (data, { widgets: module, Told }) => {
  const { instance } = await WebAssembly.instantiate(await module(), {});
  const { memory, engine_alloc, engine_free, engine_load, engine_ask } = instance.exports;
  const put = (bytes) => {
    const at = engine_alloc(bytes.length);
    new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
    return at;
  };
  const call = (work, bytes) => {
    const at = put(bytes);
    const answer = work(at, bytes.length) >>> 0;
    engine_free(at, bytes.length);
    const length = new DataView(memory.buffer).getUint32(answer, true);
    const text = new TextDecoder().decode(new Uint8Array(memory.buffer, answer + 4, length));
    engine_free(answer, 4 + length);
    return JSON.parse(text);
  };
  for (const board of range(BOARDS)) {
    const answer = call(engine_load, stream(data, board));
    if (answer.error) throw new Error(answer.error.message);
  }
  const boards = range(BOARDS).map((board) => `b${board}`);
  const cols = (roles) =>
    Object.fromEntries(
      Object.entries(roles).map(([role, id]) => [role, Object.fromEntries(boards.map((board) => [board, [id]]))]),
    );
  const work = cols({ sprint: 'sprint', effort: 'points', done: 'status', date: 'finished' });
  const widgets = [
    { id: 'count', kind: 'numbers', function: 'count' },
    { id: 'sum', kind: 'numbers', function: 'sum', cols: cols({ value: 'amount' }) },
    { id: 'median', kind: 'numbers', function: 'median', cols: cols({ value: 'amount' }) },
    { id: 'status', kind: 'chart', cols: cols({ x: 'status' }) },
    { id: 'people', kind: 'chart', y: { function: 'sum' }, cols: cols({ x: 'people', y: 'amount' }) },
    { id: 'months', kind: 'chart', variant: 'line', y: { function: 'sum' }, cols: cols({ x: 'due', y: 'amount' }) },
    { id: 'stack', kind: 'chart', z: { by: 'board' }, cols: cols({ x: 'status' }) },
    { id: 'tags', kind: 'chart', variant: 'bar', cols: cols({ x: 'tags' }) },
    { id: 'velocity', kind: 'velocity', cols: work },
    { id: 'planned', kind: 'planned', cols: work },
    { id: 'burndown', kind: 'burndown', sprint: `sprint ${BURNDOWN}`, cols: work },
    { id: 'battery', kind: 'battery', cols: cols({ done: 'status', effort: 'points' }) },
  ];
  const rules = ({ statuses, after, tags, text }) => {
    const rule = (title, type, op, value) => ({ id: title, col: { by: 'title', title, type }, op, value });
    return [
      statuses &&
        rule(
          'status',
          'status',
          'anyOf',
          statuses.map((at) => `Label ${at}`),
        ),
      after && rule('due', 'date', 'after', after),
      tags &&
        rule(
          'tags',
          'tags',
          'hasAny',
          tags.map((tag) => `t${tag}`),
        ),
      text && { id: 'name', col: { by: 'builtin', name: 'name' }, op: 'contains', value: text },
    ].filter(Boolean);
  };
  const configs = new TextEncoder().encode(JSON.stringify(widgets));
  const configsAt = put(configs);
  const told = new Told();
  const ask = (filter) => {
    const query = { boards, filters: { v: 1, all: rules(filter) }, now: NOW * DAY_MS };
    const work = (at, length) => engine_ask(at, length, configsAt, configs.length, told.number);
    return told.whole(call(work, new TextEncoder().encode(JSON.stringify(query))));
  };
  const values = (answer) => {
    const result = Object.fromEntries(answer.widgets.map((widget) => [widget.id, widget.result]));
    const line = (chart, key) =>
      Object.fromEntries(chart.categories.map((category, i) => [key(category), chart.series[0].values[i] ?? 0]));
    const number = (category) => (category.kind === 'empty' ? 'none' : Number(category.label.replace(/\D/g, '')));
    const month = ({ kind, key }) =>
      kind === 'empty' ? -1 : (Number(key.slice(0, 4)) - 2024) * 12 + Number(key.slice(5, 7)) - 1;
    const bySprint = (list, pick) =>
      Object.fromEntries(list.map((sprint) => [Number(sprint.label.replace(/\D/g, '')), pick(sprint)]));
    const days = result.burndown.days ?? [];
    return {
      count: result.count.value,
      sum: result.sum.value ?? 0,
      median: result.median.value ?? 0,
      status: line(result.status, number),
      people: line(result.people, number),
      months: line(result.months, month),
      tags: line(result.tags, number),
      stack: Object.fromEntries(
        result.stack.categories.flatMap((category, x) =>
          result.stack.series.map((series) => [`${number(category)}/${series.key}`, series.values[x] ?? 0]),
        ),
      ),
      velocity: bySprint(result.velocity.sprints, (s) => [s.completed.value, s.scope.value]),
      planned: bySprint(result.planned.sprints, (s) => [
        s.plannedOpen.value,
        s.unplannedOpen.value,
        s.plannedDone.value,
        s.unplannedDone.value,
      ]),
      burndown: {
        begun: days[0]?.scope.value ?? 0,
        scope: days.at(-1)?.scope.value ?? 0,
        left: days.at(-1)?.remaining.value ?? 0,
      },
      battery: Object.fromEntries((result.battery.segments ?? []).map((segment) => [number(segment), segment.value])),
    };
  };
  // It makes what it tells of the tallies of all items and of its last selections: it is asked for another one each time before.
  return { ask, values, before: (name, turn) => ask(name === 'all' ? FILTERS.narrow(turn) : {}) };
};

/** A board as the server sends it. */
function stream(data, board) {
  const first = data.board.indexOf(board),
    last = data.board.lastIndexOf(board) + 1;
  const rows = range(last - first).map((i) => first + i);
  const labels = (prefix, count, name) =>
    range(count).map((i) => ({ id: `${prefix}${i}`, text: `${name} ${i}`, done: prefix === 'l' && i === DONE }));
  const json = (prefix, sets) => sets.map((members) => JSON.stringify(members.map((member) => `${prefix}${member}`)));
  const [people, tags] = [json('m', data.sets.people), json('t', data.sets.tags)];
  // Each column has a dictionary of its own.
  const code = () => dictionary(utf8(), int32());
  const filled = (values, scale = 1) => rows.map((row) => (values[row] < 0 ? null : values[row] / scale));
  const date = (values) => rows.map((row) => (values[row] < 0 ? null : new Date(values[row] * DAY_MS)));
  const column = (values, type) => columnFromArray(values, type);
  const times = rows.map((row) => BigInt(data.created[row] * DAY_MS));
  const own = {
    status: [
      'status',
      column(
        rows.map((row) => `l${data.status[row]}`),
        code(),
      ),
      { labels: labels('l', STATUSES, 'Label') },
    ],
    people: [
      'people',
      column(
        rows.map((row) => people[data.people[row]]),
        code(),
      ),
    ],
    tags: [
      'tags',
      column(
        rows.map((row) => tags[data.tags[row]]),
        code(),
      ),
    ],
    sprint: [
      'dropdown',
      column(
        rows.map((row) => `s${data.sprint[row]}`),
        code(),
      ),
      { labels: labels('s', SPRINTS, 'Sprint') },
    ],
    points: ['number', column(filled(data.points), float64())],
    amount: ['number', column(filled(data.amount, 100), float64())],
    due: ['date', column(date(data.due), dateDay())],
    finished: ['date', column(date(data.finished), dateDay())],
  };
  const columns = Object.entries(own).map(([id, [type, , settings = {}]]) => ({ id, title: id, type, settings }));
  const head = { board: { id: `b${board}`, name: `Board ${board}` }, groups: [], columns, members: [] };
  const table = tableFromColumns({
    id: column(rows.map(String), utf8()),
    groupId: column(
      rows.map(() => 'g'),
      code(),
    ),
    name: column(
      rows.map((row) => data.name[row]),
      utf8(),
    ),
    createdAt: column(times, int64()),
    updatedAt: column(times, int64()),
    ...Object.fromEntries(Object.entries(own).map(([id, [, values]]) => [id, values])),
  });
  table.schema.metadata = new Map([['board', JSON.stringify(head)]]);
  return tableToIPC(table, { format: 'stream' });
}

engines.duckdb = async (data, { duckdb }) => {
  const db = await duckdb();
  const connection = db.connect();
  const at = (values, type) => columnFromArray(values, type);
  const step = 100_000;
  for (let from = 0; from < data.items; from += step) {
    const of = (values) => values.slice(from, from + step);
    const empty = (values) => Array.from(of(values), (value) => (value < 0 ? null : value));
    const part = tableFromColumns({
      board: at(of(data.board), int8()),
      status: at(of(data.status), int8()),
      people: at(of(data.people), int16()),
      tags: at(of(data.tags), int16()),
      sprint: at(of(data.sprint), int8()),
      points: at(empty(data.points), int32()),
      amount: at(empty(data.amount), int32()),
      due: at(empty(data.due), int32()),
      finished: at(of(data.finished), int32()),
      created: at(of(data.created), int32()),
      month: at(of(data.month), int8()),
      combined: at(of(data.combined), int16()),
      name: at(of(data.name), utf8()),
    });
    connection.insertArrowFromIPCStream(tableToIPC(part, { format: 'stream' }), { name: 'items', create: from === 0 });
  }
  const where = ({ statuses, after, tags, text }) => {
    const all = [
      statuses && `status IN (${statuses.join()})`,
      after && `due > ${dayOf(after)}`,
      tags && `tags IN (${setsWith(data, tags).join()})`,
      text && `contains(name, '${text}')`,
    ].filter(Boolean);
    return all.length ? `WHERE ${all.join(' AND ')}` : '';
  };
  const rows = (sql) => {
    const table = connection.query(sql);
    const columns = range(table.numCols).map((at) => table.getChildAt(at).toArray());
    return range(table.numRows).map((row) => columns.map((column) => Number(column[row])));
  };
  const ask = (filter) => {
    const w = where(filter),
      and = w ? `${w} AND` : 'WHERE';
    return {
      count: rows(`SELECT count(*) FROM items ${w}`),
      sum: rows(`SELECT coalesce(sum(amount), 0)::DOUBLE FROM items ${w}`),
      median: rows(`SELECT coalesce(median(amount), 0)::DOUBLE FROM items ${w}`),
      status: rows(`SELECT status, count(*) FROM items ${w} GROUP BY status`),
      people: byCode(
        data.sets.people,
        rows(`SELECT people, coalesce(sum(amount), 0)::DOUBLE FROM items ${w} GROUP BY people`),
      ),
      months: rows(`SELECT month, coalesce(sum(amount), 0)::DOUBLE FROM items ${w} GROUP BY month`),
      stack: rows(`SELECT status, board, count(*) FROM items ${w} GROUP BY status, board`),
      tags: byCode(data.sets.tags, rows(`SELECT tags, count(*) FROM items ${w} GROUP BY tags`)),
      // One for velocity and one for planned and unplanned.
      sprints: [0, 1].map(() =>
        sprints(rows(`SELECT combined, coalesce(sum(points), 0)::DOUBLE FROM items ${w} GROUP BY combined`)),
      )[0],
      burndown: burndown(
        data.from[BURNDOWN],
        rows(
          `SELECT created, finished, coalesce(sum(points), 0)::DOUBLE FROM items ${and} sprint = ${BURNDOWN} GROUP BY created, finished`,
        ),
      ),
      battery: rows(`SELECT status, coalesce(sum(points), 0)::DOUBLE FROM items ${w} GROUP BY status`),
    };
  };
  return { ask, values: plain };
};

/** The peers' answers in the common form: amounts are in hundredths there. */
function plain(answer) {
  const entries = (rows, scale = 1) => Object.fromEntries(rows.map(([key, value]) => [key, value / scale]));
  return {
    count: answer.count[0][0],
    sum: answer.sum[0][0] / 100,
    median: answer.median[0][0] / 100,
    status: entries(answer.status),
    people: entries(Object.entries(answer.people), 100),
    months: entries(answer.months, 100),
    tags: answer.tags,
    stack: Object.fromEntries(answer.stack.map(([status, board, count]) => [`${status}/b${board}`, count])),
    ...answer.sprints,
    burndown: answer.burndown,
    battery: entries(answer.battery),
  };
}

engines.crossfilter = async (data) => {
  const { default: crossfilter } = await import('crossfilter2');
  const rows = crossfilter(range(data.items));
  const dimension = (values) => rows.dimension((row) => values[row]);
  const filterBy = {
    statuses: dimension(data.status),
    after: dimension(data.due),
    tags: dimension(data.tags),
    text: rows.dimension((row) => data.name[row]),
  };
  const sum = (values, scale = 1) => [
    (all, row) => (values[row] < 0 ? all : all + values[row]),
    (all, row) => (values[row] < 0 ? all : all - values[row]),
    () => 0,
  ];
  // Groups of their own dimensions, which are never filtered: a group ignores the filter of its own.
  const group = (values) => dimension(values).group();
  const groups = {
    status: group(data.status).reduceCount(),
    stack: group(data.status.map((status, row) => status * BOARDS + data.board[row])).reduceCount(),
    people: group(data.people).reduce(...sum(data.amount)),
    months: group(data.month).reduce(...sum(data.amount)),
    tags: group(data.tags).reduceCount(),
    sprints: group(data.combined).reduce(...sum(data.points)),
    battery: group(data.status).reduce(...sum(data.points)),
    burndown: group(
      Int32Array.from(data.sprint, (sprint, row) =>
        sprint === BURNDOWN
          ? (data.created[row] - FIRST_DAY + 20) * 4096 + Math.max(-1, data.finished[row] - FIRST_DAY) + 1
          : -1,
      ),
    ).reduce(...sum(data.points)),
  };
  const total = rows.groupAll().reduce(...sum(data.amount));
  const pairs = (group) => group.all().map(({ key, value }) => [key, value]);
  const set = (filter) => {
    const { statuses, after, tags, text } = filter;
    if (statuses) filterBy.statuses.filterFunction((status) => statuses.includes(status));
    else filterBy.statuses.filterAll();
    if (after) filterBy.after.filterRange([dayOf(after) + 1, Infinity]);
    else filterBy.after.filterAll();
    if (tags) {
      const sets = new Set(setsWith(data, tags));
      filterBy.tags.filterFunction((code) => sets.has(code));
    } else filterBy.tags.filterAll();
    if (text) filterBy.text.filterFunction((name) => name.includes(text));
    else filterBy.text.filterAll();
  };
  const ask = (filter) => {
    set(filter);
    const passing = rows.allFiltered();
    const amounts = Int32Array.from(passing.map((row) => data.amount[row]).filter((amount) => amount >= 0));
    return {
      count: [[passing.length]],
      sum: [[total.value()]],
      median: [[amounts.length ? medianOf(amounts) * 100 : 0]],
      status: pairs(groups.status),
      people: byCode(data.sets.people, pairs(groups.people)),
      months: pairs(groups.months),
      tags: byCode(data.sets.tags, pairs(groups.tags)),
      stack: pairs(groups.stack).map(([code, count]) => [Math.floor(code / BOARDS), code % BOARDS, count]),
      sprints: sprints(pairs(groups.sprints)),
      battery: pairs(groups.battery),
      burndown: burndown(
        data.from[BURNDOWN],
        pairs(groups.burndown)
          .filter(([code]) => code >= 0)
          .map(([code, sum]) => [
            Math.floor(code / 4096) + FIRST_DAY - 20,
            code % 4096 ? (code % 4096) - 1 + FIRST_DAY : -1,
            sum,
          ]),
      ),
    };
  };
  // What it does depends on the filter before: all items, or for all items the narrowest.
  return { ask, values: plain, before: (name, turn) => set(name === 'all' ? FILTERS.narrow(turn) : {}) };
};

engines.arquero = async (data) => {
  const { table, op } = await import('arquero');
  const empty = (values) => Array.from(values, (value) => (value < 0 ? null : value));
  const items = table({
    board: data.board,
    status: data.status,
    people: data.people,
    tags: data.tags,
    sprint: data.sprint,
    points: empty(data.points),
    amount: empty(data.amount),
    due: empty(data.due),
    finished: data.finished,
    created: data.created,
    month: data.month,
    combined: data.combined,
    name: data.name,
  });
  const ask = ({ statuses, after, tags, text }) => {
    const tests = [
      statuses && `(${statuses.map((status) => `d.status === ${status}`).join(' || ')})`,
      after && `d.due > ${dayOf(after)}`,
      tags && `op.includes([${setsWith(data, tags).join()}], d.tags)`,
      text && `op.indexof(d.name, '${text}') >= 0`,
    ].filter(Boolean);
    const passing = tests.length ? items.filter(`d => ${tests.join(' && ')}`) : items;
    const by = (keys, value) => {
      const names = [].concat(keys);
      const rolled = passing.groupby(...names).rollup({ value });
      const columns = [...names, 'value'].map((name) => rolled.array(name));
      return range(rolled.numRows()).map((row) => columns.map((column) => column[row] ?? 0));
    };
    const one = (value) => [[passing.rollup({ value }).get('value', 0) ?? 0]];
    const work =
      items.numRows() &&
      passing
        .filter(`d => d.sprint === ${BURNDOWN}`)
        .groupby('created', 'finished')
        .rollup({ value: op.sum('points') });
    const of = (name) => work.array(name);
    const [created, finished, value] = [of('created'), of('finished'), of('value')];
    return {
      count: [[passing.numRows()]],
      sum: one(op.sum('amount')),
      median: one(op.median('amount')),
      status: by('status', op.count()),
      people: byCode(data.sets.people, by('people', op.sum('amount'))),
      months: by('month', op.sum('amount')),
      stack: by(['status', 'board'], op.count()),
      tags: byCode(data.sets.tags, by('tags', op.count())),
      sprints: [0, 1].map(() => sprints(by('combined', op.sum('points'))))[0],
      burndown: burndown(
        data.from[BURNDOWN],
        range(work.numRows()).map((row) => [created[row], finished[row], value[row] ?? 0]),
      ),
      battery: by('status', op.sum('points')),
    };
  };
  return { ask, values: plain };
};

/** One engine with its data, wherever it runs: answers are told as plain values. */
export async function start(name, items, environment) {
  const { ask, values, before } = await engines[name](make(items), environment);
  // How long asking takes, and what came of it. Each turn asks for another filter, right after one that has nothing to do with it.
  return (filter, turn) => {
    const asked = FILTERS[filter](turn);
    before?.(filter, turn);
    const begun = performance.now();
    const answer = ask(asked);
    return { ms: performance.now() - begun, values: values(answer) };
  };
}
