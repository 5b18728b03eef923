/** What is said about answers: the engine's codes in sentences. */
import type { Coverage, InertRule, OwnList, Rule } from '@shell/engine/types';
import { NO_VALUE, NO_VALUES as SAID, NONE_MATCH, NONE_MATCH_OWN } from '@shell/gen/titles';
import { goesOn, wrongWith, type Subject } from '@shell/filters/rules';
import { objectOf, type JsonObject } from './model';
import { filled } from './titles';

/** `3 items`. */
export const counted = (count: number, noun: string) => `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`;

/** How percents of a whole are rounded, in every widget that has them. */
export const WHOLE_PERCENTS =
  'Percentages are rounded to whole numbers that add up to 100. A part above zero shows at least 1.';

const SKIPPED: Record<string, string> = {
  'empty-value': 'without a value',
  'empty-category': 'in no category',
  'other-type': 'with another column type',
  'no-sprint': 'in no sprint',
  'other-sprint': 'in other sprints',
  cancelled: 'canceled',
};

/** What was left out and why, a line each. */
export const skippedLines = ({ skippedWhy }: Coverage): string[] =>
  skippedWhy.map(({ reason, items = 0, boards = [] }) => {
    if (reason === 'subitem') return `${counted(items, 'subitem')} not counted`;
    if (reason === 'unmapped') return `${counted(boards.length, 'board')} without a column for it`;
    if (reason === 'failed') return `couldn't load ${counted(boards.length, 'board')}`;
    return `${counted(items, 'item')} ${SKIPPED[reason] ?? reason}`;
  });

/** Subitems that are not counted. */
export const subitemsLeft = ({ skippedWhy }: Coverage): number =>
  skippedWhy.find(({ reason }) => reason === 'subitem')?.items ?? 0;

/** Why a result is not exact, or is to be read with care. */
const REASONS: Record<string, string> = {
  'mixed-units': 'The columns have different units or currencies, so the total has none.',
  'too-large': 'The result is too large for a number.',
  'inferred-dates': 'Some sprints have no dates. Theirs are estimated from their items.',
  'created-after-start':
    "There is no history of when items joined a sprint, so items created or imported after it began count as unplanned. Daily snapshots (in the dashboard's menu) make coming sprints exact.",
  'no-history':
    "There is no history, so each day is estimated from when items were created and finished. Daily snapshots (in the dashboard's menu) make coming sprints exact.",
  'days-missing': 'Daily snapshots are missing days of this sprint. They must start on its first day.',
  'gone-items': "Deleted items are left out of past days, because filters can't check them.",
  'undated-sprints': "Some sprints have no dates. They're listed last and left out of averages.",
  'impossible-days': 'Some sprints end before they start. They count as having no dates.',
};

/** Reasons in words; those that are states of their own are not repeated. */
export const reasonLines = (reasons: readonly string[]): string[] =>
  reasons.flatMap((reason) => REASONS[reason] ?? (NO_VALUES[reason] || reason === 'own-rules' ? [] : [reason]));

/** What can be done about a widget without values. */
export interface NoValues {
  words: string;
  /** On the button; it opens the settings, or makes this change to them. */
  action: string;
  change?: JsonObject;
}

/** Why a widget has no values, by the first of its reasons that says it. */
const NO_VALUES: Record<string, NoValues> = {
  'negative-pie': { words: SAID['negative-pie'], action: 'Show as columns', change: { variant: 'column' } },
  'no-sprints': {
    words: `${SAID['no-sprints']} Give items a sprint, or choose another sprint column.`,
    action: 'Choose columns',
  },
  'only-future-sprints': { words: SAID['only-future-sprints'], action: 'Edit widget' },
  'no-done-labels': {
    words: `${SAID['no-done-labels']} Mark one on the board, or choose it here.`,
    action: 'Choose labels',
  },
  'undated-sprints': {
    words: `${SAID['undated-sprints']} Set their dates, or choose a date column.`,
    action: 'Set dates',
  },
  'sprint-gone': { words: SAID['sprint-gone'], action: 'Show current sprint', change: { sprint: null } },
  'nothing-estimated': { words: SAID['nothing-estimated'], action: 'Choose columns' },
  'none-met': { words: SAID['none-met'], action: 'Edit widget' },
  'inert-rules': { words: SAID['inert-rules'], action: 'Edit widget' },
  'too-large': { words: SAID['too-large'], action: 'Edit widget' },
};

/** Why nothing is shown though there are items: the filters of all widgets, or the widget's own rules where those let items pass. */
export const allFiltered = (reasons: readonly string[], total: number): { words: string; isOwn: boolean } => {
  const isOwn = reasons.includes('own-rules');
  return { words: filled(isOwn ? NONE_MATCH_OWN : NONE_MATCH, counted(total, 'item')), isOwn };
};

