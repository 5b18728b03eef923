/**
 * The program with one engine, in a temporary home folder with made-up keys. Everything that it can reach is on loopback ports: other
 * addresses go to a proxy that doesn't exist.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

export const SSH_KEY = 'made-up-ssh-key';
export const GH_TOKEN = 'made-up-gh-token';
export const NPM_TOKEN = 'made-up-npm-token';
/** The variable by which processes of a session are known. */
const MARK = 'APP_SESSION_ID';
const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';
const POLL_MS = 100;

export const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** An ssh that has no network: it runs the remote command here if it can read the key. */
const SSH = `#!/bin/sh
grep -q ${SSH_KEY} "$HOME/.ssh/id" || { echo "Permission denied (publickey)." >&2; exit 255; }
for last; do :; done
eval "$last"
`;
/** A gh that answers only with its login. */
const GH = `#!/bin/sh
grep -q ${GH_TOKEN} "$HOME/.config/gh/hosts.yml" || { echo "gh: not logged in" >&2; exit 4; }
echo "Logged in: $*"
`;

function write(file, text, mode = 0o600) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
}

const codexConfig = (url, { command, args }) => `model = "gpt-5.5"
model_provider = "test"
[model_providers.test]
name = "Test"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "CODEX_API_KEY"
requires_openai_auth = false
supports_websockets = false
[analytics]
enabled = false
[feedback]
enabled = false
[mcp_servers.own]
command = ${JSON.stringify(command)}
args = ${JSON.stringify(args)}
`;

const openCodeConfig = (url, { command, args }) =>
  JSON.stringify({
    mcp: { own: { type: 'local', command: [command, ...args] } },
    model: 'test/test-model',
    small_model: 'test/test-model',
    provider: {
      test: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Test',
        options: { baseURL: `${url}/v1` },
        models: {
          'test-model': {
            name: 'Test',
            limit: { context: 100_000, output: 8_000 },
            attachment: true,
            modalities: { input: ['text', 'image'], output: ['text'] },
          },
        },
      },
    },
  });

export class Program {
  /** `packages` is a `node_modules` with the engines. */
  constructor({ file, packages, engine, variables = {}, model, registry }) {
    Object.assign(this, { file, packages, engine, variables, model });
    this.folder = mkdtempSync(join(tmpdir(), `engines-${engine}-`));
    this.home = join(this.folder, 'home');
    this.hubFolder = join(this.folder, 'hub');
    this.remote = join(this.folder, 'remote');
    const bin = join(this.folder, 'bin');
    write(join(bin, 'ssh'), SSH, 0o755);
    write(join(bin, 'gh'), GH, 0o755);
    for (const name of ['claude-agent-acp', 'codex', 'codex-acp', 'gemini', 'node', 'opencode'])
      symlinkSync(join(packages, '.bin', name), join(bin, name));
    const inHome = (path, text) => write(join(this.home, path), text);
    inHome('.ssh/id', SSH_KEY);
    inHome('.config/gh/hosts.yml', `github.com:\n  oauth_token: ${GH_TOKEN}\n`);
    inHome('.npmrc', `registry=${registry.url}/\n//${new URL(registry.url).host}/:_authToken=${NPM_TOKEN}\n`);
    inHome('.gitconfig', '[user]\nname = Tester\nemail = tester@example.org\n[init]\ndefaultBranch = main\n');
    // A tool server of the user's own. Strict sessions don't start it.
    const server = new URL('server.mjs', import.meta.url).pathname;
    const own = { command: join(packages, '.bin/node'), args: [server, 'own'] };
    inHome('.claude.json', JSON.stringify({ mcpServers: { own: { type: 'stdio', ...own } } }));
    inHome('.codex/config.toml', codexConfig(model.url, own));
    inHome('.config/opencode/opencode.json', openCodeConfig(model.url, own));
    inHome('.gemini/settings.json', JSON.stringify({ mcpServers: { own } }));
    inHome('.local/share/opencode/auth.json', JSON.stringify({ test: { type: 'api', key: 'made-up' } }));
    mkdirSync(join(this.home, 'tmp'));
    const proxy = 'http://127.0.0.1:9';
    this.env = {
      HOME: this.home,
      PATH: `${bin}:${SYSTEM_PATH}`,
      LANG: 'C.UTF-8',
      TMPDIR: join(this.home, 'tmp'),
      HTTP_PROXY: proxy,
      HTTPS_PROXY: proxy,
      NO_PROXY: '127.0.0.1,localhost',
      ANTHROPIC_API_KEY: 'made-up',
      ANTHROPIC_BASE_URL: model.url,
      CODEX_API_KEY: 'made-up',
      GEMINI_API_KEY: 'made-up',
      GOOGLE_GEMINI_BASE_URL: model.url,
    };
    this.sh(
      `git init -q --bare ${this.remote} && git init -q ${this.hubFolder} && cd ${this.hubFolder} && echo one > one.txt && git add . && git commit -qm First && git remote add origin git@example.org:${this.remote}`,
      this.folder,
    );
  }

  /** Runs a command as the user would, outside all sessions. */
  sh(command, cwd = this.hubFolder) {
    return execFileSync('/bin/sh', ['-c', command], { cwd, env: this.env, encoding: 'utf8' });
  }

