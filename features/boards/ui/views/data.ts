/** Views of a board: how its items are looked at. Their shapes, the query, and the requests that change them. */
import { useQuery } from '@tanstack/react-query';
import { api } from '@shell/api';
import type { IconName } from '@shell/components';
import type { ViewSettings as RowSettings } from '../view';

/** How a view shows items. */
export type ViewKind = 'table' | 'kanban' | 'calendar' | 'timeline';

/** What each kind is called and how it is offered. */
export const VIEW_KINDS: Readonly<Record<ViewKind, { label: string; icon: IconName; detail: string }>> = {
  table: { label: 'Table', icon: 'board', detail: 'Lines with a cell for each column' },
  kanban: { label: 'Kanban', icon: 'kanban', detail: 'Cards in stacks, one for each label or group' },
  calendar: { label: 'Calendar', icon: 'calendar', detail: 'Items on the days of a month or week' },
  timeline: { label: 'Timeline', icon: 'timeline', detail: 'Bars along a line of time' },
};

/** What a view keeps. Members that this page does not know stay as they are. */
export interface ViewSettings extends RowSettings {
  /** kanban: the column whose labels are the stacks, or `group`. */
  byColumn?: string;
  /** calendar, timeline: the column that places an item. */
  dateColumn?: string;
  /** timeline: a second date column, on which a bar ends. */
  endColumn?: string;
  /** kanban: how many items a stack should hold at most, by stack. */
  limits?: Record<string, number>;
  /** kanban: stacks that are folded. */
  folded?: string[];
  /** kanban: columns that a card shows. */
  cardFields?: string[];
  /** calendar: what it shows at once. */
  span?: 'month' | 'week';
  /** timeline: how much a screen holds. */
  zoom?: 'day' | 'week' | 'month';
}

/** A view as the program sends it. */
export interface View {
  id: string;
  name: string;
  kind: ViewKind;
  settings: ViewSettings;
  revision: number;
}

/** Key of a board's views. */
export const viewsKey = (board: string) => ['board-views', board] as const;

/** The views of a board in their order, live. */
export const useViewList = (board: string) => useQuery({ queryKey: viewsKey(board), queryFn: ({ signal }) => readViews(board, signal) });

export const readViews = (board: string, signal?: AbortSignal): Promise<View[]> =>
  api.get<{ items: View[] }>(`/boards/${board}/views`, signal ? { signal } : {}).then((list) => list.items);

/** Changes of views that the page asks for. */
export const viewChange = {
  add: (board: string, view: { name: string; kind: ViewKind; settings?: ViewSettings; position?: number; first?: boolean }) => api.post<View>(`/boards/${board}/views`, view),
  rename: (board: string, view: string, name: string) => api.patch<View>(`/boards/${board}/views/${view}`, { name }),
  move: (board: string, view: string, position: number) => api.patch<View>(`/boards/${board}/views/${view}`, { position }),
  delete: (board: string, view: string) => api.delete(`/boards/${board}/views/${view}`),
  settings: (board: string, view: string, settings: ViewSettings, revision: number) =>
    api.patch<View>(`/boards/${board}/views/${view}`, { settings }, { ifMatch: `"${revision}"`, keepalive: true }),
};
