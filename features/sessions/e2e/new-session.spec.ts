/** The dialog that starts a session, and the page of hubs. */
import { execFile } from 'node:child_process';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { call, expectAccessible, type Program } from '../../../e2e/helpers';
import { begin, composer, expect, hubOf, said, test, transcript } from './session';

const run = promisify(execFile);

/** A picture of one blue point. */
const POINT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

const git = async (folder: string, ...args: string[]): Promise<string> => {
  const who = ['-c', 'user.name=T', '-c', 'user.email=t@example.com'];
  const { stdout } = await run('git', [...who, ...args], { cwd: folder });
  return stdout.trim();
};

/** A repository with one commit. */
async function repository(folder: string): Promise<void> {
  await git(folder, 'init', '--quiet', '--initial-branch=main');
  await writeFile(path.join(folder, 'a.txt'), 'one');
  await git(folder, 'add', '.');
  await git(folder, 'commit', '--quiet', '-m', 'one');
}

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Start a session' });
const message = (page: Page) => dialog(page).getByRole('textbox', { name: 'Task' });
const worktree = (page: Page) => dialog(page).getByRole('switch', { name: 'Work in a git worktree' });
const begins = (page: Page) => dialog(page).getByRole('button', { name: 'Start session' }).click();

async function open(page: Page, program: Program): Promise<void> {
  await page.goto(`${program.url}/app/sessions`);
  await page.getByRole('main').getByRole('button', { name: 'Start a session' }).click();
  await expect(message(page)).toBeFocused();
}

/** The record of the session whose page is open. */
async function opened(page: Page, program: Program) {
  await expect(page).toHaveURL(/\/app\/sessions\/[^?/]+$/);
  return call(program, 'GET', `/sessions/${page.url().split('/').at(-1)}`);
}

test('a message survives closing, and its session works on a branch named after it', async ({
  signedIn: page,
  program,
  folder,
}) => {
  await repository(folder);
  await hubOf(program, folder);
  await open(page, program);
  await page.keyboard.type('practice: say It is done');
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  await page.reload();
  await open(page, program);
  await expect(message(page)).toHaveValue('practice: say It is done');
  await expect(worktree(page)).toBeChecked();
  const branch = dialog(page).getByRole('textbox', { name: 'Branch' });
  await expect(branch).toHaveValue(/^pilothouse\/practice-say-it-is-done-[a-z0-9]{4}$/);
  await expectAccessible(page, 'a session to start in a worktree');
  const name = await branch.inputValue();
  await begins(page);
  await expect(said(page, 'It is done')).toBeVisible();
  const first = await opened(page, program);
  expect(first.cwd).not.toBe(folder);
  expect(await git(first.cwd, 'branch', '--show-current')).toBe(name);
  // The next one begins empty, with what this one taught about the engine and what was chosen.
  await open(page, program);
  await expect(message(page)).toHaveValue('');
  const model = dialog(page).getByRole('button', { name: /Model/ });
  await expect(model).toContainText('Default');
  await model.click();
  await page.getByRole('option', { name: /mini/i }).click();
  await dialog(page)
    .getByRole('button', { name: /Mode(?!l)/ })
    .click();
  await page.getByRole('option', { name: /plan/i }).click();
  await message(page).fill('practice: say Again');
  await branch.fill('topic/again');
  await message(page).press('Control+Enter');
  await expect(said(page, 'Again')).toBeVisible();
  const second = await opened(page, program);
  expect([second.model, second.mode]).toEqual(['practice-mini', 'plan']);
  expect(await git(second.cwd, 'branch', '--show-current')).toBe('topic/again');
  // One click leaves worktrees off for this hub.
  await open(page, program);
  await expect(model).toContainText(/mini/i);
  await worktree(page).press('Space');
  await expect(branch).toHaveCount(0);
  await message(page).fill('practice: say Here');
  await begins(page);
  await expect(said(page, 'Here')).toBeVisible();
  expect((await opened(page, program)).cwd).toBe(await realpath(folder));
  await open(page, program);
  await expect(worktree(page)).not.toBeChecked();
});

