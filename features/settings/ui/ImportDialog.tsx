import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import { ApiError, reasonOf } from '@shell/api';
import { Button, Dialog, Icon, Select, Switch, toast } from '@shell/components';
import { DOCUMENT_BYTES_MAX } from '@shell/gen/settings';
import { SETTINGS_QUERY, type Json, type Setting } from '@shell/settings';
import { inWords, placeIn } from './model';
import { documentIn, importDocument, type ImportChoices, type ImportReport } from './transfer';

const MODES: { value: ImportChoices['mode']; label: string; description: string }[] = [
  { value: 'merge', label: 'Keep the rest', description: 'Only settings in the file change' },
  { value: 'replace', label: 'Reset the rest', description: 'Settings not in the file return to their defaults' },
];

/** A file that was read. */
interface Taken {
  name: string;
  document: Json;
}

/** What the program says about the file, with the choices in force. */
type Verdict = { kind: 'report'; report: ImportReport } | { kind: 'refused'; reasons: string[]; canSkip: boolean };

const settingsWord = (count: number) => (count === 1 ? '1 setting' : `${count.toLocaleString()} settings`);

/** Why a file is refused. An entry can be left out; a file that is no export cannot be helped. */
function refusalOf(error: unknown, document: Json): Verdict {
  const errors = error instanceof ApiError ? error.errors : [];
  const isEntry = (pointer: string) => /^\/document\/(settings|unknownStored)\/./.test(pointer);
  return {
    kind: 'refused',
    reasons: errors.length
      ? errors.map(({ pointer, detail }) => [placeIn(document, pointer), detail].filter(Boolean).join(': '))
      : [reasonOf(error)],
    canSkip: errors.length > 0 && errors.every((e) => isEntry(e.pointer)),
  };
}

/** Takes a file, shows what it would change, and changes it when told to. */
export function ImportDialog({ settings, onClose }: { settings: readonly Setting[]; onClose: () => void }) {
  const client = useQueryClient();
  const [taken, setTaken] = useState<Taken | null>(null);
  const [choices, setChoices] = useState<ImportChoices>({ mode: 'merge', skipInvalid: false });
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const [isBusy, setBusy] = useState(false);
  const newest = useRef(0);

  /** Asks what would change. Of several questions the last one's answer counts. */
  const ask = async (file: Taken, wanted: ImportChoices) => {
    setTaken(file);
    setChoices(wanted);
    setBusy(true);
    const mine = ++newest.current;
    const found = await importDocument(file.document, wanted, true).then(
      (report): Verdict => ({ kind: 'report', report }),
      (error: unknown) => refusalOf(error, file.document),
    );
    if (mine !== newest.current) return;
    setVerdict(found);
    setBusy(false);
  };

  const read = async (file: File | undefined) => {
    if (!file) return;
    const refuse = (reason: string) => {
      newest.current += 1;
      setTaken(null);
      setBusy(false);
      setVerdict({ kind: 'refused', reasons: [reason], canSkip: false });
    };
    if (file.size > DOCUMENT_BYTES_MAX)
      return refuse(`This file is larger than an export can be (${DOCUMENT_BYTES_MAX / 1024 / 1024} MiB).`);
    let document: Json | null;
    try {
      document = documentIn(JSON.parse(await file.text()) as Json);
    } catch {
      return refuse(`${file.name} isn't JSON. Choose a file that was exported here.`);
    }
    if (document === null) return refuse(`${file.name} isn't an exported settings file.`);
    await ask({ name: file.name, document }, choices);
  };

  const apply = async (file: Taken) => {
    setBusy(true);
    try {
      const { changes, skipped } = await importDocument(file.document, choices, false);
      await client.invalidateQueries({ queryKey: SETTINGS_QUERY });
      void client.invalidateQueries({ queryKey: ['settings-history'] });
      toast.done(
        `${settingsWord(changes.length)} imported`,
        skipped?.length ? { detail: `${settingsWord(skipped.length)} skipped` } : {},
      );
      onClose();
    } catch (error) {
      setVerdict(refusalOf(error, file.document));
      setBusy(false);
    }
  };

  const count = verdict?.kind === 'report' ? verdict.report.changes.length : 0;
  const chooser = (label: string, variant?: 'primary') => (
    <FileTrigger acceptedFileTypes={['application/json', '.json']} onSelect={(files) => void read(files?.[0])}>
      <Button {...(variant ? { variant } : {})} isPending={isBusy && !verdict}>
        {label}
      </Button>
    </FileTrigger>
  );
  return (
    <Dialog
      title="Import settings"
      isOpen
      onClose={onClose}
      size="medium"
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          {verdict
            ? chooser('Choose another file', count === 0 ? 'primary' : undefined)
            : chooser('Choose a file', 'primary')}
          {taken && count > 0 && (
            <Button variant="primary" isPending={isBusy} onPress={() => void apply(taken)}>
              Change {settingsWord(count)}
            </Button>
          )}
        </>
      }
    >
      {!verdict && (
        <p role="status">
          {isBusy ? 'Checking file' : 'Choose an exported settings file. You can review the changes before they apply.'}
        </p>
      )}
      {verdict?.kind === 'refused' && (
        <div role="alert" className="import-reasons">
          <p>Nothing was changed:</p>
          <ul>
            {verdict.reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </div>
      )}
      {taken && (verdict?.kind === 'report' || (verdict?.kind === 'refused' && verdict.canSkip)) && (
        <div className="settings-import-choices">
          <Select
            label="Settings not in the file"
            options={MODES}
            value={choices.mode}
            onChange={(mode) => void ask(taken, { ...choices, mode })}
          />
          <Switch
            isSelected={choices.skipInvalid}
            onChange={(skipInvalid) => void ask(taken, { ...choices, skipInvalid })}
          >
            Skip invalid values
          </Switch>
        </div>
      )}
      {taken && verdict?.kind === 'report' && <Report name={taken.name} report={verdict.report} settings={settings} />}
    </Dialog>
  );
}

function Report({ name, report, settings }: { name: string; report: ImportReport; settings: readonly Setting[] }) {
  const byKey = new Map(settings.map((setting) => [setting.key, setting]));
  const { changes, unchanged, skipped = [] } = report;
  return (
    <>
      {changes.length === 0 ? (
        <p role="status">
          {name} changes nothing{skipped.length === 0 ? ': all values are already set' : ''}.
        </p>
      ) : (
        <p role="status">
          {name} changes {settingsWord(changes.length)}
          {unchanged.length > 0 && `; ${unchanged.length.toLocaleString()} already set`}.
        </p>
      )}
      {changes.length > 0 && (
        <ul className="differences" tabIndex={0} aria-label="Changes">
          {changes.map(({ key, from, to }) => {
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
      )}
      {skipped.length > 0 && (
        <div className="import-reasons">
          <p>Skipped:</p>
          <ul>
            {skipped.map(({ key, detail }) => (
              <li key={key}>{detail.startsWith(key) ? detail : `${key}: ${detail}`}</li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
