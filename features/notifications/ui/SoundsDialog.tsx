/** Chooses the sound of each kind of notification, and mutes all. */
import { Dialog, ErrorState, IconButton, Loading, Select, Switch } from '@shell/components';
import { useSoundActions, useSounds, useTestNotification, type Sounds } from './data';
import './sounds.css';

export function SoundsDialog({ onClose }: { onClose: () => void }) {
  const { data, error, refetch } = useSounds();
  return (
    <Dialog isOpen onClose={onClose} title="Notification sounds" size="medium">
      {error && !data ? (
        <ErrorState title="Couldn't load sounds" error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Choices sounds={data} />
      ) : (
        <Loading label="Loading sounds" />
      )}
    </Dialog>
  );
}

function Choices({ sounds }: { sounds: Sounds }) {
  const { choose, mute } = useSoundActions();
  const test = useTestNotification();
  const options = sounds.choices.map(({ sound, label, problem }) => ({
    value: sound,
    label,
    ...(problem ? { description: 'Not available' } : {}),
  }));
  const used = new Set(sounds.kinds.map(({ sound }) => sound));
  const problems = new Set(
    sounds.choices.filter(({ sound }) => used.has(sound)).flatMap(({ problem }) => problem ?? []),
  );
  return (
    <>
      <Switch isSelected={sounds.muted} onChange={(muted) => mute.mutate(muted)}>
        Mute all notification sounds
      </Switch>
      {[...problems].map((problem) => (
        <p key={problem} className="sounds-problem">
          Some chosen sounds aren&apos;t heard. {problem}
        </p>
      ))}
      <ul className="sounds-kinds">
        {sounds.kinds.map(({ kind, label, sound, isDefault }) => (
          <li key={kind}>
            <Select
              label={label}
              value={sound}
              options={options}
              isDisabled={sounds.muted}
              onChange={(next) => choose.mutate({ kind, sound: next })}
            />
            <IconButton icon="bell" label={`Test ${label}`} onPress={() => test.mutate(kind)} />
            <IconButton
              icon="reset"
              label={`Use default for ${label}`}
              isDisabled={isDefault || sounds.muted}
              onPress={() => choose.mutate({ kind })}
            />
          </li>
        ))}
      </ul>
    </>
  );
}
