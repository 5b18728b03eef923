import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { call, expect, expectAccessible, startProgram, test as base, type Program } from '../../../e2e/helpers';

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();

/** A folder for repositories, and a program that finds a `gh` in its `bin`. */
const test = base.extend<{ folder: string }>({
  folder: async ({}, run) => {
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'pilothouse-work-')));
    mkdirSync(path.join(folder, 'bin'));
    await run(folder);
    rmSync(folder, { recursive: true, force: true });
  },
  program: async ({ folder }, run) => {
    const before = process.env.PATH;
    process.env.PATH = `${path.join(folder, 'bin')}:${before}`;
    const program = await startProgram().finally(() => (process.env.PATH = before));
    await run(program);
    await program.stop();
  },
});

/** A repository with one commit, as a hub. */
async function repository(program: Program, folder: string): Promise<string> {
  mkdirSync(folder);
  git(folder, 'init', '--quiet', '--initial-branch=main');
  commit(folder, 'read.me');
  return (await call(program, 'POST', '/hubs', JSON.stringify({ folder }))).id;
}

function commit(folder: string, file: string) {
  writeFileSync(path.join(folder, file), `${file}\n`);
  git(folder, 'add', '.');
  git(folder, 'commit', '--quiet', '-m', `Add ${file}`);
}

/** A branch with a commit of its own. */
function branch(folder: string, name: string): string {
  git(folder, 'checkout', '--quiet', '-b', name, 'main');
  commit(folder, `${name}.txt`);
  git(folder, 'checkout', '--quiet', 'main');
  return git(folder, 'rev-parse', name);
}

/** A call as the user makes it, with the token of the page. */
const byUser = (page: Page, address: string, body: object): Promise<{ id: string }> =>
  page.evaluate(
    async ({ address, body }) => {
      const headers = {
        Authorization: `Bearer ${sessionStorage.getItem('pilothouse.token')}`,
        'Content-Type': 'application/json',
      };
      const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${address}: ${answer.status} ${await answer.text()}`);
      return answer.json() as Promise<{ id: string }>;
    },
    { address, body },
  );

test('each branch is in its group with the reason; a landed one is deleted and restored; ready ones are merged', async ({
  signedIn: page,
  program,
  folder,
}) => {
  const rows = (group: string) => page.getByRole('grid', { name: group }).getByRole('row');
  await page.getByRole('link', { name: "Where's my work" }).click();
  await expect(page.getByText('No branches')).toBeVisible();
  await expectAccessible(page, 'no branches');

  const site = path.join(folder, 'site');
  const hub = await repository(program, site);
  git(site, 'remote', 'add', 'origin', 'https://github.invalid/o/site.git');
  const [review, turnedDown] = [branch(site, 'review'), branch(site, 'turned-down')];
  branch(site, 'stranded');
  branch(site, 'landed');
  git(site, 'merge', '--quiet', '--squash', 'landed');
  git(site, 'commit', '--quiet', '-m', 'Land it');
  const pull = (number: number, headRefName: string, headRefOid: string, state: string) => ({
    ...{ number, headRefName, headRefOid, state, isCrossRepository: false },
    url: `https://github.invalid/o/site/pull/${number}`,
  });
  const pulls = [pull(1, 'review', review, 'OPEN'), pull(2, 'turned-down', turnedDown, 'CLOSED')];
  writeFileSync(path.join(folder, 'bin/gh'), `#!/bin/sh\ncat <<'END'\n${JSON.stringify(pulls)}\nEND\n`, {
    mode: 0o755,
  });
  const shop = path.join(folder, 'shop');
  await repository(program, shop);
  branch(shop, 'cart');
  const session = async (title: string, prompt: string, state: string) => {
    const input = { engine: 'practice', projectId: hub, worktree: true, title, prompt: `practice: ${prompt}` };
    const { id } = await byUser(page, '/sessions', input);
    await expect.poll(async () => (await call(program, 'GET', `/sessions/${id}`)).state).toBe(state);
    return id;
  };
  const working = await session('Still working', 'wait 600', 'running');
  const ready = await session('Ready one', 'write ready.txt made', 'idle');
  await byUser(page, `/sessions/${ready}/changes/commit`, { message: 'Add ready.txt' });
  await session('Unfinished one', 'write other.txt made', 'idle');

  await page.getByRole('button', { name: 'Check again' }).click();
  await expect(rows('Stranded')).toHaveCount(2);
  await expect(rows('Waiting on review')).toContainText('Pull request #1 is open');
  await expect(rows('Turned down')).toContainText('Pull request #2 was closed without a merge');
  await expect(rows('Landed')).toContainText('main has its changes in other commits');
  await expect(rows('In work')).toHaveCount(3);
  await expect(rows('In work').filter({ hasText: 'Still working' })).toContainText('A session is at work on it');
  await expect(rows('Stranded').filter({ hasText: 'cart' })).toContainText('1 ahead, 0 behind main');
  await expectAccessible(page, 'branches');
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/work.png`, fullPage: true });

  // By keyboard: a row opens its session.
  await rows('In work').filter({ hasText: 'Still working' }).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`/sessions/${working}$`));
  await page.goBack();

  await page.getByRole('button', { name: 'Delete landed' }).press('Enter');
  await expect(rows('Landed')).toHaveCount(0);
  expect(git(site, 'branch', '--list', 'landed')).toBe('');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(rows('Landed')).toContainText('landed');
  expect(git(site, 'branch', '--list', 'landed')).toContain('landed');

  await page.getByRole('button', { name: 'Merge all ready' }).click();
  const dialog = page.getByRole('dialog', { name: 'Merge all ready branches' });
  await expect(dialog.getByRole('list', { name: 'Ready', exact: true })).toContainText('Ready one');
  const others = dialog.getByRole('list', { name: 'Not ready' });
  await expect(others).toContainText('The worktree has uncommitted changes');
  await expect(others).toContainText("The session isn't done");
  await expectAccessible(page, 'a preview of a merge');
  await dialog.getByRole('button', { name: 'Merge 1 branch' }).press('Enter');
  await expect(dialog.getByText('Merged 1 of 1')).toBeVisible();
  await expectAccessible(page, 'results of a merge');
  expect(git(site, 'ls-tree', '--name-only', 'main')).toContain('ready.txt');
  await dialog.getByRole('button', { name: 'Done' }).press('Enter');
  await expect(rows('Landed').filter({ hasText: 'Ready one' })).toContainText('main has all its commits');

  await page.getByRole('button', { name: /Repository/ }).click();
  await page.getByRole('option', { name: /shop/ }).click();
  await expect(rows('Stranded')).toHaveCount(1);
  await expect(rows('In work')).toHaveCount(0);
});
