/** The list of digests. */
import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { client } from '@shell/client';
import { Button, EmptyState, ErrorState, LinkRow, Loading, Page, toast } from '@shell/components';
import { DIGESTS, useDigests } from './data';
import './digests.css';

export default function DigestsPage() {
  const { data: digests, error, refetch } = useDigests();
  const [, navigate] = useLocation();
  const cache = useQueryClient();
  const [isWriting, setWriting] = useState(false);
  const write = async () => {
    setWriting(true);
    try {
      const { id } = await client.post('/digests', { body: { kind: 'daily' } });
      await cache.invalidateQueries({ queryKey: DIGESTS });
      navigate(`/digests/${id}`);
    } catch (failure) {
      toast.problem("Couldn't write digest", failure);
      setWriting(false);
    }
  };
  const openSettings = () => navigate('/settings?key=dailyDigestEnabled');
  return (
    <Page
      title="Digests"
      actions={
        <>
          <Button icon="settings" onPress={openSettings}>
            Digest settings
          </Button>
          <Button variant="primary" isPending={isWriting} onPress={() => void write()}>
            Write digest now
          </Button>
        </>
      }
    >
      {error && !digests ? (
        <ErrorState title="Couldn't load digests" error={error} onRetry={() => void refetch()} />
      ) : !digests ? (
        <Loading label="Loading digests" />
      ) : digests.length === 0 ? (
        <EmptyState icon="file" title="No digests yet">
          Turn on the daily briefing, the weekly summary, or the archive digest in the settings.
        </EmptyState>
      ) : (
        <ul className="digests" aria-label="Digests">
          {digests.map(({ id, label, line, createdAt, paused }) => (
            <LinkRow
              key={id}
              href={`/digests/${id}`}
              icon="file"
              name={label}
              details={paused ? ['Paused', line] : [line]}
              changedAt={createdAt}
            />
          ))}
        </ul>
      )}
    </Page>
  );
}
