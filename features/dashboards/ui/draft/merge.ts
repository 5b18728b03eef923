/**
 * Three-way merge of a dashboard: what I changed and what someone else changed since the version that both started from.
 * Widgets are matched by identifier, and so are the rules of the filter; layout, settings, title and every other member of a
 * widget stand on their own, and so do the name, each rule, the people and every member of the config. Only where both changed
 * the same one, mine stays and the clash is told, so that theirs can be taken instead.
 */
import { sameJson, type Json } from '@shell/settings';
import { repaired } from '../grid/layout';
import { objectOf, placeWidgets, type Config, type Doc, type Filters, type Widget } from '../model';

/** What can be changed by itself; a value that is `undefined` is not there. */
interface Place {
  /** For people: `Costs: settings`, `Name`. */
  what: string;
  isPlace?: boolean;
  read: (doc: Doc) => unknown;
  write: (doc: Doc, value: unknown) => Doc;
}

/** A place that both changed: one side's stays. */
export interface Clash {
  what: string;
  /** Whether it is where a widget lies. */
  isPlace: boolean;
  /** Whether what stayed is still there. */
  stands: (doc: Doc) => boolean;
  /** Whether there is what both started from. */
  isFrom: (doc: Doc) => boolean;
  /** The document with what both started from in that one place. */
  takeFrom: (doc: Doc) => Doc;
  /** The document with the other side's in that one place. */
  takeOther: (doc: Doc) => Doc;
}

/** What came of a merge. */
export interface Merged {
  doc: Doc;
  /** Where mine stayed. */
  clashes: Clash[];
  /** Where theirs stayed: they worked on what I removed. */
  given: Clash[];
}

const same = (a: unknown, b: unknown) => a === b || sameJson(a as Json | undefined, b as Json | undefined);

/** Whether two documents say the same. */
export const sameDoc = (a: Doc, b: Doc) => a.name === b.name && same(a.config, b.config);

const clashAt = (
  { what, isPlace = false, read, write }: Place,
  from: unknown,
  stays: unknown,
  other: unknown,
): Clash => ({
  what,
  isPlace,
  stands: (doc) => same(read(doc), stays),
  isFrom: (doc) => same(read(doc), from),
  takeFrom: (doc) => write(doc, from),
  takeOther: (doc) => write(doc, other),
});

type Members = Record<string, unknown>;

/** Merges each member but those in `apart`; `clash` is called for those that both changed differently. */
function mergeMembers<T extends object>(
  base: T,
  mine: T,
  theirs: T,
  apart: readonly string[],
  clash: (member: string, from: unknown, my: unknown, their: unknown) => void,
): T {
  const [from, my, their] = [base as Members, mine as Members, theirs as Members];
  const result: Members = { ...my };
  for (const member of new Set([...Object.keys(from), ...Object.keys(my), ...Object.keys(their)])) {
    if (apart.includes(member) || same(my[member], their[member]) || same(their[member], from[member])) continue;
    if (!same(my[member], from[member])) {
      clash(member, from[member], my[member], their[member]);
      continue;
    }
    if (member in their) result[member] = their[member];
    else delete result[member];
  }
  return result as T;
}

/** Whether a list is more than another one with some left out and some added at the end. */
const isReordered = (base: readonly string[], ids: readonly string[]) =>
  !same(ids, [...base.filter((id) => ids.includes(id)), ...ids.filter((id) => !base.includes(id))]);

/** All that either side has. Mine decides the order, unless only theirs is another: two windows would change it back and forth for ever. */
const inOrder = (base: readonly string[], mine: readonly string[], theirs: readonly string[]): string[] => [
  ...new Set(isReordered(base, theirs) && !isReordered(base, mine) ? [...theirs, ...mine] : [...mine, ...theirs]),
];

/** Lists of identifiers: what either side added is in, what either side removed is out. */
const mergeIds = (base: readonly string[], mine: readonly string[], theirs: readonly string[]): string[] =>
  inOrder(base, mine, theirs).filter((id) => !base.includes(id) || (mine.includes(id) && theirs.includes(id)));

/** Merges what has an id: `both` where both sides have it, `worked` where one removed what the other changed. */
function mergeById<T>(
  [base, mine, theirs]: readonly [readonly T[], readonly T[], readonly T[]],
  idOf: (one: T) => string,
  isSame: (a: T, b: T) => boolean,
  both: (id: string, from: T | undefined, my: T, their: T) => T,
  worked: (id: string, from: T, left: T, isMine: boolean) => void,
): T[] {
  const find = (list: readonly T[]) => new Map(list.map((one) => [idOf(one), one]));
  const [was, my, their] = [find(base), find(mine), find(theirs)];
  return inOrder([...was.keys()], [...my.keys()], [...their.keys()]).flatMap((id) => {
    const [from, here, there] = [was.get(id), my.get(id), their.get(id)];
    if (here !== undefined && there !== undefined) return [both(id, from, here, there)];
    const left = (here ?? there) as T;
    // New on one side: it is added. Removed on one side: it goes, unless the other side worked on it meanwhile.
    if (from === undefined) return [left];
    if (isSame(left, from)) return [];
    worked(id, from, left, here !== undefined);
    return [left];
  });
}

