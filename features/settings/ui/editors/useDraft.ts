import { useState } from 'react';
import { sameJson, type Json, type Schema } from '@shell/settings';
import type { Refusal } from '../data';
import { refusal } from '../model';

/** What an editor is given. */
export interface EditorProps {
  schema: Schema;
  value: Json;
  /** Name for screen readers, and shown above the field where `showLabel`. */
  label: string;
  showLabel?: boolean;
  unit?: string | null;
  /** A member that may be left out: emptied, it is `null`. */
  optional?: boolean;
  /** Saves; answers why not, or null. */
  onCommit: (value: Json) => Promise<Refusal>;
}

/**
 * What is being typed, and why it was refused. A refused text stays in the field with its reason, so that it can be
 * mended; a value that changes elsewhere replaces it.
 */
export function useDraft({
  schema,
  value,
  onCommit,
  optional,
}: Pick<EditorProps, 'schema' | 'value' | 'onCommit' | 'optional'>) {
  const [base, setBase] = useState(value);
  const [draft, setDraft] = useState(value);
  const [error, setError] = useState<Refusal>(null);
  // While a change is on its way, and after it was refused, the value goes to the new one and back: no news.
  const [ours, setOurs] = useState<Json[]>([]);
  if (!sameJson(base, value)) {
    setBase(value);
    if (!ours.some((own) => sameJson(own, value))) {
      setDraft(value);
      setError(null);
      setOurs([]);
    }
  }
  const commit = async (next: Json) => {
    setDraft(next);
    const local = next === null && optional ? null : refusal(schema, next);
    setError(local);
    if (local || sameJson(next, value)) return;
    setOurs([value, next]);
    const reason = await onCommit(next);
    setError(reason);
    if (reason === null) setOurs([]);
  };
  const revert = () => {
    setDraft(value);
    setError(null);
  };
  return { draft, setDraft, error, setError, commit, revert };
}
