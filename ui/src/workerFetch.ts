/**
 * Reads what is large in a worker: a page that takes in millions of bytes itself stands still for longer than a frame. What comes
 * back is handed over, not copied.
 */

/** What is asked of the worker. */
export type WorkerRequest = { id: number; path: string; headers: [string, string][] } | { id: number; stop: true };

/** What it says: an answer, or why none came. */
export type WorkerReply = { id: number } & (
  { status: number; headers: [string, string][]; body: ArrayBuffer } | { failure: string }
);

/** What an answer has in common with one that the page has read itself. */
export type FetchedResponse = Pick<Response, 'status' | 'ok' | 'headers' | 'arrayBuffer'>;

interface Waiting {
  resolve: (heard: FetchedResponse) => void;
  reject: (cause: Error) => void;
}

const waiting = new Map<number, Waiting>();
let worker: Worker | undefined;
let last = 0;

function onReply({ data }: MessageEvent<WorkerReply>) {
  const asked = waiting.get(data.id);
  waiting.delete(data.id);
  if ('failure' in data) return asked?.reject(new TypeError(data.failure));
  const { status, headers, body } = data;
  asked?.resolve({
    status,
    ok: status >= 200 && status < 300,
    headers: new Headers(headers),
    arrayBuffer: () => Promise.resolve(body),
  });
}

function fail({ message }: ErrorEvent) {
  worker?.terminate();
  worker = undefined;
  for (const { reject } of waiting.values()) reject(new TypeError(message || "Couldn't start the download worker."));
  waiting.clear();
}

/** Starts the worker, which takes as long as the first answer is on its way. */
export function startFetchWorker(): Worker {
  if (!worker) {
    worker = new Worker(new URL('./workerFetch.worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = onReply;
    worker.onerror = fail;
  }
  return worker;
}

/** As `fetch` of an address that is only read. */
export function fetchInWorker(path: string, headers: Headers, signal?: AbortSignal | null): Promise<FetchedResponse> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const id = ++last;
    const post = (message: WorkerRequest) => startFetchWorker().postMessage(message);
    const stop = () => {
      waiting.delete(id);
      post({ id, stop: true });
      reject(signal?.reason as Error);
    };
    const settled =
      <T>(tell: (value: T) => void) =>
      (value: T) => {
        signal?.removeEventListener('abort', stop);
        tell(value);
      };
    signal?.addEventListener('abort', stop);
    waiting.set(id, { resolve: settled(resolve), reject: settled(reject) });
    post({ id, path, headers: [...headers] });
  });
}
