/** The engine of a new session, with its model, mode, and effort as far as they are known. */
import { Select } from '@shell/components';
import { canStart, type Engine } from '../data';

const aboutEngine = (engine: Engine): string | undefined =>
  [engine.version && `Version ${engine.version}`, engine.isDefault && 'default'].filter(Boolean).join(', ') ||
  undefined;

interface Choice {
  value: string;
  onChange: (value: string) => void;
  options: readonly { value: string; name: string }[];
}

interface Props {
  engines: readonly Engine[];
  engine: string | null;
  onEngine: (engine: string) => void;
  model: Choice;
  mode: Choice;
  effort: Choice;
}

export function EngineFields({ engines, engine, onEngine, model, mode, effort }: Props) {
  if (engines.length === 0) return null;
  return (
    <div className="start-engine">
      <Select
        label="Engine"
        help={engine === null ? 'Detecting engines. Until then, the default is used.' : undefined}
        value={engine}
        onChange={onEngine}
        options={engines.map((one) => ({
          value: one.id,
          label: one.name,
          description: one.notReady ?? aboutEngine(one),
          isDisabled: !canStart(one),
        }))}
      />
      {[
        { label: 'Model', choice: model },
        { label: 'Mode', choice: mode },
        { label: 'Effort', choice: effort },
      ].map(
        ({ label, choice }) =>
          choice.options.length > 0 && (
            <Select
              key={label}
              label={label}
              value={choice.value}
              onChange={choice.onChange}
              options={[
                { value: '', label: 'Default' },
                ...choice.options.map(({ value, name }) => ({ value, label: name })),
              ]}
            />
          ),
      )}
    </div>
  );
}
