import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, expectAccessible } from '../../../e2e/helpers';
import { expect, leaveComposer, stands, start, test } from './session';

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();

test('changes are reviewed, commented, reverted, committed, and merged', async ({
  signedIn: page,
  program,
  folder,
}) => {
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`);
  git(folder, 'init', '--quiet', '--initial-branch=main');
  writeFileSync(path.join(folder, 'long.txt'), lines.join('\n'));
  git(folder, 'add', '.');
  git(folder, 'commit', '--quiet', '-m', 'one');
  const id = await start(page, program, folder, 'write new.txt made; say wrote it', {
    worktree: true,
    title: 'Fix it',
  });
  await expect(stands(page)).toContainText('Ready');
  const { cwd } = await call(program, 'GET', `/sessions/${id}`);
  const changed = lines.map((line, at) => (at === 1 ? 'second' : at === 30 ? 'thirty-first' : line));
  writeFileSync(path.join(cwd, 'long.txt'), changed.join('\n'));
  await page.getByRole('button', { name: 'Changes' }).click();
  const files = page.getByRole('list', { name: 'Changed files' });
  await expect(files.getByRole('listitem')).toHaveCount(2);
  await expect(files.getByRole('button', { name: /long\.txt/ })).toContainText('Modified');
  await expectAccessible(page, 'changes of a session');
  const diff = page.getByRole('region', { name: 'Changes to long.txt' });
  await expect(diff.getByRole('group', { name: /^Change at line/ })).toHaveCount(2);
  await page.getByRole('button', { name: 'Side by side' }).click();
  await expectAccessible(page, 'changes side by side');
  await page.getByRole('button', { name: 'Side by side' }).click();
  // A comment goes to the agent with its line.
  await diff.getByRole('button', { name: 'Comment on line 31' }).last().click();
  await page.getByRole('textbox', { name: 'Comment on line 31' }).fill('practice: say understood');
  await page.keyboard.press('Control+Enter');
  await page.reload();
  const comments = page.getByRole('group', { name: 'Review comments' });
  await expect(comments).toContainText('1 comment');
  await comments.getByRole('button', { name: 'Send to agent' }).click();
  await expect(comments).toHaveCount(0);
  const { prompts } = await call(program, 'GET', `/sessions/${id}/transcript`).then(
    (page_: { entries: { body: { entry: string } }[] }) => ({
      prompts: page_.entries.filter(({ body }) => body.entry === 'prompt'),
    }),
  );
  expect(JSON.stringify(prompts.at(-1))).toContain('long.txt:31\\n> thirty-first\\npractice: say understood');
  // A hunk goes, and comes back.
  await diff.getByRole('button', { name: /^Revert the change at line 1/ }).click();
  await expect(diff.getByRole('group', { name: /^Change at line/ })).toHaveCount(1);
  expect(readFileSync(path.join(cwd, 'long.txt'), 'utf8')).toContain('line 2\n');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(diff.getByRole('group', { name: /^Change at line/ })).toHaveCount(2);
  // Committed with the proposed message, and merged.
  const landing = page.getByRole('region', { name: 'Merge changes' });
  await expect(landing.getByRole('textbox', { name: 'Commit message' })).toHaveValue('Fix it');
  await landing.getByRole('button', { name: 'Commit all' }).click();
  await expect(landing.getByRole('button', { name: 'Merge into main' })).toBeEnabled();
  expect(git(cwd, 'log', '-1', '--format=%s')).toBe('Fix it');
  await landing.getByRole('button', { name: 'Merge into main' }).click();
  await expect(page.getByText('Merged into main')).toBeVisible();
  expect(readFileSync(path.join(folder, 'new.txt'), 'utf8')).toContain('made');
});

test('a folder without a repository says so', async ({ signedIn: page, program, folder }) => {
  const id = await start(page, program, folder, 'say hi');
  await expect(stands(page)).toContainText('Ready');
  await page.goto(`${program.url}/app/sessions/${id}?tab=changes`);
  await expect(page.getByText(/isn't in a git repository/)).toBeVisible();
  await leaveComposer(page);
  await page.keyboard.press('v');
  await expect(page.getByRole('log', { name: 'Transcript' })).toBeVisible();
});

test('files and hunks are staged, and what is staged is committed', async ({ signedIn: page, program, folder }) => {
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`);
  git(folder, 'init', '--quiet', '--initial-branch=main');
  writeFileSync(path.join(folder, 'long.txt'), lines.join('\n'));
  git(folder, 'add', '.');
  git(folder, 'commit', '--quiet', '-m', 'one');
  const id = await start(page, program, folder, 'write new.txt made', { worktree: true, title: 'Fix it' });
  await expect(stands(page)).toContainText('Ready');
  const { cwd } = await call(program, 'GET', `/sessions/${id}`);
  const changed = lines.map((line, at) => (at === 1 ? 'second' : at === 30 ? 'thirty-first' : line));
  writeFileSync(path.join(cwd, 'long.txt'), changed.join('\n'));
  writeFileSync(path.join(cwd, 'picture.bin'), Buffer.from([0, 1, 2]));
  await page.goto(`${program.url}/app/sessions/${id}?tab=changes`);
  const box = (name: string) => page.getByRole('checkbox', { name: `Stage ${name}` });
  const diff = page.getByRole('region', { name: 'Changes to long.txt' });
  const landing = page.getByRole('region', { name: 'Merge changes' });
  const staged = () => git(cwd, 'diff', '--cached', '--name-only', 'HEAD');
  await expect(landing.getByRole('button', { name: 'Commit staged' })).toHaveCount(0);
  // A hunk, by keyboard.
  await diff.getByRole('button', { name: 'Stage the change at line 1' }).focus();
  await page.keyboard.press('Enter');
  await expect(diff.getByText('Staged', { exact: true })).toBeVisible();
  await expect(box('long.txt')).toHaveJSProperty('indeterminate', true);
  expect(git(cwd, 'diff', '--cached', '-U0', 'HEAD')).toContain('+second');
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/staged-${theme}.png` });
    await expectAccessible(page, `staged changes, ${theme}`);
  }
  await diff.getByRole('button', { name: 'Unstage the change at line 1' }).click();
  await expect(diff.getByText('Staged', { exact: true })).toHaveCount(0);
  expect(staged()).toBe('');
  // A file: with its key, in the list, and above its differences.
  await page.locator('[data-path="long.txt"]').focus();
  await page.keyboard.press('j');
  await page.keyboard.press('s');
  await expect(box('new.txt')).toBeChecked();
  await page.locator('.changes-file', { hasText: 'picture.bin' }).locator('.checkbox').click();
  await expect(box('picture.bin')).toBeChecked();
  await page.locator('[data-path="picture.bin"]').click();
  await expect(page.getByText(/not loaded: 0 kB/)).toBeVisible();
  await page.getByRole('button', { name: 'Unstage file' }).click();
  await expect(box('picture.bin')).not.toBeChecked();
  expect(staged()).toBe('new.txt');
  await expect(landing.getByRole('textbox', { name: 'Commit message' })).toHaveValue('Fix it');
  await landing.getByRole('button', { name: 'Commit staged' }).click();
  await expect(box('new.txt')).toBeDisabled();
  expect(git(cwd, 'show', '--format=%s', '--name-only', 'HEAD')).toBe('Fix it\n\nnew.txt');
  await landing.getByRole('button', { name: 'Commit all' }).click();
  await expect(landing.getByRole('button', { name: 'Merge into main' })).toBeEnabled();
  expect(git(cwd, 'status', '--porcelain')).toBe('');
});
