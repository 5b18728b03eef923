/**
 * What sessions cost the program itself: `node benches/sessions.mjs PROGRAM [streaming] [transcript] [starting] [launching]`. Processor time and memory of the program (not of the
 * engines that it starts) while 50 practice sessions stream 100 words a second each, how soon what an agent does reaches an open
 * page meanwhile, how long the newest page of a long transcript takes, and how long the program takes to start with 500 sessions
 * beside how long with none; and how much later a session's first turn ends with all instructions and titles, whose model never
 * answers, than without them.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { asking, browse, login, median, owner, program, start } from './chromium.mjs';

const STREAMING = 50;
const WORDS_A_SECOND = 100;
const MEASURED_S = 20;
const ENTRIES = 100_000;
const STORED = 500;
const LAUNCHES = 60;
const INSTRUCTIONS = [
  'appAwarenessPromptEnabled',
  'audienceStylePromptEnabled',
  'defaultAgentInstructionsEnabled',
  'engineeringPrinciplesPromptEnabled',
  'executionBiasPromptEnabled',
  'keyRemindersPromptEnabled',
  'personaPromptEnabled',
  'shellCwdPersistNudgeEnabled',
];
const TICKS_A_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const share = (values, part) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))];

/** Seconds of processor time that a process took, and MiB of it that are resident. */
async function used(pid) {
  const stat = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1].split(' ');
  const rss = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))[1];
  return { cpu_s: (Number(stat[11]) + Number(stat[12])) / TICKS_A_SECOND, rss_mib: Number(rss) / 1024 };
}

/** The program, with a hub, and everything allowed and at once. */
async function begin() {
  const running = await start();
  const ask = asking(running.url, await owner(running));
  const folder = await mkdtemp(path.join(tmpdir(), 'pilothouse-bench-hub-'));
  const hub = (await ask('POST', '/hubs', JSON.stringify({ folder }))).id;
  await ask('PATCH', '/settings/agentPermissionLevel', JSON.stringify({ value: 'full' }));
  await ask('PATCH', '/settings/readLoopBreakerEnabled', JSON.stringify({ value: false }));
  const session = async (prompt) =>
    (await ask('POST', '/sessions', JSON.stringify({ prompt, engine: 'practice', projectId: hub }))).id;
  const until = async (id, state) => {
    for (;;) {
      const now = await ask('GET', `/sessions/${id}`);
      if (now.state === state) return now;
      if (now.state === 'failed') throw new Error(`The session failed: ${now.why}`);
      await pause(50);
    }
  };
  const stop = async () => {
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...running, ask, session, until, stop };
}

async function streaming() {
  const running = await begin();
  const { ask, session, until, pid, stop } = running;
  const warm = await session('practice: say ready');
  await until(warm, 'idle');
  await ask('POST', `/sessions/${warm}/stop`);
  await pause(2_000);
  const idle = await used(pid);
  await pause(5_000);
  const idle_share = ((await used(pid)).cpu_s - idle.cpu_s) / 5;
  const ids = [];
  for (let i = 0; i < STREAMING; i++)
    ids.push(await session(`practice: stream ${WORDS_A_SECOND * (MEASURED_S + 120)} ${WORDS_A_SECOND}`));
  for (const id of ids) await until(id, 'running');
  await pause(3_000);
  const before = await used(pid);
  await pause(MEASURED_S * 1_000);
  const after = await used(pid);
  const cores = (after.cpu_s - before.cpu_s) / MEASURED_S;
  console.log(
    `\n| ${STREAMING} practice sessions, ${WORDS_A_SECOND} words a second each | measured | goal |\n|---|---|---|`,
  );
  console.log(
    `| resident memory of the program for each, MiB | ${((after.rss_mib - idle.rss_mib) / STREAMING).toFixed(2)} | under 2 |`,
  );
  console.log(
    `| processor time of the program in all, % of a core (${(100 * idle_share).toFixed(1)} with none) | ${(100 * cores).toFixed(1)} | under 2 |`,
  );

  // What one more says is seen on its page while the others stream: it says what time it is.
  const told = 500;
  const watched = await session('practice: say ready');
  await until(watched, 'idle');
  const browser = await browse();
  try {
    const page = await browser.newPage();
    await login(page, running);
    await page.goto(`${running.url}/app/sessions/${watched}`);
    await page.getByText('ready', { exact: true }).first().waitFor();
    const seeing = page.evaluate(
      (told) =>
        new Promise((resolve) => {
          const seen = new Map();
          const look = () => {
            for (const [time] of document.body.textContent.matchAll(/(?<!\d)1[78]\d{11}(?!\d)/g)) {
              if (!seen.has(time)) seen.set(time, performance.timeOrigin + performance.now() - Number(time));
            }
            if (seen.size >= told) resolve([...seen.values()]);
          };
          new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
        }),
      told,
    );
    await ask(
      'POST',
      `/sessions/${watched}/messages`,
      JSON.stringify({ prompt: `practice: clock ${told} ${WORDS_A_SECOND}` }),
    );
    const late_ms = await seeing;
    console.log(
      `| from what an agent says to its page, 95 % of ${late_ms.length}, ms (median ${median(late_ms).toFixed(0)}) | ${share(late_ms, 0.95).toFixed(0)} | within 50 |`,
    );
  } finally {
    await browser.close();
  }
  await stop();
}

