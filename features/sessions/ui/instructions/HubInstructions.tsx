/** The dialog with a hub's instruction presets: a list, and the form that changes one. */
import { useState } from 'react';
import { reasonOf } from '@shell/api';
import { Badge, Button, Dialog, ErrorState, IconButton, Loading, TextField, toast } from '@shell/components';
import type { Hub } from '../data';
import { aboutTokens, usePresetActions, usePresets, type InstructionPreset } from './data';
import './instructions.css';

/** Maximum characters of a preset. */
const TEXT_CHARS_MAX = 10_000;

export function HubInstructions({ hub, onClose }: { hub: Hub; onClose: () => void }) {
  const { data: presets, error, refetch } = usePresets(hub.id);
  const [edited, edit] = useState<InstructionPreset | null>(null);
  if (edited) return <PresetForm hub={hub} preset={edited} onClose={() => edit(null)} />;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Instructions of ${hub.name}`}
      size="medium"
      actions={<Button onPress={onClose}>Close</Button>}
    >
      <p className="field-help">
        New sessions of this hub start with these texts, as far as their settings are on. Your changes apply to this hub
        only.
      </p>
      {error && !presets ? (
        <ErrorState title="Couldn't load instructions" error={error} onRetry={() => void refetch()} />
      ) : !presets ? (
        <Loading label="Loading instructions" />
      ) : (
        <ul className="presets" aria-label="Instruction presets">
          {presets.map((preset) => (
            <li key={preset.preset}>
              <span className="preset-what">
                <span>
                  {preset.name} {preset.isEdited && <Badge>{preset.text ? 'Edited' : 'Left out'}</Badge>}
                </span>
                <span className="field-help">{`${aboutTokens(preset.tokens)}, ${preset.setting}`}</span>
              </span>
              <IconButton icon="edit" label={`Edit ${preset.name}`} onPress={() => edit(preset)} />
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}

function PresetForm({ hub, preset, onClose }: { hub: Hub; preset: InstructionPreset; onClose: () => void }) {
  const { set, reset } = usePresetActions(hub.id);
  const [text, setText] = useState(preset.text);
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const run = async (change: () => Promise<unknown>, done: string) => {
    if (isBusy) return;
    setBusy(true);
    try {
      await change();
      toast.done(done);
      onClose();
    } catch (failure) {
      setFault(reasonOf(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`${preset.name} in ${hub.name}`}
      size="medium"
      actions={
        <>
          <Button onPress={onClose}>Back</Button>
          {preset.isEdited && (
            <Button icon="reset" onPress={() => void run(() => reset(preset.preset), `Reset ${preset.name}`)}>
              Reset to default
            </Button>
          )}
          <Button
            variant="primary"
            isPending={isBusy}
            onPress={() => void run(() => set(preset.preset, text), `Saved ${preset.name}`)}
          >
            Save preset
          </Button>
        </>
      }
    >
      <TextField
        label="Text"
        mono
        rows={12}
        autoFocus
        value={text}
        onChange={(next) => (setFault(null), setText(next))}
        counter={TEXT_CHARS_MAX}
        help="Markdown. Leave it empty to leave this preset out of this hub's sessions."
        error={fault}
      />
    </Dialog>
  );
}
