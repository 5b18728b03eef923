/** The one worker in which every widget value is computed, so that the page never waits for a number. */
import { start, type EngineModule } from './module';
import type { FromWorker, Query, ToWorker } from './types';

const scope = self as unknown as { postMessage(message: FromWorker): void; onmessage: ((event: MessageEvent<ToWorker>) => void) | null };
const module = fetch(`${import.meta.env.BASE_URL}engine/widgets.wasm`).then((response) => {
  if (!response.ok) throw new Error(`The widget engine could not be loaded (${response.status}).`);
  return start(response);
});

let newest: { seq: number; query: Query } | null = null;

scope.onmessage = ({ data }) => {
  if (data.t === 'query') {
    // Only the newest question is worth an answer.
    if (newest) scope.postMessage({ t: 'stale', seq: newest.seq });
    newest = data;
    module.then(answer, (error: Error) => fail(error));
    return;
  }
  module.then(
    (engine) => {
      if (data.t === 'drop') return engine.drop(data.id);
      let error: string | undefined;
      try {
        engine.load(new Uint8Array(data.buffer));
      } catch (thrown) {
        error = (thrown as Error).message;
      }
      scope.postMessage({ t: 'board', id: data.id, rev: data.rev, ...(error ? { error } : {}) });
    },
    (error: Error) => data.t === 'board' && scope.postMessage({ t: 'board', id: data.id, rev: data.rev, error: error.message }),
  );
};

function answer(engine: EngineModule) {
  const asked = newest;
  if (!asked) return;
  newest = null;
  const begun = performance.now();
  try {
    scope.postMessage({ t: 'answer', seq: asked.seq, answer: engine.query(asked.query), ms: performance.now() - begun });
  } catch (error) {
    scope.postMessage({ t: 'failed', seq: asked.seq, message: (error as Error).message });
  }
}

function fail(error: Error) {
  if (!newest) return;
  scope.postMessage({ t: 'failed', seq: newest.seq, message: error.message });
  newest = null;
}
