/** Views of a board: how its items are looked at. Their shapes, the query, and the requests that change them. */
import { useQuery } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import type { IconName } from '@shell/components';
import { isOpen } from '../offers';
import { did, done } from '../outbox/did';
import type { ViewSettings as RowSettings } from '../view';

/** How a view shows items. */
export type ViewKind = Schemas['ViewKind'];

/** Name and description of each kind. */
export const VIEW_KINDS: Readonly<Record<ViewKind, { label: string; icon: IconName; detail: string }>> = {
  table: { label: 'Table', icon: 'board', detail: 'Rows with a cell for each column' },
  kanban: { label: 'Kanban', icon: 'kanban', detail: 'Cards in columns by label or group' },
  calendar: { label: 'Calendar', icon: 'calendar', detail: 'Items on the days of a month or week' },
  timeline: { label: 'Timeline', icon: 'timeline', detail: 'Bars on a time axis' },
};

/** Settings of a view. Unknown members are preserved. */
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
export type View = Omit<Schemas['ViewRecord'], 'settings'> & { settings: ViewSettings };

/** Key of a board's views. */
export const viewsKey = (board: string) => ['board-views', board] as const;

/** The views of a board in their order, live. */
export const useViewList = (board: string) =>
  useQuery({ queryKey: viewsKey(board), queryFn: ({ signal }) => readViews(board, signal) });

export const readViews = async (boardId: string, signal?: AbortSignal): Promise<View[]> =>
  (await client.get('/boards/{boardId}/views', { path: { boardId }, ...(signal ? { signal } : {}) })).items as View[];

const update = (
  boardId: string,
  { id: viewId, name }: Pick<View, 'id' | 'name'>,
  body: { name: string } | { position: number },
) =>
  did(
    boardId,
    'name' in body ? `renaming the view ${name} to ${body.name}` : `the position of the view ${name}`,
    client.patch('/boards/{boardId}/views/{viewId}', { path: { boardId, viewId }, body }),
  );

/** A setting's key as it is read: `hidden columns`. */
export const inWords = (key: string) => key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Changes of views that the page asks for; they are steps of the person's. */
export const viewChange = {
  add: async (boardId: string, view: { name: string; kind: ViewKind; settings?: ViewSettings; position?: number }) =>
    (await did(
      boardId,
      `adding the view ${view.name}`,
      client.post('/boards/{boardId}/views', { path: { boardId }, body: view }),
    )) as View,
  /** The first view, unless there is one. */
  first: async (boardId: string, view: { name: string; kind: ViewKind }) =>
    (await client.post('/boards/{boardId}/views', { path: { boardId }, body: { ...view, first: true } })) as View,
  rename: (board: string, view: Pick<View, 'id' | 'name'>, name: string) => update(board, view, { name }),
  move: (board: string, view: Pick<View, 'id' | 'name'>, position: number) => update(board, view, { position }),
  delete: (boardId: string, { id: viewId, name }: Pick<View, 'id' | 'name'>) =>
    did(
      boardId,
      `deleting the view ${name}`,
      client.delete('/boards/{boardId}/views/{viewId}', { path: { boardId, viewId } }),
    ),
  /** A step once it is stored: until then it is asked for again and again. */
  settings: async (
    boardId: string,
    viewId: string,
    settings: ViewSettings,
    revision: number,
    changed: readonly string[] = [],
  ) => {
    const saved = await client.patch('/boards/{boardId}/views/{viewId}', {
      path: { boardId, viewId },
      body: { settings },
      ifMatch: `"${revision}"`,
      keepalive: true,
    });
    done(
      boardId,
      saved,
      () =>
        `${changed.map(inWords).join(' and ') || 'settings'} of the view ${saved.name}${isOpen(viewId) ? '' : ', which is not open'}`,
    );
    return saved as View;
  },
};
