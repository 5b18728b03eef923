/** The permission rules: what you always allow, where each counts, and a way to remove it. */
import { useRef } from 'react';
import { ErrorState, EmptyState, IconButton, Loading, Time } from '@shell/components';
import { useRules, useSessionActions, type Rule } from './data';
import { RuleText } from './RuleText';

const scopeOf = (rule: Rule): string => {
  if (rule.scope === 'session') return rule.sessionTitle ? `In the session ${rule.sessionTitle}` : 'In one session';
  if (rule.scope === 'hub') return rule.projectName ? `In the hub ${rule.projectName}` : 'In one hub';
  return 'Everywhere';
};

export function PermissionRules() {
  const { data: rules, error, refetch } = useRules();
  return (
    <section className="rules" tabIndex={-1} aria-labelledby="permission-rules">
      <h2 id="permission-rules">Permission rules</h2>
      {error && !rules ? (
        <ErrorState title="Couldn't load permission rules" error={error} onRetry={() => void refetch()} />
      ) : !rules ? (
        <Loading label="Loading permission rules" />
      ) : rules.length === 0 ? (
        <EmptyState icon="check" title="No permission rules">
          Choose &quot;Always allow&quot; on a request to add one.
        </EmptyState>
      ) : (
        <ul className="rules-list" aria-label="Permission rules">
          {rules.map((rule) => (
            <RuleLine key={rule.id} rule={rule} />
          ))}
        </ul>
      )}
    </section>
  );
}

function RuleLine({ rule }: { rule: Rule }) {
  const { removeRule } = useSessionActions();
  const line = useRef<HTMLLIElement>(null);
  const remove = () => {
    // The keyboard goes on with the rule beside it, or with the section.
    const next = line.current?.nextElementSibling ?? line.current?.previousElementSibling;
    const section = line.current?.closest<HTMLElement>('section');
    (next?.querySelector('button') ?? section)?.focus();
    void removeRule(rule.id);
  };
  return (
    <li className="rule" ref={line}>
      <div className="rule-what">
        <RuleText text={rule.allows} />
        <span className="rule-where">
          {scopeOf(rule)}, added <Time at={rule.createdAt} />
        </span>
      </div>
      <IconButton icon="trash" label={`Remove: ${rule.allows}`} onPress={remove} />
    </li>
  );
}
