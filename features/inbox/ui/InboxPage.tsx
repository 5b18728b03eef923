/** Everything that needs attention, newest first. A row stays until it's dismissed or its cause is resolved. */
import { useCallback, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { Button, EmptyState, ErrorState, IconButton, Loading, Page } from '@shell/components';
import { offerSession } from '@shell/newSession';
import { usePreference } from '@shell/preferences';
import { FilterBar, isFiltered } from './FilterBar';
import { InboxList } from './InboxList';
import { RowDetail } from './RowDetail';
import { SnoozeDialog } from './SnoozeDialog';
import {
  NO_FILTERS,
  queryOf,
  target,
  useBoardNames,
  useCount,
  useGroups,
  useHubNames,
  useKinds,
  useRowActions,
  useRows,
  type Filters,
  type GroupedBy,
  type Listed,
  type Row,
} from './data';
import { CHUNK_ROWS, type Group } from './layout';
import { useInboxKeys } from './useInboxKeys';
import './inbox.css';

const LABELS: Record<Listed, string> = {
  open: 'Inbox rows',
  hidden: 'Hidden rows',
  snoozed: 'Snoozed rows',
  dismissed: 'Dismissed rows',
};

/** While the number of rows is loading, the first rows load too. */
const FIRST_ROWS: readonly Group[] = [{ id: '', rows: CHUNK_ROWS, unread: 0 }];
const NO_GROUPS: readonly Group[] = [];
const NO_NAMES: ReadonlyMap<string, string> = new Map();

export default function InboxPage() {
  const [, navigate] = useLocation();
  const { filters, setFilters } = useFilters();
  const { data: kinds } = useKinds();
  const hubs = useHubNames() ?? NO_NAMES;
  const boards = useBoardNames(true) ?? NO_NAMES;
  const actions = useRowActions();
  const groups = useGroups(filters);
  const [range, setRange] = useState<[number, number]>([0, 20]);
  const onRange = useCallback((first: number, last: number) => setRange([first, last]), []);
  const [at, setAt] = useState<{ id: string | null; at: number }>({ id: null, at: 0 });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [asking, setAsking] = useState<{ what: 'snooze' | 'followUp'; row: Row } | null>(null);
  const [focusCount, setFocusCount] = useState(0);
  const search = useRef<HTMLInputElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const pane = useRef<HTMLDivElement>(null);

  const { layout, rowAt, find, error } = useRows(
    filters,
    groups.data ?? (filters.by === 'none' ? FIRST_ROWS : NO_GROUPS),
    ...range,
    at.at,
  );
  // The active row may have moved; if it's gone, the one that took its position is active.
  const found = at.id === null ? -1 : find(at.id);
  const active = found >= 0 ? found : Math.max(0, Math.min(at.at, layout.rows - 1));
  const row = rowAt(active);

  const change = (next: Partial<Filters>) => {
    setFilters(next);
    setSelected(new Set());
    setAt({ id: null, at: 0 });
    scroller.current?.scrollTo?.({ top: 0 });
  };
  const pick = (position: number, picked: Row) => {
    setAt({ id: picked.id, at: position });
    if (!picked.read) void actions.setRead(picked, true);
  };
  const step = (by: number) => {
    if (layout.rows === 0) return;
    const next = Math.max(0, Math.min(active + by, layout.rows - 1));
    setAt({ id: rowAt(next)?.id ?? null, at: next });
    setFocusCount((count) => count + 1);
  };
  const open = (opened: Row) => {
    if (!opened.read) void actions.setRead(opened, true);
    const leads = opened.link ? target(opened.link) : null;
    if (leads && 'page' in leads) navigate(leads.page);
    else if (leads && opened.link) window.open(opened.link, '_blank', 'noopener,noreferrer');
    else pane.current?.focus();
  };
  const toggle = ({ id }: Row) =>
    setSelected((before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]));
  const dismissSelected = async () => {
    await actions.dismissAll({ rowIds: [...selected] });
    setSelected(new Set());
  };
  const dismissAll = () => {
    const seenAt = new Date(groups.dataUpdatedAt).toISOString();
    void actions.dismissAll({ match: queryOf(filters), seenAt });
  };
  const reply = () => {
    const card = pane.current?.querySelector<HTMLElement>(
      '.inbox-request input, .inbox-request textarea, .inbox-request [tabindex="0"], .inbox-request button',
    );
    (card ?? pane.current)?.focus();
  };
  const startSession = async (of: Row) => {
    const hub = await actions.startHub(of);
    if (hub) navigate(offerSession(hub.projectId ?? '', [of.title, of.body].join('\n').trim().replace(/^/gm, '> ')));
  };

  useInboxKeys({
    row,
    filters,
    actions,
    isSelecting: selected.size > 0,
    step,
    open,
    toggle,
    reply,
    dismissSelected: () => void dismissSelected(),
    clearSelection: () => setSelected(new Set()),
    ask: (what, of) => setAsking({ what, row: of }),
    search: () => search.current?.focus(),
  });

  const isEmpty = groups.data !== undefined && layout.rows === 0;
  return (
    <Page
      title="Inbox"
      actions={<HeadButtons filters={filters} first={rowAt(0)} onChange={change} actions={actions} />}
    >
      <div className="inbox">
        <FilterBar filters={filters} onChange={change} kinds={kinds ?? []} hubs={hubs} searchRef={search} />
        {(groups.error && !groups.data) || error ? (
          <ErrorState title="Couldn't load inbox" error={groups.error ?? error} onRetry={() => void groups.refetch()} />
        ) : !groups.data ? (
          <Loading label="Loading inbox" />
        ) : isEmpty ? (
          <Empty filters={filters} onClear={() => change(NO_FILTERS)} />
        ) : (
          <div className="inbox-panes">
            <section className="inbox-list" aria-label="Rows">
              <div className="inbox-bulk">
                <span role="status">
                  {selected.size > 0
                    ? `${selected.size.toLocaleString()} selected`
                    : `${layout.rows.toLocaleString()} ${layout.rows === 1 ? 'row' : 'rows'}`}
                </span>
                {selected.size > 0 ? (
                  <>
                    {filters.listed !== 'dismissed' && (
                      <Button icon="close" onPress={() => void dismissSelected()}>
                        Dismiss selected
                      </Button>
                    )}
                    <Button variant="plain" onPress={() => setSelected(new Set())}>
                      Clear selection
                    </Button>
                  </>
                ) : (
                  filters.listed !== 'dismissed' && (
                    <Button variant="plain" icon="close" onPress={dismissAll}>
                      Dismiss all
                    </Button>
                  )
                )}
              </div>
              <InboxList
                label={LABELS[filters.listed]}
                layout={layout}
                rowAt={rowAt}
                active={active}
                selected={selected}
                kinds={kinds}
                nameOf={({ id }) =>
                  filters.by === 'hub' ? (hubs.get(id) ?? 'No hub') : (boards.get(id) ?? 'No board')
                }
                onRange={onRange}
                onPick={pick}
                onToggle={toggle}
                scroller={scroller}
                focusCount={focusCount}
              />
            </section>
            <section className="inbox-pane" aria-label="Row details" ref={pane} tabIndex={-1}>
              {row && (
                <RowDetail
                  key={row.id}
                  row={row}
                  kinds={kinds}
                  hub={hubs.get(row.projectId ?? '')}
                  board={boards.get(row.boardId ?? '')}
                  actions={actions}
                  onOpen={() => open(row)}
                  onSnooze={() => setAsking({ what: 'snooze', row })}
                  onFollowUp={() => setAsking({ what: 'followUp', row })}
                  onStartSession={() => void startSession(row)}
                />
              )}
            </section>
          </div>
        )}
      </div>
      {asking && (
        <SnoozeDialog
          title={asking.what === 'snooze' ? 'Snooze row' : 'Remind me unless settled'}
          action={asking.what === 'snooze' ? 'Snooze' : 'Set reminder'}
          onPick={(text) => actions[asking.what](asking.row, text)}
          onClear={asking.what === 'followUp' && asking.row.followUpAt ? () => actions.followUp(asking.row) : undefined}
          onClose={() => setAsking(null)}
        />
      )}
    </Page>
  );
}

