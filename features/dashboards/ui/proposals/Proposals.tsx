/** What agents propose to change of the dashboard in view: in words, to accept or decline. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client, type Schemas } from '@shell/client';
import { Button, Icon, toast } from '@shell/components';
import { useFocusKept } from '@shell/focus';
import { onEvent, onResync } from '@shell/live';
import type { Draft } from '../draft/draft';
import { doneStep } from '../draft/useDraft';
import { useWindow } from './useWindow';

type Proposal = Schemas['Proposal'];

/** Changes that a proposal shows at once. */
const SHOWN_MAX = 8;

/** The open proposals, the oldest first. */
function useProposals(id: string): readonly Proposal[] {
  const cache = useQueryClient();
  const { data } = useQuery({
    queryKey: ['dashboards', 'proposals', id],
    queryFn: ({ signal }) => client.get('/dashboards/{dashboardId}/proposals', { path: { dashboardId: id }, signal }),
  });
  useEffect(() => {
    const again = () => void cache.invalidateQueries({ queryKey: ['dashboards', 'proposals', id] });
    const stops = [
      onEvent<{ dashboardId: string }>('dashboard-proposal-changed', (event) => event.dashboardId === id && again()),
      onResync(again),
    ];
    return () => stops.forEach((stop) => stop());
  }, [cache, id]);
  return data?.items.filter((proposal) => proposal.state === 'open') ?? [];
}

/** The proposals of the dashboard in view; while this stands there, it counts as open. */
export function Proposals({ id, draft }: { id: string; draft: Draft }) {
  useWindow(id);
  const proposals = useProposals(id);
  const list = useFocusKept<HTMLDivElement>('button', () => document.querySelector<HTMLElement>('.dash-name-button'));
  return (
    <div ref={list} role="status" aria-label="Proposals" className="dash-proposals">
      {proposals.map((proposal) => (
        <OneProposal key={proposal.id} id={id} draft={draft} proposal={proposal} />
      ))}
    </div>
  );
}

function OneProposal({ id, draft, proposal }: { id: string; draft: Draft; proposal: Proposal }) {
  const cache = useQueryClient();
  const [busy, setBusy] = useState<'accept' | 'decline' | null>(null);
  const [isWhole, setWhole] = useState(false);
  const path = { dashboardId: id, proposalId: proposal.id };
  const decide = async (what: 'accept' | 'decline') => {
    setBusy(what);
    try {
      if (what === 'decline') {
        await client.post('/dashboards/{dashboardId}/proposals/{proposalId}/decline', { path });
        toast.done('Proposal declined');
      } else {
        const isStep = await draft.adopt(() =>
          client.post('/dashboards/{dashboardId}/proposals/{proposalId}/accept', {
            path,
            body: { digest: proposal.digest },
          }),
        );
        if (isStep) doneStep(draft, 'Proposal accepted');
        else toast.done('Proposal accepted');
      }
    } catch (error) {
      toast.problem(what === 'accept' ? "Couldn't accept proposal" : "Couldn't decline proposal", error);
    }
    await cache.invalidateQueries({ queryKey: ['dashboards', 'proposals', id] });
    setBusy(null);
  };
  const shown = isWhole ? proposal.changes : proposal.changes.slice(0, SHOWN_MAX);
  const left = proposal.changes.length - shown.length;
  return (
    <section className="dash-proposal" aria-label="Agent's proposal">
      <Icon name="info" />
      <div>
        <p>An agent proposes changes to this dashboard:</p>
        <ul>
          {shown.map((change, at) => (
            <li key={`${at} ${change}`}>{change}</li>
          ))}
        </ul>
        {left > 0 && (
          <Button variant="plain" onPress={() => setWhole(true)}>
            {`Show ${left} more`}
          </Button>
        )}
      </div>
      <Button
        variant="primary"
        isPending={busy === 'accept'}
        isDisabled={busy !== null}
        onPress={() => void decide('accept')}
      >
        Accept
      </Button>
      <Button isPending={busy === 'decline'} isDisabled={busy !== null} onPress={() => void decide('decline')}>
        Decline
      </Button>
    </section>
  );
}
