/** The agent's to-do list. */
import { Icon } from '@shell/components';
import { planCount, type PlanStep } from './transcript';

const WORDS: Readonly<Record<PlanStep['status'], string>> = {
  pending: 'to do',
  inProgress: 'in progress',
  completed: 'done',
};

export function PlanList({ plan }: { plan: readonly PlanStep[] }) {
  const { done, all } = planCount(plan);
  return (
    <div className="plan">
      <p className="plan-head" data-unsearched>{`To-do: ${done} of ${all} done`}</p>
      <ul>
        {plan.map((step, at) => (
          <li key={at} data-status={step.status}>
            <Icon
              name={step.status === 'completed' ? 'check' : step.status === 'inProgress' ? 'chevronRight' : 'circle'}
              size={12}
            />
            <span>{step.content}</span>
            <span className="sr-only">{`, ${WORDS[step.status]}`}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