test('another folder is found as one types, becomes a hub, and is recent then', async ({
  signedIn: page,
  program,
  folder,
}) => {
  const parent = await realpath(folder);
  for (const name of ['project', 'product', '.hidden', 'other']) await mkdir(path.join(folder, name));
  await git(path.join(folder, 'project'), 'init', '--quiet');
  await open(page, program);
  await message(page).fill('practice: say Found');
  // Without hubs, another folder is the only choice.
  const field = dialog(page).getByRole('combobox', { name: 'Folder' });
  const offered = dialog(page).getByRole('listbox', { name: 'Folders' }).getByRole('option');
  await begins(page);
  await expect(dialog(page).getByText('Enter a folder.')).toBeVisible();
  await field.fill(`${parent}/pro`);
  await expect(offered).toHaveText([/product/, /project.*Git repository/]);
  await page.mouse.move(0, 0);
  await expectAccessible(page, 'folders offered');
  await field.fill(`${parent}/.`);
  await expect(offered).toHaveText([/\.hidden/]);
  await field.fill(`${parent}/nowhere/`);
  await expect(dialog(page).getByText('Folder not found.')).toBeVisible();
  await field.fill(`${parent}/proj`);
  await expect(offered).toHaveCount(1);
  await field.press('ArrowDown');
  await field.press('Enter');
  await expect(field).toHaveValue(`${parent}/project/`);
  await expect(dialog(page).getByText('A git repository that becomes a hub.')).toBeVisible();
  await expect(worktree(page)).toBeDisabled();
  await expect(dialog(page).getByText('The repository has no commits.')).toBeVisible();
  await begins(page);
  await expect(said(page, 'Found')).toBeVisible();
  expect((await opened(page, program)).cwd).toBe(`${parent}/project`);
  await open(page, program);
  await dialog(page).getByRole('button', { name: /Hub/ }).click();
  await page.getByRole('option', { name: 'Another folder' }).click();
  await field.click();
  await dialog(page).getByRole('listbox', { name: 'Recent folders' }).getByRole('option').click();
  await expect(field).toHaveValue(`${parent}/project`);
  await expect(dialog(page).getByText('The folder of the hub project.')).toBeVisible();
  // Escape closes the list first, and then the dialog.
  await field.press('ArrowDown');
  await expect(offered).toHaveCount(1);
  await field.press('Escape');
  await expect(offered).toHaveCount(0);
  await expect(dialog(page)).toBeVisible();
});

test('a message is saved as a template, inserted, renamed, and deleted', async ({
  signedIn: page,
  program,
  folder,
}) => {
  await hubOf(program, folder);
  await open(page, program);
  const menu = async (entry: string) => {
    await dialog(page).getByRole('button', { name: 'Templates' }).click();
    await page.getByRole('menuitem', { name: entry }).click();
  };
  await message(page).fill('Review the latest commit.');
  await menu('Save as template');
  const save = page.getByRole('dialog', { name: 'Save as template' });
  await save.getByRole('textbox', { name: 'Name' }).fill('Review');
  await expectAccessible(page, 'a template to save');
  await save.getByRole('button', { name: 'Save template' }).click();
  await expect(save).toHaveCount(0);
  await message(page).fill('First');
  await page.reload();
  await open(page, program);
  await menu('Review');
  await expect(message(page)).toHaveValue('First\n\nReview the latest commit.');
  await menu('Save as template');
  await save.getByRole('textbox', { name: 'Name' }).fill('Review');
  await save.getByRole('button', { name: 'Replace template' }).click();
  await expect(save).toHaveCount(0);
  await menu('Manage templates');
  const manage = page.getByRole('dialog', { name: 'Prompt templates' });
  await manage.getByRole('button', { name: 'Rename Review' }).click();
  const rename = page.getByRole('dialog', { name: 'Rename template' });
  await rename.getByRole('textbox', { name: 'Name' }).fill('Audit');
  await rename.getByRole('textbox', { name: 'Name' }).press('Enter');
  await expect(manage.getByRole('listitem')).toContainText('Audit');
  await expectAccessible(page, 'the templates');
  const { items } = await call(program, 'GET', '/sessions/templates');
  expect(items).toMatchObject([{ name: 'Audit', text: 'First\n\nReview the latest commit.' }]);
  await manage.getByRole('button', { name: 'Delete Audit' }).click();
  await expect(manage).toContainText('No templates yet');
});

