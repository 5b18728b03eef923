/** The settings page: everything on it comes from `GET /settings`. */
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import { flushSync } from 'react-dom';
import { Link, useSearchParams } from 'wouter';
import { Button, EmptyState, ErrorState, Icon, IconButton, Loading, Menu, Page, SearchField } from '@shell/components';
import { isPlanned, useSettings, type Setting } from '@shell/settings';
import { useShortcuts } from '@shell/shortcuts';
import { useChangeSetting, useRecentKeys } from './data';
import { HistoryPanel } from './HistoryPanel';
import { ImportDialog } from './ImportDialog';
import { JsonDialog } from './JsonDialog';
import {
  chosen,
  FILTERS,
  find,
  groupsOf,
  keyOf,
  linesOf,
  parseFilters,
  PLANNED_ID,
  type Filter,
  type Line,
} from './model';
import { RestartBar } from './RestartBar';
import { AreaSelect, SideIndex } from './SideIndex';
import { Row } from './Row';
import { downloadExport } from './transfer';
import './settings.css';

const NONE: readonly Setting[] = [];
/** The address follows the typing at a distance: browsers refuse too many changes of it. */
const ADDRESS_MS = 200;
/** Estimated height of a section's heading; what begins above its end is in view. */
const HEAD_PX = 44;
/** So near the end of the list counts as there. */
const END_PX = 2;

