/** What a printed dashboard and its picture say of the items in them: which filters were in force, and when. On the page the toolbar says it. */
import type { Filters as Asked, InertRule, Rule } from '@shell/engine/types';
import { entriesOf, goesOn, inWords, isUnfinished, personIn, wrongWith } from '@shell/filters/rules';
import { formatInstant } from '@shell/dates';
import { listed, peopleOf } from '../filter/filters';
import type { BoardsSubject } from '../filter/subject';
import type { Filters } from '../model';
import type { SessionRule } from '../toolbar/session';

export interface InForceProps {
  subject: BoardsSubject;
  /** Names of members by their ids. */
  members: ReadonlyMap<string, string>;
  filters: Filters;
  session: readonly SessionRule[];
  inert: readonly InertRule[];
  /** When what is shown was computed. */
  at_ms: number | null;
}

/** Rules in words, those of which one is enough as one; what has no effect, or less than it was meant to, says why. */
export function rulesSaid(
  all: readonly unknown[],
  { subject, members, inert }: Pick<InForceProps, 'subject' | 'members' | 'inert'>,
): string[] {
  const counts = (rule: Rule) => !rule.off && !isUnfinished(rule, subject.fieldOf(rule));
  const said = (rule: Rule) => {
    const wrong = inert.find(({ id }) => id === rule.id);
    return `${inWords(subject, rule, members)}${wrong ? ` (${goesOn(wrong) ? 'in part' : 'has no effect'}: ${wrongWith(wrong)})` : ''}`;
  };
  const entries = entriesOf({ v: 1, people: null, all: [...all] as Asked['all'] });
  return entries.map((entry) => entry.filter(counts).map(said).join(', or ')).filter(Boolean);
}

/** Each filter in words. */
export function inForce(props: InForceProps): string[] {
  const { members, filters, session } = props;
  const people = peopleOf(filters);
  const names = [
    ...(people?.ids ?? []).map((id) => personIn(id, members)),
    ...(people?.teams ?? []).map(() => 'a team'),
  ];
  return [
    ...(names.length > 0 ? [`People: ${names.join(', ')}`] : []),
    ...rulesSaid(listed(filters).all, props),
    ...session.map(({ text }) => `Only ${text}`),
  ];
}

/** `name` is the dashboard's, for the picture: paper has the page's own heading. */
export function InForce({ name, ...props }: InForceProps & { name: string }) {
  const all = inForce(props);
  return (
    <>
      <p className="dash-picture-name">{name}</p>
      <p className="dash-force" data-testid="in-force">
        {all.length > 0 ? `Filtered: ${all.join('; ')}.` : 'All items.'}
        {props.at_ms !== null && ` As of ${formatInstant(props.at_ms, 'long')}.`}
      </p>
    </>
  );
}
