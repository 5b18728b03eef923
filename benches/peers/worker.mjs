/** An engine in a worker of a page, as `dashboards.mjs --chromium` starts them. */
import { Told } from '../../ui/src/engine/told.ts';
import { start } from './workload.mjs';

const environment = {
  Told,
  widgets: async () => (await fetch('/widgets.wasm')).arrayBuffer(),
  duckdb: async () => {
    // The package exports it to nobody by its name.
    const duckdb = await import('./node_modules/@duckdb/duckdb-wasm/dist/duckdb-browser-blocking.mjs');
    const bundle = (kind) => ({ mainModule: `${location.origin}/duckdb-${kind}.wasm`, mainWorker: null });
    const db = await duckdb.createDuckDB(
      { mvp: bundle('mvp'), eh: bundle('eh') },
      new duckdb.VoidLogger(),
      duckdb.BROWSER_RUNTIME,
    );
    await db.instantiate(() => {});
    return db;
  },
};

let ask;
self.onmessage = async ({ data: { name, items, filter, turn } }) => {
  try {
    if (name) ask = await start(name, items, environment);
    self.postMessage(name ? {} : ask(filter, turn));
  } catch (error) {
    self.postMessage({ error: error.message });
  }
};
