/**
 * Three-way merge of a dashboard: what I changed and what someone else changed since the version that both started from.
 * Widgets are matched by identifier; layout, settings, title and every other member of a widget stand on their own, and
 * so do the name, the filters and every member of the config. Only where both changed the same one, mine stays and the
 * clash is told, so that theirs can be taken instead.
 */
import { sameJson, type Json } from '@shell/settings';
import { repaired } from '../grid/layout';
import { placeWidgets, type Config, type Doc, type Widget } from '../model';

/** A member that both changed. */
export interface Clash {
  /** For people: `Costs: settings`, `Name`. */
  what: string;
  /** The document with theirs in that one place. */
  takeTheirs: (doc: Doc) => Doc;
}

/** What came of a merge. */
export interface Merged {
  doc: Doc;
  clashes: Clash[];
}

const same = (a: unknown, b: unknown) => a === b || sameJson(a as Json | undefined, b as Json | undefined);

/** Whether two documents say the same. */
export const sameDoc = (a: Doc, b: Doc) => a.name === b.name && same(a.config, b.config);

type Members = Record<string, unknown>;

/** Merges each member but those in `apart`; `clash` is called for those that both changed differently. */
function mergeMembers<T extends object>(base: T, mine: T, theirs: T, apart: readonly string[], clash: (member: string) => void): T {
  const [from, my, their] = [base as Members, mine as Members, theirs as Members];
  const result: Members = { ...my };
  for (const member of new Set([...Object.keys(from), ...Object.keys(my), ...Object.keys(their)])) {
    if (apart.includes(member) || same(my[member], their[member]) || same(their[member], from[member])) continue;
    if (!same(my[member], from[member])) {
      clash(member);
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

/** Lists of identifiers: what either side added is in, what either side removed is out. Mine decides the order, unless only theirs is another. */
function mergeIds(base: readonly string[], mine: readonly string[], theirs: readonly string[]): string[] {
  const removed = base.filter((id) => !mine.includes(id) || !theirs.includes(id));
  const [first, second] = isReordered(base, theirs) && !isReordered(base, mine) ? [theirs, mine] : [mine, theirs];
  const kept = first.filter((id) => !removed.includes(id));
  return [...kept, ...second.filter((id) => !kept.includes(id) && !removed.includes(id))];
}

const setMember = <T extends object>(object: T, member: string, from: object): T => {
  const copy = { ...object } as Members;
  if (member in from) copy[member] = (from as Members)[member];
  else delete copy[member];
  return copy as T;
};

function mergeWidgets(base: Config, mine: Config, theirs: Config, clashes: Clash[]): Widget[] {
  const find = (config: Config, id: string) => config.widgets.find((widget) => widget.id === id);
  const order = mergeIds([], mine.widgets.map((w) => w.id), theirs.widgets.map((w) => w.id));
  return order.flatMap((id) => {
    const [from, my, their] = [find(base, id), find(mine, id), find(theirs, id)];
    if (my && their) {
      return mergeMembers(from ?? ({} as Widget), my, their, ['id'], (member) =>
        clashes.push({
          what: `${my.title || 'A widget'}: ${member}`,
          takeTheirs: (doc) => ({
            ...doc,
            config: { ...doc.config, widgets: doc.config.widgets.map((widget) => (widget.id === id ? setMember(widget, member, their) : widget)) },
          }),
        }),
      );
    }
    const left = my ?? their;
    if (!left) return [];
    // New on one side: it is added. Removed on one side: it goes, unless the other side worked on it meanwhile.
    return !from || !same(left, from) ? [left] : [];
  });
}

/** Merges `mine` and `theirs`, which both came from `base`. */
export function merge(base: Doc, mine: Doc, theirs: Doc): Merged {
  const clashes: Clash[] = [];
  let { name } = mine;
  if (theirs.name !== base.name && theirs.name !== mine.name) {
    if (mine.name === base.name) name = theirs.name;
    else clashes.push({ what: 'Name', takeTheirs: (doc) => ({ ...doc, name: theirs.name }) });
  }
  const config: Config = {
    ...mergeMembers(base.config, mine.config, theirs.config, ['boardIds', 'widgets'], (member) =>
      clashes.push({
        what: member === 'filters' ? 'Filters' : member,
        takeTheirs: (doc) => ({ ...doc, config: setMember(doc.config, member, theirs.config) }),
      }),
    ),
    boardIds: mergeIds(base.config.boardIds, mine.config.boardIds, theirs.config.boardIds),
    widgets: mergeWidgets(base.config, mine.config, theirs.config, clashes),
  };
  return { doc: { name, config: withoutOverlaps(config) }, clashes };
}

/** Two people may have put different widgets into the same place. */
export const withoutOverlaps = (config: Config): Config =>
  placeWidgets(config, repaired(config.widgets.map((widget) => ({ id: widget.id, ...widget.layout }))));
