/** A worker that computes what pages show of boards. It fetches nothing but the engine. */
import { EngineModule } from './module';
import type { FromWorker, ToWorker } from './types';

const post = (message: FromWorker, transfer: Transferable[] = []) => self.postMessage(message, { transfer });

async function start(): Promise<EngineModule> {
  const response = await fetch('/app/engine/widgets.wasm');
  if (!response.ok) throw new Error(`couldn't load the widget engine (${response.status})`);
  // While it comes in; browsers keep what they made of a module that comes so.
  const { instance } = await WebAssembly.instantiateStreaming(response, {});
  return new EngineModule(instance);
}

/** Queries wait a turn, so that only the newest of several that arrive together is computed. */
let waiting: Extract<ToWorker, { t: 'query' }> | undefined;

function answer(engine: EngineModule) {
  if (!waiting) return;
  const { seq, query, widgets, known } = waiting;
  waiting = undefined;
  const before = performance.now();
  const result = engine.ask(query, widgets, known);
  post({ t: 'answer', seq, answer: result, ms: performance.now() - before });
}

function take(engine: EngineModule, message: ToWorker) {
  switch (message.t) {
    case 'board': {
      const before = performance.now();
      const { id, rev } = message;
      const result = engine.load(new Uint8Array(message.buffer));
      if ('error' in result) post({ t: 'board-failed', id, rev, message: result.error.message });
      else post({ t: 'board', id, rev, head: result.head, ms: performance.now() - before });
      return;
    }
    case 'drop':
      engine.drop(message.id);
      return;
    case 'map': {
      const mapping = engine.autoMap(message.boards, message.widget);
      if ('error' in mapping) post({ t: 'failed', seq: message.seq, message: mapping.error.message });
      else post({ t: 'mapped', seq: message.seq, mapping });
      return;
    }
    case 'items': {
      const items = engine.items(message.query, message.items);
      if ('error' in items) post({ t: 'failed', seq: message.seq, message: items.error.message });
      else post({ t: 'items', seq: message.seq, items });
      return;
    }
    case 'history': {
      const result = engine.setHistory(message.name, message.history);
      if ('error' in result) post({ t: 'broken', message: result.error.message });
      return;
    }
    case 'patch': {
      const result = engine.patch(message.patch);
      if ('error' in result) post({ t: 'broken', message: result.error.message });
      return;
    }
    case 'view': {
      const before = performance.now();
      const result = engine.view(message.query);
      if ('error' in result) post({ t: 'failed', seq: message.seq, message: result.error.message });
      else post({ t: 'viewed', seq: message.seq, view: result, ms: performance.now() - before }, [result.rows.buffer]);
      return;
    }
    case 'query':
      waiting = message;
  }
}

const ready = start();
const broken = (cause: unknown) =>
  post({ t: 'broken', message: cause instanceof Error ? cause.message : String(cause) });
const turn = new MessageChannel();

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  ready
    .then((engine) => {
      take(engine, data);
      if (data.t === 'query') turn.port2.postMessage(null);
    })
    .catch(broken);
};
// Said again to whoever asks; here for those who have not come to ask when it fails.
ready.catch(broken);
turn.port1.onmessage = () => {
  ready.then(answer).catch(broken);
};
