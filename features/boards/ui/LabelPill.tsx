import type { Label } from './data';

/** A label with its colour as a dot: the word carries the meaning, the colour repeats it. */
export function LabelPill({ label }: { label: Label }) {
  return (
    <span className="label-pill">
      <svg className="label-dot" viewBox="0 0 8 8" aria-hidden="true" focusable="false">
        {label.done ? <rect width="8" height="8" rx="2" fill={label.color ?? 'currentColor'} /> : <circle cx="4" cy="4" r="4" fill={label.color ?? 'currentColor'} />}
      </svg>
      <span className="grid-text">{label.text}</span>
    </span>
  );
}
