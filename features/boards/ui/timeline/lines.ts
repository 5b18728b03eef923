/** The lines of a timeline: groups, and the items below each that is open. */
import type { Group } from '../data';
import { groupsOf } from '../kanban/stacks';
import type { BoardTable } from '../table';

export type TimelineLine = { group: Group; count: number; isFolded: boolean } | number;

/** Lines in the order of the view. `rows` are those of the view, or null for all. */
export function linesOf(table: BoardTable, rows: Iterable<number> | null, folded: ReadonlySet<string>): TimelineLine[] {
  const byGroup = new Map<string, number[]>(table.meta.groups.map((group) => [group.id, []]));
  const groups = groupsOf(table);
  for (const row of rows ?? groups.keys()) byGroup.get(groups.get(row) ?? '')?.push(row);
  return table.meta.groups.flatMap((group) => {
    const own = byGroup.get(group.id) ?? [];
    const isFolded = folded.has(group.id);
    const head: TimelineLine[] = [{ group, count: own.length, isFolded }];
    return isFolded ? head : head.concat(own);
  });
}
