/** One item of a drip. */
import { ErrorState, Loading, Page } from '@shell/components';
import Content from './Content';
import { useItem } from './data';
import './drip.css';

export function ItemPage({ queueId, itemId }: { queueId: string; itemId: string }) {
  const { data: item, error, refetch } = useItem(queueId, itemId);
  return (
    <Page title={item?.title ?? 'Drip item'}>
      <div className="drip">
        {item ? (
          <Content {...item} />
        ) : error ? (
          <ErrorState title="Couldn't load item" error={error} onRetry={() => void refetch()} />
        ) : (
          <Loading label="Loading item" />
        )}
      </div>
    </Page>
  );
}
