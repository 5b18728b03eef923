/** A session's request outside of its page, answered in place. */
import { useEffect, useRef } from 'react';
import { ErrorState, Loading } from '@shell/components';
import { AskCard } from '../AskCard';
import { useAsks, useSessionActions, type Answer } from '../data';
import '../session.css';

interface Props {
  sessionId: string;
  askId: string;
  /** Moves the focus to its first field, or else to the card, whose keys then work. */
  takesFocus?: boolean;
}

export default function RequestCard({ sessionId, askId, takesFocus = false }: Props) {
  const { data: asks, error, refetch } = useAsks(sessionId);
  const { answer } = useSessionActions();
  const frame = useRef<HTMLDivElement>(null);
  const ask = asks?.find(({ id }) => id === askId);
  const isReady = ask !== undefined && takesFocus;
  useEffect(() => {
    if (!isReady) return;
    const find = (selector: string) => frame.current?.querySelector<HTMLElement>(selector);
    (find('.ask-fields input, .ask-fields textarea') ?? find('.session-ask'))?.focus();
  }, [isReady]);
  if (error && !asks) return <ErrorState title="Couldn't load request" error={error} onRetry={() => void refetch()} />;
  if (!ask) return <Loading label="Loading request" />;
  return (
    <div ref={frame}>
      <AskCard ask={ask} use={undefined} onAnswer={(given: Answer) => answer(sessionId, askId, given)} />
    </div>
  );
}