  async start() {
    const data = join(this.folder, 'data');
    const args = ['serve', '--port', '0', '--data-dir', data];
    this.errors = [];
    this.process = spawn(this.file, args, { env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
    createInterface({ input: this.process.stderr }).on('line', (line) => this.errors.push(line));
    this.ended = new Promise((done) => this.process.once('exit', done));
    const lines = createInterface({ input: this.process.stdout });
    const first = await Promise.race([new Promise((done) => lines.once('line', done)), this.ended.then(() => '')]);
    this.url = /http:\S+/.exec(first)?.[0];
    if (!this.url) throw new Error(`The program didn't start: ${this.errors.join('\n')}`);
    const open = ['open', '--print', '--data-dir', data];
    const code = /#c=(\S+)/.exec(execFileSync(this.file, open, { env: this.env, encoding: 'utf8' }))[1];
    this.token = (await this.ask('POST', '/login', { code })).token;
    this.hub = await this.ask('POST', '/hubs', { folder: this.hubFolder });
    for (const [name, value] of Object.entries(this.variables))
      await this.ask('PUT', `/engines/${this.engine}/variables/${name}`, { value });
    return this;
  }

  async stop() {
    this.process.kill('SIGINT');
    await Promise.race([this.ended, pause(15_000).then(() => this.process.kill('SIGKILL'))]);
    await this.ended;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async ask(method, path, body) {
    const headers = {
      'content-type': 'application/json',
      ...(this.token && { authorization: `Bearer ${this.token}` }),
    };
    const answer = await fetch(this.url + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await answer.text();
    const read = text ? JSON.parse(text) : undefined;
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${read?.detail ?? text}`);
    return read;
  }

  /** Processes of a session: id, parent, name of the program, and command line. */
  processes(session) {
    const found = [];
    for (const entry of readdirSync('/proc')) {
      if (!/^\d+$/.test(entry)) continue;
      try {
        const environment = readFileSync(`/proc/${entry}/environ`, 'utf8').split('\0');
        if (!environment.some((line) => line === `${MARK}=${session}`)) continue;
        const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (state === 'Z') continue;
        const line = readFileSync(`/proc/${entry}/cmdline`, 'utf8').split('\0').join(' ').trim();
        found.push({ id: Number(entry), parent: Number(parent), program: readlinkSync(`/proc/${entry}/exe`), line });
      } catch {
        // It ended.
      }
    }
    return found;
  }

  exists(file) {
    return existsSync(join(this.hubFolder, file));
  }

  read(file) {
    return readFileSync(join(this.hubFolder, file), 'utf8');
  }
}

/** Waits until `find` returns something true. */
export async function until(what, find, ms = 60_000) {
  const end = Date.now() + ms;
  for (;;) {
    const found = await find();
    if (found) return found;
    if (Date.now() > end) throw new Error(`No ${what} within ${ms / 1000} s`);
    await pause(POLL_MS);
  }
}

/** A session, as its user sees it. */
export class Session {
  static async start(program, input) {
    const body = { projectId: program.hub.id, engine: program.engine, ...input };
    const { id } = await program.ask('POST', '/sessions', body);
    return new Session(program, id);
  }

  constructor(program, id) {
    Object.assign(this, { program, id, path: `/sessions/${id}` });
  }

  get() {
    return this.program.ask('GET', this.path);
  }

  do(what, body = {}) {
    return this.program.ask('POST', `${this.path}/${what}`, body);
  }

  message(prompt, more) {
    return this.do('messages', { prompt, ...more });
  }

  /** Waits for one of the states; an end in another one is an error. */
  async until(...states) {
    let last;
    const reached = async () => {
      last = await this.get();
      if (states.includes(last.state)) return last;
      if (['failed', 'interrupted', 'parked', 'stopped'].includes(last.state) && !states.includes('*'))
        throw new Error(`It's ${last.state} (${last.why}) instead of ${states.join(' or ')}`);
      return undefined;
    };
    return until(`state ${states.join(' or ')}`, reached).catch((error) => {
      throw new Error(`${error.message}; it's ${last?.state}: ${last?.why}`);
    });
  }

  /** The turn is over and no message waits. */
  async done() {
    return until('end of the turn', async () => {
      const session = await this.get();
      if (['failed', 'interrupted', 'parked', 'stopped'].includes(session.state))
        throw new Error(`It's ${session.state}: ${session.why}`);
      return ['idle', 'finished'].includes(session.state) && session.waiting === 0 && session.turns > 0 && session;
    });
  }

  async asks() {
    return (await this.program.ask('GET', `${this.path}/asks`)).items;
  }

  /** The next open request. */
  request() {
    return until('request', async () => {
      const { state, why, detail } = await this.get();
      if (['failed', 'interrupted', 'parked', 'idle', 'finished'].includes(state))
        throw new Error(`No request; it's ${state}: ${detail?.detail ?? why}`);
      return (await this.asks()).find((ask) => ask.answer === null);
    });
  }

  answer(ask, body) {
    return this.do(`asks/${ask.id}/answer`, body);
  }

  async entries() {
    return (await this.program.ask('GET', `${this.path}/transcript?limit=1000`)).entries ?? [];
  }

  processes() {
    return this.program.processes(this.id);
  }
}
