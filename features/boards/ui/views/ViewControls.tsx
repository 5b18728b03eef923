/** Menus at the right of the bar that set the open view's columns. */
import { Button, Menu, type MenuEntry } from '@shell/components';
import type { Column } from '../data';
import { BY_GROUP, dayColumns, isSpan, stackColumns } from './columns';
import type { View, ViewSettings } from './data';
import { defaultFields } from './fields';

interface ViewControlsProps {
  view: View;
  columns: readonly Column[];
  onSettings: (settings: ViewSettings) => void;
}

export function ViewControls({ view: { kind, settings }, columns, onSettings }: ViewControlsProps) {
  const set = (members: Partial<ViewSettings>) => onSettings({ ...settings, ...members });
  const titleOf = (id: string | undefined) => columns.find((column) => column.id === id)?.title ?? 'none';
  const choice = (label: string, shown: string, entries: MenuEntry[]) => (
    <Menu label={label} groups={[{ label, entries }]}>
      <Button variant="plain" aria-label={`${label}: ${shown}`}>
        {label}: <span className="view-chosen">{shown}</span>
      </Button>
    </Menu>
  );
  if (kind === 'kanban') {
    const by = settings.byColumn;
    const shown = new Set(settings.cardFields ?? defaultFields(columns, by).map((column) => column.id));
    const toggled = (id: string) =>
      columns.map((column) => column.id).filter((one) => (one === id ? !shown.has(one) : shown.has(one)));
    return (
      <>
        {choice('Group by', by === BY_GROUP ? 'Groups' : titleOf(by), [
          ...stackColumns(columns).map((column) => ({
            id: column.id,
            label: column.title,
            isSelected: column.id === by,
            onAction: () => set({ byColumn: column.id }),
          })),
          { id: BY_GROUP, label: 'Groups', isSelected: by === BY_GROUP, onAction: () => set({ byColumn: BY_GROUP }) },
        ])}
        {columns.length > 0 && (
          <Menu
            label="Shown on cards"
            groups={[
              {
                label: 'Shown on cards',
                entries: columns.map((column) => ({
                  id: column.id,
                  label: column.title,
                  isSelected: shown.has(column.id),
                  onAction: () => set({ cardFields: toggled(column.id) }),
                })),
              },
            ]}
          >
            <Button variant="plain" icon="eye">
              Fields
            </Button>
          </Menu>
        )}
      </>
    );
  }
  if (kind === 'table') return null;
  const days = dayColumns(columns);
  const chosen = days.find((column) => column.id === settings.dateColumn);
  if (days.length === 0) return null;
  return (
    <>
      {choice(
        kind === 'timeline' ? 'Start' : 'Date',
        titleOf(settings.dateColumn),
        days.map((column) => ({
          id: column.id,
          label: column.title,
          isSelected: column.id === settings.dateColumn,
          onAction: () => set({ dateColumn: column.id }),
        })),
      )}
      {kind === 'timeline' &&
        chosen &&
        !isSpan(chosen) &&
        choice('End', titleOf(settings.endColumn), [
          {
            id: 'none',
            label: 'None: a bar is one day',
            isSelected: settings.endColumn === undefined,
            onAction: () => set({ endColumn: undefined }),
          },
          ...days
            .filter((column) => column.id !== settings.dateColumn && !isSpan(column))
            .map((column) => ({
              id: column.id,
              label: column.title,
              isSelected: column.id === settings.endColumn,
              onAction: () => set({ endColumn: column.id }),
            })),
        ])}
    </>
  );
}
