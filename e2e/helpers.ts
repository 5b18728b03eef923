/** What every browser test needs: a running program of its own, a signed-in page, and the checks that all pages pass. */
import { test as base, expect, type Locator, type Page } from '@playwright/test';
import axe from 'axe-core';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { SettingKey, SettingValues } from '../ui/src/gen/settings';

export { freePort } from './free-port.mjs';

/** The program under test. */
export const programPath =
  process.env.PILOTHOUSE_BIN ?? fileURLToPath(new URL('../target/debug/pilothouse', import.meta.url));

const READY = /^Pilothouse is ready at (http:\/\/127\.0\.0\.1:\d+)$/m;
const START_MS = 60_000;
const STOP_MS = 30_000;
/** Of what a program logs, so much is kept. */
const LOG_CHARS_MAX = 4_000_000;

/** A running program with a data directory of its own. */
export interface Program {
  /** `http://127.0.0.1:PORT`. */
  url: string;
  dataDir: string;
  /** A fresh one-time login address. */
  loginAddress: () => Promise<string>;
  /** Runs a command line of the program on this data directory and returns what it printed. */
  cli: (...args: string[]) => Promise<string>;
  /** Stops it as the system would (SIGTERM), waits, and removes the data directory. */
  stop: () => Promise<void>;
}

/** A program that can go away for a while. */
export interface Restartable extends Program {
  /** The end of what it wrote to standard error. */
  log: () => string;
  /** Stops it as the system would, and keeps its data. */
  pause: () => Promise<void>;
  /** Ends it at once, as a crash or the power would. */
  kill: () => Promise<void>;
  /** Starts it again on the same port and data. */
  resume: () => Promise<void>;
}

/** The command-line token. */
export const cliToken = async (program: Program) =>
  (await readFile(path.join(program.dataDir, 'cli-token'), 'utf8')).trim();

/** A call as a script makes it, with the command-line token. */
export async function call(
  program: Program,
  method: string,
  address: string,
  body: BodyInit | null = null,
  type = 'application/json',
) {
  const response = await rawCall(program, method, address, body, type);
  if (!response.ok) throw new Error(`${method} ${address}: ${response.status} ${await response.text()}`);
  return response.status === 204 ? null : response.json();
}

/** The same, with the answer as it came. */
export async function rawCall(
  program: Program,
  method: string,
  address: string,
  body: BodyInit | null = null,
  type = 'application/json',
) {
  const headers: Record<string, string> = { Authorization: `Bearer ${await cliToken(program)}` };
  if (body !== null) headers['Content-Type'] = type;
  return fetch(program.url + address, { method, body, headers });
}

/** The token that a page gets for a login code. */
async function personToken(program: Program): Promise<string> {
  const { code } = await call(program, 'POST', '/login/codes', '{}');
  return (await call(program, 'POST', '/login', JSON.stringify({ code }))).token;
}

