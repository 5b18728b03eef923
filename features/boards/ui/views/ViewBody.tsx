/** Content of the open view, except for tables. */
import { lazy, Suspense, useMemo, useState } from 'react';
import { Loading } from '@shell/components';
import type { Member } from '@shell/members';
import { FilterBar } from '../grid/FilterBar';
import { fieldsOf, unaskable } from '../grid/rules';
import { useHiddenAdded } from '../hidden';
import { stackBy } from '../kanban/stacks';
import type { Outbox } from '../outbox/useOutbox';
import type { BoardTable } from '../table';
import { choosesItems, useViewRows } from '../view';
import type { View, ViewSettings } from './data';
import { Missing } from './Missing';
import { placingOf } from './placing';
import { useMoves } from './useMoves';
import { ViewFault } from './ViewFault';

const Kanban = lazy(() => import('../kanban/Kanban').then((file) => ({ default: file.Kanban })));
const Calendar = lazy(() => import('../calendar/Calendar').then((file) => ({ default: file.Calendar })));
const Timeline = lazy(() => import('../timeline/Timeline').then((file) => ({ default: file.Timeline })));

interface ViewBodyProps {
  board: string;
  view: View;
  table: BoardTable;
  members: readonly Member[];
  outbox: Pick<Outbox, 'write' | 'takeBack'>;
  follow: () => Promise<void>;
  onSettings: (settings: ViewSettings) => void;
  onOpenItem: (item: string, name: string) => void;
}

export function ViewBody({ board, view, table, members, outbox, follow, onSettings, onOpenItem }: ViewBodyProps) {
  const { settings } = view;
  const { columns } = table.meta;
  const by = useMemo(() => stackBy(settings.byColumn, columns), [settings.byColumn, columns]);
  const { dateColumn, endColumn } = settings;
  const placing = useMemo(
    () =>
      placingOf(
        { ...(dateColumn ? { dateColumn } : {}), ...(endColumn ? { endColumn } : {}) },
        columns,
        view.kind === 'timeline',
      ),
    [dateColumn, endColumn, columns, view.kind],
  );
  const [search, setSearch] = useState('');
  const [isFiltering, setIsFiltering] = useState(false);
  const fields = useMemo(
    () => fieldsOf(columns, table.meta.groups, table.meta.linked),
    [columns, table.meta.groups, table.meta.linked],
  );
  const chosen = useViewRows(table, settings, { search });
  const { table: shown, rows, inert, error } = chosen;
  const noteAdded = useHiddenAdded(chosen, {
    isSearch: !choosesItems(settings.filter),
    open: onOpenItem,
    clear: () => {
      setSearch('');
      onSettings({ ...settings, filter: undefined });
    },
  });
  const moves = useMoves({
    write: (parts) => {
      noteAdded(parts.add ?? []);
      return outbox.write(parts);
    },
    takeBack: outbox.takeBack,
  });
  const shared = { table: shown, rows, settings, moves, onSettings, onOpenItem };
  let body;
  if (view.kind === 'kanban') body = by && <Kanban {...shared} by={by} members={members} />;
  else if (view.kind === 'calendar') body = placing && <Calendar {...shared} placing={placing} />;
  else if (view.kind === 'timeline') body = placing && <Timeline {...shared} placing={placing} />;
  if (!body) return <Missing board={board} view={view} columns={columns} onSettings={onSettings} onAdded={follow} />;
  return (
    <div className="view-content">
      <ViewFault error={error} />
      <FilterBar
        board={board}
        fields={fields}
        unaskable={unaskable(columns, fields)}
        members={members}
        filter={settings.filter}
        onFilter={(filter) => onSettings({ ...settings, filter })}
        search={search}
        onSearch={setSearch}
        inert={inert}
        matching={rows ? rows.length : table.count}
        of={table.count}
        isOpen={isFiltering}
        onOpen={setIsFiltering}
      />
      <Suspense fallback={<Loading label="Loading view" />}>{body}</Suspense>
    </div>
  );
}
