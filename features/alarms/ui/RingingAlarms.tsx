/** Shows alarms that ring on every page: a dialog or a banner. The program plays the sound. */
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button, Icon } from '@shell/components';
import { useSetting } from '@shell/settings';
import { useShortcuts } from '@shell/shortcuts';
import { nameOf, useAlarmActions, useRinging, type Alarm } from './data';
import './ringing.css';

export function RingingAlarms() {
  const { data: alarms = [] } = useRinging();
  const assertiveness = useSetting('alarmsAssertiveness');
  if (alarms.length === 0) return null;
  return assertiveness === 'modal' ? <RingingDialog alarms={alarms} /> : <RingingBanner alarms={alarms} />;
}

/** Traps the focus until each alarm is answered. */
function RingingDialog({ alarms }: { alarms: readonly Alarm[] }) {
  return (
    <ModalOverlay className="scrim" isOpen isKeyboardDismissDisabled>
      <Modal className="modal modal-small">
        <Dialog role="alertdialog" className="dialog">
          <div className="dialog-head">
            <Heading slot="title" className="dialog-title">
              {alarms.length === 1 ? 'Alarm' : 'Alarms'}
            </Heading>
          </div>
          <RingingKeys alarms={alarms} />
          <ul className="ringing-list dialog-body">
            {alarms.map((alarm, index) => (
              <RingingAlarm key={alarm.id} alarm={alarm} isFocused={index === 0} />
            ))}
          </ul>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function RingingBanner({ alarms }: { alarms: readonly Alarm[] }) {
  return (
    <section className="ringing-banner" aria-label="Ringing alarms" role="alert">
      <RingingKeys alarms={alarms} />
      <ul className="ringing-list">
        {alarms.map((alarm) => (
          <RingingAlarm key={alarm.id} alarm={alarm} />
        ))}
      </ul>
    </section>
  );
}

/** Keys for the newest alarm. */
function RingingKeys({ alarms }: { alarms: readonly Alarm[] }) {
  const { snooze, dismiss } = useAlarmActions();
  const [alarm] = alarms;
  useShortcuts('Alarm', [
    { keys: 'z d', label: 'Dismiss alarm', run: () => void (alarm && dismiss(alarm)) },
    { keys: 'z s', label: 'Snooze alarm', run: () => (alarm?.canSnooze ? void snooze(alarm) : false) },
  ]);
  return null;
}

function RingingAlarm({ alarm, isFocused = false }: { alarm: Alarm; isFocused?: boolean }) {
  const { snooze, dismiss } = useAlarmActions();
  const name = nameOf(alarm);
  return (
    <li className="ringing-alarm">
      <Icon name="bell" />
      <span className="ringing-name">
        {name}
        <span className="ringing-time">{alarm.time.slice(0, 5)}</span>
      </span>
      {alarm.canSnooze && (
        <Button onPress={() => void snooze(alarm)} aria-label={`Snooze ${name} ${alarm.snoozeMinutes} minutes`}>
          {`Snooze ${alarm.snoozeMinutes} min`}
        </Button>
      )}
      <Button
        variant="primary"
        autoFocus={isFocused}
        onPress={() => void dismiss(alarm)}
        aria-label={`Dismiss ${name}`}
      >
        Dismiss
      </Button>
    </li>
  );
}
