/**
 * Whether one attacker keeps the owner out: `node benches/connections.mjs PROGRAM`. Each attacker opens as many kept-alive
 * connections as it gets, keeps each busy with small requests, and opens another one for each that is closed; meanwhile the
 * owner and the command line's token ask for the settings once, each time on a new connection. 300 silent connections are
 * an attacker without a token. Prints the times beside those without an attack, and ends with status 1 where a request of
 * the owner failed or took longer than 100 ms.
 */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import net from 'node:net';
import { fileURLToPath } from 'node:url';

const CONNECTIONS = 300;
const SILENT = 300;
const ROUNDS = 200;
const GOAL_MS = 100;
/** All attacks stop by themselves after this. */
const ATTACK_MS = 60_000;
const PAUSE_MS = 10;
/** How soon an attacker comes back on a connection that was closed. */
const RETURN_MS = 100;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const share = (values, part) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))];

/** One request on a connection of its own: how long it took from opening to the whole answer, and its status. */
function once(port, token) {
  return new Promise((resolve) => {
    const begun = performance.now();
    const socket = net.connect(port, '127.0.0.1');
    let heard = '';
    const head = `GET /settings/pmBoardDensity HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n`;
    socket.on('connect', () => socket.write(`${head}authorization: Bearer ${token}\r\n\r\n`));
    socket.on('data', (bytes) => (heard += bytes));
    socket.on('error', () => {});
    socket.on('close', () => {
      resolve({ ms: performance.now() - begun, status: Number(heard.split(' ')[1] ?? 0) });
    });
  });
}

/** Opens connections and keeps them busy, for as long as the process runs. */
function attack(port, token, connections) {
  const end = Date.now() + ATTACK_MS;
  const head = `GET /account HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n`;
  const request = token && `${head}authorization: Bearer ${token}\r\n\r\n`;
  const connect = () => {
    if (Date.now() > end) return;
    const socket = net.connect(port, '127.0.0.1');
    socket.on('connect', () => request && socket.write(request));
    socket.on('data', () => setTimeout(() => socket.writable && socket.write(request), PAUSE_MS));
    socket.on('error', () => {});
    socket.on('close', () => {
      setTimeout(connect, RETURN_MS);
    });
  };
  for (let n = 0; n < connections; n++) connect();
}

// The attackers run in a process of their own: what is measured is the program, not this script.
if (process.send) {
  const { port, parts } = JSON.parse(process.argv[2]);
  for (const [token, connections] of parts) attack(port, token, connections);
  await new Promise((resolve) => process.once('disconnect', resolve));
  process.exit(0);
}

const { asking, owner, start } = await import('./chromium.mjs');
const running = await start();
const port = Number(new URL(running.url).port);
const ownerToken = await owner(running);
const ask = asking(running.url, ownerToken);
const post = (path, body) => ask('POST', path, JSON.stringify(body));
const session = (await post('/sessions', { engine: 'practice', prompt: 'practice: wait 600' })).id;
const scopes = ['settings:read', 'directory:read'];
const agent = (await post('/tokens', { kind: 'agent', name: 'a', sessionId: session, scopes })).token;
const member = await post('/members', { name: 'Ada' });
const memberToken = (await post('/tokens', { kind: 'member', name: 'm', memberId: member.id })).token;
const other = (await post('/accounts', { name: `Other ${randomUUID()}` })).token;
// More tokens of one account than one token's share would let in.
const agents = [];
for (let n = 0; n < 9; n++) {
  agents.push((await post('/tokens', { kind: 'agent', name: `a${n}`, sessionId: session, scopes })).token);
}

const attackers = [
  ['nobody', []],
  ['an agent', [[agent, CONNECTIONS]]],
  ['a member', [[memberToken, CONNECTIONS]]],
  ['another account', [[other, CONNECTIONS]]],
  ['nine agents of one account', agents.map((token) => [token, 40])],
  [
    'an agent, a member, and another account',
    [
      [agent, 100],
      [memberToken, 100],
      [other, 100],
    ],
  ],
  [`${SILENT} silent connections`, [[null, SILENT]]],
];
let failed = false;
console.log('| attacker | owner, median ms | 95 % | longest | refused |\n|---|---|---|---|---|');
for (const [name, parts] of attackers) {
  const attacker = parts.length && fork(fileURLToPath(import.meta.url), [JSON.stringify({ port, parts })]);
  await pause(1_000);
  const times = [];
  let refused = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const { ms, status } = await once(port, ownerToken);
    times.push(ms);
    if (status !== 200) refused += 1;
    await pause(5);
  }
  if (attacker) attacker.disconnect();
  await pause(500);
  const [half, most, longest] = [share(times, 0.5), share(times, 0.95), Math.max(...times)].map((ms) => ms.toFixed(1));
  console.log(`| ${name} | ${half} | ${most} | ${longest} | ${refused} of ${ROUNDS} |`);
  failed ||= refused > 0 || share(times, 0.95) > GOAL_MS;
}
await running.stop();
process.exit(failed ? 1 : 0);
