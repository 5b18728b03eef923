/** One thing that a session asks for or offers; a row of the inbox leads here. */
import { useParams } from 'wouter';
import { ErrorState, Loading, Page } from '@shell/components';
import { AskCard } from './AskCard';
import { useAsk } from './data';

export default function AskPage() {
  const { id = '' } = useParams<{ id: string }>();
  const { data: ask, error, refetch } = useAsk(id);
  return (
    <Page title={ask?.kind === 'key' ? 'A key is offered' : 'A value is asked for'} width="text">
      {error && !ask ? (
        <ErrorState title="What is asked could not be read" error={error} onRetry={() => void refetch()} />
      ) : ask ? (
        <AskCard key={ask.id} ask={ask} takesFocus />
      ) : (
        <Loading label="Loading what is asked" />
      )}
    </Page>
  );
}