/** Why there are no values, and the remedy. */
export function noValues(reasons: readonly string[], coverage: Coverage): NoValues {
  const known = reasons.flatMap((reason) => NO_VALUES[reason] ?? []);
  // Only subitems may have what is asked for.
  if (reasons.includes('no-sprints') && subitemsLeft(coverage) > 0)
    return {
      words: `${SAID['no-sprints']} ${counted(subitemsLeft(coverage), 'subitem')} ${subitemsLeft(coverage) === 1 ? "isn't" : "aren't"} counted.`,
      action: 'Include subitems',
      change: { includeSubitems: true },
    };
  return (
    known[0] ?? {
      words: filled(NO_VALUE, counted(coverage.itemsUsed + coverage.itemsSkipped, 'item')),
      action: 'Edit widget',
    }
  );
}

/** The rules that choose the items of a widget with these settings. */
export const choosingRules = ({ rules }: JsonObject): unknown[] => (Array.isArray(rules) ? rules : []);

/** Those that an item meets to be in its share, or to divide. */
export const metRules = ({ ratio, per }: JsonObject): unknown[] => choosingRules(objectOf(ratio ?? per));

/** The rules of a widget itself, by where its settings have them. */
export const ownRules = (settings: JsonObject): Record<OwnList, unknown[]> => ({
  rules: choosingRules(settings),
  ratio: choosingRules(objectOf(settings.ratio)),
  per: choosingRules(objectOf(settings.per)),
});

/** The rules of some entries, those of groups among them. */
export const rulesIn = (entries: readonly unknown[]): JsonObject[] =>
  entries.map(objectOf).flatMap((entry) => (Array.isArray(entry.any) ? entry.any.map(objectOf) : [entry]));

/** What a widget is asked with: the rules of all widgets, and its own lists. Each may have ids that another has too. */
export interface AskedRules extends Partial<Record<OwnList, readonly unknown[]>> {
  shared: readonly unknown[];
}

/** The rules of one of these lists that do nothing on any of the boards that were asked: also those that none of them has the column of. */
export const idle = (coverage: Coverage | undefined, list: keyof AskedRules): InertRule[] => {
  const isListed = ({ own }: { own?: OwnList }) => (own ?? 'shared') === list;
  const nowhere = (coverage?.reach ?? []).filter(({ rule, boards, of }) => rule !== 'people' && boards === 0 && of > 0);
  return [
    ...(coverage?.inertRules ?? []).filter(isListed),
    ...nowhere.filter(isListed).map(({ rule }): InertRule => ({ id: rule, reason: 'unknown-column' })),
  ];
};

/** The rule that the engine tells of; none where that is the people control. */
export const ruleTold = (asked: AskedRules, told: { id: string; own?: OwnList }): Rule | undefined =>
  rulesIn(asked[told.own ?? 'shared'] ?? []).find(({ id, col }) => id === told.id && objectOf(col).by !== undefined) as
    Rule | undefined;

/** What a rule is about; what the boards do not have is called as the rule calls it. */
export function nameOfRule(rule: Rule | undefined, { fieldOf }: Pick<Subject, 'fieldOf'>): string | undefined {
  const { title, name } = objectOf(rule?.col);
  return rule && (fieldOf(rule)?.title ?? [title, name].find((called) => typeof called === 'string'));
}

/** Rules that do nothing or less than they were meant to, or do not reach every board, a line each. */
export function ruleLines(
  { inertRules, reach, labels = [] }: Coverage,
  asked: AskedRules,
  subject: Pick<Subject, 'fieldOf'>,
): string[] {
  const nameOf = (told: { id: string; own?: OwnList }) =>
    nameOfRule(ruleTold(asked, told), subject) ?? (told.id === 'people' ? 'People' : 'a column');
  return [
    ...inertRules.map(
      (rule) =>
        `The rule about ${nameOf(rule)} ${goesOn(rule) ? 'is partly applied' : 'has no effect'}: ${wrongWith(rule)}.`,
    ),
    ...reach
      .filter(({ boards, of }) => boards < of)
      .map(
        ({ rule, boards, of, own }) =>
          `The rule about ${nameOf({ id: rule, own })} applies to ${boards} of ${of} boards. The others don't have that column.`,
      ),
    ...labels.map(
      ({ label, boards, of }) =>
        `${boards} of ${counted(of, 'board')} ${boards === 1 ? 'has' : 'have'} the label ${label} that a rule uses.`,
    ),
  ];
}