test('images are pasted or chosen, removed, and sent with the first message', async ({
  signedIn: page,
  program,
  folder,
}) => {
  await hubOf(program, folder);
  await open(page, program);
  const pictures = dialog(page).getByRole('list', { name: 'Attached images' }).getByRole('listitem');
  await message(page).evaluate((element, data) => {
    const clipboardData = new DataTransfer();
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    clipboardData.items.add(new File([bytes], 'point', { type: 'image/png' }));
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, POINT);
  await expect(pictures).toHaveCount(1);
  const file = { name: 'point.png', mimeType: 'image/png', buffer: Buffer.from(POINT, 'base64') };
  await dialog(page).getByLabel('Images to attach').setInputFiles([file, file]);
  await expect(pictures).toHaveCount(3);
  await dialog(page).getByRole('button', { name: 'Remove image 3' }).click();
  await expectAccessible(page, 'images attached');
  await page.keyboard.press('Escape');
  await page.getByRole('main').getByRole('button', { name: 'Start a session' }).click();
  await expect(pictures).toHaveCount(2);
  await message(page).fill('practice: say Seen');
  await begins(page);
  await expect(said(page, 'Seen')).toBeVisible();
  await expect(transcript(page).getByRole('img')).toHaveCount(2);
  await expect(composer(page)).toHaveValue('');
});

test('hubs are added, changed, and removed on their page, and their sessions stay', async ({
  signedIn: page,
  program,
  folder,
}) => {
  const parent = await realpath(folder);
  await mkdir(path.join(folder, 'one'));
  await page.goto(`${program.url}/app/sessions`);
  await page.getByRole('button', { name: 'Manage hubs' }).click();
  await expect(page.getByText('No hubs yet')).toBeVisible();
  await expectAccessible(page, 'no hub yet');
  await page.getByRole('button', { name: 'Add a hub' }).first().click();
  const add = page.getByRole('dialog', { name: 'Add a hub' });
  await add.getByRole('combobox', { name: 'Folder' }).fill(`${parent}/on`);
  await expect(add.getByRole('option')).toHaveText([/one/]);
  await add.getByRole('button', { name: 'Add hub' }).click();
  await expect(add.getByText('Folder not found: ')).toBeVisible();
  await add.getByRole('combobox', { name: 'Folder' }).fill(`${parent}/one`);
  await page.mouse.move(0, 0);
  await expectAccessible(page, 'a hub to add');
  await add.getByRole('button', { name: 'Add hub' }).click();
  const hubs = page.getByRole('list', { name: 'Hubs', exact: true }).getByRole('listitem');
  await expect(hubs).toHaveText([/one.*0 sessions/s]);
  await begin(page, program, `${parent}/one`, 'say Kept', { title: 'The kept one' });
  await page.reload();
  await expect(hubs).toContainText(['1 session']);
  await expectAccessible(page, 'a hub');
  await page.setViewportSize({ width: 420, height: 720 });
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
    .toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Options for one' }).click();
  await page.getByRole('menuitem', { name: 'Edit hub' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit hub' });
  await edit.getByRole('textbox', { name: 'Name' }).fill('Uno');
  await edit.getByRole('button', { name: 'Save hub' }).click();
  await expect(hubs).toContainText(['Uno']);
  await page.getByRole('button', { name: 'Remove Uno' }).click();
  const removal = page.getByRole('dialog', { name: 'Remove Uno' });
  await expect(removal).toContainText("Its folder and files aren't changed.");
  await removal.getByRole('button', { name: 'Remove hub' }).click();
  await expect(page.getByText('No hubs yet')).toBeVisible();
  await page.goto(`${program.url}/app/sessions`);
  await expect(page.getByRole('main').getByRole('link', { name: /The kept one.*No hub/ })).toBeVisible();
});
