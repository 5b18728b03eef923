/** The dialogs that set up an engine, and that add an agent. */
import { useId, useState } from 'react';
import { reasonOf } from '@shell/api';
import { Button, Dialog, ErrorState, Loading, Select, TextField, toast } from '@shell/components';
import type { Engine } from '../data';
import { useOffers } from '../start/data';
import {
  DraftFault,
  drafts,
  fieldOf,
  missing,
  useEngineActions,
  useEngineSettings,
  type Draft,
  type EngineLevel,
  type EngineSettings,
} from './data';
import { VariablesField } from './VariablesField';
import './engines.css';

/** Maximum characters of an agent's name. */
const NAME_CHARS_MAX = 60;
const VARIABLES_HELP = 'Passed to each session of this engine. Secret values are hidden in transcripts.';
const LEVELS: readonly { value: EngineLevel; label: string; description: string }[] = [
  { value: 'inherit', label: 'Default (agentPermissionLevel)', description: 'The level of all engines' },
  { value: 'read_only', label: 'Read only', description: 'Reads the project and asks before anything else' },
  { value: 'guarded', label: 'Guarded', description: 'Also changes project files' },
  { value: 'autonomous', label: 'Autonomous', description: 'Asks only before it touches sensitive files' },
  { value: 'full', label: 'Full', description: 'Never asks' },
];

const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

interface Faults {
  fields: Readonly<Record<string, string>>;
  variables: ReadonlyMap<number, string>;
}
const NONE: Faults = { fields: {}, variables: new Map() };

/** What went wrong, at the field that it's about. */
const faultsOf = (failure: unknown, fallback: string): Faults =>
  failure instanceof DraftFault
    ? { fields: {}, variables: new Map([[failure.key, failure.message]]) }
    : { fields: { [fieldOf(failure) ?? fallback]: reasonOf(failure) }, variables: new Map() };

/** Saves a form once at a time, and shows what's wrong in it. */
function useSave(fallback: string, onDone: () => void) {
  const [faults, setFaults] = useState(NONE);
  const [isBusy, setBusy] = useState(false);
  const save = async (
    empty: Readonly<Record<string, string>>,
    variables: readonly Draft[],
    run: () => Promise<void>,
  ) => {
    if (isBusy) return;
    const wrong = missing(variables);
    setFaults({ fields: empty, variables: wrong });
    if (Object.keys(empty).length > 0 || wrong.size > 0) return;
    setBusy(true);
    try {
      await run();
      onDone();
    } catch (failure) {
      setFaults(faultsOf(failure, fallback));
      setBusy(false);
    }
  };
  return { faults, isBusy, save };
}

function Actions({
  label,
  isBusy,
  onClose,
  onSave,
}: {
  label: string;
  isBusy: boolean;
  onClose: () => void;
  onSave: () => void;
}) {
  return (
    <>
      <Button onPress={onClose}>Cancel</Button>
      <Button variant="primary" isPending={isBusy} onPress={onSave}>
        {label}
      </Button>
    </>
  );
}

export function EngineDialog({ engine, onClose }: { engine: Engine; onClose: () => void }) {
  const { data, error, refetch } = useEngineSettings(engine.id);
  if (data) return <EngineForm engine={engine} settings={data} onClose={onClose} />;
  return (
    <Dialog isOpen onClose={onClose} title={`Edit ${engine.name}`} size="medium">
      {error ? (
        <ErrorState title="Couldn't load engine settings" error={error} onRetry={() => void refetch()} />
      ) : (
        <Loading label="Loading engine settings" />
      )}
    </Dialog>
  );
}

