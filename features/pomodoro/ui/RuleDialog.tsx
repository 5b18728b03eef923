/** Creates a rule that starts runs, or changes one. */
import { useId, useState } from 'react';
import { Button, Dialog, Select, TextField, WeekdayField } from '@shell/components';
import { HERE } from '@shell/times';
import { usePomodoroActions, type Preset, type Rule, type RuleFields } from './data';

export function RuleDialog(props: { rule: Rule | null; presets: readonly Preset[]; onClose: () => void }) {
  const { rule, presets, onClose } = props;
  const [draft, setDraft] = useState<RuleFields>({
    presetId: presets.some(({ id }) => id === rule?.presetId) && rule ? rule.presetId : 'classic',
    time: rule?.time.slice(0, 5) ?? '09:00',
    days: rule?.days ?? ['mon', 'tue', 'wed', 'thu', 'fri'],
    timeZone: rule?.timeZone ?? HERE,
  });
  const { createRule, updateRule } = usePomodoroActions();
  const form = useId();
  const put = (changed: Partial<RuleFields>) => setDraft((before) => ({ ...before, ...changed }));
  const isMissing = draft.time === '' || draft.days.length === 0;
  const save = async () => {
    if (isMissing) return;
    if (rule ? await updateRule(rule.id, draft) : await createRule(draft)) onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={rule ? 'Edit rule' : 'New rule'}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" isDisabled={isMissing}>
            {rule ? 'Save' : 'Create'}
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
        <Select
          label="Preset"
          options={presets.map(({ id, name }) => ({ value: id, label: name }))}
          value={draft.presetId}
          onChange={(presetId) => put({ presetId })}
        />
        <TextField label="Time" type="time" value={draft.time} onChange={(time) => put({ time })} />
        <WeekdayField label="Days" value={draft.days} onChange={(days) => put({ days })} />
        <TextField label="Time zone" value={draft.timeZone} onChange={(timeZone) => put({ timeZone })} />
      </form>
    </Dialog>
  );
}
