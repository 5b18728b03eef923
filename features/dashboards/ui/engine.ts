/**
 * What the dashboards need of the widget engine, which computes every value in a worker of its own. This file is the only
 * one that knows the engine's client; pages and tests speak to the interface below.
 */
import { startFetchWorker } from '@shell/workerFetch';
import { engine as client, Superseded } from '@shell/engine/client';
import type { BoardHead, Cols, Items, ItemsQuery, Query, WidgetAnswer } from '@shell/engine/types';

export type { BoardHead, Items, ItemsQuery, Query, WidgetAnswer };
export { Superseded };

/** A widget as the engine is asked: its settings are the engine's own configuration. */
export type Asked = Query['widgets'][number];

/** The engine. */
export interface Engine {
  /** Hands over a board and tells what is in it beside the items; the buffer is the engine's from then on. */
  setBoard(id: string, rev: string, buffer: ArrayBuffer): Promise<BoardHead>;
  /** Whether it has the board: once its worker ended it has none. */
  holds(id: string): boolean;
  /** Forgets a board. */
  drop(id: string): void;
  /** Gives what a dashboard remembers, for the queries behind it that name it. */
  setHistory(name: string, history: unknown): void;
  query(query: Query): Promise<WidgetAnswer[]>;
  /** The columns of a widget on boards that were handed over. */
  autoMap(boards: string[], widget: Asked): Promise<Cols>;
  /** The items behind a widget of a query, or behind a part of what it shows. */
  items(query: Query, items: ItemsQuery): Promise<Items>;
}

const real: Engine = {
  setBoard: (id, rev, buffer) => client.setBoard(id, rev, buffer),
  holds: (id) => client.revision(id) !== undefined,
  drop: (id) => {
    client.dropBoard(id);
    client.rest();
  },
  setHistory: (name, history) => client.setHistory(name, history),
  query: async (query) => (await client.query(query)).widgets,
  autoMap: async (boards, widget) => (await client.autoMap(boards, widget)).cols,
  items: (query, items) => client.items(query, items),
};

/** Starts the engine's worker, and the one that reads boards, while the dashboard itself is still on its way. */
export const startEngine = (): void => {
  client.start();
  startFetchWorker();
};

/** The engine; its worker starts when it is first asked. */
export const loadEngine = (): Promise<Engine> => Promise.resolve(real);
