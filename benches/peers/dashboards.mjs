/**
 * A filter changes on a dashboard of twelve widgets over twenty boards: how long until every value is there, in the widget engine as
 * the page's worker runs it, and in DuckDB-WASM, crossfilter2 and Arquero. Round by round each is asked the same in turn, the medians
 * of the rounds' times and ratios count, and all have to give the same values. All run in this Node.js, or with `--chromium` each in a worker of a page of
 * Chromium. No filter is asked for again soon: what is kept of its last answer
 * is not what is measured. Of `all` there is but one, whose counts the engine keeps.
 *
 *     npm install --prefix benches/peers
 *     node --expose-gc benches/peers/dashboards.mjs [ITEMS...] [--chromium] [--only=engine,duckdb] [--filters=narrow,text] [--rounds=N]
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { loadavg } from 'node:os';
import { FILTERS, differences, engines, start } from './workload.mjs';

const args = process.argv.slice(2);
const option = (name) => args.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1];
const sizes = args.filter((arg) => !arg.startsWith('--')).map(Number);
const ROUNDS = Number(option('rounds') ?? 5);
/** Filters that the engine is asked before the one of a round that counts: it takes so little that its processor would still be asleep. */
const WARM_UP = 9;
const range = (count) => Array.from({ length: count }, (_, at) => at);
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const only = option('only')?.split(',');
const filters = option('filters')?.split(',');

const module = process.env.WIDGETS_WASM ?? new URL('../../ui/public/engine/widgets.wasm', import.meta.url);
const require = createRequire(import.meta.url);
const duckdbFile = (name) => require.resolve(`@duckdb/duckdb-wasm/dist/${name}`);

/** The code by which the page puts answers together, of which Node.js cannot read the types. */
async function pageCode() {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: new URL('../../ui/src/engine/told.ts', import.meta.url).pathname,
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({ format: 'esm' });
  return import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
}

const node = {
  widgets: async () => readFileSync(module),
  duckdb: async () => {
    const duckdb = require('@duckdb/duckdb-wasm/dist/duckdb-node-blocking.cjs');
    const bundle = (kind) => ({
      mainModule: duckdbFile(`duckdb-${kind}.wasm`),
      mainWorker: duckdbFile(`duckdb-node-${kind}.worker.cjs`),
    });
    const db = await duckdb.createDuckDB(
      { mvp: bundle('mvp'), eh: bundle('eh') },
      new duckdb.VoidLogger(),
      duckdb.NODE_RUNTIME,
    );
    await db.instantiate(() => {});
    return db;
  },
};

/** A page of Chromium that starts each engine in a worker of its own. */
async function browser() {
  const [{ createServer }, { rolldown }, { browse }] = await Promise.all([
    import('node:http'),
    import('rolldown'),
    import('../browser.mjs'),
  ]);
  const bundle = await rolldown({
    input: new URL('worker.mjs', import.meta.url).pathname,
    platform: 'browser',
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  const files = {
    '/': ['text/html', '<!doctype html><title>Peers</title>'],
    '/worker.js': ['text/javascript', output[0].code],
    '/widgets.wasm': ['application/wasm', readFileSync(module)],
    '/duckdb-mvp.wasm': ['application/wasm', readFileSync(duckdbFile('duckdb-mvp.wasm'))],
    '/duckdb-eh.wasm': ['application/wasm', readFileSync(duckdbFile('duckdb-eh.wasm'))],
  };
  const server = createServer((request, response) => {
    const [type, body] = files[request.url] ?? ['text/plain', ''];
    // Apart from other origins, a page is told the time to the microsecond.
    const apart = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
    response.writeHead(files[request.url] ? 200 : 404, { 'Content-Type': type, ...apart }).end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const chromium = await browse();
  const page = await chromium.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.evaluate(() => {
    const workers = {};
    window.tell = (name, message) =>
      new Promise((resolve, reject) => {
        workers[name] ??= new Worker('/worker.js', { type: 'module' });
        workers[name].onerror = (event) => reject(new Error(event.message));
        workers[name].onmessage = ({ data }) => (data.error ? reject(new Error(data.error)) : resolve(data));
        workers[name].postMessage(message);
      });
    window.end = (name) => {
      workers[name]?.terminate();
      delete workers[name];
    };
  });
  const tell = (name, message) => page.evaluate(([name, message]) => window.tell(name, message), [name, message]);
  return {
    start: async (name, items) => {
      await tell(name, { name, items });
      return (filter, turn) => tell(name, { filter, turn });
    },
    end: (name) => page.evaluate((name) => window.end(name), name),
    close: async () => {
      await chromium.close();
      server.close();
    },
  };
}

const place = args.includes('--chromium')
  ? await browser()
  : {
      start: async (name, items) => start(name, items, { ...node, ...(await pageCode()) }),
      end: () => globalThis.gc?.(),
      close: () => {},
    };

for (const items of sizes.length ? sizes : [100_000, 1_000_000]) {
  const ready = {};
  for (const name of Object.keys(engines)) {
    if (only && !only.includes(name)) continue;
    const before = performance.now();
    try {
      ready[name] = await place.start(name, items);
      console.error(`${name}: ${items} items loaded in ${((performance.now() - before) / 1000).toFixed(1)} s`);
    } catch (error) {
      console.error(`${name}: cannot take ${items} items: ${error.message}`);
    }
  }
  const names = Object.keys(ready);
  const peers = names.filter((name) => name !== 'engine');
  console.log(`\n${items} items, load ${loadavg()[0].toFixed(1)}, medians of ${ROUNDS}, ms\n`);
  console.log(
    `| filter | items that pass | ${names.join(' | ')} | ratio to the fastest peer |\n|---${'|---'.repeat(names.length + 2)}|`,
  );
  for (const filter of Object.keys(FILTERS)) {
    if (filters && !filters.includes(filter)) continue;
    const took = Object.fromEntries(names.map((name) => [name, []]));
    let count;
    for (let round = 0; round < ROUNDS; round++) {
      const turn = (round + 1) * WARM_UP + round;
      if (ready.engine) for (let early = turn - WARM_UP; early < turn; early++) await ready.engine(filter, early);
      const found = {};
      for (const name of names) {
        const { ms, values } = await ready[name](filter, turn);
        took[name].push(ms);
        found[name] = values;
        const wrong = differences(found[names[0]], values);
        if (wrong.length)
          throw new Error(`${names[0]} and ${name} differ on ${filter}: ${wrong.slice(0, 5).join('; ')}`);
      }
      count ??= found[names[0]].count;
    }
    const ratios = range(ROUNDS).map(
      (round) => Math.min(...peers.map((name) => took[name][round])) / took.engine?.[round],
    );
    const ratio = peers.length && ready.engine ? median(ratios).toFixed(1) : '';
    const times = names.map((name) => median(took[name]));
    console.log(`| ${filter} | ${count} | ${times.map((ms) => ms.toFixed(ms < 10 ? 2 : 0)).join(' | ')} | ${ratio} |`);
  }
  for (const name of names) {
    delete ready[name];
    await place.end(name);
  }
}
await place.close();
