import type { Page } from '@playwright/test';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { call, cliToken, expect, expectAccessible, login, rawCall, test, type Program } from '../../../e2e/helpers';

const post = async (program: Program, address: string, body: object) =>
  call(program, 'POST', address, JSON.stringify(body));

/** A board with a column of files and an item. */
async function desk(program: Program) {
  const workspaceId = (await call(program, 'GET', '/workspaces')).items[0].id;
  const board: string = (await post(program, '/boards', { workspaceId, name: 'Ship', preset: 'blank' })).id;
  const column: string = (await post(program, `/boards/${board}/columns`, { title: 'Papers', type: 'file' })).id;
  const item: string = (await post(program, `/boards/${board}/items`, { name: 'Mend the sails' })).id;
  return { board, column, item, files: `/boards/${board}/items/${item}/files/${column}` };
}

/** A red dot. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);
interface Sent {
  name: string;
  mimeType: string;
  buffer: Buffer;
}
const text = (name: string, body: string): Sent => ({ name, mimeType: 'text/plain', buffer: Buffer.from(body) });

const cell = (page: Page) =>
  page.getByRole('grid').getByRole('row').filter({ hasText: 'Mend the sails' }).getByRole('gridcell').nth(1);
const listed = (page: Page) => page.getByRole('list', { name: 'Files in Papers' }).getByRole('listitem');
async function addFiles(page: Page, files: Sent | Sent[]) {
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Add files' }).click();
  await (await choosing).setFiles(files);
}
async function choose(page: Page, of: string, entry: string) {
  await page.getByRole('button', { name: `More actions for ${of}` }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: entry }).click();
}

test('files are attached from the cell, seen and fetched', async ({ page, program }) => {
  const { board } = await desk(program);
  await login(page, program, `/boards/${board}`);
  await cell(page).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Papers of Mend the sails' });
  await expect(dialog).toBeVisible();
  await addFiles(page, [text('plan.txt', 'Grüße'), { name: 'dot.png', mimeType: 'image/png', buffer: PNG }]);
  await expect(listed(page)).toHaveCount(2);
  await expect(listed(page).nth(0)).toContainText('plan.txt');
  await expect(listed(page).nth(0)).toContainText('7 bytes');
  await expect(listed(page).nth(1).locator('img')).toHaveJSProperty('naturalWidth', 1);

  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download plan.txt' }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toBe('plan.txt');
  expect(await readFile(await saved.path(), 'utf8')).toBe('Grüße');

  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(cell(page)).toBeFocused();
  await expect(cell(page)).toContainText('plan.txt, dot.png');
});

test('what is too large is said beforehand; files are renamed, moved and removed with Undo, and a cell is emptied as any other', async ({
  page,
  program,
}) => {
  const { board, files } = await desk(program);
  await call(program, 'POST', `${files}?name=plan.txt`, 'Plan', 'text/plain');
  await call(program, 'POST', `${files}?name=dot.png`, new Uint8Array(PNG), 'image/png');
  await login(page, program, `/boards/${board}`);
  await cell(page).focus();
  await page.keyboard.press('F2');
  await expect(listed(page)).toHaveCount(2);
  // Said before a byte is sent.
  const sent: string[] = [];
  // Presence is renewed every few seconds.
  page.on(
    'request',
    (request) => request.method() === 'POST' && !request.url().endsWith('/presence') && sent.push(request.url()),
  );
  await addFiles(page, { name: 'large.zip', mimeType: 'application/zip', buffer: Buffer.alloc(25 * 1024 * 1024 + 1) });
  await expect(page.getByRole('alert')).toHaveText(/The limit is 25 MB/);
  expect(sent).toEqual([]);
  await expectAccessible(page, 'a file that is too large');
  await page.getByRole('button', { name: 'Dismiss large.zip' }).click();

  await choose(page, 'plan.txt', 'Rename file');
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.fill('a/b:c.txt');
  await name.press('Enter');
  await expect(name).toBeHidden();
  await expect(listed(page).nth(0)).toContainText('b_c.txt');
  await choose(page, 'b_c.txt', 'Move down');
  await expect(listed(page).nth(1)).toContainText('b_c.txt');
  await choose(page, 'dot.png', 'Remove file');
  await expect(listed(page)).toHaveCount(1);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(listed(page)).toHaveCount(2);
  await expect(listed(page).nth(0)).toContainText('dot.png');

  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(cell(page)).toBeFocused();
  await expect(cell(page)).toContainText('dot.png, b_c.txt');
  await expectAccessible(page, 'a cell of files');
  // Emptied and brought back as any cell.
  await page.keyboard.press('Delete');
  await expect(cell(page)).toHaveText('');
  await page.keyboard.press('Control+z');
  await expect(cell(page)).toContainText('dot.png, b_c.txt');
});

test('files are dropped on a cell, found by name, and stand at the side with the item', async ({ page, program }) => {
  const { board, item } = await desk(program);
  await post(program, `/boards/${board}/items`, { name: 'Caulk the hull' });
  await login(page, program, `/boards/${board}`);
  await expect(cell(page)).toBeVisible();
  const dropped = await page.evaluateHandle(() => {
    const held = new DataTransfer();
    held.items.add(new File(['Tar'], 'Pitch.txt', { type: 'text/plain' }));
    return held;
  });
  await cell(page).dispatchEvent('drop', { dataTransfer: dropped });
  await expect(listed(page)).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(cell(page)).toContainText('Pitch.txt');

  const search = page.getByRole('searchbox');
  await search.fill('pitch');
  await expect(page.getByRole('grid').getByText('Caulk the hull')).toBeHidden();
  await expect(page.getByRole('grid').getByText('Mend the sails')).toBeVisible();
  await search.fill('');

  await page
    .getByRole('grid')
    .getByRole('gridcell', { name: /Mend the sails/ })
    .first()
    .focus();
  await page.keyboard.press(' ');
  await page.getByRole('tab', { name: 'Files' }).click();
  await expect(listed(page)).toHaveCount(1);
  await addFiles(page, text('More.txt', 'More'));
  await expect(listed(page)).toHaveCount(2);
  await expectAccessible(page, 'the files of an item');
  await expect(cell(page)).toContainText('Pitch.txt, More.txt');
  // What someone else attaches arrives by itself.
  const column = (await call(program, 'GET', `/boards/${board}`)).columns[0].id;
  await call(program, 'POST', `/boards/${board}/items/${item}/files/${column}?name=Third.txt`, 'x', 'text/plain');
  await expect(listed(page)).toHaveCount(3);
});

/** Announces a body and waits whether it is wanted, as curl does with a large one; what the server says without having seen it. */
async function announced(
  program: Program,
  address: string,
  bytes: number,
): Promise<{ status: number; detail: string }> {
  const headers = {
    Authorization: `Bearer ${await cliToken(program)}`,
    'Content-Type': 'application/zip',
    'Content-Length': bytes,
    Expect: '100-continue',
  };
  const request = http.request(program.url + address, { method: 'POST', headers });
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
    request
      .once('response', resolve)
      .once('error', reject)
      .once('continue', () => reject(new Error('The body was wanted.')));
    request.flushHeaders();
  });
  let text = '';
  for await (const part of answer.setEncoding('utf8')) text += part as string;
  request.destroy();
  return { status: answer.statusCode ?? 0, detail: (JSON.parse(text) as { detail: string }).detail };
}

