/** Approves or denies an agent's message. */
import { Button } from '@shell/components';
import { scheduleOf, useMessageActions, type ScheduledMessage } from './data';
import './scheduled.css';

const TARGETS = {
  inbox: 'Sends it to your inbox',
  session: 'Sends it to a session',
  hub: 'Starts a session with it',
} as const;

export function Approval({ message }: { message: ScheduledMessage }) {
  const { approve, deny } = useMessageActions();
  return (
    <div className="scheduled-approval" role="group" aria-label={`Approval of ${message.title}`}>
      <p>{`${TARGETS[message.target]}: ${scheduleOf(message)}`}</p>
      <Button variant="primary" onPress={() => void approve(message.id)}>
        Approve
      </Button>
      <Button onPress={() => void deny(message.id)}>Deny</Button>
    </div>
  );
}
