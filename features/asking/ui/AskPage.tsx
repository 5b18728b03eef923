/** An input request or key proposal. Inbox rows link here. */
import { useParams } from 'wouter';
import { ErrorState, Loading, Page } from '@shell/components';
import { AskCard } from './AskCard';
import { useAsk } from './data';

export default function AskPage() {
  const { id = '' } = useParams<{ id: string }>();
  const { data: ask, error, refetch } = useAsk(id);
  return (
    <Page title={ask?.kind === 'key' ? 'Key proposal' : 'Input request'} width="text">
      {error && !ask ? (
        <ErrorState title="Couldn't load request" error={error} onRetry={() => void refetch()} />
      ) : ask ? (
        <AskCard key={ask.id} ask={ask} takesFocus />
      ) : (
        <Loading label="Loading request" />
      )}
    </Page>
  );
}
