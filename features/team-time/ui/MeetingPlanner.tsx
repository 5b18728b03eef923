/** Finds times of a day at which everybody works. */
import { useState } from 'react';
import { Checkbox, CopyButton, ErrorState, Loading, Select, TextField } from '@shell/components';
import { useMeetingPlan, type TeamPerson, type TeamPlan } from './data';

const LENGTHS = [30, 60, 90, 120].map((minutes) => ({ value: minutes, label: `${minutes} minutes` }));

export function MeetingPlanner({ people, timeZone }: { people: readonly TeamPerson[]; timeZone: string }) {
  const [date, setDate] = useState(() => new Date().toLocaleDateString('sv', { timeZone }));
  const [minutes, setMinutes] = useState(30);
  const [left, setLeft] = useState<readonly string[]>([]);
  const chosen = people.filter(({ id }) => !left.includes(id));
  const {
    data: plan,
    error,
    refetch,
  } = useMeetingPlan(
    date,
    timeZone,
    minutes,
    chosen.map(({ id }) => id),
  );
  return (
    <section className="team-planner" aria-label="Meeting planner">
      <h2>Meeting planner</h2>
      <div className="team-pair">
        <TextField label="Date" type="date" value={date} onChange={setDate} />
        <Select label="Length" options={LENGTHS} value={minutes} onChange={setMinutes} />
      </div>
      {chosen.length === 0 ? (
        <p>Choose at least one person.</p>
      ) : date === '' ? (
        <p>Choose a date.</p>
      ) : error && !plan ? (
        <ErrorState title="Couldn't load working hours" error={error} onRetry={() => void refetch()} />
      ) : plan ? (
        <Common plan={plan} />
      ) : (
        <Loading label="Loading working hours" />
      )}
      <div className="team-grid-scroll" tabIndex={0} role="region" aria-label="Working hours by half hour">
        <table className="team-grid">
          <caption>{`Working hours on ${date}, ${timeZone}`}</caption>
          <thead>
            <tr>
              <th scope="col">Person</th>
              {plan?.slots.map(({ start, time }) => (
                <th key={start} scope="col">
                  {time.endsWith(':00') ? time.slice(0, 2) : <span className="sr-only">{time}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {people.map(({ id, name }) => (
              <tr key={id}>
                <th scope="row">
                  <Checkbox
                    isSelected={!left.includes(id)}
                    onChange={(isSelected) =>
                      setLeft((before) => (isSelected ? before.filter((one) => one !== id) : [...before, id]))
                    }
                  >
                    {name}
                  </Checkbox>
                </th>
                {plan?.slots.map(({ start, time, working, isCommon }) => (
                  <td
                    key={start}
                    data-works={working.includes(id) || undefined}
                    data-common={(isCommon && working.includes(id)) || undefined}
                  >
                    <span className="sr-only">{working.includes(id) ? `${time} working` : ''}</span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** The spans that suit everybody, or else the half hours that suit most. */
function Common({ plan }: { plan: TeamPlan }) {
  const clock = (at: string) =>
    new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', timeZone: plan.timeZone });
  const span = ({ start, end }: { start: string; end: string }) => `${clock(start)} – ${clock(end)}`;
  if (plan.common.length === 0) {
    const first = plan.best[0];
    return (
      <p role="status">
        {first
          ? `No time works for everyone. Most people work at ${plan.best.map(({ start }) => clock(start)).join(', ')}.`
          : 'Nobody works on this day.'}
      </p>
    );
  }
  const text = plan.common.map(span).join(', ');
  return (
    <p role="status" className="team-common">
      {`Everyone is working: ${text}`}
      <CopyButton label="Copy times" text={`${plan.date} ${text} (${plan.timeZone})`} />
    </p>
  );
}
