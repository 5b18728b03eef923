/**
 * How long the Changes tab of a session takes with 5,000 changed files: `node benches/changes.mjs PROGRAM`. From the click to the
 * painted list, in Chromium, and the same over HTTP without a page.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { asking, browse, login, median, owner, painted, start } from './chromium.mjs';

const FOLDERS = 50;
const IN_EACH = 100;
const ROUNDS = 9;

/** A repository in which each file has a changed line among forty. */
async function repository() {
  const folder = await mkdtemp(path.join(tmpdir(), 'pilothouse-bench-hub-'));
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], { cwd: folder });
  const write = async (changed) => {
    for (let part = 0; part < FOLDERS; part++) {
      const below = path.join(folder, 'source', `part-${part}`);
      await mkdir(below, { recursive: true });
      for (let file = 0; file < IN_EACH; file++) {
        const lines = Array.from({ length: 40 }, (_, at) => `line ${at} of file ${file} in part ${part}`);
        if (changed) lines[20] = 'changed';
        await writeFile(path.join(below, `component-${file}.ts`), lines.join('\n'));
      }
    }
  };
  git('init', '--quiet', '--initial-branch=main');
  await write(false);
  git('add', '.');
  git('commit', '--quiet', '-m', 'one');
  await write(true);
  return folder;
}

const running = await start();
const ask = asking(running.url, await owner(running));
const folder = await repository();
const hub = (await ask('POST', '/hubs', JSON.stringify({ folder }))).id;
const session = { prompt: 'practice: say done', engine: 'practice', projectId: hub };
const { id } = await ask('POST', '/sessions', JSON.stringify(session));
while ((await ask('GET', `/sessions/${id}`)).state !== 'idle') await new Promise((resolve) => setTimeout(resolve, 50));

const browser = await browse();
const [listed_ms, painted_ms] = [[], []];
try {
  const page = await browser.newPage();
  await login(page, running);
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now();
    const { files } = await ask('GET', `/sessions/${id}/changes`);
    listed_ms.push(performance.now() - begun);
    if (files.length !== FOLDERS * IN_EACH) throw new Error(`${files.length} files are listed.`);
    await page.goto(`${running.url}/app/sessions/${id}`);
    const tab = page.getByRole('button', { name: 'Changes' });
    await tab.waitFor();
    painted_ms.push(await painted(page, 'click', '.changes-file', null, () => tab.click()));
  }
} finally {
  await browser.close();
  await running.stop();
  await rm(folder, { recursive: true, force: true });
}
const worst = (values) => Math.max(...values).toFixed(0);
console.log('\n| 5,000 changed files | median, ms | longest, ms | goal |\n|---|---|---|---|');
console.log(`| list over HTTP | ${median(listed_ms).toFixed(0)} | ${worst(listed_ms)} | – |`);
console.log(`| Changes tab opened to list painted | ${median(painted_ms).toFixed(0)} | ${worst(painted_ms)} | 1,000 |`);