/** A session that goes on, for which a token can be made. */
export async function newSession(program: Program, title = 'Waits'): Promise<string> {
  const answer = await fetch(`${program.url}/sessions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await personToken(program)}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ engine: 'practice', prompt: 'practice: wait 600', title }),
  });
  return (await answer.json()).id;
}

/** A token of a session with these scopes; of a new session where none is named. */
export async function sessionToken(program: Program, scopes: string[], session?: string): Promise<string> {
  const sessionId = session ?? (await newSession(program));
  const made = { kind: 'agent', name: 'a', sessionId, scopes };
  return (await call(program, 'POST', '/tokens', JSON.stringify(made))).token;
}

/** What a session asks for and is told, with a token of its own. */
export async function asSession(program: Program, session?: string) {
  const token = await sessionToken(program, ['asks:write', 'asks:read'], session);
  return async (method: string, address: string, body?: object) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    return (await fetch(program.url + address, { method, headers, body: body ? JSON.stringify(body) : null })).json();
  };
}

/** Whether the text stands in the clear in a file of the data directory. */
export async function isInFiles(program: Program, text: string) {
  const entries = await readdir(program.dataDir, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => readFile(path.join(entry.parentPath, entry.name)));
  return (await Promise.all(files)).some((bytes) => bytes.includes(text));
}

/** Changes a setting as a script does. */
export const setSetting = <Key extends SettingKey>(program: Program, key: Key, value: SettingValues[Key]) =>
  call(program, 'PATCH', `/settings/${key}`, JSON.stringify({ value }));

/** The value of a setting. */
export const settingOf = async <Key extends SettingKey>(program: Program, key: Key): Promise<SettingValues[Key]> =>
  (await call(program, 'GET', `/settings/${key}`)).value;

/** The row of a setting on its page. */
export const settingRow = (page: Page, key: SettingKey) => page.locator(`.row[data-key="${key}"]`);

/** Starts the program, on a port that the system chooses if `args` name none, and waits until it says that it is ready. */
export const startProgram = (...args: string[]): Promise<Restartable> => startProgramAt(programPath, ...args);

/** The same from another file. */
export async function startProgramAt(file: string, ...args: string[]): Promise<Restartable> {
  const port = args.includes('--port') ? [] : ['--port', '0'];
  const dataDir = await mkdtemp(path.join(tmpdir(), 'pilothouse-e2e-'));
  // Tests leave nothing in the keychain of whoever runs them, keep no computer awake, and start no shell with their
  // configuration.
  const env = { ...process.env, PILOTHOUSE_KEYCHAIN: 'off', PILOTHOUSE_POWER: 'off', SHELL: '/bin/sh' };
  let log = '';
  const start = (...more: string[]) => {
    const child = spawn(file, ['serve', ...more, '--data-dir', dataDir, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-LOG_CHARS_MAX)));
    return child;
  };
  let child = start(...port);
  const url = await ready(child);
  const cli = async (...command: string[]) => {
    const { stdout } = await promisify(execFile)(programPath, [...command, '--data-dir', dataDir]);
    return stdout.trim();
  };
  return {
    url,
    dataDir,
    cli,
    log: () => log,
    loginAddress: () => cli('open', '--print'),
    pause: () => stopped(child),
    kill: () => killed(child),
    async resume() {
      child = start(...(args.includes('--port') ? [] : ['--port', new URL(url).port]));
      await ready(child);
    },
    async stop() {
      await stopped(child);
      // A program that was restarted is not a child of the test: it may still be closing its files.
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

function ready(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = '';
    let err = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`The program was not ready in time.\n${out}\n${err}`));
    }, START_MS);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      const url = READY.exec(out)?.[1];
      if (!url) return;
      clearTimeout(timer);
      resolve(url);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (err = (err + text).slice(-4000)));
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`The program ended with ${code} before it was ready.\n${err}`));
    });
  });
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  const code = await ended;
  clearTimeout(timer);
  if (code !== 0) throw new Error(`The program ended with ${code} after SIGTERM.`);
}

/**
 * Opens the page at `path` below /app, signed in: with a token where the page keeps it. That saves the load of the page that
 * a login address costs; how that one signs in has tests of its own.
 */
export async function login(page: Page, program: Program, path = '/'): Promise<void> {
  const script = await page.addInitScript(
    ({ origin, token }) => {
      // Frames of others have no storage.
      if (self.origin === origin) sessionStorage.setItem('pilothouse.token', token);
    },
    { origin: program.url, token: await personToken(program) },
  );
  await page.goto(`${program.url}/app${path}`);
  // A reload finds the page as it is then, also where it has lost its token.
  await script.dispose();
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
}

export const grid = (page: Page) => page.getByRole('grid');

/** The cell of an item in a column of the table, by the column's title. */
export async function cell(page: Page, item: string, column: string): Promise<Locator> {
  await expect(grid(page).getByRole('columnheader', { name: column, exact: true })).toBeVisible();
  const titles = await grid(page).getByRole('columnheader').allTextContents();
  return grid(page).getByRole('row').filter({ hasText: item }).getByRole('gridcell').nth(titles.indexOf(column));
}

/** Pastes text into a cell, as a spreadsheet copied it. */
export async function paste(into: Locator, text: string): Promise<void> {
  await into.click();
  await expect(into).toBeFocused();
  await into.evaluate((element, copied) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', copied);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

/** Where the first letter of an element stands, in pixels from the left. */
export const leftOf = (at: Locator): Promise<number> =>
  at.evaluate((element) => {
    const letters = document.createRange();
    letters.selectNodeContents(element);
    return letters.getBoundingClientRect().left;
  });

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const OF_COLORS = ['color-contrast', 'link-in-text-block'];
/** A hint beside the pointer belongs to what it hints at; the rule about landmarks does not see that. */
const HINT = '[data-overlay-container]:has([role="tooltip"])';

/** Fails with every accessibility fault that axe finds in light, and in dark with those of colors. `except` names rules that are wrong here. */
export async function expectAccessible(page: Page, name = 'page', except: string[] = []): Promise<void> {
  // Evaluated by the debugger, which the Content-Security-Policy does not hold; once in each document.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const options: axe.RunOptions = {
      runOnly: colorScheme === 'light' ? { type: 'tag', values: TAGS } : { type: 'rule', values: OF_COLORS },
      rules: Object.fromEntries(except.map((rule) => [rule, { enabled: false }])),
      // Of what passes no selectors are made, which takes longer than the checks.
      resultTypes: ['violations'],
      // The pages have no frames to look into.
      iframes: false,
    };
    const faults = await page.evaluate(
      async ({ context, options }) => {
        const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(context, options);
        return violations.map(
          ({ id, help, nodes }) =>
            `${id}: ${help}\n${nodes.map((n) => `  ${n.target.join(' ')}: ${n.failureSummary ?? ''}`).join('\n')}`,
        );
      },
      { context: { exclude: [HINT] }, options },
    );
    expect(faults, `${name}, ${colorScheme}`).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}

/**
 * Tests with a program of their own (it starts in a moment, and no test sees what another made) and a page whose console is
 * watched: what breaks the Content-Security-Policy, or throws, fails the test.
 */
export const test = base.extend<
  { program: Restartable; signedIn: Page; console: string[] },
  { programOfWorker: Restartable }
>({
  program: async ({}, run) => {
    const program = await startProgram();
    await run(program);
    await program.stop();
  },
  programOfWorker: [
    async ({}, run) => {
      const program = await startProgram();
      await run(program);
      await program.stop();
    },
    { scope: 'worker' },
  ],
  console: [
    // The program is named before the page, so that it outlives it: a page whose program ends says so in its console.
    async ({ program: _, page }, run) => {
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(String(error)));
      page.on('console', (message) => {
        if (message.type() !== 'error' && !/Content.Security.Policy/i.test(message.text())) return;
        // Chromium reports every answer over 399; tests that provoke one look at the page instead.
        if (/^Failed to load resource: the server responded with a status of 4\d\d/.test(message.text())) return;
        faults.push(message.text());
      });
      await run(faults);
      expect(faults, 'faults in the console').toEqual([]);
    },
    { auto: true },
  ],
  signedIn: async ({ page, program }, run) => {
    await login(page, program, '/settings');
    await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
    await run(page);
  },
});

/**
 * The same on a program that many tests use, one after the other. For tests that each make the boards and dashboards they look
 * at: they change no settings and no members, count nothing in lists of all, and never stop the program.
 */
export const shared = test.extend({
  program: async ({ programOfWorker }, run) => run(programOfWorker),
});

export { expect };
