import type { Label } from './data';
import { LabelMark } from './LabelMark';

/** A label with a dot in its color. The text carries the meaning, so color isn't required. */
export function LabelPill({ label }: { label: Label }) {
  return (
    <span className="label-pill">
      <LabelMark color={label.color} category={label.category ?? (label.done ? 'done' : undefined)} />
      <span className="grid-text">{label.text}</span>
    </span>
  );
}
