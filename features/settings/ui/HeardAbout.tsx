/** Where the person came across the program: asked once among the first steps, and left out by not answering. */
import { useState } from 'react';
import { client } from '@shell/client';
import { Button, TextField, toast } from '@shell/components';
import { useSetting } from '@shell/settings';

/** Characters that the setting takes. */
const CHARS_MAX = 64;

export default function HeardAbout() {
  const kept = useSetting('heardAboutUs');
  const [text, setText] = useState('');
  const [isSaving, setSaving] = useState(false);
  if (kept === undefined) return null;
  if (kept !== '') return <p className="heard-about">{`You came across Pilothouse here: ${kept}. The answer stays on this machine.`}</p>;
  const trimmed = text.trim();
  const isTooLong = [...trimmed].length > CHARS_MAX;
  const save = async () => {
    if (trimmed === '' || isTooLong || isSaving) return;
    setSaving(true);
    try {
      await client.patch('/settings/{key}', { path: { key: 'heardAboutUs' }, body: { value: trimmed } });
    } catch (failure) {
      toast.problem('The answer was not kept', failure);
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
        label="Where did you come across Pilothouse?"
        help="Leave it empty if you like. The answer stays on this machine unless you send it in a report."
        value={text}
        onChange={setText}
        error={isTooLong ? `At most ${CHARS_MAX} characters are kept.` : undefined}
      />
      <Button type="submit" isDisabled={trimmed === '' || isTooLong} isPending={isSaving}>
        Keep the answer
      </Button>
    </form>
  );
}
