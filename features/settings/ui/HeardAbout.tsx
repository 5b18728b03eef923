/** Asks once, on the first screen, how you heard about Pilothouse. Answering is optional. */
import { useState } from 'react';
import { client } from '@shell/client';
import { Button, TextField, toast } from '@shell/components';
import { useSetting } from '@shell/settings';

/** Maximum length of the setting. */
const CHARS_MAX = 64;

export default function HeardAbout() {
  const kept = useSetting('heardAboutUs');
  const [text, setText] = useState('');
  const [isSaving, setSaving] = useState(false);
  if (kept === undefined) return null;
  if (kept !== '')
    return (
      <p className="heard-about">{`How you heard about Pilothouse: ${kept}. Your answer stays on this device.`}</p>
    );
  const trimmed = text.trim();
  const isTooLong = [...trimmed].length > CHARS_MAX;
  const save = async () => {
    if (trimmed === '' || isTooLong || isSaving) return;
    setSaving(true);
    try {
      await client.patch('/settings/{key}', { path: { key: 'heardAboutUs' }, body: { value: trimmed } });
    } catch (failure) {
      toast.problem("Couldn't save answer", failure);
    }
    setSaving(false);
  };
  return (
    <form
      className="heard-about"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <TextField
        label="How did you hear about Pilothouse?"
        help="Optional. Your answer stays on this device unless you send it in a report."
        value={text}
        onChange={setText}
        error={isTooLong ? `Use at most ${CHARS_MAX} characters.` : undefined}
      />
      <Button type="submit" isDisabled={trimmed === '' || isTooLong} isPending={isSaving}>
        Save
      </Button>
    </form>
  );
}