const setMember = <T extends object>(object: T, member: string, value: unknown): T => {
  const copy = { ...object } as Members;
  if (value === undefined) delete copy[member];
  else copy[member] = value;
  return copy as T;
};

const configMember = (what: string, member: string): Place => ({
  what,
  read: ({ config }) => config[member],
  write: (doc, value) => ({ ...doc, config: setMember(doc.config, member, value) }),
});

const widgetOf = (doc: Doc, id: string) => doc.config.widgets.find((widget) => widget.id === id);
const withWidget = (doc: Doc, id: string, change: (widget: Widget) => Widget[]): Doc => ({
  ...doc,
  config: {
    ...doc.config,
    widgets: doc.config.widgets.flatMap((widget) => (widget.id === id ? change(widget) : [widget])),
  },
});

const titled = ({ title }: Widget) => title || 'A widget';
const widgetMember = (widget: Widget, member: string): Place => ({
  what: `${titled(widget)}: ${member}`,
  isPlace: member === 'layout',
  read: (doc) => widgetOf(doc, widget.id)?.[member],
  write: (doc, value) => withWidget(doc, widget.id, (one) => [setMember(one, member, value)]),
});
const wholeWidget = (widget: Widget): Place => ({
  what: `${titled(widget)}: removal`,
  read: (doc) => widgetOf(doc, widget.id),
  write: (doc, value) => withWidget(doc, widget.id, () => (value === undefined ? [] : [value as Widget])),
});

/** Where a widget lies changes with each drop of another one: nobody worked on it by that. */
const isSameWork = (a: Widget, b: Widget) => same({ ...a, layout: null }, { ...b, layout: null });

function mergeWidgets(base: Config, mine: Config, theirs: Config, { clashes, given }: Omit<Merged, 'doc'>): Widget[] {
  return mergeById(
    [base.widgets, mine.widgets, theirs.widgets],
    ({ id }) => id,
    isSameWork,
    (_, from, my, their) =>
      mergeMembers(from ?? ({} as Widget), my, their, ['id'], (member, was, here, there) =>
        clashes.push(clashAt(widgetMember(my, member), was, here, there)),
      ),
    (_, from, left, isMine) => (isMine ? clashes : given).push(clashAt(wholeWidget(left), from, left, undefined)),
  );
}

/** An entry of the filter's rules: one by itself, or those of which one is enough. */
const isAny = (entry: Json | undefined) => Array.isArray(objectOf(entry).any);
const rulesIn = (entry: Json): Json[] => (isAny(entry) ? (objectOf(entry).any as Json[]) : [entry]);
const ruleId = (rule: Json) => objectOf(rule).id as string;
const ruleOf = (doc: Doc, id: string) => doc.config.filters.all.flatMap(rulesIn).find((rule) => ruleId(rule) === id);
const asEntries = (rules: Json[], like: readonly Json[]): Json[] => {
  if (rules.length === 0) return [];
  return rules.length > 1 || like.every(isAny) ? [{ ...objectOf(like.find(isAny)), any: rules }] : rules;
};

const wholeRule = (id: string, rule: Json): Place => ({
  what: `Filters: ${String(objectOf(objectOf(rule).col).title ?? 'a rule')}`,
  read: (doc) => ruleOf(doc, id),
  write: (doc, value) => {
    const put = (entry: Json) => {
      const rules = rulesIn(entry);
      return rules.some((rule) => ruleId(rule) === id)
        ? asEntries(
            rules.flatMap((rule) => (ruleId(rule) !== id ? [rule] : value === undefined ? [] : [value as Json])),
            [entry],
          )
        : [entry];
    };
    return {
      ...doc,
      config: { ...doc.config, filters: { ...doc.config.filters, all: doc.config.filters.all.flatMap(put) } },
    };
  },
});

/** The entries by the first of their rules, in `base` where they are of it; null where ids do not tell them apart. */
function entriesById(all: readonly Json[], base: readonly Json[]): [string, Json][] | null {
  const ids = all.flatMap(rulesIn).map(ruleId);
  if (
    ids.some((id) => typeof id !== 'string') ||
    new Set(ids).size !== ids.length ||
    all.some((entry) => rulesIn(entry).length === 0)
  )
    return null;
  const keyed = all.map((entry): [string, Json] => {
    const own = rulesIn(entry).map(ruleId);
    const was = base.find((one) => rulesIn(one).some((rule) => own.includes(ruleId(rule))));
    return [ruleId(rulesIn(was ?? entry)[0]!), entry];
  });
  return new Set(keyed.map(([key]) => key)).size === keyed.length ? keyed : null;
}

