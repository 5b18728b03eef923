/**
 * Smoke: the picture of a dashboard in WebKitGTK, which Playwright does not drive. Needs `WebKitWebDriver`, `MiniBrowser` and
 * `Xvfb` (Debian: webkit2gtk-driver and xvfb). Run by hand: `PILOTHOUSE_BIN=… node e2e/webkit-picture.mjs`.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const bin = process.env.PILOTHOUSE_BIN ?? 'target/debug/pilothouse';
const [DISPLAY, PORT] = [':97', 4597];
const dataDir = mkdtempSync(path.join(tmpdir(), 'pilothouse-webkit-'));
const started = [];
const start = (command, args, env = {}) => {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  started.push(child);
  return child;
};
const until = async (what, check) => {
  for (let tries = 0; tries < 300; tries++) {
    const found = await check().catch(() => undefined);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`Not in time: ${what}`);
};

async function main() {
  const program = start(bin, ['serve', '--data-dir', dataDir, '--port', '0']);
  const url = await new Promise((resolve) =>
    program.stdout.on(
      'data',
      (text) => /http:\/\/127\.0\.0\.1:\d+/.test(text) && resolve(/http:\/\/127\.0\.0\.1:\d+/.exec(text)[0]),
    ),
  );
  const token = readFileSync(path.join(dataDir, 'cli-token'), 'utf8').trim();
  const call = async (method, address, body, type = 'application/json') => {
    const answer = await fetch(url + address, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...(body ? { 'Content-Type': type } : {}) },
      body,
    });
    assert(answer.ok, `${method} ${address}: ${answer.status}`);
    return answer.json();
  };
  const workspaceId = (await call('GET', '/workspaces')).items[0].id;
  const { board } = await call(
    'POST',
    `/boards/import?${new URLSearchParams({ workspaceId, name: 'Website' })}`,
    'Name,Status\nA,Done\nB,Stuck\nC,Done',
    'text/csv',
  );
  const chart = {
    id: 'b',
    kind: 'chart',
    title: 'By status',
    layout: { x: 0, y: 0, w: 6, h: 6 },
    settings: { variant: 'bar', x: { by: 'column' }, cols: {} },
  };
  const { id } = await call(
    'POST',
    '/dashboards',
    JSON.stringify({
      workspaceId,
      name: 'Picture',
      config: { version: 1, boardIds: [board.id], widgets: [chart], filters: { v: 1, people: null, all: [] } },
    }),
  );

  start('Xvfb', [DISPLAY, '-screen', '0', '1280x900x24']);
  start('WebKitWebDriver', [`--port=${PORT}`], { DISPLAY, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' });
  const driver = async (method, address, body) => {
    const answer = await fetch(`http://127.0.0.1:${PORT}${address}`, {
      method,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(value.message);
    return value;
  };
  const inside = (folder) => readdirSync(folder).map((name) => path.join(folder, name));
  const folders = inside('/usr/lib')
    .filter((name) => name.endsWith('-linux-gnu'))
    .flatMap(inside);
  const binary = folders
    .filter((name) => name.includes('/webkit2gtk-'))
    .map((name) => path.join(name, 'MiniBrowser'))
    .find(existsSync);
  const options = { binary, args: ['--automation'] };
  const { sessionId, capabilities } = await until('a session', () =>
    driver('POST', '/session', { capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } } }),
  );
  const at = `/session/${sessionId}`;
  const run = (script, ...args) => driver('POST', `${at}/execute/async`, { script, args });
  const click = async (xpath) => {
    const element = await until(xpath, () => driver('POST', `${at}/element`, { using: 'xpath', value: xpath }));
    await driver('POST', `${at}/element/${Object.values(element)[0]}/click`, {});
  };
  await driver('POST', `${at}/url`, {
    url: execFileSync(bin, ['open', '--print', '--data-dir', dataDir], { encoding: 'utf8' }).trim(),
  });
  await until('the page', () => driver('POST', `${at}/element`, { using: 'css selector', value: 'nav' }));
  await driver('POST', `${at}/url`, { url: `${url}/app/dashboards/${id}` });
  await until('the chart', () => driver('POST', `${at}/element`, { using: 'css selector', value: '.chart-mark' }));
  // The picture on its way to the person.
  await run(
    'const done = arguments[0]; const make = URL.createObjectURL; URL.createObjectURL = (blob) => { window.picture = blob; return make.call(URL, blob); }; done(true);',
  );
  await click('//button[@aria-label="More"]');
  await click('//*[@role="menuitem"][contains(., "Export as PNG")]');
  await until('the picture', () => run('arguments[0](window.picture instanceof Blob)'));
  const seen = await run(`
    const done = arguments[0];
    (async () => {
      const bitmap = await createImageBitmap(window.picture);
      const canvas = Object.assign(document.createElement('canvas'), { width: bitmap.width, height: bitmap.height });
      const context = canvas.getContext('2d');
      context.drawImage(bitmap, 0, 0);
      const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
      const bars = [...document.querySelectorAll('.chart-mark')].map((mark) => {
        const wanted = getComputedStyle(mark).fill.match(/\\d+/g).map(Number);
        const { width, height } = mark.getBoundingClientRect();
        let count = 0;
        for (let i = 0; i < data.length; i += 4) if ([0, 1, 2].every((part) => Math.abs(data[i + part] - wanted[part]) < 3)) count++;
        return { count, area: width * height };
      });
      const grid = document.querySelector('.dash-grid');
      done({ width: bitmap.width, height: bitmap.height, grid: [grid.offsetWidth, grid.offsetHeight], bars });
    })().catch((error) => done({ error: String(error) }));`);
  await driver('DELETE', at);
  assert.equal(seen.error, undefined);
  assert.deepEqual(
    [seen.width, seen.height],
    seen.grid.map((side) => side * 2),
  );
  assert(seen.bars.length > 0);
  for (const { count, area } of seen.bars) assert(count > area * 3, JSON.stringify(seen));
  console.log(
    `${capabilities.browserName} ${capabilities.browserVersion}: ${seen.width} x ${seen.height}, ${seen.bars.length} bars in their colors`,
  );
}

main()
  .catch((error) => {
    console.error(error);
    process.exitCode = 1;
  })
  .finally(() => {
    for (const child of started.reverse()) child.kill('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 });
  });
