/** The pages' side of the widget engine. */
import { Told } from './told';
import type {
  Answer,
  BoardHead,
  BoardPatch,
  EngineFailure,
  FromWorker,
  Items,
  ItemsQuery,
  Mapping,
  Query,
  ToldAnswer,
  ToWorker,
  ViewQuery,
  ViewRows,
} from './types';

/** The parts of a worker that the client uses. Tests replace it. */
export interface WorkerLike {
  postMessage(message: ToWorker, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  terminate(): void;
}

/** The query was replaced by a newer one. */
export class Superseded extends Error {
  override name = 'Superseded';
  constructor() {
    super('Replaced by a newer query.');
  }
}

interface Pending<T> {
  seq: number;
  resolve: (value: T) => void;
  reject: (cause: Error) => void;
}

interface PendingBoard {
  resolve: (head: BoardHead) => void;
  reject: (cause: Error) => void;
}

const inWorker = (): WorkerLike => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });

/** A worker with its boards. After the worker fails, all boards must be set again. */
export class Engine {
  private worker: WorkerLike | undefined;
  private seq = 0;
  private query_: Pending<Answer> | undefined;
  /** The last queried widgets, with their JSON. */
  private asked: { widgets: Query['widgets']; text: string } | undefined;
  private told = new Told();
  private readonly maps = new Map<number, Pending<Mapping>>();
  private readonly items_ = new Map<number, Pending<Items>>();
  private readonly views = new Map<number, Pending<ViewRows>>();
  private readonly loading = new Map<string, PendingBoard>();
  private readonly revisions = new Map<string, string>();
  private readonly histories = new Map<string, unknown>();

  constructor(private readonly makeWorker: () => WorkerLike = inWorker) {}

  /** The revision of a board that the engine holds or is loading. */
  revision(id: string): string | undefined {
    return this.revisions.get(id);
  }

  /**
   * Gives a board's Arrow stream to the engine, which returns the stream's data besides the items. The buffer is
   * transferred and can't be used afterwards.
   */
  setBoard(id: string, rev: string, buffer: ArrayBuffer): Promise<BoardHead> {
    this.revisions.set(id, rev);
    return new Promise((resolve, reject) => {
      this.loading.set(`${id} ${rev}`, { resolve, reject });
      this.post({ t: 'board', id, rev, buffer }, [buffer]);
    });
  }

  dropBoard(id: string): void {
    if (this.revisions.delete(id)) this.post({ t: 'drop', id });
  }

  /** Ends the worker once it has no boards and no open queries. That frees its memory, which otherwise only grows. */
  rest(): void {
    const waiting = this.maps.size + this.items_.size + this.views.size + this.loading.size;
    if (this.revisions.size + waiting === 0 && !this.query_) this.close();
  }

  /**
   * Computes all widgets. A query that is replaced by a newer one is rejected with `Superseded`. Repeating the same
   * list of widgets costs nothing.
   */
  query({ widgets, ...query }: Query): Promise<Answer> {
    this.query_?.reject(new Superseded());
    if (this.asked?.widgets !== widgets) this.asked = { widgets, text: JSON.stringify(widgets) };
    const { text } = this.asked;
    return new Promise((resolve, reject) => {
      const seq = ++this.seq;
      this.query_ = { seq, resolve, reject };
      this.post({ t: 'query', seq, query, widgets: text, known: this.told.number });
    });
  }

  /** Completes the columns of a widget's roles on boards that have none yet. */
  autoMap(boards: string[], widget: { id: string; kind: string }): Promise<Mapping> {
    return new Promise((resolve, reject) => {
      const seq = ++this.seq;
      this.maps.set(seq, { seq, resolve, reject });
      this.post({ t: 'map', seq, boards, widget });
    });
  }

  /** The items behind a widget of a query. */
  items(query: Query, items: ItemsQuery): Promise<Items> {
    return new Promise((resolve, reject) => {
      const seq = ++this.seq;
      this.items_.set(seq, { seq, resolve, reject });
      this.post({ t: 'items', seq, query, items });
    });
  }

