/** Adds or edits a provider. */
import { useState } from 'react';
import { ApiError, reasonOf } from '@shell/api';
import { Button, Checkbox, Dialog, Select, TextField, toast } from '@shell/components';
import { KINDS, useModelActions, type Provider, type ProviderDraft, type ProviderKind } from './data';

const NAME_CHARS_MAX = 60;
const kinds = Object.entries(KINDS).map(([value, { label, help }]) => ({
  value: value as ProviderKind,
  label,
  description: help,
}));

export function ProviderDialog({ provider, onClose }: { provider: Provider | null; onClose: () => void }) {
  const { add, change } = useModelActions();
  const [draft, setDraft] = useState<ProviderDraft>({
    kind: provider?.kind ?? 'anthropic',
    name: provider?.name ?? '',
    url: provider?.url ?? '',
    key: '',
    removeKey: false,
  });
  const [fault, setFault] = useState<{ field: string; reason: string } | null>(null);
  const [isBusy, setBusy] = useState(false);
  const set = (more: Partial<ProviderDraft>) => setDraft((before) => ({ ...before, ...more }));
  const kind = KINDS[draft.kind];
  const errorAt = (field: string) => (fault?.field === field ? fault.reason : null);
  const submit = async () => {
    if (kind.needsKey && !provider && !draft.key) return setFault({ field: 'key', reason: 'Enter an API key.' });
    if (draft.kind === 'compatible' && !draft.url.trim())
      return setFault({ field: 'url', reason: 'Enter an address.' });
    setBusy(true);
    setFault(null);
    try {
      await (provider ? change(provider, draft) : add(draft));
      toast.done(provider ? `Saved ${draft.name.trim()}` : 'Added provider');
      onClose();
    } catch (failure) {
      const pointer = failure instanceof ApiError ? failure.errors[0]?.pointer.split('/')[1] : undefined;
      setFault({ field: pointer ?? 'name', reason: reasonOf(failure) });
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={provider ? `Edit ${provider.name}` : 'Add provider'}
      size="medium"
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button variant="primary" isPending={isBusy} onPress={() => void submit()}>
            {provider ? 'Save' : 'Add provider'}
          </Button>
        </>
      }
    >
      <div className="models-form">
        {!provider && (
          <Select label="Kind" value={draft.kind} onChange={(next) => set({ kind: next })} options={kinds} />
        )}
        <TextField
          label="Name"
          value={draft.name}
          onChange={(name) => set({ name })}
          placeholder={kind.label}
          counter={NAME_CHARS_MAX}
          error={errorAt('name')}
        />
        {kind.hasUrl && (
          <TextField
            label="Address"
            value={draft.url}
            onChange={(url) => set({ url })}
            placeholder={draft.kind === 'compatible' ? 'http://127.0.0.1:8000/v1' : 'Default'}
            help={draft.kind === 'compatible' ? undefined : 'Empty uses the default address.'}
            error={errorAt('url')}
            mono
          />
        )}
        {kind.hasUrl && (
          <TextField
            label="API key"
            type="password"
            autoComplete="off"
            value={draft.key}
            onChange={(key) => set({ key })}
            placeholder={provider?.hasKey ? 'Stored' : ''}
            help="Stored in the system keychain or the data directory, and never shown again."
            error={errorAt('key')}
          />
        )}
        {provider?.hasKey && (
          <Checkbox isSelected={draft.removeKey} onChange={(removeKey) => set({ removeKey })}>
            Delete the stored key
          </Checkbox>
        )}
      </div>
    </Dialog>
  );
}
