/** The page's side of the engine: boards go in, answers come out. The worker starts when it is first needed. */
import type { Answer, FromWorker, Query, ToWorker } from './types';

/** A question that was overtaken by a newer one; nobody needs its answer. */
export class Overtaken extends Error {}

interface Waiting<T> {
  resolve: (value: T) => void;
  reject: (error: Error) => void;
}

class EngineClient {
  private worker: Worker | null = null;
  private seq = 0;
  private readonly queries = new Map<number, Waiting<Answer>>();
  private readonly boards = new Map<string, Waiting<void>>();

  /** Hands over a board's Arrow stream; the buffer is the worker's from then on. */
  setBoard(id: string, rev: string, buffer: ArrayBuffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.boards.set(`${id} ${rev}`, { resolve, reject });
      this.send({ t: 'board', id, rev, buffer }, [buffer]);
    });
  }

  /** Forgets a board. */
  dropBoard(id: string) {
    this.send({ t: 'drop', id });
  }

  /** Asks. A newer question rejects this one with `Overtaken`. */
  query(query: Query): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.seq += 1;
      this.queries.set(this.seq, { resolve, reject });
      this.send({ t: 'query', seq: this.seq, query });
    });
  }

  private send(message: ToWorker, transfer: Transferable[] = []) {
    this.worker ??= this.start();
    this.worker.postMessage(message, transfer);
  }

  private start(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.receive(data);
    worker.onerror = () => this.stop(new Error('The widget engine stopped. Reload the page to start it again.'));
    return worker;
  }

  private receive(data: FromWorker) {
    if (data.t === 'board') {
      const key = `${data.id} ${data.rev}`;
      const waiting = this.boards.get(key);
      this.boards.delete(key);
      if (data.error === undefined) waiting?.resolve();
      else waiting?.reject(new Error(data.error));
      return;
    }
    const waiting = this.queries.get(data.seq);
    this.queries.delete(data.seq);
    if (data.t === 'answer') waiting?.resolve(data.answer);
    else waiting?.reject(data.t === 'stale' ? new Overtaken('A newer question came.') : new Error(data.message));
  }

  private stop(error: Error) {
    for (const waiting of [...this.queries.values(), ...this.boards.values()]) waiting.reject(error);
    this.queries.clear();
    this.boards.clear();
    this.worker?.terminate();
    this.worker = null;
  }
}

/** The page's one engine. */
export const engine = new EngineClient();