export default function SettingsPage() {
  const { data, error, refetch, isPending } = useSettings();
  const [params, setParams] = useSearchParams();
  const filters = useMemo(() => parseFilters(params.get('filter')), [params]);
  const history = params.get('history');
  const wantedKey = params.get('key');
  const [query, setQuery] = useState(params.get('q') ?? '');
  const [dialog, setDialog] = useState<'import' | Setting | null>(null);
  const [section, setSection] = useState('');
  const search = useRef<HTMLInputElement>(null);
  const list = useRef<ListHandle>(null);
  const recent = useRecentKeys(filters.includes('recent'));
  const change = useChangeSetting();

  // The router's setter is a new one after each change of the address; the rows must not be drawn again for that.
  const newestSetParams = useRef(setParams);
  useEffect(() => {
    newestSetParams.current = setParams;
  });
  const setParam = useCallback(
    (members: Record<string, string | null>, replace = true) =>
      newestSetParams.current(
        (before) => {
          const next = new URLSearchParams(before);
          for (const [name, value] of Object.entries(members)) {
            if (value) next.set(name, value);
            else next.delete(name);
          }
          return next;
        },
        { replace },
      ),
    [],
  );

  // Typing goes to the address a little later; an address that changes by itself (Back, the palette) goes to the field.
  const written = useRef(query);
  const inAddress = params.get('q') ?? '';
  useEffect(() => {
    if (inAddress === written.current) return;
    written.current = inAddress;
    setQuery(inAddress);
  }, [inAddress]);
  useEffect(() => {
    if (query === written.current) return;
    const timer = setTimeout(() => {
      written.current = query;
      setParam({ q: query });
    }, ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [query, setParam]);

  const settings = data?.settings ?? NONE;
  const wanted = useDeferredValue(query);
  const found = useMemo(() => find(settings, wanted, filters, recent), [settings, wanted, filters, recent]);
  // Search results are grouped by section only, with the planned ones open.
  const isNarrowed = wanted.trim() !== '' || filters.length > 0;
  const groups = useMemo(() => groupsOf(found, !isNarrowed), [found, isNarrowed]);
  const allGroups = useMemo(() => groupsOf(settings, !isNarrowed), [settings, isNarrowed]);
  // Pressing Planned counts for the results that it was pressed in.
  const scope = `${filters.join()} ${wanted}`;
  const [pressed, setPressed] = useState<{ scope: string; isOpen: boolean } | null>(null);
  const isPlannedOpen =
    pressed?.scope === scope
      ? pressed.isOpen
      : isNarrowed || settings.some((setting) => setting.key === wantedKey && isPlanned(setting));
  const lines = useMemo(() => linesOf(groups, isPlannedOpen), [groups, isPlannedOpen]);
  const goTo = (group: string) => {
    if (group === PLANNED_ID) flushSync(() => setPressed({ scope, isOpen: true }));
    list.current?.goTo(group);
  };
  const withoutFilters = useMemo(
    () => (found.length > 0 || !wanted || filters.length === 0 ? 0 : find(settings, wanted, [], recent).length),
    [found, settings, wanted, filters, recent],
  );

  useShortcuts('Settings', [
    { keys: '/', label: 'Search settings', run: () => search.current?.focus() },
    { keys: 'ArrowDown', label: 'Next setting', run: () => list.current?.step(1) },
    { keys: 'ArrowUp', label: 'Previous setting', run: () => list.current?.step(-1) },
    { keys: 'Enter', label: 'Edit setting' },
    { keys: 'Esc', label: 'Leave the field or list' },
  ]);

  const onHistory = useCallback((key: string) => setParam({ history: key }, false), [setParam]);
  const onActivate = useCallback((key: string) => setParam({ key }), [setParam]);

  const clear = () => {
    setQuery('');
    setParam({ q: null, filter: null });
  };

  if (isPending) return <Loading label="Loading settings" />;
  if (!data) return <ErrorState title="Couldn't load settings" error={error} onRetry={() => void refetch()} />;

  return (
    <Page
      title="Settings"
      detail={
        <span role="status">
          {found.length === settings.length
            ? `${settings.length} settings`
            : `${found.length} of ${settings.length} settings`}
        </span>
      }
      actions={
        <>
          <IconButton
            icon="history"
            label="Settings history"
            isActive={history === 'all'}
            onPress={() => setParam({ history: history === 'all' ? null : 'all' }, false)}
          />
          <Menu
            label="More actions"
            groups={[
              {
                entries: [
                  { id: 'export', label: 'Export to file', icon: 'download', onAction: () => void downloadExport() },
                  { id: 'import', label: 'Import from file', icon: 'upload', onAction: () => setDialog('import') },
                ],
              },
            ]}
          >
            <IconButton icon="more" label="More actions" />
          </Menu>
        </>
      }
      side={
        history && (
          <HistoryPanel
            key={history}
            settingKey={history === 'all' ? null : history}
            settings={settings}
            onClose={() => {
              setParam({ history: null }, false);
              list.current?.focusActive();
            }}
          />
        )
      }
    >
      <div className="settings">
        <SideIndex all={allGroups} shown={groups} current={found.length ? section : ''} onGo={goTo} />
        <div className="settings-main">
          <RestartBar settings={settings} />
          <div className="settings-find">
            <SearchField
              aria-label="Search settings"
              placeholder="Search by name, key, description, or choice"
              value={query}
              onChange={setQuery}
              inputRef={search}
              onInputKeyDown={(event) => {
                if (event.key === 'ArrowDown') {
                  event.preventDefault();
                  list.current?.first();
                }
                if (event.key === 'Escape' && query === '') event.currentTarget.blur();
              }}
            />
            <AreaSelect all={allGroups} shown={groups} current={found.length ? section : ''} onGo={goTo} />
            <ToggleButtonGroup
              className="settings-filters"
              aria-label="Filters"
              selectionMode="multiple"
              selectedKeys={filters}
              onSelectionChange={(keys) => setParam({ filter: chosen([...keys] as Filter[], filters).join(',') })}
            >
              {(Object.keys(FILTERS) as Filter[]).map((name) => (
                <ToggleButton key={name} id={name} className="settings-filter">
                  {FILTERS[name]}
                </ToggleButton>
              ))}
            </ToggleButtonGroup>
          </div>
          {found.length === 0 ? (
            <EmptyState
              icon="search"
              title={emptyTitle(wanted, filters)}
              action={
                withoutFilters > 0 ? (
                  <Button onPress={() => setParam({ filter: null })}>Search without filters</Button>
                ) : (
                  <Button onPress={clear}>Show all settings</Button>
                )
              }
            >
              {emptyText(wanted, withoutFilters)}
            </EmptyState>
          ) : (
            <SettingsList
              ref={list}
              lines={lines}
              wantedKey={wantedKey}
              isPlannedOpen={isPlannedOpen}
              onPlanned={(isOpen) => setPressed({ scope, isOpen })}
              onActivate={onActivate}
              onSection={setSection}
              onLeaveTop={() => search.current?.focus()}
            >
              {(setting, isActive, activate) => (
                <Row
                  setting={setting}
                  isActive={isActive}
                  onActivate={activate}
                  onChange={change}
                  onHistory={onHistory}
                  onJson={setDialog}
                />
              )}
            </SettingsList>
          )}
        </div>
      </div>
      {dialog === 'import' && <ImportDialog settings={settings} onClose={() => setDialog(null)} />}
      {dialog && dialog !== 'import' && <JsonDialog setting={dialog} onClose={() => setDialog(null)} />}
    </Page>
  );
}

const emptyTitle = (query: string, filters: readonly Filter[]) => {
  if (query) return `No settings match "${query}"`;
  return filters.length === 1 && filters[0] === 'recent'
    ? 'No settings changed in the last day'
    : 'No matching settings';
};

const emptyText = (query: string, withoutFilters: number) => {
  if (!query) return 'Remove a filter to see more.';
  if (withoutFilters > 0)
    return `${withoutFilters === 1 ? '1 setting matches' : `${withoutFilters} settings match`} without the filters.`;
  return 'Try fewer or different words.';
};

const takeFocus = (list: HTMLElement | null, key: string) =>
  list?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });

