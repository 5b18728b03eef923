/**
 * Reads large responses in a worker, because reading megabytes on the page would block it for longer than a frame. The
 * data is transferred, not copied.
 */

/** A request to the worker. */
export type WorkerRequest = { id: number; path: string; headers: [string, string][] } | { id: number; stop: true };

/** The worker's reply: a response, or why there is none. */
export type WorkerReply = { id: number } & (
  { status: number; headers: [string, string][]; body: ArrayBuffer } | { failure: string }
);

/** The parts of a response that both the worker and `fetch` provide. */
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

/** Starts the worker while the first response is loading. */
export function startFetchWorker(): Worker {
  if (!worker) {
    worker = new Worker(new URL('./workerFetch.worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = onReply;
    worker.onerror = fail;
  }
  return worker;
}

/** Like `fetch`, for GET requests. */
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
