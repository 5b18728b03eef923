/** Starts an app in a hub's folder. */
import { useId, useState } from 'react';
import { Button, Dialog, EmptyState, Loading, Select, TextField } from '@shell/components';
import { reasonOf } from '@shell/api';
import { useAppActions, useHubChoices } from './data';

export function StartDialog({ onClose }: { onClose: () => void }) {
  const { data: hubs } = useHubChoices();
  const first = hubs?.[0];
  return first ? (
    <StartForm hubs={hubs} firstHub={first.value} onClose={onClose} />
  ) : (
    <Dialog isOpen onClose={onClose} title="Start app">
      {hubs ? (
        <EmptyState icon="folder" title="No hubs">
          Add a hub for your project&apos;s folder first.
        </EmptyState>
      ) : (
        <Loading label="Loading hubs" />
      )}
    </Dialog>
  );
}

interface FormProps {
  hubs: { value: string; label: string }[];
  firstHub: string;
  onClose: () => void;
}

function StartForm({ hubs, firstHub, onClose }: FormProps) {
  const form = useId();
  const [draft, setDraft] = useState({ hubId: firstHub, name: '', commandLine: '' });
  const [isPending, setPending] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const { start } = useAppActions();
  const change = (part: Partial<typeof draft>) => setDraft((before) => ({ ...before, ...part }));
  const isComplete = draft.name.trim() !== '' && draft.commandLine.trim() !== '';
  const submit = async () => {
    if (!isComplete || isPending) return;
    setPending(true);
    setProblem(null);
    try {
      await start({ ...draft, name: draft.name.trim() });
      onClose();
    } catch (failure) {
      setProblem(failure);
      setPending(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Start app"
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" isDisabled={!isComplete} isPending={isPending}>
            Start
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="running-apps-form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Select label="Hub" options={hubs} value={draft.hubId} onChange={(hubId) => change({ hubId })} />
        <TextField
          label="Name"
          value={draft.name}
          onChange={(name) => change({ name })}
          maxLength={63}
          autoComplete="off"
          help="In its URL: http://NAME.localhost. Use a to z, 0 to 9, and hyphens."
        />
        <TextField
          label="Command"
          placeholder="npm run dev"
          value={draft.commandLine}
          onChange={(commandLine) => change({ commandLine })}
          autoComplete="off"
          help="Runs in the hub's folder, with a free port in PORT."
        />
        {problem !== null && (
          <p role="alert" className="running-apps-problem">
            {reasonOf(problem)}
          </p>
        )}
      </form>
    </Dialog>
  );
}
