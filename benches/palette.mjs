/**
 * From a key pressed in the palette (Ctrl+K) to the painted result, among 2,000 sessions and 100,000 items of a board:
 * `node benches/palette.mjs PROGRAM`. In Chromium.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { asking, browse, COPY_ID, copyRows, login, median, owner, start } from './chromium.mjs';

const ITEMS = 100_000;
const SESSIONS = 2_000;
const ROUNDS = 15;

const running = await start();
const ask = asking(running.url, await owner(running));
const workspace = (await ask('GET', '/workspaces')).items[0].id;
const lines = ['Name,Status', ...Array.from({ length: ITEMS }, (_, i) => `Crate ${i},To do`)];
await ask('POST', `/boards/import?workspaceId=${workspace}&name=Large`, lines.join('\n'), 'text/csv');
const folder = await mkdtemp(path.join(tmpdir(), 'pilothouse-bench-hub-'));
const hub = (await ask('POST', '/hubs', JSON.stringify({ folder }))).id;
const body = { prompt: 'practice: say done', engine: 'practice', projectId: hub };
const first = await ask('POST', '/sessions', JSON.stringify(body));
while ((await ask('GET', `/sessions/${first.id}`)).state !== 'idle') await new Promise((next) => setTimeout(next, 50));
copyRows(running, 'sessions', SESSIONS, { session_id: COPY_ID, title: "'Voyage ' || n", is_named: '1' });

const browser = await browse();
try {
  const page = await browser.newPage();
  await login(page, running);
  /** Milliseconds from the last key of the words until this was painted as the first result. */
  const found = async (words, text) => {
    await page.keyboard.press('Control+k');
    await page.locator('.palette-input').fill(words.slice(0, -1));
    await page.locator('.palette-list').waitFor();
    // A person looks at what is found before the next key.
    await page.waitForFunction(() => document.querySelectorAll('.palette-list .list-item').length > 0);
    await page.evaluate((text) => {
      const isThere = () => document.querySelector('.palette-list .list-text')?.firstChild.textContent === text;
      if (isThere()) throw new Error(`${text} was found before the last key.`);
      window.found = new Promise((resolve) => {
        const begin = () => {
          const begun = performance.now();
          const look = () => {
            if (!isThere()) return requestAnimationFrame(look);
            requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begun)));
          };
          requestAnimationFrame(look);
        };
        addEventListener('keydown', begin, { capture: true, once: true });
      });
    }, text);
    await page.keyboard.press(words.at(-1));
    const took_ms = await page.evaluate(() => window.found);
    // The first empties the field.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.locator('.palette').waitFor({ state: 'detached' });
    return took_ms;
  };
  console.log(
    `\n| palette, ${SESSIONS} sessions, ${ITEMS} items | median, ms | longest, ms | goal |\n|---|---|---|---|`,
  );
  for (const [kind, name] of [
    ['item', (round) => `Crate ${41_357 + round * 1_111}`],
    ['session', (round) => `Voyage ${1_357 + round * 11}`],
  ]) {
    const took_ms = [];
    for (let round = 0; round < ROUNDS; round++) took_ms.push(await found(name(round), name(round)));
    console.log(`| ${kind} | ${median(took_ms).toFixed(0)} | ${Math.max(...took_ms).toFixed(0)} | 50 |`);
  }
} finally {
  await browser.close();
  await running.stop();
  await rm(folder, { recursive: true, force: true });
}
