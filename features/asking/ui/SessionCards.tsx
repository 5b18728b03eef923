/** Input requests and key proposals as cards on the session's page. A card never takes the focus. */
import { useEffect, useRef, useState } from 'react';
import { AskCard, ENDS } from './AskCard';
import { useAsksOf } from './data';
import './asking.css';

export default function SessionCards({ sessionId }: { sessionId: string }) {
  const { data: asks } = useAsksOf(sessionId);
  /** Requests that were open while the page was shown: their outcome is shown, wherever they were decided. */
  const [hadCard, setHadCard] = useState<ReadonlySet<string>>(new Set());
  const waiting = (asks ?? []).filter(({ status }) => status === 'waiting');
  const fresh = waiting.filter(({ id }) => !hadCard.has(id));
  if (fresh.length > 0) setHadCard(new Set([...hadCard, ...fresh.map(({ id }) => id)]));
  return (asks ?? [])
    .filter(({ id }) => hadCard.has(id))
    .map((ask) =>
      ask.status === 'waiting' ? (
        <AskCard key={ask.id} ask={ask} isInSession />
      ) : (
        <Decided key={ask.id} name={ask.name} end={ENDS[ask.status]} />
      ),
    );
}

function Decided({ name, end }: { name: string; end: string }) {
  const line = useRef<HTMLParagraphElement>(null);
  // The focused button disappeared with the card: move the focus here.
  useEffect(() => {
    if (document.activeElement === document.body) line.current?.focus();
  }, []);
  return (
    <p ref={line} className="ask-decided" role="status" tabIndex={-1}>
      <strong>{name}</strong>
      {`: ${end}`}
    </p>
  );
}