  /** Gives the snapshots of boards to the engine, for later queries that name them. Known ones aren't sent again. */
  setHistory(name: string, history: unknown): void {
    if (this.histories.get(name) === history) return;
    this.histories.set(name, history);
    this.post({ t: 'history', name, history });
  }

  /** Applies changes to a board. Replaces the previous patch. */
  patch(patch: BoardPatch): void {
    this.post({ t: 'patch', patch });
  }

  /** The items of a board's view, of the board as it was set and patched before this call. */
  view(query: ViewQuery): Promise<ViewRows> {
    return new Promise((resolve, reject) => {
      const seq = ++this.seq;
      this.views.set(seq, { seq, resolve, reject });
      this.post({ t: 'view', seq, query });
    });
  }

  /** Ends the worker and removes its boards. The next call starts a new one. */
  close(message = 'The widget engine was closed.'): void {
    this.worker?.terminate();
    this.worker = undefined;
    this.revisions.clear();
    this.histories.clear();
    this.told = new Told();
    const cause = new Error(message);
    this.query_?.reject(cause);
    this.query_ = undefined;
    for (const pending of [
      ...this.maps.values(),
      ...this.items_.values(),
      ...this.views.values(),
      ...this.loading.values(),
    ])
      pending.reject(cause);
    this.maps.clear();
    this.items_.clear();
    this.views.clear();
    this.loading.clear();
  }

  /** Starts the worker while the first board is loading. */
  start(): WorkerLike {
    if (!this.worker) {
      this.worker = this.makeWorker();
      this.worker.onmessage = ({ data }) => this.take(data);
      this.worker.onerror = (event) => this.close(event.message || "Couldn't start the widget engine.");
    }
    return this.worker;
  }

  private post(message: ToWorker, transfer: Transferable[] = []): void {
    this.start().postMessage(message, transfer);
  }

  private take(message: FromWorker): void {
    switch (message.t) {
      case 'board':
      case 'board-failed': {
        const key = `${message.id} ${message.rev}`;
        const pending = this.loading.get(key);
        this.loading.delete(key);
        if (message.t === 'board') return pending?.resolve(message.head);
        if (this.revisions.get(message.id) === message.rev) this.revisions.delete(message.id);
        return pending?.reject(new Error(message.message));
      }
      case 'answer': {
        // The result of a replaced query that was already being computed.
        if (this.query_?.seq !== message.seq) return;
        const { resolve, reject } = this.query_;
        this.query_ = undefined;
        const answer = JSON.parse(message.answer) as ToldAnswer | EngineFailure;
        return 'error' in answer ? reject(new Error(answer.error.message)) : resolve(this.told.whole(answer));
      }
      case 'mapped':
        this.maps.get(message.seq)?.resolve(message.mapping);
        this.maps.delete(message.seq);
        return;
      case 'items':
        this.items_.get(message.seq)?.resolve(message.items);
        this.items_.delete(message.seq);
        return;
      case 'viewed':
        this.views.get(message.seq)?.resolve(message.view);
        this.views.delete(message.seq);
        return;
      case 'failed': {
        const pending =
          this.maps.get(message.seq) ??
          this.items_.get(message.seq) ??
          this.views.get(message.seq) ??
          (this.query_?.seq === message.seq ? this.query_ : undefined);
        this.maps.delete(message.seq);
        this.items_.delete(message.seq);
        this.views.delete(message.seq);
        if (pending === this.query_) this.query_ = undefined;
        return pending?.reject(new Error(message.message));
      }
      case 'broken':
        return this.close(message.message);
    }
  }
}

/** The pages' engine. */
export const engine = new Engine();

/**
 * Computes the views of an open board. Separate from `engine`, so that typing in a search never waits for a dashboard.
 */
export const viewEngine = new Engine();
