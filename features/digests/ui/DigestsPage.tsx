/** The list of digests. */
import { useLocation } from 'wouter';
import { Button, EmptyState, ErrorState, LinkRow, Loading, Page } from '@shell/components';
import { useDigests } from './data';
import './digests.css';

export default function DigestsPage() {
  const { data: digests, error, refetch } = useDigests();
  const [, navigate] = useLocation();
  const openSettings = () => navigate('/settings?key=dailyDigestEnabled');
  return (
    <Page
      title="Digests"
      actions={
        <Button icon="settings" onPress={openSettings}>
          Digest settings
        </Button>
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
