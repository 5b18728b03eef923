/** A list of named values: environment variables or headers. Stored secrets are never shown. */
import { Button, Checkbox, IconButton, TextField } from '@shell/components';
import { newDraft, type Draft } from './data';

interface Props {
  label: string;
  /** What one of them is, such as "variable". */
  what: string;
  help: string;
  values: readonly Draft[];
  onChange: (values: readonly Draft[]) => void;
  faults: ReadonlyMap<number, string>;
}

export function VariablesField({ label, what, help, values, onChange, faults }: Props) {
  const set = (key: number, change: Partial<Draft>) =>
    onChange(values.map((one) => (one.key === key ? { ...one, ...change } : one)));
  return (
    <fieldset className="variables">
      <legend className="field-label">{label}</legend>
      <ul>
        {values.map((one, index) => {
          const isKept = one.stored?.value === null && one.isSecret && one.value === '';
          return (
            <li key={one.key}>
              <TextField
                aria-label={`Name of ${what} ${index + 1}`}
                placeholder="NAME"
                mono
                autoFocus={one.stored === null && one.name === ''}
                autoComplete="off"
                spellCheck="false"
                value={one.name}
                onChange={(name) => set(one.key, { name })}
                error={faults.get(one.key)}
              />
              <TextField
                aria-label={`Value of ${one.name || `${what} ${index + 1}`}`}
                placeholder={isKept ? 'Set' : 'Value'}
                mono
                type={one.isSecret ? 'password' : 'text'}
                autoComplete="off"
                spellCheck="false"
                value={one.value}
                onChange={(value) => set(one.key, { value })}
              />
              <Checkbox
                isSelected={one.isSecret}
                onChange={(isSecret) => set(one.key, { isSecret })}
                aria-label={`${one.name || `${what} ${index + 1}`} is secret`}
              >
                Secret
              </Checkbox>
              <IconButton
                icon="trash"
                label={`Remove ${one.name || `${what} ${index + 1}`}`}
                onPress={() => onChange(values.filter(({ key }) => key !== one.key))}
              />
            </li>
          );
        })}
      </ul>
      <span className="field-help">{help}</span>
      <Button icon="plus" onPress={() => onChange([...values, newDraft()])}>
        {`Add ${what}`}
      </Button>
    </fieldset>
  );
}
