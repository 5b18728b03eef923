/** The worker of `workerFetch.ts`. */
import type { WorkerReply, WorkerRequest } from './workerFetch';

const underWay = new Map<number, AbortController>();
const post = (message: WorkerReply, transfer: Transferable[] = []) => self.postMessage(message, { transfer });

async function read(id: number, path: string, headers: [string, string][]) {
  const stop = new AbortController();
  underWay.set(id, stop);
  try {
    const response = await fetch(path, { headers, signal: stop.signal, credentials: 'omit', cache: 'no-store' });
    // Read to the end here, because an interrupted response counts as none.
    const body = await response.arrayBuffer();
    post({ id, status: response.status, headers: [...response.headers], body }, [body]);
  } catch (cause) {
    if (!stop.signal.aborted) post({ id, failure: cause instanceof Error ? cause.message : String(cause) });
  } finally {
    underWay.delete(id);
  }
}

self.onmessage = ({ data }: MessageEvent<WorkerRequest>) => {
  if ('stop' in data) underWay.get(data.id)?.abort();
  else void read(data.id, data.path, data.headers);
};
