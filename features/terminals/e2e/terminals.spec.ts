import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { call, expect, expectAccessible, test } from '../../../e2e/helpers';

test('a terminal in the session’s folder: typed, reloaded, left by a key, restarted, and closed', async ({
  signedIn: page,
  program,
}) => {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'pilothouse-hub-')));
  const hub = await call(program, 'POST', '/hubs', JSON.stringify({ folder }));
  const blocked: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) blocked.push(message.text());
  });
  await page.goto(`${program.url}/app`);
  const id = await page.evaluate(async (projectId) => {
    const headers = {
      Authorization: `Bearer ${sessionStorage.getItem('pilothouse.token')}`,
      'Content-Type': 'application/json',
    };
    const body = JSON.stringify({ projectId, engine: 'practice', prompt: 'practice: say ready' });
    const answer = await fetch('/sessions', { method: 'POST', headers, body });
    return ((await answer.json()) as { id: string }).id;
  }, hub.id);
  await page.goto(`${program.url}/app/sessions/${id}`);
  await expect(page.getByText('ready', { exact: true })).toBeVisible();
  await page.keyboard.press('Control+Backquote');
  const panel = page.getByRole('region', { name: 'Terminal' });
  const rows = panel.locator('.xterm-rows');
  await expect(panel.getByRole('textbox', { name: 'Terminal input' })).toBeFocused();
  await page.keyboard.type('echo hi$((1+1)) in $PWD\n');
  await expect(rows).toContainText(`hi2 in ${folder}`);
  await page.keyboard.type("printf '\\033[38;2;200;80;10mcolored\\033[0m\\n'; stty size\n");
  const colored = rows.locator('span', { hasText: /^colored$/ });
  await expect(colored).toHaveCSS('color', /rgb/);
  expect(await colored.evaluate((cell) => getComputedStyle(cell).color)).not.toBe(
    await rows.evaluate((all) => getComputedStyle(all).color),
  );
  await expectAccessible(page, 'a session with a terminal');
  expect(blocked).toEqual([]);

  await page.keyboard.press('Control+Backquote');
  await expect(page.locator('#composer')).toBeFocused();
  await page.reload();
  await expect(rows).toContainText('hi2 in');
  await page.keyboard.press('Control+Backquote');
  await expect(panel.getByRole('textbox', { name: 'Terminal input' })).toBeFocused();
  await page.keyboard.type('exit 3\n');
  await expect(panel.getByText('Shell ended with exit code 3')).toBeVisible();
  await panel.getByRole('button', { name: 'Restart' }).click();
  await expect(panel.getByText(/Shell ended/)).toBeHidden();
  await expect(panel.getByRole('tab')).toHaveCount(1);

  await panel.getByRole('textbox', { name: 'Terminal input' }).focus();
  await page.keyboard.type('echo shell=$$.\n');
  await expect(rows).toContainText(/shell=\d+\./);
  const pid = Number(/shell=(\d+)\./.exec((await rows.textContent()) ?? '')![1]);
  expect(process.kill(pid, 0)).toBe(true);
  await panel.getByRole('button', { name: 'Close terminal' }).click();
  await expect(panel).toBeHidden();
  await expect.poll(() => isAlive(pid)).toBe(false);
  await rm(folder, { recursive: true, force: true });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