function EngineForm({ engine, settings, onClose }: { engine: Engine; settings: EngineSettings; onClose: () => void }) {
  const { change, saveVariables } = useEngineActions();
  const offers = useOffers(engine.id);
  const [form, setForm] = useState({
    name: settings.name,
    program: settings.program ?? '',
    args: settings.args.join('\n'),
    level: settings.permissionLevel,
    model: settings.model ?? '',
    effort: settings.effort ?? '',
  });
  const [variables, setVariables] = useState<readonly Draft[]>(() => drafts(settings.variables));
  const { faults, isBusy, save } = useSave('program', onClose);
  const set = (more: Partial<typeof form>) => setForm((before) => ({ ...before, ...more }));
  const isAdded = settings.isAdded;
  const submit = () =>
    void save(
      {
        ...(isAdded && !form.name.trim() ? { name: 'Enter a name.' } : {}),
        ...(isAdded && !form.program.trim() ? { program: 'Enter a command.' } : {}),
      },
      variables,
      async () => {
        const { name, program, args, level, model, effort } = form;
        await change(engine.id, {
          ...(isAdded && name.trim() !== settings.name ? { name: name.trim() } : {}),
          ...(program.trim() !== (settings.program ?? '') ? { program: program.trim() } : {}),
          ...(args !== settings.args.join('\n') ? { args: lines(args) } : {}),
          ...(level !== settings.permissionLevel ? { permissionLevel: level } : {}),
          ...(model.trim() !== (settings.model ?? '') ? { model: model.trim() } : {}),
          ...(effort.trim() !== (settings.effort ?? '') ? { effort: effort.trim() } : {}),
        });
        await saveVariables(engine.id, settings.variables, variables);
        toast.done(`Saved ${isAdded ? name.trim() : engine.name}`);
      },
    );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Edit ${engine.name}`}
      size="medium"
      actions={<Actions label="Save engine" isBusy={isBusy} onClose={onClose} onSave={submit} />}
    >
      {isAdded && (
        <TextField
          label="Name"
          value={form.name}
          onChange={(name) => set({ name })}
          maxLength={NAME_CHARS_MAX}
          error={faults.fields.name}
        />
      )}
      <TextField
        label={isAdded ? 'Command' : 'Program'}
        mono
        value={form.program}
        onChange={(program) => set({ program })}
        placeholder={isAdded ? 'my-agent' : `/path/to/${settings.command}`}
        help={
          isAdded
            ? 'A command on PATH, or an absolute path.'
            : `An absolute path. Default: ${settings.command} on PATH.`
        }
        error={faults.fields.program}
      />
      <ArgsField value={form.args} onChange={(args) => set({ args })} error={faults.fields.args} />
      <VariablesField
        label="Environment variables"
        what="variable"
        help={VARIABLES_HELP}
        values={variables}
        onChange={setVariables}
        faults={faults.variables}
      />
      <Select
        label="Permission level"
        help={
          engine.tier === 'external'
            ? 'For new sessions. This engine never gets access to sensitive files.'
            : 'For new sessions.'
        }
        value={form.level}
        onChange={(level) => set({ level })}
        options={[...LEVELS]}
      />
      <OfferedField
        label="Model"
        offers={offers.models}
        value={form.model}
        onChange={(model) => set({ model })}
        help="For new sessions. Default: the engine's choice."
        error={faults.fields.model}
      />
      {engine.can.effort && (
        <OfferedField
          label="Effort"
          offers={offers.efforts}
          value={form.effort}
          onChange={(effort) => set({ effort })}
          help="For new sessions, such as low or high. Default: the engine's choice."
          error={faults.fields.effort}
        />
      )}
    </Dialog>
  );
}

/** A text that an engine offers values for. */
function OfferedField({
  offers,
  ...props
}: {
  label: string;
  offers: readonly { value: string; name: string }[];
  value: string;
  onChange: (value: string) => void;
  help: string;
  error?: string | undefined;
}) {
  const list = useId();
  return (
    <>
      <datalist id={list}>
        {offers.map(({ value, name }) => (
          <option key={value} value={value} label={name} />
        ))}
      </datalist>
      <TextField {...props} list={list} />
    </>
  );
}

function ArgsField(props: { value: string; onChange: (value: string) => void; error?: string | undefined }) {
  return (
    <TextField
      {...props}
      label="Arguments"
      mono
      rows={3}
      spellCheck="false"
      help="One per line, after the engine's own."
    />
  );
}

export function AgentDialog({ onClose }: { onClose: () => void }) {
  const { add, saveVariables } = useEngineActions();
  const [form, setForm] = useState({ name: '', command: '', args: '' });
  const [variables, setVariables] = useState<readonly Draft[]>([]);
  // Once it's added, only its variables may still fail.
  const [added, setAdded] = useState<string | null>(null);
  const { faults, isBusy, save } = useSave('name', onClose);
  const set = (more: Partial<typeof form>) => setForm((before) => ({ ...before, ...more }));
  const [name, command] = [form.name.trim(), form.command.trim()];
  const submit = () =>
    void save(
      { ...(name ? {} : { name: 'Enter a name.' }), ...(command ? {} : { command: 'Enter a command.' }) },
      variables,
      async () => {
        const id = added ?? (await add({ name, command, args: lines(form.args) })).engineId;
        setAdded(id);
        await saveVariables(id, [], variables);
        toast.done(`Added ${name}`);
      },
    );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Add engine"
      size="medium"
      actions={<Actions label="Add engine" isBusy={isBusy} onClose={onClose} onSave={submit} />}
    >
      <p className="field-help">Any engine that supports the Agent Client Protocol (ACP).</p>
      <TextField
        label="Name"
        autoFocus
        isDisabled={added !== null}
        value={form.name}
        onChange={(next) => set({ name: next })}
        maxLength={NAME_CHARS_MAX}
        error={faults.fields.name}
      />
      <TextField
        label="Command"
        mono
        isDisabled={added !== null}
        value={form.command}
        onChange={(next) => set({ command: next })}
        placeholder="my-agent"
        help="A command on PATH, or an absolute path."
        error={faults.fields.command}
      />
      <ArgsField value={form.args} onChange={(args) => set({ args })} error={faults.fields.args} />
      <VariablesField
        label="Environment variables"
        what="variable"
        help={VARIABLES_HELP}
        values={variables}
        onChange={setVariables}
        faults={faults.variables}
      />
    </Dialog>
  );
}
