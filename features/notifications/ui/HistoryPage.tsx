/** Why you were notified, or not: the decisions of the last 30 days, newest first. */
import { useState } from 'react';
import { Link } from 'wouter';
import {
  Badge,
  Button,
  Cell,
  Column,
  EmptyState,
  ErrorState,
  Loading,
  Page,
  Row,
  Table,
  TableBody,
  TableHeader,
  Time,
} from '@shell/components';
import { useSetting } from '@shell/settings';
import { useHistory, useTestNotification, type Decision } from './data';
import { SoundsDialog } from './SoundsDialog';
import './history.css';

const DECISIONS: Record<string, { label: string; tone: 'good' | 'warn' | 'neutral' }> = {
  show: { label: 'Shown', tone: 'good' },
  hold: { label: 'Held', tone: 'warn' },
  drop: { label: 'Not shown', tone: 'neutral' },
};

export default function HistoryPage() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useHistory();
  const test = useTestNotification();
  const [isChoosing, setChoosing] = useState(false);
  const isOn = useSetting('notificationHistoryEnabled');
  const entries = data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Page
      title="Notification history"
      actions={
        <>
          <Button onPress={() => setChoosing(true)}>Sounds</Button>
          <Button icon="bell" isPending={test.isPending} onPress={() => test.mutate(undefined)}>
            Send test notification
          </Button>
        </>
      }
    >
      {isChoosing && <SoundsDialog onClose={() => setChoosing(false)} />}
      {isOn === false && (
        <p className="notification-history-off">
          The history is off, so no new entries are added. Turn on notificationHistoryEnabled.
        </p>
      )}
      {error && !data ? (
        <ErrorState title="Couldn't load the history" error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading label="Loading history" />
      ) : entries.length === 0 ? (
        <EmptyState icon="history" title="No notifications yet">
          Each notification of the last 30 days appears here, with the reason why it was shown or not.
        </EmptyState>
      ) : (
        <div className="notification-history">
          <Table aria-label="Notification history">
            <TableHeader>
              <Column isRowHeader>Notification</Column>
              <Column>Decision</Column>
              <Column>Reason</Column>
              <Column>Time</Column>
            </TableHeader>
            <TableBody items={entries}>{(entry) => <Entry entry={entry} />}</TableBody>
          </Table>
          {hasNextPage && (
            <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
              Show older entries
            </Button>
          )}
        </div>
      )}
    </Page>
  );
}

function Entry({ entry }: { entry: Decision }) {
  const { label, tone } = DECISIONS[entry.decision] ?? { label: entry.decision, tone: 'neutral' as const };
  const title = entry.title ?? 'A removed row';
  return (
    <Row id={entry.id}>
      <Cell>{entry.sessionId ? <Link href={`/sessions/${entry.sessionId}`}>{title}</Link> : title}</Cell>
      <Cell>
        <Badge tone={tone}>{label}</Badge>
      </Cell>
      <Cell>{entry.reason}</Cell>
      <Cell>
        <Time at={entry.at} />
      </Cell>
    </Row>
  );
}
