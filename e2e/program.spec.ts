/** The program as a process: start, stop, restart, and what it says when it cannot start. */
import { execFile, spawn } from 'node:child_process';
import {
  chmod,
  copyFile,
  mkdtemp,
  open,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  call,
  cliToken,
  expect,
  freePort,
  login,
  programPath,
  rawCall,
  settingRow,
  startProgram,
  startProgramAt,
  test,
} from './helpers';

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command line to its end. */
const run = (...args: string[]) =>
  new Promise<Ended>((resolve) => {
    execFile(programPath, args, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
  });

async function inFolder(body: (dir: string) => Promise<void>) {
  const dir = await mkdtemp(path.join(tmpdir(), 'pilothouse-e2e-'));
  try {
    await body(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const instance = async (dir: string) =>
  JSON.parse(await readFile(path.join(dir, 'instance.json'), 'utf8')) as {
    pid: number;
    baseUrl: string;
    controlServer: boolean;
  };

/** Starts and stops once, so that the data directory holds a database. */
async function once(dir: string) {
  const child = spawn(programPath, ['serve', '--port', '0', '--data-dir', dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ready = new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await ready;
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
}

test('a port that is taken is named with its holder', async () => {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  const address = holder.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  await inFolder(async (dir) => {
    const { code, stderr } = await run('serve', '--port', String(port), '--data-dir', dir);
    expect(code).not.toBe(0);
    expect(stderr).toContain(`Port ${port} is taken by`);
    expect(stderr).toContain(`process ${process.pid}`);
  });
  holder.close();
});

test('started once more, it opens the page of the one that runs, or says that there is no browser', async () => {
  const program = await startProgram();
  await inFolder(async (dir) => {
    const browser = path.join(dir, 'xdg-open');
    const start = () =>
      new Promise<Ended>((resolve) => {
        const env = { ...process.env, PATH: dir };
        execFile(programPath, ['--data-dir', program.dataDir], { env }, (error, stdout, stderr) =>
          resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
        );
      });
    await writeFile(browser, '#!/bin/sh\necho "$1" > "${0%/*}/opened"\n', { mode: 0o755 });
    expect(await start()).toEqual({
      code: 0,
      stdout: 'Pilothouse is already running. Opening its page.\n',
      stderr: '',
    });
    expect(await readFile(path.join(dir, 'opened'), 'utf8')).toMatch(
      new RegExp(`^${program.url}/app/#c=[A-Za-z0-9_-]+\n$`),
    );
    await writeFile(browser, '#!/bin/sh\nexit 3\n', { mode: 0o755 });
    const { code, stderr } = await start();
    expect(code).not.toBe(0);
    expect(stderr).toContain('`pilothouse open --print` prints a sign-in link.');
    // What an earlier program left does not say how to reach the one that holds the directory now, which soon writes it anew.
    await writeFile(
      path.join(program.dataDir, 'instance.json'),
      JSON.stringify({ pid: 1, baseUrl: 'http://127.0.0.1:9', controlServer: true }),
    );
    expect(await start()).toEqual({ code, stdout: '', stderr });
  });
  await program.stop();
});

test('started while another one is starting, it waits until that one can be reached, and opens its page', async () => {
  const program = await startProgram();
  await inFolder(async (dir) => {
    // As it is before the program says how to reach it.
    const [shown, hidden] = [path.join(program.dataDir, 'instance.json'), path.join(dir, 'instance.json')];
    await rename(shown, hidden);
    await writeFile(path.join(dir, 'xdg-open'), '#!/bin/sh\n', { mode: 0o755 });
    const second = spawn(programPath, ['--data-dir', program.dataDir], { env: { ...process.env, PATH: dir } });
    let said = '';
    for (const output of [second.stdout, second.stderr])
      output.on('data', (piece: Buffer) => (said += piece.toString()));
    const ended = new Promise<number | null>((resolve) => second.once('close', resolve));
    // With threads of its own it is past its first look around.
    await expect.poll(async () => (await readdir(`/proc/${second.pid}/task`)).length).toBeGreaterThan(1);
    await copyFile(hidden, shown);
    expect({ code: await ended, said }).toEqual({
      code: 0,
      said: 'Pilothouse is already running. Opening its page.\n',
    });
  });
  await program.stop();
});

test('a second program on the same data directory is refused', async () => {
  const program = await startProgram();
  const { code, stderr } = await run('serve', '--port', '0', '--data-dir', program.dataDir);
  expect(code).not.toBe(0);
  expect(stderr).toContain(String((await instance(program.dataDir)).pid));
  const offline = await run('settings', 'set', 'dripEnabled', 'on', '--offline', '--data-dir', program.dataDir);
  expect(offline.code).not.toBe(0);
  await program.stop();
});

test('the token file is private, and refused where it is not', async () => {
  await inFolder(async (dir) => {
    await once(dir);
    const file = path.join(dir, 'cli-token');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.join(dir, 'pilothouse.db'))).mode & 0o777).toBe(0o600);
    await chmod(file, 0o644);
    const { code, stderr } = await run('serve', '--port', '0', '--data-dir', dir);
    expect(code).not.toBe(0);
    expect(stderr).toContain('0644');
  });
});

test('a damaged database is named with its remedy, and restored from a backup', async () => {
  await inFolder(async (dir) => {
    await once(dir);
    const database = path.join(dir, 'pilothouse.db');
    const backup = path.join(dir, 'copy.db');
    await copyFile(database, backup);
    const { size } = await stat(database);
    await truncate(database, Math.floor(size / 2) - 100);
    const { code, stderr } = await run('serve', '--port', '0', '--data-dir', dir);
    expect(code).not.toBe(0);
    expect(stderr).toContain('database-damaged');
    expect(stderr).toContain('backup');
    const nothing = await open(database, 'w');
    await nothing.write('not a database, but long enough to be read as one'.repeat(40));
    await nothing.close();
    const text = await run('serve', '--port', '0', '--data-dir', dir);
    expect(text.code).not.toBe(0);
    expect(text.stderr).toContain('database-damaged');
    const restored = await run('restore', backup, '--data-dir', dir);
    expect(restored.code, restored.stderr).toBe(0);
    expect(restored.stdout).toContain('saved as');
    expect(restored.stdout).toContain("Attached files and transcripts aren't part of a backup");
    await once(dir);
  });
});

test('settings are set while the program is stopped', async () => {
  await inFolder(async (dir) => {
    await once(dir);
    const set = await run('settings', 'set', 'webmailPageSize', '20', '--offline', '--data-dir', dir);
    expect(set.code, set.stderr).toBe(0);
    const wrong = await run('settings', 'set', 'webmailPageSize', '0', '--offline', '--data-dir', dir);
    expect(wrong.code).not.toBe(0);
    const get = await run('settings', 'get', 'webmailPageSize', '--offline', '--json', '--data-dir', dir);
    expect(JSON.parse(get.stdout).value).toBe(20);
  });
});

test('restarting by script needs its setting; the program comes back on the same data', async () => {
  const program = await startProgram();
  const before = await instance(program.dataDir);
  const refused = await rawCall(program, 'POST', '/app/restart', '{}');
  expect(refused.status).toBe(403);
  expect((await refused.json()).code).toBe('restart-disabled');
  expect((await instance(program.dataDir)).pid).toBe(before.pid);
  await program.cli('settings', 'set', 'webmailPageSize', '20');
  await program.cli('settings', 'set', 'allowAgentAppRestart', 'on');
  await call(program, 'POST', '/app/restart', '{}');
  await expect
    .poll(async () =>
      instance(program.dataDir).then(
        (now) => now.pid !== before.pid && now.pid,
        () => false,
      ),
    )
    .toBeTruthy();
  const now = await instance(program.dataDir);
  expect(now.baseUrl, 'on the port that the system chose before').toBe(before.baseUrl);
  const value = await program.cli('settings', 'get', 'webmailPageSize', '--json');
  expect(JSON.parse(value).value).toBe(20);
  process.kill(now.pid, 'SIGTERM');
  await expect
    .poll(() =>
      stat(path.join(program.dataDir, 'instance.json')).then(
        () => true,
        () => false,
      ),
    )
    .toBe(false);
  await program.stop();
});

test('a restart starts what an update has put in the place of the program, and goes on where nothing is there', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'pilothouse-e2e-'));
  const file = path.join(folder, 'pilothouse');
  await copyFile(programPath, file);
  const program = await startProgramAt(file);
  const before = await instance(program.dataDir);
  await program.cli('settings', 'set', 'allowAgentAppRestart', 'on');
  await rm(file);
  // Gone, begun to be copied, not yet allowed to run.
  for (const put of [
    () => Promise.resolve(),
    () => writeFile(file, '', { mode: 0o755 }),
    () => writeFile(file, 'a program').then(() => chmod(file, 0o644)),
  ]) {
    await put();
    const refused = await rawCall(program, 'POST', '/app/restart', '{}');
    expect(refused.status).toBe(409);
    expect((await refused.json()).detail).toContain(file);
  }
  await rm(file);
  await copyFile(programPath, file);
  await call(program, 'POST', '/app/restart', '{}');
  await expect
    .poll(() =>
      instance(program.dataDir).then(
        (now) => now.pid !== before.pid,
        () => false,
      ),
    )
    .toBe(true);
  const now = await instance(program.dataDir);
  process.kill(now.pid, 'SIGTERM');
  await expect
    .poll(() =>
      stat(path.join(program.dataDir, 'instance.json')).then(
        () => true,
        () => false,
      ),
    )
    .toBe(false);
  await program.stop();
  await rm(folder, { recursive: true });
});

