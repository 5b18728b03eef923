/** The dialog that starts a session: its folder, engine, and first message. */
import { useState } from 'react';
import { useLocation } from 'wouter';
import { reasonOf } from '@shell/api';
import { Button, Dialog, Loading, Select, TextField } from '@shell/components';
import { setPreference, usePreference } from '@shell/preferences';
import { canStart, useEngines, useHubs, useSessionActions, type Engine } from './data';

const OTHER_FOLDER = 'new';

const aboutEngine = (engine: Engine): string | undefined =>
  [engine.version && `Version ${engine.version}`, engine.isDefault && 'default'].filter(Boolean).join(', ') ||
  undefined;

export default function NewSession({ hub: given, onClose }: { hub: string; onClose: () => void }) {
  const { data: hubs } = useHubs();
  const { data: engines } = useEngines();
  const { create, addHub } = useSessionActions();
  const [, navigate] = useLocation();
  const [lastHub] = usePreference('hub');
  const [lastEngine] = usePreference('engine');
  const [chosenHub, setHub] = useState<string | null>(given || null);
  const [chosenEngine, setEngine] = useState<string | null>(null);
  const [folder, setFolder] = useState('');
  const [prompt, setPrompt] = useState('');
  const [faults, setFaults] = useState<{ folder?: string; prompt?: string }>({});
  const [isStarting, setStarting] = useState(false);
  const known = (id: string | null) => hubs?.find((hub) => hub.id === id)?.id;
  const hub =
    chosenHub === OTHER_FOLDER ? OTHER_FOLDER : (known(chosenHub) ?? known(lastHub) ?? hubs?.[0]?.id ?? OTHER_FOLDER);
  const offered = engines ?? [];
  // The engine chosen last if it can still start, else the default.
  const chosen =
    offered.find(({ id }) => id === chosenEngine) ??
    offered.find((one) => one.id === lastEngine && canStart(one)) ??
    offered.find(({ isDefault }) => isDefault);
  const engine = chosen?.id ?? null;
  const start = async () => {
    if (isStarting) return;
    const missing = {
      ...(hub === OTHER_FOLDER && !folder.trim() ? { folder: 'Enter a folder.' } : {}),
      ...(prompt.trim() ? {} : { prompt: 'Describe the task.' }),
    };
    setFaults(missing);
    if (Object.keys(missing).length > 0) return;
    setStarting(true);
    try {
      const projectId = hub === OTHER_FOLDER ? (await addHub(folder.trim())).id : hub;
      const session = await create({ projectId, prompt, ...(engine === null ? {} : { engine }) });
      if (!session) return;
      setPreference('hub', projectId);
      if (chosenEngine !== null) setPreference('engine', chosenEngine);
      onClose();
      navigate(`/sessions/${session.id}`);
    } catch (failure) {
      setFaults({ folder: reasonOf(failure) });
    } finally {
      setStarting(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Start a session"
      size="medium"
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button variant="primary" isPending={isStarting} onPress={() => void start()}>
            Start session
          </Button>
        </>
      }
    >
      {!hubs ? (
        <Loading label="Loading hubs" />
      ) : (
        <>
          <TextField
            label="Task"
            rows={5}
            value={prompt}
            onChange={setPrompt}
            error={faults.prompt}
            autoFocus
            onInputKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              void start();
            }}
          />
          <Select
            label="Hub"
            value={hub}
            onChange={setHub}
            options={[
              ...hubs.map(({ id, name, folder: path, isThere }) => ({
                value: id,
                label: name,
                description: isThere ? path : `${path} not found`,
                isDisabled: !isThere,
              })),
              { value: OTHER_FOLDER, label: 'Another folder', description: 'Adds it as a hub' },
            ]}
          />
          {hub === OTHER_FOLDER && (
            <TextField
              label="Folder"
              mono
              value={folder}
              onChange={setFolder}
              error={faults.folder}
              placeholder="/home/you/project"
              help="The absolute path of a folder on this machine."
            />
          )}
          {offered.length > 0 && (
            <Select
              label="Engine"
              help={engine === null ? 'Detecting engines. Until then, the default is used.' : undefined}
              value={engine}
              onChange={setEngine}
              options={offered.map((one) => ({
                value: one.id,
                label: one.name,
                description: one.notReady ?? aboutEngine(one),
                isDisabled: !canStart(one),
              }))}
            />
          )}
        </>
      )}
    </Dialog>
  );
}