async function transcript() {
  const { ask, session, until, stop } = await begin();
  const id = await session('practice: loop 1000 .');
  await until(id, 'idle');
  let last = 0;
  while (last < ENTRIES) {
    await ask(
      'POST',
      `/sessions/${id}/messages`,
      JSON.stringify({ prompt: 'practice: ' + Array.from({ length: 20 }, () => 'loop 1000 .').join('; ') }),
    );
    await until(id, 'running').catch(() => {});
    await until(id, 'idle');
    last = (await ask('GET', `/sessions/${id}/transcript?limit=1`)).last;
  }
  const took_ms = [];
  for (let i = 0; i < 50; i++) {
    const begun = performance.now();
    await ask('GET', `/sessions/${id}/transcript`);
    took_ms.push(performance.now() - begun);
  }
  console.log(
    `| the newest page of a transcript of ${last} entries over HTTP, median, ms (longest ${Math.max(...took_ms).toFixed(1)}) | ${median(took_ms).toFixed(1)} | under 50 |`,
  );
  await stop();
}

/** Milliseconds until a program on this folder says that it is ready. */
async function startOn(dataDir) {
  const begun = performance.now();
  const child = spawn(program, ['serve', '--port', '0', '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const took = performance.now() - begun;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
  return took;
}

async function starting() {
  const folders = [];
  for (const stored of [0, STORED]) {
    const { ask, session, until, stop, dataDir } = await begin();
    for (let i = 0; i < stored; i++) {
      const id = await session('practice: say done');
      await until(id, 'idle');
      await ask('POST', `/sessions/${id}/stop`);
    }
    const copy = await mkdtemp(path.join(tmpdir(), 'pilothouse-bench-copy-'));
    execFileSync('cp', ['-a', `${dataDir}/.`, copy]);
    await stop();
    folders.push(copy);
  }
  const took_ms = [[], []];
  for (let round = 0; round < 9; round++)
    for (const [i, folder] of folders.entries()) took_ms[i].push(await startOn(folder));
  const [none, stored] = took_ms.map(median);
  console.log(
    `| start with ${STORED} stored sessions, times the start with none (${stored.toFixed(0)} and ${none.toFixed(0)} ms) | ${(stored / none).toFixed(2)} | 1.5 |`,
  );
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
}

/** The program, its sessions with all instructions and titles or with none, and the requests that its model got. */
async function beginWith(isOn) {
  const running = await begin();
  let asked = 0;
  const model = createServer(() => (asked += 1));
  await new Promise((resolve) => model.listen(0, '127.0.0.1', resolve));
  const send = (method, url, body) => running.ask(method, url, JSON.stringify(body));
  for (const key of INSTRUCTIONS) await send('PATCH', `/settings/${key}`, { value: isOn });
  if (isOn) {
    const url = `http://127.0.0.1:${model.address().port}`;
    const { id } = await send('POST', '/models/providers', { kind: 'compatible', name: 'Silent', url });
    await send('PATCH', '/models', { utility: { providerId: id, model: 'm' } });
  }
  const launch = async () => {
    const begun = performance.now();
    const id = await running.session('practice: say done');
    while ((await running.ask('GET', `/sessions/${id}`)).state !== 'idle');
    const took = performance.now() - begun;
    await running.ask('POST', `/sessions/${id}/stop`);
    return took;
  };
  const stop = async () => {
    await running.stop();
    model.closeAllConnections();
    model.close();
  };
  return { launch, stop, asked: () => asked };
}

async function launching() {
  const programs = [await beginWith(false), await beginWith(true)];
  const took_ms = [[], []];
  for (let round = 0; round < LAUNCHES; round++)
    for (const [i, { launch }] of programs.entries()) took_ms[i].push(await launch());
  // The first launches warm up.
  const [off, on] = took_ms.map((all) => median(all.slice(10)));
  if (programs[1].asked() === 0) throw new Error('No title was asked for, so nothing was measured.');
  console.log(
    `| end of a session's first turn with all instructions and titles, ms later than without (${on.toFixed(1)} and ${off.toFixed(1)} ms) | ${(on - off).toFixed(1)} | within 5 |`,
  );
  for (const { stop } of programs) await stop();
}

const parts = { streaming, transcript, starting, launching };
for (const part of process.argv.length > 3 ? process.argv.slice(3) : Object.keys(parts)) await parts[part]();
