/** Preset selection for a new board, with one card per preset. */
import { Label, Radio, RadioGroup } from 'react-aria-components';
import { COLUMN_TYPES, type PresetName } from './data';
import { BLANK, type Preset } from './presets';
import './presets.css';

interface PresetCardsProps {
  presets: readonly Preset[];
  /** Offers a board without columns too. */
  withBlank?: boolean;
  value: string;
  onChange: (preset: PresetName) => void;
}

/** Cards to choose one of; arrows move between them. */
export function PresetCards({ presets, withBlank, value, onChange }: PresetCardsProps) {
  return (
    <RadioGroup className="field preset-choice" value={value} onChange={(chosen) => onChange(chosen as PresetName)}>
      <Label className="field-label">Start from</Label>
      <div className="preset-cards">
        {(withBlank ? [...presets, BLANK] : presets).map((preset) => (
          <Radio
            key={preset.preset}
            value={preset.preset}
            className="preset-card"
            aria-label={preset.name}
            aria-describedby={`preset-${preset.preset}`}
          >
            <span className="preset-name">{preset.name}</span>
            <span className="preset-about" id={`preset-${preset.preset}`}>
              <span>{preset.like}</span>{' '}
              {preset.columns.length > 0 && <span>{preset.columns.map((column) => column.title).join(', ')}</span>}
            </span>
          </Radio>
        ))}
      </div>
    </RadioGroup>
  );
}

/** Full content of the chosen preset. */
export function PresetContents({ preset }: { preset: Preset }) {
  const named = (type: string) => COLUMN_TYPES[type as keyof typeof COLUMN_TYPES] ?? type;
  const parts: [string, string][] = [
    ['Groups', preset.groups.join(', ')],
    ['Columns', preset.columns.map((column) => `${column.title} (${named(column.type).toLowerCase()})`).join(', ')],
    ['Views', preset.views.map((view) => view.name).join(', ')],
  ];
  return (
    <dl className="preset-contents" aria-live="polite">
      {parts.map(([what, list]) => (
        <div key={what}>
          <dt>{what}</dt>
          <dd>{list || 'none'}</dd>
        </div>
      ))}
    </dl>
  );
}
