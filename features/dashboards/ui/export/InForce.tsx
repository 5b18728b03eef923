/** What a printed dashboard and its picture say of the items in them: which filters were in force, and when. On the page the toolbar says it. */
import type { Filters as Asked, InertRule, Rule } from '@shell/engine/types';
import { entriesOf, goesOn, inWords, isUnfinished, personIn, wrongWith } from '@shell/filters/rules';
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

/** Each filter in words; what constrains nothing, or less than it was meant to, says why. */
export function inForce({ subject, members, filters, session, inert }: InForceProps): string[] {
  const stored: Asked = listed(filters);
  const people = peopleOf(filters);
  const names = [...(people?.ids ?? []).map((id) => personIn(id, members)), ...(people?.teams ?? []).map(() => 'a team')];
  const counts = (rule: Rule) => !rule.off && !isUnfinished(rule, subject.fieldOf(rule));
  const said = (rule: Rule) => {
    const wrong = inert.find(({ id }) => id === rule.id);
    return `${inWords(subject, rule, members)}${wrong ? ` (${goesOn(wrong) ? 'in part' : 'constrains nothing'}: ${wrongWith(wrong)})` : ''}`;
  };
  const rules = entriesOf(stored).map((entry) => entry.filter(counts).map(said).join(', or '));
  return [...(names.length > 0 ? [`People: ${names.join(', ')}`] : []), ...rules.filter(Boolean), ...session.map(({ text }) => `Only ${text}`)];
}

const when = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'short' });

export function InForce(props: InForceProps) {
  const all = inForce(props);
  return (
    <p className="dash-force" data-testid="in-force">
      {all.length > 0 ? `Filtered: ${all.join('; ')}.` : 'All items.'}
      {props.at_ms !== null && ` As of ${when.format(props.at_ms)}.`}
    </p>
  );
}
