/** Creates a preset, or changes one. */
import { useId, useState } from 'react';
import { Button, Dialog, NumberField, Select, TextField } from '@shell/components';
import { usePomodoroActions, type Preset, type PresetFields } from './data';

const FIRST: PresetFields = {
  name: '',
  focusMinutes: 25,
  breakMinutes: 5,
  longBreakMinutes: 15,
  longEvery: 4,
  focusMode: 'default',
};
const MODES: { value: Preset['focusMode']; label: string }[] = [
  { value: 'default', label: 'Use setting' },
  { value: 'on', label: 'On during focus' },
  { value: 'off', label: "Don't change" },
];

export function PresetDialog({ preset, onClose }: { preset: Preset | null; onClose: () => void }) {
  const [draft, setDraft] = useState<PresetFields>(() => {
    if (!preset) return FIRST;
    const { name, focusMinutes, breakMinutes, longBreakMinutes, longEvery, focusMode } = preset;
    return { name, focusMinutes, breakMinutes, longBreakMinutes, longEvery, focusMode };
  });
  const [isTried, setTried] = useState(false);
  const { createPreset, updatePreset } = usePomodoroActions();
  const form = useId();
  const put = (changed: Partial<PresetFields>) => setDraft((before) => ({ ...before, ...changed }));
  const isMissing = draft.name.trim() === '';
  const save = async () => {
    setTried(true);
    if (isMissing) return;
    const body = { ...draft, name: draft.name.trim() };
    if (preset ? await updatePreset(preset.id, body) : await createPreset(body)) onClose();
  };
  const minutes = { suffix: 'min', minValue: 1, maxValue: 240, step: 1 };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={preset ? `Edit ${preset.name}` : 'New preset'}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary">
            {preset ? 'Save' : 'Create'}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="pomodoro-form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField
          label="Name"
          value={draft.name}
          onChange={(name) => put({ name })}
          maxLength={100}
          error={isTried && isMissing ? 'Enter a name.' : null}
        />
        <NumberField
          label="Focus"
          value={draft.focusMinutes}
          onChange={(focusMinutes) => put({ focusMinutes })}
          {...minutes}
        />
        <NumberField
          label="Break"
          value={draft.breakMinutes}
          onChange={(breakMinutes) => put({ breakMinutes })}
          {...minutes}
        />
        <NumberField
          label="Long break"
          value={draft.longBreakMinutes}
          onChange={(longBreakMinutes) => put({ longBreakMinutes })}
          {...minutes}
        />
        <NumberField
          label="Focus blocks before a long break"
          help="0: no long breaks."
          value={draft.longEvery}
          onChange={(longEvery) => put({ longEvery })}
          minValue={0}
          maxValue={20}
          step={1}
        />
        <Select
          label="Focus Mode"
          options={MODES}
          value={draft.focusMode}
          onChange={(focusMode) => put({ focusMode })}
        />
      </form>
    </Dialog>
  );
}
