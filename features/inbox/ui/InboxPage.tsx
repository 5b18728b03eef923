/** Everything that needs attention, newest first. A row stays until it's dismissed or its cause is resolved. */
import { useState } from 'react';
import { GridList, GridListItem } from 'react-aria-components';
import { Link, useLocation } from 'wouter';
import {
  Badge,
  Button,
  EmptyState,
  ErrorState,
  Icon,
  IconButton,
  Loading,
  Page,
  ScreenReaderOnly,
  Time,
} from '@shell/components';
import { useShortcuts } from '@shell/shortcuts';
import {
  isYesOrNo,
  kindOf,
  maker,
  target,
  useCount,
  useKinds,
  useRowActions,
  useRows,
  type Listed,
  type Row,
} from './data';
import './inbox.css';

export default function InboxPage() {
  const [state, setState] = useState<Listed>('open');
  const { data: count } = useCount();
  const { data: kinds } = useKinds();
  const hiddenWaiting = count?.hiddenWaiting ?? 0;
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useRows(state);
  const actions = useRowActions();
  const [, navigate] = useLocation();
  const rows = data?.pages.flatMap((page) => page.items) ?? [];
  const unread = rows.some((row) => !row.read);
  const open = (row: Row) => {
    if (!row.read) void actions.setRead(row, true);
    const leads = row.link ? target(row.link) : null;
    if (leads && 'page' in leads) navigate(leads.page);
    else if (leads && row.link) window.open(row.link, '_blank', 'noopener,noreferrer');
  };
  const focused = () => {
    const id = document.activeElement?.closest('[data-key]')?.getAttribute('data-key');
    return rows.find((row) => row.id === id);
  };
  /** Applies the action to the focused row, if there is one. */
  const onFocused = (run: (row: Row) => void) => () => {
    const row = focused();
    if (!row) return false;
    run(row);
  };
  useShortcuts('Inbox', [
    { keys: 'Enter', label: 'Open row' },
    state !== 'dismissed'
      ? { keys: 'e', label: 'Dismiss row', run: onFocused((row) => void (row.waits || actions.dismiss(row))) }
      : { keys: 'e', label: 'Restore row', run: onFocused((row) => void actions.restore(row)) },
    { keys: 'u', label: 'Mark row as read or unread', run: onFocused((row) => void actions.setRead(row, !row.read)) },
  ]);
  return (
    <Page
      title="Inbox"
      actions={
        <>
          {state === 'open' && unread && rows[0] && (
            <Button icon="check" onPress={() => rows[0] && void actions.readAll(rows[0], newestChange(rows))}>
              Mark all read
            </Button>
          )}
          {state === 'open' && kinds?.some((kind) => kind.hidden) && (
            <Button icon="eye" onPress={() => setState('hidden')}>
              {hiddenWaiting > 0 ? `View hidden (${hiddenWaiting} waiting)` : 'View hidden'}
            </Button>
          )}
          <Button
            icon={state === 'open' ? 'archive' : 'inbox'}
            onPress={() => setState(state === 'open' ? 'dismissed' : 'open')}
          >
            {state === 'open' ? 'View dismissed' : 'View open'}
          </Button>
        </>
      }
    >
      {error && !data ? (
        <ErrorState title="Couldn't load inbox" error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading label="Loading inbox" />
      ) : rows.length === 0 ? (
        state === 'open' ? (
          <EmptyState icon="inbox" title="You're all caught up">
            Requests and alerts from agents appear here.
          </EmptyState>
        ) : (
          <EmptyState icon="archive" title={state === 'hidden' ? 'No hidden rows' : 'No dismissed rows'}>
            {state === 'hidden'
              ? 'Rows of categories that are off in Settings appear here.'
              : 'You can restore dismissed rows for 30 days.'}
          </EmptyState>
        )
      ) : (
        <div className="inbox">
          <GridList aria-label={LABELS[state]} className="inbox-rows" items={rows} dependencies={[state, kinds]}>
            {(row) => <RowItem row={row} kind={kindOf(row, kinds)} onOpen={() => open(row)} actions={actions} />}
          </GridList>
          {hasNextPage && (
            <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
              Show older rows
            </Button>
          )}
        </div>
      )}
    </Page>
  );
}

