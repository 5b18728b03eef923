/** Team time: local times, working hours, and a meeting planner. */
import { useState } from 'react';
import { Button, EmptyState, ErrorState, IconButton, Loading, Page, toast } from '@shell/components';
import { formatInstant } from '@shell/dates';
import { MeetingPlanner } from './MeetingPlanner';
import { PersonDialog } from './PersonDialog';
import { usePersonActions, useTeam, type TeamPerson, type TeamStatus } from './data';
import './team.css';

const STATUS: Record<TeamStatus, string> = { working: 'Working', outside: 'Outside working hours', dayOff: 'Day off' };

export default function TeamPage() {
  const { data: team, error, refetch } = useTeam();
  const [edited, setEdited] = useState<TeamPerson | 'new' | null>(null);
  const add = (
    <Button icon="plus" onPress={() => setEdited('new')}>
      Add person
    </Button>
  );
  return (
    <Page title="Team time" actions={add}>
      {error && !team ? (
        <ErrorState title="Couldn't load the team" error={error} onRetry={() => void refetch()} />
      ) : !team ? (
        <Loading label="Loading the team" />
      ) : team.items.length === 0 ? (
        <EmptyState icon="clock" title="No people">
          {team.membersWithoutTimeZone.length > 0
            ? 'Set the time zone of members on the Members page, or add a person here.'
            : 'Add people to see their local times and find times for meetings.'}
        </EmptyState>
      ) : (
        <div className="team">
          <ul className="team-people" aria-label="People">
            {team.items.map((person) => (
              <PersonCard key={person.id} person={person} onEdit={() => setEdited(person)} />
            ))}
          </ul>
          {team.membersWithoutTimeZone.length > 0 && (
            <p className="team-note">
              {`Without a time zone: ${team.membersWithoutTimeZone.join(', ')}. Set it on the Members page.`}
            </p>
          )}
          <MeetingPlanner people={team.items} timeZone={team.timeZone} />
        </div>
      )}
      {edited && <PersonDialog person={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
    </Page>
  );
}

function PersonCard({ person, onEdit }: { person: TeamPerson; onEdit: () => void }) {
  const { create, update, remove } = usePersonActions();
  const { name, timeZone, days, start, end } = person;
  const removed = async () => {
    if (!(await remove(person))) return;
    const restore = person.isMember
      ? () => void update(person, { days, start, end })
      : () => void create({ name, timeZone, days, start, end });
    toast.done(person.isMember ? `Reset the working hours of ${name}` : `Deleted ${name}`, { undo: restore });
  };
  return (
    <li className="team-person" data-status={person.status}>
      <div className="team-who">
        <strong>{name}</strong>
        <span className="team-zone">{`${timeZone} (${offsetText(person.offsetMinutes)})`}</span>
      </div>
      <div className="team-clock">
        <span className="team-now">{person.time}</span>
        <span>{dayText(person.day)}</span>
      </div>
      <div className="team-status">
        <span>{STATUS[person.status]}</span>
        {person.changesAt && (
          <span className="team-zone">
            {`${person.status === 'working' ? 'Until' : 'Back'} ${formatInstant(person.changesAt)} your time`}
          </span>
        )}
      </div>
      <div className="team-buttons">
        <IconButton icon="edit" label={`Edit ${name}`} onPress={onEdit} />
        <IconButton
          icon={person.isMember ? 'reset' : 'trash'}
          label={person.isMember ? `Reset the working hours of ${name}` : `Delete ${name}`}
          onPress={() => void removed()}
        />
      </div>
    </li>
  );
}

/** A date of another place, shown as it is there. */
function dayText(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  return date.toLocaleDateString(undefined, { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });
}

function offsetText(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const sign = minutes < 0 ? '−' : '+';
  return `UTC${sign}${hours}${rest > 0 ? `:${String(rest).padStart(2, '0')}` : ''}`;
}
