/** One entry of the queue with everything you need to decide; answered, the next one follows. */
import { Suspense, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { Button, Dialog, Loading, Time } from '@shell/components';
import { features } from '@shell/features';
import { useRowTime } from '@shell/rowTime';
import { useShortcuts } from '@shell/shortcuts';
import { showNeed, useDismiss, useNeeds, type Need } from './data';
import RequestCard from './RequestCard';
import './needs.css';

const cards = features.flatMap((feature) => feature.sessionCards ?? []);

export default function NeedDialog({ id }: { id: string }) {
  const { data: needs = [] } = useNeeds();
  const [, navigate] = useLocation();
  const found = needs.findIndex((need) => need.id === id);
  // Once it's answered, wherever that was, the entry that took its position follows.
  const position = useRef(0);
  useEffect(() => {
    if (found >= 0) position.current = found;
    else showNeed(needs[Math.min(position.current, needs.length - 1)]?.id ?? null);
  }, [found, needs]);
  const need = needs[found];
  const dismiss = useDismiss();
  const step = (by: number) => {
    const next = needs[(found + by + needs.length) % needs.length];
    if (next) showNeed(next.id);
  };
  const open = () => {
    if (!need?.link) return;
    showNeed(null);
    navigate(need.link);
  };
  return (
    <Dialog
      isOpen
      onClose={() => showNeed(null)}
      size="medium"
      title={need ? need.title : 'Needs you'}
      actions={
        <>
          <span className="need-position">{need ? `${found + 1} of ${needs.length}` : ''}</span>
          {needs.length > 1 && (
            <>
              <Button onPress={() => step(-1)} aria-keyshortcuts="K">
                Previous
              </Button>
              <Button onPress={() => step(1)} aria-keyshortcuts="J">
                Next
              </Button>
            </>
          )}
          {need?.kind === 'session' && <Button onPress={() => void dismiss(need)}>Dismiss</Button>}
          {need?.link && (
            <Button onPress={open} aria-keyshortcuts="O">
              {need.sessionId ? 'Open session' : 'Open'}
            </Button>
          )}
        </>
      }
    >
      <Keys onStep={step} onOpen={open} />
      {need ? <Body key={need.id} need={need} /> : <Loading label="Loading the next request" />}
    </Dialog>
  );
}

/** Keys of the dialog: bound inside it, as those of the page behind it rest. */
function Keys({ onStep, onOpen }: { onStep: (by: number) => void; onOpen: () => void }) {
  useShortcuts('Needs you', [
    { keys: 'j', label: 'Next request', run: () => onStep(1) },
    { keys: 'k', label: 'Previous request', run: () => onStep(-1) },
    { keys: 'o', label: 'Open the session', run: onOpen },
  ]);
  return null;
}

function Body({ need }: { need: Need }) {
  useRowTime(need.id);
  return (
    <div className="need-body">
      <p className="need-meta">
        {[need.hub, need.engine].filter(Boolean).join(' · ')} <Time at={need.since} />
      </p>
      {need.sessionId && need.askId ? (
        <RequestCard sessionId={need.sessionId} askId={need.askId} takesFocus />
      ) : (
        <>
          <p className="need-reason">{need.reason}</p>
          {need.sessionId && need.kind !== 'session' && (
            <Suspense fallback={<Loading />}>
              {cards.map((Card, at) => (
                <Card key={at} sessionId={need.sessionId!} />
              ))}
            </Suspense>
          )}
        </>
      )}
    </div>
  );
}
