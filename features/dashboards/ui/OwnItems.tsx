/** Of which boards and items one widget is, beside what the dashboard chooses for all. */
import { Checkbox } from '@shell/components';
import type { Filters, InertRule } from '@shell/engine/types';
import { RuleList } from '@shell/filters/RuleList';
import { useRules } from '@shell/filters/useRules';
import { namesOf, useMembers } from '@shell/members';
import type { Json } from '@shell/settings';
import type { BoardInfo } from './boards';
import { subjectOf } from './filter/subject';
import type { JsonObject } from './model';

/** The boards that a widget with these settings is of: the dashboard's, or those of them that it names. */
export const ownBoards = ({ boards: only }: JsonObject, boards: readonly BoardInfo[]): BoardInfo[] =>
  boards.filter(({ id }) => !Array.isArray(only) || only.includes(id));

interface OwnProps {
  settings: JsonObject;
  onChange: (settings: JsonObject) => void;
  /** Those that can be read. */
  boards: readonly BoardInfo[];
  /** All that are connected: one that cannot be read now is left out by nobody. */
  boardIds: readonly string[];
}

/** Chooses some of the connected boards. While all are chosen, those that are connected later count too. */
export function OwnBoards({ settings, onChange, boards, boardIds }: OwnProps) {
  const only = Array.isArray(settings.boards) ? settings.boards : null;
  if (boards.length < 2 && !only) return null;
  const toggle = (id: string, isOn: boolean) => {
    const { boards: _all, ...rest } = settings;
    const before = only ?? boardIds;
    const next = isOn ? [...before, id] : before.filter((one) => one !== id);
    onChange(boardIds.every((one) => next.includes(one)) ? rest : { ...rest, boards: next });
  };
  return (
    <fieldset className="mapping">
      <legend className="field-label">Boards of this widget</legend>
      {boards.map(({ id, name }) => (
        <Checkbox key={id} isSelected={only?.includes(id) ?? true} onChange={(isOn) => toggle(id, isOn)}>
          {name}
        </Checkbox>
      ))}
    </fieldset>
  );
}

interface OwnRulesProps {
  label: string;
  /** The stored rules, in whatever form. */
  rules: Json | undefined;
  /** Nothing where none is left. */
  onRules: (rules: Json[] | undefined) => void;
  boards: readonly BoardInfo[];
  inert: readonly InertRule[];
}

/** Rules that only one widget has. */
export function OwnRules({ label, rules, onRules, boards, inert }: OwnRulesProps) {
  const { data: members = [] } = useMembers();
  const filter: Filters = { v: 1, people: null, all: (Array.isArray(rules) ? rules : []) as unknown as Filters['all'] };
  const subject = subjectOf(boards);
  const handle = useRules(subject, namesOf(members), filter, (next) =>
    onRules(next?.all as unknown as Json[] | undefined),
  );
  return (
    <div className="own-rules">
      <span className="field-label">{label}</span>
      <RuleList label={label} subject={subject} handle={handle} members={members} inert={inert} />
    </div>
  );
}