/** The filters; the grouping is remembered. */
function useFilters() {
  const [by, setBy] = usePreference('inbox.group');
  const [typed, setTyped] = useState<Omit<Filters, 'by'>>({ listed: 'open', ...NO_FILTERS });
  const grouped: GroupedBy = by === 'hub' || by === 'board' ? by : 'none';
  const filters = useMemo<Filters>(() => ({ ...typed, by: grouped }), [typed, grouped]);
  const setFilters = ({ by: nextBy, ...next }: Partial<Filters>) => {
    if (nextBy !== undefined) setBy(nextBy === 'none' ? null : nextBy);
    setTyped((before) => ({ ...before, ...next }));
  };
  return { filters, setFilters };
}

function HeadButtons({
  filters,
  first,
  onChange,
  actions,
}: {
  filters: Filters;
  first: Row | undefined;
  onChange: (change: Partial<Filters>) => void;
  actions: ReturnType<typeof useRowActions>;
}) {
  const { data: count } = useCount();
  const { data: kinds } = useKinds();
  const { listed } = filters;
  const [, navigate] = useLocation();
  const hiddenWaiting = count?.hiddenWaiting ?? 0;
  const show = (next: Listed) => onChange({ ...NO_FILTERS, listed: next });
  return (
    <>
      {listed === 'open' && first && (count?.unread ?? 0) > 0 && !isFiltered(filters) && filters.by === 'none' && (
        <Button icon="check" onPress={() => void actions.readAll(first, new Date().toISOString())}>
          Mark all read
        </Button>
      )}
      {listed === 'open' && kinds?.some((kind) => kind.hidden) && (
        <Button icon="eye" onPress={() => show('hidden')}>
          {hiddenWaiting > 0 ? `View hidden (${hiddenWaiting} waiting)` : 'View hidden'}
        </Button>
      )}
      {listed === 'open' && (count?.snoozed ?? 0) > 0 && (
        <Button icon="clock" onPress={() => show('snoozed')}>
          {`View snoozed (${(count?.snoozed ?? 0).toLocaleString()})`}
        </Button>
      )}
      <IconButton icon="chart" label="Inbox stats" onPress={() => navigate('/inbox/stats')} />
      <Button
        icon={listed === 'open' ? 'archive' : 'inbox'}
        onPress={() => show(listed === 'open' ? 'dismissed' : 'open')}
      >
        {listed === 'open' ? 'View dismissed' : 'View open'}
      </Button>
    </>
  );
}

const EMPTY: Record<Listed, { title: string; text: string }> = {
  open: { title: "You're all caught up", text: 'Requests and alerts from agents appear here.' },
  hidden: { title: 'No hidden rows', text: 'Rows of categories that are off in Settings appear here.' },
  snoozed: { title: 'No snoozed rows', text: 'Snoozed rows come back at their time.' },
  dismissed: { title: 'No dismissed rows', text: 'You can restore dismissed rows for 30 days.' },
};

function Empty({ filters, onClear }: { filters: Filters; onClear: () => void }) {
  if (isFiltered(filters))
    return (
      <EmptyState icon="filter" title="No matching rows" action={<Button onPress={onClear}>Clear filters</Button>}>
        Change or clear the filters.
      </EmptyState>
    );
  const { title, text } = EMPTY[filters.listed];
  return (
    <EmptyState icon={filters.listed === 'open' ? 'inbox' : 'archive'} title={title}>
      {text}
    </EmptyState>
  );
}