const LABELS: Record<Listed, string> = { open: 'Inbox rows', hidden: 'Hidden rows', dismissed: 'Dismissed rows' };

function RowItem({
  row,
  kind,
  onOpen,
  actions,
}: {
  row: Row;
  kind: ReturnType<typeof kindOf>;
  onOpen: () => void;
  actions: ReturnType<typeof useRowActions>;
}) {
  const leads = row.link ? target(row.link) : null;
  return (
    <GridListItem id={row.id} textValue={row.title} className="inbox-row" onAction={onOpen}>
      <div className="inbox-row-in" data-unread={!row.read || undefined}>
        <Icon name={kind.icon} />
        <div className="inbox-text">
          <p className="inbox-title">
            {!row.read && <ScreenReaderOnly>Unread: </ScreenReaderOnly>}
            {row.title}
          </p>
          {row.body && <Body text={row.body} />}
          <p className="inbox-meta">
            {row.severity !== 'info' && (
              <Badge tone={row.severity === 'critical' ? 'bad' : 'warn'} icon="warning">
                {row.severity === 'critical' ? 'Critical' : 'Warning'}
              </Badge>
            )}
            <span>{kind.label}</span>
            {row.sessionId ? <Link href={`/sessions/${row.sessionId}`}>View session</Link> : <span>{maker(row)}</span>}
            <Time at={row.changedAt} />
            {leads && 'site' in leads && <span>{`Opens ${leads.site}`}</span>}
          </p>
        </div>
        <div className="inbox-actions">
          {isYesOrNo(row) && <Answers row={row} answer={actions.answer} />}
          {leads && (
            <Button icon="chevronRight" onPress={onOpen} aria-label={`Open ${row.title}`}>
              Open
            </Button>
          )}
          <IconButton
            icon={row.read ? 'circle' : 'eye'}
            keys="u"
            label={row.read ? `Mark ${row.title} as unread` : `Mark ${row.title} as read`}
            onPress={() => void actions.setRead(row, !row.read)}
          />
          {row.state === 'dismissed' ? (
            <IconButton icon="undo" keys="e" label={`Restore ${row.title}`} onPress={() => void actions.restore(row)} />
          ) : (
            !row.waits && (
              <IconButton
                icon="close"
                keys="e"
                label={`Dismiss ${row.title}`}
                onPress={() => void actions.dismiss(row)}
              />
            )
          )}
        </div>
      </div>
    </GridListItem>
  );
}

/** The newest change among these rows. */
const newestChange = (rows: readonly Row[]) =>
  rows.reduce(
    (newest, { changedAt }) => (Date.parse(changedAt) > Date.parse(newest) ? changedAt : newest),
    rows[0]?.changedAt ?? '',
  );

/** Allows or denies a session's request, once. */
function Answers({ row, answer }: { row: Row; answer: (row: Row, allow: boolean) => Promise<boolean> }) {
  const [isSent, setSent] = useState<boolean | null>(null);
  const [yes, no] = row.kind === 'plan' ? ['Approve', 'Reject'] : ['Allow', 'Deny'];
  const send = async (allow: boolean) => {
    if (isSent !== null) return;
    setSent(allow);
    // If that failed, the reloaded rows show the current state.
    if (!(await answer(row, allow))) setSent(null);
  };
  return (
    <>
      <Button
        variant="primary"
        icon="check"
        isDisabled={isSent === false}
        isPending={isSent === true}
        onPress={() => void send(true)}
        aria-label={`${yes}: ${row.title}`}
      >
        {yes}
      </Button>
      <Button
        icon="close"
        isDisabled={isSent === true}
        isPending={isSent === false}
        onPress={() => void send(false)}
        aria-label={`${no}: ${row.title}`}
      >
        {no}
      </Button>
    </>
  );
}

/** Characters and lines of a text shown before it's expanded. */
const CHARS_SHOWN = 600;
const LINES_SHOWN = 8;

function Body({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const first = text.split('\n').slice(0, LINES_SHOWN).join('\n').slice(0, CHARS_SHOWN);
  return (
    <>
      <p className="inbox-body">{isWhole || first === text ? text : `${first}…`}</p>
      {first !== text && (
        <Button variant="plain" onPress={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : 'Show all'}
        </Button>
      )}
    </>
  );
}
