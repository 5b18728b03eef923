import { Button as AriaButton } from 'react-aria-components';
import { calledOf, useMembers } from '@shell/members';
import { useInvited } from './data';

/** More are a number. */
const SHOWN_MAX = 4;

/** The first letters of a name's first and last word. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/).filter(Boolean);
  const first = (word = '') => [...word][0]?.toLocaleUpperCase() ?? '';
  return first(words[0]) + (words.length > 1 ? first(words.at(-1)) : '');
}

/** Who is invited, in the head; nothing where nobody is. */
export function InvitedFaces({ dashboardId, onPress }: { dashboardId: string; onPress: () => void }) {
  const { data: members = [] } = useMembers();
  const { data: invited = [] } = useInvited(dashboardId);
  if (invited.length === 0) return null;
  const names = invited.map(({ memberId }) => calledOf(memberId, members));
  return (
    <AriaButton className="faces" aria-label={`Invited: ${names.join(', ')}`} onPress={onPress}>
      {names.slice(0, SHOWN_MAX).map((name, at) => (
        <span key={invited[at]?.memberId} className="face" aria-hidden="true" title={name}>
          {initials(name)}
        </span>
      ))}
      {names.length > SHOWN_MAX && <span aria-hidden="true">{`+${names.length - SHOWN_MAX}`}</span>}
    </AriaButton>
  );
}
