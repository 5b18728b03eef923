/**
 * What is left of sessions when the whole program is killed: `node benches/kills.mjs PROGRAM [N] [SEED]`. The program runs with a
 * data directory of its own and practice sessions at work, is ended with SIGKILL at a random instant, and is started again, N times
 * (200 where left out). After each start every session that was acknowledged has to be there and say why it stands where it does,
 * and every answer has to be kept. At the end each prompt may have been sent to an engine once without a word about it, and no
 * process of a session may be left. The seed is printed; a run with the same one kills at the same instants.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [file, count = '200', seedText = String(Date.now() % 1_000_000)] = process.argv.slice(2);
if (!file) throw new Error('which program? node benches/kills.mjs PROGRAM [N] [SEED]');
const PORT = 20_519;
const SESSIONS = 6;
const LIFE_MS = 1_500;
let seed = BigInt(seedText);
const below = (end) => {
  seed = (seed * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & 0xffff_ffff_ffff_ffffn;
  return Number((seed >> 33n) % BigInt(end));
};
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const data = mkdtempSync(join(tmpdir(), 'kills-'));
const folder = mkdtempSync(join(tmpdir(), 'kills-hub-'));
const told = { sessions: [], prompts: 0, answers: [] };
const wrong = [];

function start() {
  const args = ['serve', '--data-dir', data, '--port', String(PORT), '--publish-port', String(PORT + 1)];
  return spawn(file, args, { stdio: 'ignore', env: { PATH: process.env.PATH, HOME: data } });
}

/** A person's, whose sessions start at once; it outlives the program. */
let token = '';
async function login() {
  const code = /#c=(\S+)/.exec(execFileSync(file, ['open', '--print', '--data-dir', data], { encoding: 'utf8' }))[1];
  const answer = await fetch(`http://127.0.0.1:${PORT}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  token = (await answer.json()).token;
}

/** Asks the program; undefined where it is gone or refuses as things stand. */
async function ask(method, path, body) {
  try {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`http://127.0.0.1:${PORT}${path}`, {
      method,
      headers,
      body: body && JSON.stringify(body),
    });
    const read = await answer.json();
    if (answer.ok) return read;
    if (![409, 404].includes(answer.status)) wrong.push(`${method} ${path}: ${answer.status} ${JSON.stringify(read)}`);
  } catch {
    // It was killed meanwhile.
  }
  return undefined;
}

async function isUp() {
  for (let i = 0; i < 600; i++) {
    try {
      if ((await fetch(`http://127.0.0.1:${PORT}/health`)).ok) return true;
    } catch {
      // Not yet.
    }
    await pause(50);
  }
  return false;
}

const prompt = (mark) =>
  [
    `practice: say mark-${mark}.; stream 40 100; run touch file-${mark}; say end`,
    `practice: say mark-${mark}.; stream 20 50; run sleep 600`,
    `practice: run touch file-${mark}; say mark-${mark}.; fail crash`,
  ][mark % 3];

async function live(hub, isOver) {
  while (!isOver()) {
    const id = told.sessions[below(SESSIONS)];
    const mark = told.prompts;
    const choice = below(8);
    if (!id && choice < 3) {
      told.prompts++;
      const made = await ask('POST', '/sessions', { prompt: prompt(mark), projectId: hub });
      if (made) told.sessions.push(made.id);
    } else if (id && choice < 2) {
      told.prompts++;
      await ask('POST', `/sessions/${id}/messages`, { prompt: prompt(mark) });
    } else if (id && choice < 5) {
      const need = (await ask('GET', `/sessions/${id}`))?.need?.id;
      const allow = below(3) > 0;
      if (need && (await ask('POST', `/sessions/${id}/asks/${need}/answer`, { allow })))
        told.answers.push([id, need, allow]);
    } else if (id && choice === 5 && below(4) === 0) {
      await ask('POST', `/sessions/${id}/stop`, {});
    } else if (id && choice === 6) {
      await ask('POST', `/sessions/${id}/resume`, {});
    }
    await pause(below(60));
  }
}

async function check() {
  for (const id of told.sessions) {
    const session = await ask('GET', `/sessions/${id}`);
    if (!session?.why) wrong.push(`session ${id} is not explained: ${JSON.stringify(session)}`);
  }
  for (const [id, request, allow] of told.answers) {
    const kept = (await ask('GET', `/sessions/${id}/asks`))?.items.find((one) => one.id === request);
    if (kept?.answer !== (allow ? 'allowed' : 'refused'))
      wrong.push(`answer ${request} of ${id} is ${JSON.stringify(kept)}`);
  }
}

function* files(dir) {
  for (const entry of existsSync(dir) ? readdirSync(dir, { withFileTypes: true }) : []) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) yield* files(path);
    else if (/practice-.*\.json$/.test(entry.name)) yield path;
  }
}

/** Processes that carry the mark of one of our sessions. */
function leftBehind() {
  const own = new Set(told.sessions);
  return readdirSync('/proc').filter((pid) => {
    try {
      const mark = /(?:^|\0)APP_SESSION_ID=([^\0]*)/.exec(readFileSync(`/proc/${pid}/environ`, 'latin1'));
      return mark && own.has(mark[1]);
    } catch {
      return false;
    }
  });
}

console.log(`seed ${seedText}, ${count} kills`);
let program = start();
if (!(await isUp())) throw new Error('the program does not start');
await login();
const hub = (await ask('POST', '/hubs', { folder })).id;
for (let n = 0; n < Number(count); n++) {
  let over = false;
  const life = live(hub, () => over);
  await pause(below(LIFE_MS));
  const gone = new Promise((done) => program.once('exit', done));
  program.kill('SIGKILL');
  over = true;
  await Promise.all([gone, life]);
  program = start();
  if (!(await isUp())) throw new Error(`after kill ${n} the program does not start`);
  await check();
}
for (const id of told.sessions) await ask('POST', `/sessions/${id}/stop`, {});
for (let i = 0; i < 200 && leftBehind().length > 0; i++) await pause(50);
if (leftBehind().length > 0) wrong.push(`processes are left after stop: ${leftBehind().join(' ')}`);
await check();
const sent = [...files(join(data, 'sessions'))].flatMap((path) =>
  JSON.parse(readFileSync(path, 'utf8'))
    .said.filter((said) => said.by_person)
    .map((said) => said.text),
);
for (let mark = 0; mark < told.prompts; mark++) {
  const plain = sent.filter((text) => text.includes(`say mark-${mark}.`) && !text.startsWith('[Pilothouse')).length;
  if (plain > 1) wrong.push(`prompt ${mark} was sent ${plain} times`);
}
program.kill('SIGTERM');
await new Promise((done) => program.once('exit', done));
if (leftBehind().length > 0) wrong.push(`processes are left after the end: ${leftBehind().join(' ')}`);
[data, folder].forEach((dir) => rmSync(dir, { recursive: true, force: true }));
console.log(`${told.sessions.length} sessions, ${told.prompts} prompts, ${told.answers.length} answers`);
if (wrong.length > 0) {
  console.log([...new Set(wrong)].join('\n'));
  process.exit(1);
}
console.log('Nothing was lost, sent twice or left behind.');