test('asked to stop while it ends to start again, it stops', async () => {
  await inFolder(async (dir) => {
    await once(dir);
    await run('settings', 'set', 'allowAgentAppRestart', 'on', '--offline', '--data-dir', dir);
    const child = spawn(programPath, ['serve', '--port', '0', '--data-dir', dir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
    const { baseUrl } = await instance(dir);
    const authorization = `Bearer ${(await readFile(path.join(dir, 'cli-token'), 'utf8')).trim()}`;
    // A request under way, which the end waits for.
    const { host, hostname, port } = new URL(baseUrl);
    const sending = connect(Number(port), hostname);
    sending.on('error', () => {});
    sending.write(
      `POST /settings HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n`,
    );
    await new Promise<void>((resolve) => sending.once('data', () => resolve()));
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const restart = await fetch(`${baseUrl}/app/restart`, {
      method: 'POST',
      headers: { Authorization: authorization, 'Content-Type': 'application/json' },
      body: '{}',
    });
    expect(restart.status).toBe(202);
    // It is ending once nobody finds it any more.
    await expect
      .poll(() =>
        stat(path.join(dir, 'instance.json')).then(
          () => true,
          () => false,
        ),
      )
      .toBe(false);
    child.kill('SIGTERM');
    sending.destroy();
    expect(await ended).toBe(0);
    // No other holds the data directory.
    expect((await run('settings', 'get', 'cliServerEnabled', '--offline', '--data-dir', dir)).code).toBe(0);
  });
});

for (const fixed of [true, false]) {
  test(`switched off by a restart, the control server leaves ${fixed ? 'its port' : 'the port that the system chose'}, and the page has one of its own`, async () => {
    const program = fixed ? await startProgram('--port', String(await freePort())) : await startProgram();
    const { port } = new URL(program.url);
    const before = await instance(program.dataDir);
    await program.cli('settings', 'set', 'allowAgentAppRestart', 'on');
    await program.cli('settings', 'set', 'cliServerEnabled', 'off');
    await call(program, 'POST', '/app/restart', '{}');
    await expect
      .poll(() =>
        instance(program.dataDir).then(
          (now) => now.pid !== before.pid,
          () => false,
        ),
      )
      .toBe(true);
    const now = await instance(program.dataDir);
    expect([now.controlServer, new URL(now.baseUrl).port === port]).toEqual([false, false]);
    await expect(fetch(`${program.url}/health`)).rejects.toThrow();
    process.kill(now.pid, 'SIGTERM');
    await expect
      .poll(() =>
        stat(path.join(program.dataDir, 'instance.json')).then(
          () => true,
          () => false,
        ),
      )
      .toBe(false);
    await program.stop();
  });
}

test('a program whose data directory is moved away takes no changes until it is back', async () => {
  const program = await startProgram();
  const elsewhere = `${program.dataDir}-moved`;
  const change = async (value: number) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const answer = await fetch(`${program.url}/settings/webmailPageSize`, {
      method: 'PATCH',
      headers,
      body: JSON.stringify({ value }),
    });
    return [answer.status, (await answer.json()) as { code?: string; detail?: string; value?: number }] as const;
  };
  const token = await cliToken(program);
  await rename(program.dataDir, elsewhere);
  const [status, refusal] = await change(20);
  expect([status, refusal.code]).toEqual([503, 'read-only']);
  expect(refusal.detail).toContain('moved or deleted');
  await rename(elsewhere, program.dataDir);
  expect((await change(20))[0]).toBe(200);
  await program.stop();
});

test('the page restarts the program, and connects again by itself', async ({ page, console: faults }) => {
  const program = await startProgram('--port', String(await freePort()));
  let pid: number | null = null;
  try {
    const before = await instance(program.dataDir);
    await login(page, program, '/settings?q=sessionStoreV2Enabled');
    await settingRow(page, 'sessionStoreV2Enabled').locator('.switch').click();
    const bar = page.getByRole('region', { name: 'Restart to apply' });
    await expect(bar).toContainText('Session store V2');
    const left = page.getByRole('status').filter({ hasText: 'Not connected' }).waitFor();
    await bar.getByRole('button', { name: 'Restart' }).click();
    await left;
    await expect(page.getByRole('status').filter({ hasText: /^Connected$/ })).toBeVisible();
    await expect(bar).toBeHidden();
    const now = await instance(program.dataDir);
    expect(now.pid).not.toBe(before.pid);
    expect(now.baseUrl).toBe(before.baseUrl);
    pid = now.pid;
    // What the page does next reaches the new program.
    await settingRow(page, 'sessionStoreV2Enabled')
      .getByRole('button', { name: /^Reset/ })
      .click();
    await expect(bar).toContainText('Session store V2');
    expect(JSON.parse(await program.cli('settings', 'get', 'sessionStoreV2Enabled', '--json')).pendingRestart).toBe(
      true,
    );
  } finally {
    await page.close();
    // While the program was away, the browser said so.
    faults.splice(0, faults.length, ...faults.filter((fault) => !/net::ERR_/.test(fault)));
    if (pid !== null) {
      process.kill(pid, 'SIGTERM');
      await expect
        .poll(() =>
          stat(path.join(program.dataDir, 'instance.json')).then(
            () => true,
            () => false,
          ),
        )
        .toBe(false);
    }
    await program.stop();
  }
});

test('with the control server off only the page is left, on a port of its own', async ({ page }) => {
  await inFolder(async (dir) => {
    await once(dir);
    const off = await run('settings', 'set', 'cliServerEnabled', 'off', '--offline', '--data-dir', dir);
    expect(off.code, off.stderr).toBe(0);
    const port = await freePort();
    const child = spawn(programPath, ['serve', '--port', String(port), '--data-dir', dir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
    const { baseUrl } = await instance(dir);
    expect(new URL(baseUrl).port).not.toBe(String(port));
    await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
    const token = (await readFile(path.join(dir, 'cli-token'), 'utf8')).trim();
    const byScript = await fetch(`${baseUrl}/settings`, { headers: { Authorization: `Bearer ${token}` } });
    expect(byScript.status).toBe(401);
    // The owner's login still opens the page, where the setting can be turned on again.
    await page.goto((await run('open', '--print', '--data-dir', dir)).stdout.trim());
    await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
    await page.goto(`${baseUrl}/app/settings?q=cliServerEnabled`);
    const toggle = page.getByRole('switch').first();
    await expect(toggle).toBeChecked({ checked: false });
    await toggle.focus();
    // The switch shows it before it is saved.
    const saved = page.waitForResponse(
      (answer) => answer.url().endsWith('/settings/cliServerEnabled') && answer.request().method() === 'PATCH',
    );
    await page.keyboard.press('Space');
    expect((await saved).status()).toBe(200);
    await expect(toggle).toBeChecked();
    // A page that is still open would look for the program that ends now, and say so in its console.
    await page.close();
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    const value = await run('settings', 'get', 'cliServerEnabled', '--offline', '--json', '--data-dir', dir);
    expect(JSON.parse(value.stdout).value).toBe(true);
  });
});

test('with the control server off, a restart keeps its port and who is signed in', async () => {
  await inFolder(async (dir) => {
    await once(dir);
    expect((await run('settings', 'set', 'cliServerEnabled', 'off', '--offline', '--data-dir', dir)).code).toBe(0);
    const child = spawn(programPath, ['serve', '--port', String(await freePort()), '--data-dir', dir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
    const { baseUrl } = await instance(dir);
    const ask = (method: string, where: string, token?: string, body?: object) =>
      fetch(baseUrl + where, {
        method,
        headers: {
          ...(token && { Authorization: `Bearer ${token}` }),
          ...(body && { 'Content-Type': 'application/json' }),
        },
        body: body && JSON.stringify(body),
      });
    const [, code] = (await run('open', '--print', '--data-dir', dir)).stdout.trim().split('#c=');
    const { token } = (await (await ask('POST', '/login', undefined, { code })).json()) as { token: string };
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    expect((await ask('POST', '/app/restart', token, {})).status).toBe(202);
    expect(await ended).toBe(0);
    const now = () => instance(dir).catch(() => null);
    await expect.poll(async () => (await now())?.baseUrl).toBe(baseUrl);
    const { pid } = await instance(dir);
    try {
      expect((await ask('GET', '/settings', token)).status).toBe(200);
    } finally {
      process.kill(pid, 'SIGTERM');
      await expect.poll(now).toBeNull();
    }
  });
});
