/** Team time: types, queries, and actions. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { useReported } from '@shell/requests';

export type TeamPerson = Schemas['TeamPerson'];
export type TeamPlan = Schemas['TeamPlan'];
export type TeamStatus = Schemas['TeamStatus'];
/** Fields of a person that can be set. A member's name and time zone can't. */
export type PersonFields = Partial<Pick<TeamPerson, 'name' | 'timeZone' | 'start' | 'end'>> & { days?: string[] };

/** The start of this feature's query keys. */
const TEAM = ['team'];
/** Local times are shown to the minute. */
const AGAIN_MS = 15_000;

/** Weekdays in order, with their names. */
export const DAYS = [
  { day: 'mon', label: 'Monday', short: 'Mon' },
  { day: 'tue', label: 'Tuesday', short: 'Tue' },
  { day: 'wed', label: 'Wednesday', short: 'Wed' },
  { day: 'thu', label: 'Thursday', short: 'Thu' },
  { day: 'fri', label: 'Friday', short: 'Fri' },
  { day: 'sat', label: 'Saturday', short: 'Sat' },
  { day: 'sun', label: 'Sunday', short: 'Sun' },
] as const;

/** The people with their local times now. */
export const useTeam = () =>
  useQuery({
    queryKey: [...TEAM, 'now'],
    queryFn: ({ signal }) => client.get('/team', { signal }),
    refetchInterval: AGAIN_MS,
  });

/** Who works when on a day. */
export const useMeetingPlan = (date: string, timeZone: string, minutes: number, personIds: readonly string[]) =>
  useQuery({
    queryKey: [...TEAM, 'plan', date, timeZone, minutes, ...personIds],
    queryFn: ({ signal }) =>
      client.get('/team/plan', { query: { date, timeZone, minutes, personIds: [...personIds] }, signal }),
    enabled: date !== '' && personIds.length > 0,
    placeholderData: keepPreviousData,
  });

/** Actions on people. Each shows its failures and loads the team again. */
export function usePersonActions() {
  const then = useReported(TEAM);
  return {
    create: (body: PersonFields) =>
      then("Couldn't add person", client.post('/team/people', { body: body as Required<PersonFields> })),
    update: (person: TeamPerson, body: PersonFields) =>
      then("Couldn't change person", client.patch('/team/people/{personId}', { path: { personId: person.id }, body })),
    remove: (person: TeamPerson) =>
      then("Couldn't delete person", client.delete('/team/people/{personId}', { path: { personId: person.id } })),
  };
}
