/** What benches in Chromium share: a program on a folder of its own, a browser that is signed in, and what is measured in it. */
import { spawn, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

export { browse } from './browser.mjs';

const FRAME_MS = 1000 / 60;

export const program = process.argv[2] ?? process.env.PILOTHOUSE_BIN;
if (!program) throw new Error('The path of a release build of the program is needed.');

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

export async function start() {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'pilothouse-bench-'));
  const child = spawn(program, ['serve', '--port', '0', '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', (line) => resolve(/http:\S+/.exec(line)[0]));
    child.once('exit', (code) => reject(new Error(`The program ended with ${code}.`)));
  });
  // A bench that fails leaves nothing running; and it ends, though the program would keep it alive.
  process.once('exit', () => child.kill());
  process.once('uncaughtException', (why) => {
    console.error(why);
    process.exit(1);
  });
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  };
  return { dataDir, url, stop, pid: child.pid };
}

/** Asks the program as a script does. */
export async function script({ dataDir, url }) {
  return asking(url, (await readFile(path.join(dataDir, 'cli-token'), 'utf8')).trim());
}

/** The token of a person who signed in. */
export async function owner({ dataDir, url }) {
  const address = execFileSync(program, ['open', '--print', '--data-dir', dataDir], { encoding: 'utf8' });
  const code = /#c=(\S+)/.exec(address)[1];
  const answer = await fetch(`${url}/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  if (!answer.ok) throw new Error(`The login was refused: ${await answer.text()}`);
  return (await answer.json()).token;
}

/** Asks the program with a token. */
export function asking(url, token) {
  return async (method, address, body, type = 'application/json') => {
    const headers = { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': type }) };
    const response = await fetch(url + address, { method, headers, body });
    if (!response.ok) throw new Error(`${method} ${address}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? null : response.json();
  };
}

const COPY_ROWS = `
import json, sqlite3, sys
file, table, count, others = sys.argv[1:]
others = json.loads(others)
database = sqlite3.connect(file, timeout=30)
columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
copied = [others.get(name, name) for name in columns]
database.execute(f"""WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {int(count) - 1})
INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(copied)} FROM {table}, numbers""")
database.commit()
`;

/**
 * Copies the one row of a table until there are `count`, since making so many takes minutes. `others` has the SQL of columns that
 * differ, in which `n` is the number of the copy.
 */
export function copyRows({ dataDir }, table, count, others) {
  const file = path.join(dataDir, 'pilothouse.db');
  execFileSync('python3', ['-c', COPY_ROWS, file, table, String(count), JSON.stringify(others)]);
}

/** An ID for each copy. */
export const COPY_ID = "printf('0%017d', n)";

/** Signs a tab in; each has a login of its own. */
export async function login(tab, { dataDir }) {
  await tab.goto(execFileSync(program, ['open', '--print', '--data-dir', dataDir], { encoding: 'utf8' }).trim());
  await tab.getByRole('navigation', { name: 'Main' }).waitFor();
}

/** Times of frames while something happens, and how long each task held the page up. */
export async function framesOf(page, happens) {
  await page.evaluate(() => {
    const seen = { frames: [], tasks: [], last: performance.now(), isOver: false };
    window.seen = seen;
    seen.observer = new PerformanceObserver((list) =>
      seen.tasks.push(...list.getEntries().map((task) => task.duration)),
    );
    seen.observer.observe({ type: 'longtask' });
    const frame = (now) => {
      seen.frames.push(now - seen.last);
      seen.last = now;
      if (!seen.isOver) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  await happens();
  return page.evaluate(() => {
    window.seen.isOver = true;
    window.seen.observer.disconnect();
    // The first frame began before anything happened.
    return { frames: window.seen.frames.slice(1), tasks: window.seen.tasks };
  });
}

export const FRAME_HEAD =
  '| frames | median, ms | 95 %, ms | 99 %, ms | over 16.7 ms | over 33 ms | long tasks |\n|---|---|---|---|---|---|---|---|';

export const longTasks = (tasks) => `${tasks.length} (longest ${Math.max(0, ...tasks).toFixed(0)} ms)`;

export function frameRow(what, { frames, tasks }) {
  const sorted = [...frames].sort((a, b) => a - b);
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))].toFixed(1);
  // A frame on time lies up to half a millisecond beside its mark.
  const share = (over) => `${((100 * frames.filter((ms) => ms > over + 0.5).length) / frames.length).toFixed(1)} %`;
  console.log(
    `| ${what} | ${frames.length} | ${at(0.5)} | ${at(0.95)} | ${at(0.99)} | ${share(FRAME_MS)} | ${share(2 * FRAME_MS)} | ${longTasks(tasks)} |`,
  );
}

/**
 * Milliseconds from an event on the page until what a selector finds first reads `expected`, or is there where that is null, or
 * reads something else than before where that is undefined, and was painted.
 */
export async function painted(page, event, selector, expected, act) {
  await page.evaluate(
    ([event, selector, expected, isAnother]) => {
      const before = document.querySelector(selector)?.textContent;
      const isThere = (text) =>
        text !== undefined && (isAnother ? text !== before : expected === null || text === expected);
      window.painted = new Promise((resolve) => {
        const begin = () => {
          const begun = performance.now();
          const look = () => {
            if (!isThere(document.querySelector(selector)?.textContent)) return requestAnimationFrame(look);
            // What is scheduled from a frame runs once that frame was handed on.
            requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begun)));
          };
          requestAnimationFrame(look);
        };
        addEventListener(event, begin, { capture: true, once: true });
      });
    },
    [event, selector, expected, expected === undefined],
  );
  await act();
  return page.evaluate(() => window.painted);
}
