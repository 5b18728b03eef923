/** One chosen model: its provider, its name, and a test. */
import { useId, useState } from 'react';
import { reasonOf } from '@shell/api';
import { Button, Select, TextField, toast } from '@shell/components';
import { useAvailable, useModelActions, type ModelChoice, type Provider } from './data';

const NONE = '';

interface Props {
  label: string;
  help: string;
  providers: readonly Provider[];
  choice: ModelChoice | null;
  onChoose: (choice: ModelChoice | null) => Promise<unknown>;
}

export function ChoiceRow({ label, help, providers, choice, onChoose }: Props) {
  const { test } = useModelActions();
  const [providerId, setProvider] = useState(choice?.providerId ?? NONE);
  const [model, setModel] = useState(choice?.model ?? '');
  const [error, setError] = useState<string | null>(null);
  const [isTesting, setTesting] = useState(false);
  const [answer, setAnswer] = useState<string | null>(null);
  const list = useId();
  const provider = providers.find(({ id }) => id === providerId);
  const available = useAvailable(provider ? provider.id : null);
  const isEngine = provider?.kind === 'claude' || provider?.kind === 'codex';
  const isChanged = providerId !== (choice?.providerId ?? NONE) || model.trim() !== (choice?.model ?? '');
  const save = async () => {
    if (provider && !isEngine && !model.trim()) return setError('Enter the name of a model.');
    setError(null);
    try {
      await onChoose(provider ? { providerId: provider.id, model: model.trim() } : null);
      toast.done(`Saved ${label.toLowerCase()}`);
    } catch (failure) {
      setError(reasonOf(failure));
    }
  };
  const tryOut = async () => {
    if (!provider) return;
    setTesting(true);
    setAnswer(null);
    setError(null);
    try {
      const said = await test({ providerId: provider.id, model: model.trim() });
      setAnswer(`“${said.answer}” in ${(said.milliseconds / 1000).toFixed(1)} s`);
    } catch (failure) {
      setError(reasonOf(failure));
    }
    setTesting(false);
  };
  const pick = (id: string) => {
    const next = providers.find((one) => one.id === id);
    setProvider(id);
    setModel(choice?.providerId === id ? choice.model : (next?.suggestedModel ?? ''));
    setAnswer(null);
    setError(null);
  };
  return (
    <fieldset className="models-choice">
      <legend>{label}</legend>
      <p className="models-help">{help}</p>
      <div className="models-fields">
        <Select
          label="Provider"
          value={providerId}
          onChange={pick}
          options={[{ value: NONE, label: 'None' }, ...providers.map(({ id, name }) => ({ value: id, label: name }))]}
        />
        <TextField
          label="Model"
          value={model}
          onChange={setModel}
          isDisabled={!provider}
          placeholder={isEngine ? 'Default of the engine' : 'Name at the provider'}
          list={list}
          error={error}
          mono
        />
        <datalist id={list}>
          {available.data?.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <span className="models-actions">
          <Button isDisabled={!provider} isPending={isTesting} onPress={() => void tryOut()}>
            Test
          </Button>
          <Button variant="primary" isDisabled={!isChanged} onPress={() => void save()}>
            Save
          </Button>
        </span>
      </div>
      <p className="models-answer" role="status">
        {answer ?? (available.error && provider ? `Couldn't list models: ${reasonOf(available.error)}` : '')}
      </p>
    </fieldset>
  );
}
