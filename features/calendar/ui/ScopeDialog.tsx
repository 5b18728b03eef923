/** Asks which events of a series a change is for. */
import { useCallback, useState, type ReactNode } from 'react';
import { Button, Dialog } from '@shell/components';
import type { Occurrence, Scope } from './types';

const LABELS: Record<Scope, string> = { this: 'This event', following: 'This and following', all: 'All events' };
const ALL: readonly Scope[] = ['this', 'following', 'all'];

/** The scope of a change; null for a single event. */
export interface Answer {
  scope: Scope | null;
}

interface Question {
  title: string;
  scopes: readonly Scope[];
  answer: (answer: Answer | null) => void;
}

export type AskScope = (event: Occurrence, title: string, scopes?: readonly Scope[]) => Promise<Answer | null>;

/** Asks for the scope of a change if the event is one of a series; null if the question is canceled. */
export function useScope(): { ask: AskScope; dialog: ReactNode } {
  const [question, setQuestion] = useState<Question | null>(null);
  const ask: AskScope = useCallback((event, title, scopes = ALL) => {
    if (!event.isRecurring || event.occurrence === null) return Promise.resolve({ scope: null });
    return new Promise((resolve) =>
      setQuestion({
        title,
        scopes,
        answer: (answer) => {
          setQuestion(null);
          resolve(answer);
        },
      }),
    );
  }, []);
  const dialog = question && (
    <Dialog
      isOpen
      onClose={() => question.answer(null)}
      title={question.title}
      actions={<Button onPress={() => question.answer(null)}>Cancel</Button>}
    >
      <div className="cal-scopes">
        {question.scopes.map((scope, at) => (
          <Button key={scope} autoFocus={at === 0} onPress={() => question.answer({ scope })}>
            {LABELS[scope]}
          </Button>
        ))}
      </div>
    </Dialog>
  );
  return { ask, dialog };
}
