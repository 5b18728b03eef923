/** Answers for tests, as the engine gives them. */
import type { Coverage, Results, Role } from '@shell/engine/types';
import type { WidgetAnswer } from './engine';

export const coverage: Coverage = {
  boardsUsed: 1,
  boardsTotal: 1,
  itemsUsed: 214,
  itemsSkipped: 0,
  itemsTotal: 214,
  skippedWhy: [],
  inertRules: [],
  reach: [],
};

/** A role that any column of these types can play. */
export const role = (name: string, ...types: string[]): Role => ({ name, types, required: true });

/** An answer with a result; `more` in its place. */
export function answerOf<Kind extends keyof Results>(
  kind: Kind,
  result?: Results[Kind],
  more: Partial<WidgetAnswer> = {},
): WidgetAnswer {
  return {
    id: 'w',
    kind,
    state: { name: 'ok' },
    coverage,
    roles: [],
    cols: {},
    approximate: false,
    reasons: [],
    ...(result ? { result } : {}),
    ...more,
  } as WidgetAnswer;
}