function mergeFilters(base: Filters, mine: Filters, theirs: Filters, { clashes, given }: Omit<Merged, 'doc'>): Filters {
  const sides = [base, mine, theirs].map(({ all }) => entriesById(all, base.all));
  const member = (name: string): Place => ({
    what: name === 'people' ? 'People' : 'Filters',
    read: ({ config }) => config.filters[name],
    write: (doc, value) => ({ ...doc, config: { ...doc.config, filters: setMember(doc.config.filters, name, value) } }),
  });
  const hasIds = sides.every((side) => side !== null);
  const merged = mergeMembers(base, mine, theirs, hasIds ? ['all'] : [], (name, was, my, their) =>
    clashes.push(clashAt(member(name), was, my, their)),
  );
  if (!hasIds) return merged;
  const [was, my, their] = sides.map((side) => new Map(side)) as [
    Map<string, Json>,
    Map<string, Json>,
    Map<string, Json>,
  ];
  const all = inOrder([...was.keys()], [...my.keys()], [...their.keys()]).flatMap((key) => {
    const entries = [was.get(key), my.get(key), their.get(key)];
    // Where only one side changed an entry it is that side's, with whatever else stands in it.
    const side = same(entries[1], entries[0]) ? 2 : same(entries[2], entries[0]) ? 1 : null;
    if (side !== null) return entries.slice(side, side + 1).filter((entry) => entry !== undefined);
    const [from, here, there] = entries.map((entry) => (entry === undefined ? [] : rulesIn(entry))) as [
      Json[],
      Json[],
      Json[],
    ];
    const rules = mergeById(
      [from, here, there],
      ruleId,
      same,
      (id, old, mineNow, theirsNow) => {
        if (same(mineNow, theirsNow) || same(theirsNow, old)) return mineNow;
        if (same(mineNow, old)) return theirsNow;
        clashes.push(clashAt(wholeRule(id, mineNow), old, mineNow, theirsNow));
        return mineNow;
      },
      (id, old, left, isMine) => (isMine ? clashes : given).push(clashAt(wholeRule(id, left), old, left, undefined)),
    );
    return asEntries(
      rules,
      entries.filter((entry) => entry !== undefined),
    );
  });
  return { ...merged, all };
}

function join(base: Doc, mine: Doc, theirs: Doc): Merged {
  const told: Omit<Merged, 'doc'> = { clashes: [], given: [] };
  let { name } = mine;
  if (theirs.name !== base.name && theirs.name !== mine.name) {
    if (mine.name === base.name) name = theirs.name;
    else
      told.clashes.push(
        clashAt(
          { what: 'Name', read: (doc) => doc.name, write: (doc, value) => ({ ...doc, name: value as string }) },
          base.name,
          mine.name,
          theirs.name,
        ),
      );
  }
  const config: Config = {
    ...mergeMembers(
      base.config,
      mine.config,
      theirs.config,
      ['boardIds', 'widgets', 'filters'],
      (member, was, my, their) => told.clashes.push(clashAt(configMember(member, member), was, my, their)),
    ),
    boardIds: mergeIds(base.config.boardIds, mine.config.boardIds, theirs.config.boardIds),
    widgets: mergeWidgets(base.config, mine.config, theirs.config, told),
    filters: mergeFilters(base.config.filters, mine.config.filters, theirs.config.filters, told),
  };
  return { doc: { name, config }, ...told };
}

/** Two people may have put different widgets into the same place. */
const apart = ({ name, config }: Doc): Doc => ({
  name,
  config: placeWidgets(config, repaired(config.widgets.map(({ id, layout }) => ({ id, ...layout })))),
});

/** Merges `mine` and `theirs`, which both came from `base`. */
export function merge(base: Doc, mine: Doc, theirs: Doc): Merged {
  // Whoever changed nothing writes nothing, in whatever form others wrote theirs.
  if (sameDoc(base, mine)) return { doc: theirs, clashes: [], given: [] };
  const joined = join(base, mine, theirs);
  return { ...joined, doc: apart(joined.doc) };
}

/** Merges them with theirs wherever both changed the same place, and names those places. */
export function mergeBehind(base: Doc, mine: Doc, theirs: Doc): { doc: Doc; left: string[] } {
  const { doc, clashes, given } = join(base, theirs, mine);
  return {
    doc: apart(given.reduce((taken, clash) => clash.takeOther(taken), doc)),
    left: [...clashes, ...given].map(({ what }) => what),
  };
}
