import type { Label } from './data';
import { LabelMark } from './LabelMark';

/** A label with its colour as a dot: the word carries the meaning, the colour repeats it. */
export function LabelPill({ label }: { label: Label }) {
  return (
    <span className="label-pill">
      <LabelMark color={label.color} category={label.category ?? (label.done ? 'done' : undefined)} />
      <span className="grid-text">{label.text}</span>
    </span>
  );
}
