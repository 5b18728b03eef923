/** Rules for this visit only: "Only this" of a chart. They are stored nowhere. */
import { useMemo, useState } from 'react';
import type { ChartCategory, ColRef, Rule } from '@shell/engine/types';
import { familyOf } from '@shell/filters/rules';
import type { BoardInfo } from '../boards';
import type { Configured } from '../widgets/kind';

/** A rule of this visit, and what it is called. */
export interface SessionRule {
  rule: Rule;
  text: string;
}

/** The rules of this visit and what changes them. */
export interface Session {
  all: readonly SessionRule[];
  rules: readonly Rule[];
  add: (one: SessionRule) => void;
  drop: (id: string) => void;
  clear: () => void;
}

export function useSession(): Session {
  const [all, setAll] = useState<readonly SessionRule[]>([]);
  const rules = useMemo(() => all.map(({ rule }) => rule), [all]);
  return {
    all,
    rules,
    // A rule takes the place of the one about the same.
    add: (one) => setAll((now) => [...now.filter(({ rule }) => rule.id !== one.rule.id), one]),
    drop: (id) => setAll((now) => now.filter(({ rule }) => rule.id !== id)),
    clear: () => setAll([]),
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The rule that leaves what one category of a chart stands for; `null` where no rule can say that. */
export function onlyThis(
  widgetId: string,
  { settings, cols }: Configured,
  { kind, key, label }: ChartCategory,
  boards: readonly BoardInfo[],
): SessionRule | null {
  const by = isObject(settings.x) && typeof settings.x.by === 'string' ? settings.x.by : 'column';
  const made = (col: ColRef, op: string, value?: unknown): SessionRule => ({
    text: label,
    rule: { id: `only ${widgetId}`, col, op, ...(value === undefined ? {} : { value }) },
  });
  if (kind === 'other') return null;
  if (by === 'board' || by === 'group') {
    const col: ColRef = { by: 'builtin', name: by };
    return kind === 'empty' ? made(col, 'isEmpty') : made(col, 'anyOf', [by === 'board' ? key : label]);
  }
  if (by === 'name') return made({ by: 'builtin', name: 'name' }, 'is', label);
  if (by !== 'column') return null;
  const ids = cols.x ?? {};
  const column = boards.flatMap((board) => board.columns.filter(({ id }) => ids[board.id]?.includes(id)))[0];
  const col: ColRef = { by: 'ids', ids };
  switch (column && familyOf(column.type)) {
    case 'label':
      return kind === 'empty' ? made(col, 'isEmpty') : made(col, 'anyOf', [label]);
    case 'people':
      return kind === 'empty' ? made(col, 'isEmpty') : made(col, 'anyOf', [key]);
    case 'tags':
      return kind === 'empty' ? made(col, 'isEmpty') : made(col, 'hasAny', [label]);
    case 'text':
      return kind === 'empty' ? made(col, 'isEmpty') : made(col, 'is', label);
    default:
      return null;
  }
}