test('a file is sent and saved with plain tools, and never shown', async ({ program }) => {
  const { files } = await desk(program);
  const name = encodeURIComponent('../<b>\u202eevil".html');
  const added = await call(
    program,
    'POST',
    `${files}?name=${name}`,
    '<script>alert(1)</script>',
    'text/html; charset=latin1',
  );
  expect(added.file).toMatchObject({ name: '_b_evil_.html', size: 25, type: 'text/html' });
  const answer = await rawCall(program, 'GET', `${files}/${added.file.id}`);
  expect(await answer.text()).toBe('<script>alert(1)</script>');
  const header = (name: string) => answer.headers.get(name);
  expect(header('content-type')).toBe('application/octet-stream');
  expect(header('content-disposition')).toMatch(/^attachment; filename="_b_evil_\.html"/);
  expect(header('x-content-type-options')).toBe('nosniff');
  expect(header('content-security-policy')).toContain('sandbox');
  expect(header('content-length')).toBe('25');
  const large = await announced(program, files, 25 * 1024 * 1024 + 1);
  expect(large.status).toBe(413);
  expect(large.detail).toContain('26214400');

  const folder = await mkdtemp(path.join(tmpdir(), 'pilothouse-files-'));
  try {
    const [, , board, , item, , column] = files.split('/') as [string, string, string, string, string, string, string];
    const [from, to] = [path.join(folder, 'Log book.md'), path.join(folder, 'back.md')];
    await writeFile(from, '# Log');
    const made = JSON.parse(await program.cli('boards', 'files', 'add', board, item, column, from, '--json'));
    expect(made.file).toMatchObject({ name: 'Log book.md', type: 'text/markdown' });
    await program.cli('boards', 'files', 'get', board, item, column, made.file.id, '--output', to);
    expect(await readFile(to, 'utf8')).toBe('# Log');
    const read = JSON.parse(await program.cli('boards', 'files', 'read', board, item, column, made.file.id, '--json'));
    expect(read).toMatchObject({ text: '# Log', truncated: false });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