/** Index of the line that a group begins with, or -1. */
const startOf = (lines: readonly Line[], group: string) => lines.findIndex((line) => line.group === group);

/** What the page asks of the list. */
interface ListHandle {
  first: () => void;
  step: (by: number) => void | false;
  goTo: (section: string) => void;
  focusActive: () => void;
}

/** The virtual list: only what is in view is in the document, and the row with the focus. */
function SettingsList(props: {
  ref: React.Ref<ListHandle>;
  lines: Line[];
  wantedKey: string | null;
  isPlannedOpen: boolean;
  onPlanned: (isOpen: boolean) => void;
  /** Called with the key of a setting that gets the focus. */
  onActivate: (key: string) => void;
  /** Called with the group in view. */
  onSection: (id: string) => void;
  onLeaveTop: () => void;
  children: (setting: Setting, isActive: boolean, activate: (key: string) => void) => React.ReactNode;
}) {
  const { lines, wantedKey, onActivate, onSection, onLeaveTop } = props;
  const scroller = useRef<HTMLDivElement>(null);
  /** The group chosen last in the index. */
  const [went, setWent] = useState<string | null>(null);
  const [activeKey, setActiveKey] = useState<string | null>(wantedKey);
  const rows = useMemo(
    () =>
      lines.flatMap((line, at) => {
        const key = keyOf(line);
        return key === null ? [] : [{ key, at }];
      }),
    [lines],
  );
  const active = rows.find((row) => row.key === activeKey) ?? rows[0];
  const activeAt = active?.at ?? 0;

  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => (lines[at]?.kind === 'head' ? HEAD_PX : 86),
    getItemKey: (at) => {
      const line = lines[at];
      if (!line) return at;
      return line.kind === 'head' ? `head ${line.id}` : `${line.kind} ${keyOf(line)}`;
    },
    overscan: 6,
    scrollPaddingStart: 8,
    scrollPaddingEnd: 8,
    rangeExtractor: useCallback(
      (range: Parameters<typeof defaultRangeExtractor>[0]) =>
        [...new Set([...defaultRangeExtractor(range), activeAt])].sort((a, b) => a - b),
      [activeAt],
    ),
  });

  const activate = useCallback(
    (key: string) => {
      setActiveKey(key);
      onActivate(key);
    },
    [onActivate],
  );

  const focusRow = (row: { key: string; at: number } | undefined) => {
    if (!row) return;
    // The active row is always drawn, wherever it is: after this it can take the focus.
    flushSync(() => setActiveKey(row.key));
    takeFocus(scroller.current, row.key);
    virtual.scrollToIndex(row.at, { align: 'auto' });
  };

  const step = (by: number): void | false => {
    const at = rows.findIndex((row) => row.key === active?.key);
    const inList = scroller.current?.contains(document.activeElement) ?? false;
    if (by < 0 && at === 0 && inList) return onLeaveTop();
    focusRow(inList ? rows[Math.min(Math.max(at + by, 0), rows.length - 1)] : active);
  };

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const onRow = event.target instanceof HTMLElement && event.target.dataset.key !== undefined;
    if (!onRow) return;
    if (event.key === 'Home') focusRow(rows[0]);
    else if (event.key === 'End') focusRow(rows.at(-1));
    else if (event.key === 'Escape') onLeaveTop();
    else return;
    event.preventDefault();
  };

  const handle: ListHandle = {
    first: () => focusRow(rows[0]),
    step: (by) => {
      // Arrow keys inside a control, a menu or a dialog are the control's own.
      const at = document.activeElement;
      const free =
        at === document.body || at?.id === 'main' || (at instanceof HTMLElement && at.dataset.key !== undefined);
      return free ? step(by) : false;
    },
    goTo: (section) => {
      const at = startOf(lines, section);
      if (at < 0) return;
      setWent(section);
      // The Tab key comes to it, and not to where the list was left.
      setActiveKey(rows.find((row) => row.at >= at)?.key ?? null);
      virtual.scrollToIndex(at, { align: 'start' });
    },
    focusActive: () => focusRow(active),
  };
  const { ref } = props;
  useEffect(() => {
    if (typeof ref === 'function') ref(handle);
    else if (ref) ref.current = handle;
  });

  // The address names a row: bring it into view, once for each address.
  const shownKey = useRef<string | null>(null);
  useEffect(() => {
    if (!wantedKey || shownKey.current === wantedKey) return;
    shownKey.current = wantedKey;
    if (scroller.current?.contains(document.activeElement)) return;
    const row = rows.find((r) => r.key === wantedKey);
    if (!row) return;
    setActiveKey(row.key);
    virtual.scrollToIndex(row.at, { align: 'center' });
    const drawn = requestAnimationFrame(() => takeFocus(scroller.current, row.key));
    return () => cancelAnimationFrame(drawn);
  }, [wantedKey, rows, virtual]);

  // The last sections cannot come to the top: there the one that was asked for counts.
  const offset = virtual.scrollOffset ?? 0;
  const isAtEnd = offset + (virtual.scrollRect?.height ?? 0) >= virtual.getTotalSize() - END_PX;
  const wentAt = went === null ? -1 : startOf(lines, went);
  const isWentShown = virtual.range !== null && wentAt >= virtual.range.startIndex && wentAt <= virtual.range.endIndex;
  const inView = isAtEnd && isWentShown ? wentAt : virtual.getVirtualItemForOffset(offset + HEAD_PX)?.index;
  const section = lines[inView ?? 0]?.group ?? '';
  useEffect(() => onSection(section), [section, onSection]);

  const lineOf = (line: Line, isActive: boolean) => {
    const tabIndex = isActive ? 0 : -1;
    switch (line.kind) {
      case 'head':
        return (
          <h2 className="section-head">
            {line.area}
            <span>{line.name}</span>
          </h2>
        );
      case 'setting':
        return props.children(line.setting, isActive, activate);
      case 'link': {
        const { path, label, detail, icon } = line.link;
        return (
          <Link
            href={path}
            className="row row-link"
            tabIndex={tabIndex}
            data-key={path}
            onFocus={() => setActiveKey(path)}
          >
            <span className="row-head">
              <span className="row-title">
                <Icon name={icon} />
                {label}
              </span>
              <span className="row-text">{detail}</span>
            </span>
            <Icon name="chevronRight" />
          </Link>
        );
      }
      case 'planned':
        return (
          <>
            <h2 className="planned-head">
              <button
                type="button"
                aria-expanded={props.isPlannedOpen}
                tabIndex={tabIndex}
                data-key={PLANNED_ID}
                onFocus={() => setActiveKey(PLANNED_ID)}
                onClick={() => props.onPlanned(!props.isPlannedOpen)}
              >
                <Icon name={props.isPlannedOpen ? 'chevronDown' : 'chevronRight'} size={12} />
                Planned ({line.count.toLocaleString()})
              </button>
            </h2>
            <p className="planned-note">Not available yet. Saved values take effect when the feature is added.</p>
          </>
        );
    }
  };

  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- Keys of the elements inside bubble up here.
    <div className="settings-list" ref={scroller} onKeyDown={onKeyDown}>
      <div className="settings-lines" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const line = lines[item.index];
          if (!line) return null;
          return (
            <div
              key={item.key}
              ref={virtual.measureElement}
              data-index={item.index}
              className="line"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {lineOf(line, keyOf(line) === active?.key)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
