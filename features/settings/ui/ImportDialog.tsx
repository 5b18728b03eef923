import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import { ApiError, reasonOf } from '@shell/api';
import { Button, Dialog, Icon, toast } from '@shell/components';
import { SETTINGS_QUERY, type Json, type Setting } from '@shell/settings';
import { inWords } from './model';
import { importDocument, type Difference } from './transfer';

const MOST_BYTES = 1024 * 1024;

type Step =
  | { kind: 'choose'; reasons: string[] }
  | { kind: 'preview'; name: string; document: Json; changes: Difference[] }
  | { kind: 'busy' };

/** Takes a file, shows what it would change, and changes it when told to. */
export function ImportDialog({ settings, onClose }: { settings: readonly Setting[]; onClose: () => void }) {
  const client = useQueryClient();
  const [step, setStep] = useState<Step>({ kind: 'choose', reasons: [] });
  const byKey = new Map(settings.map((setting) => [setting.key, setting]));
  const fail = (error: unknown) => {
    const reasons =
      error instanceof ApiError && error.errors.length
        ? error.errors.map((e) => `${e.pointer.split('/').at(-1) ?? ''}: ${e.detail}`)
        : [reasonOf(error)];
    setStep({ kind: 'choose', reasons });
  };

  const read = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > MOST_BYTES) return setStep({ kind: 'choose', reasons: ['This file is larger than an export can be (1 MiB).'] });
    setStep({ kind: 'busy' });
    let document: Json;
    try {
      document = JSON.parse(await file.text()) as Json;
    } catch {
      return setStep({ kind: 'choose', reasons: [`${file.name} is not JSON. Choose a file that Export to a file made.`] });
    }
    try {
      const changes = await importDocument(document, true);
      setStep({ kind: 'preview', name: file.name, document, changes });
    } catch (error) {
      fail(error);
    }
  };

  const apply = async (document: Json) => {
    setStep({ kind: 'busy' });
    try {
      const changes = await importDocument(document, false);
      await client.invalidateQueries({ queryKey: SETTINGS_QUERY });
      void client.invalidateQueries({ queryKey: ['settings-history'] });
      toast.done(changes.length === 1 ? '1 setting imported' : `${changes.length} settings imported`);
      onClose();
    } catch (error) {
      fail(error);
    }
  };

  return (
    <Dialog
      title="Import settings"
      isOpen
      onClose={onClose}
      size="medium"
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          {step.kind === 'preview' && step.changes.length > 0 ? (
            <Button variant="primary" onPress={() => void apply(step.document)}>
              {step.changes.length === 1 ? 'Change 1 setting' : `Change ${step.changes.length} settings`}
            </Button>
          ) : (
            <FileTrigger acceptedFileTypes={['application/json', '.json']} onSelect={(files) => void read(files?.[0])}>
              <Button variant="primary" isPending={step.kind === 'busy'}>
                Choose a file
              </Button>
            </FileTrigger>
          )}
        </>
      }
    >
      {step.kind === 'choose' && step.reasons.length === 0 && (
        <p>Choose a file that Export to a file made. You see what it would change before anything changes.</p>
      )}
      {step.kind === 'choose' && step.reasons.length > 0 && (
        <div role="alert" className="import-reasons">
          <p>Nothing was changed, because:</p>
          <ul>
            {step.reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </div>
      )}
      {step.kind === 'busy' && <p role="status">Checking the file</p>}
      {step.kind === 'preview' && step.changes.length === 0 && <p>{step.name} changes nothing: every value in it is already so.</p>}
      {step.kind === 'preview' && step.changes.length > 0 && (
        <>
          <p>{step.name} changes:</p>
          <ul className="differences">
            {step.changes.map(({ key, from, to }) => {
              const setting = byKey.get(key);
              return (
                <li key={key}>
                  <strong>{setting?.title ?? key}</strong>
                  <span>
                    {inWords(setting?.schema ?? {}, from, setting?.unit)} <Icon name="chevronRight" size={12} />
                    <span className="sr-only">becomes</span> {inWords(setting?.schema ?? {}, to, setting?.unit)}
                  </span>
                </li>
              );
            })}
          </ul>
        </>
      )}
    </Dialog>
  );
}
