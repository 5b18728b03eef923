import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, grid, login, test } from '../../../e2e/helpers';

const dialog = (page: Page) => page.getByRole('dialog');

const FIRST = [
  'Summary,Issue key,Status,Story Points,Sprint,Sprint',
  'Paint the hull,A-1,To do,3,Spring,',
  'Mend the sails,A-2,Done,5,Spring,Summer',
  '',
].join('\n');
const SECOND = [
  'Summary,Issue key,Status,Story Points,Sprint,Sprint',
  'Paint the hull,A-1,Done,3,Spring,',
  'Mend the sails,A-2,Done,5,Spring,Summer',
  'Stow the cargo,A-3,To do,8,Summer,',
  '',
].join('\n');

async function chooseFile(page: Page, name: string, content: string | Buffer) {
  await page
    .getByLabel('File to import')
    .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) });
}

async function pick(page: Page, label: string | RegExp, option: string) {
  await dialog(page).getByRole('button', { name: label }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

test('an export is recognized, a newer one goes into its board, and is taken back', async ({ page, program }) => {
  await login(page, program, '/boards?import');
  await expect(dialog(page)).toContainText('Trello (JSON)');
  await chooseFile(page, 'ship.csv', FIRST);
  await expect(dialog(page)).toContainText('Jira export.');
  await expect(dialog(page).getByRole('rowheader', { name: 'Sprint', exact: true })).toHaveCount(1);
  await pick(page, /Exported from/, 'Other');
  await expect(dialog(page).getByRole('rowheader', { name: 'Sprint (2)' })).toBeVisible();
  await pick(page, /Exported from/, 'Jira');
  await expect(dialog(page).getByRole('rowheader', { name: 'Sprint (2)' })).toHaveCount(0);
  await dialog(page).getByRole('button', { name: 'Import 2 rows' }).click();
  await expect(page.getByRole('heading', { name: 'ship', level: 1 })).toBeVisible();
  await expect(grid(page).getByText('Mend the sails')).toBeVisible();

  await page.getByRole('button', { name: 'More board actions' }).click();
  await page.getByRole('menuitem', { name: 'Import into this board' }).click();
  // The board stays behind the dialog.
  await expect(page.getByRole('heading', { name: 'ship', level: 1, includeHidden: true })).toBeAttached();
  await chooseFile(page, 'ship again.csv', SECOND);
  await expect(dialog(page)).toContainText('1 item new, 1 changed, 1 unchanged.');
  await expect(dialog(page).getByRole('button', { name: /Key column/ })).toHaveText(/Issue key/);
  await expectAccessible(page, 'import into a board');
  await dialog(page).getByRole('button', { name: 'Import 3 rows' }).click();
  await expect(grid(page).getByText('Stow the cargo')).toBeVisible();
  await page
    .getByRole('alertdialog', { name: 'Added 1 item, changed 1' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect(page.getByText('Import undone')).toBeVisible();
  await expect(grid(page).getByText('Stow the cargo')).toHaveCount(0);
  await expect(grid(page).getByText('Paint the hull')).toBeVisible();
});

test('the name and the group can be other columns than the ones found', async ({ page, program }) => {
  await login(page, program, '/boards?import');
  await chooseFile(page, 'crew.csv', 'Name,Team,Title\nN-1,Deck,Paint\nN-2,Rig,Mend\n');
  await pick(page, 'Import Title as', 'Item name');
  await expect(dialog(page).getByRole('row', { name: /^Title/ })).toContainText('Item name');
  await pick(page, 'Import Team as', 'Item group');
  await expect(dialog(page).getByRole('button', { name: 'Import Team as' })).toHaveText(/Item group/);
  await dialog(page).getByRole('button', { name: 'Import 2 rows' }).click();
  await expect(grid(page).locator('.grid-group-name')).toHaveText([/Deck/, /Rig/]);
  await expect(grid(page).getByText('Paint', { exact: true })).toBeVisible();
});

test('a Trello board comes with its lists, and a board is exported to a file', async ({ page, program }) => {
  await login(page, program, '/boards?import');
  await chooseFile(page, 'board.json', readFileSync('features/boards/testdata/tools/trello.json'));
  await expect(dialog(page)).toContainText('Trello export. JSON file.');
  await expect(dialog(page).getByRole('textbox', { name: 'Board name' })).toHaveValue('Spring release');
  await expect(dialog(page)).toContainText('1 comment was skipped');
  await dialog(page).getByText('Include archived cards').click();
  await expect(dialog(page).getByRole('button', { name: 'Import 4 rows' })).toBeVisible();
  await dialog(page).getByText('Include archived cards').click();
  await dialog(page).getByRole('button', { name: 'Import 2 rows' }).click();
  await expect(grid(page).locator('.grid-group-name')).toHaveText([/To do/, /Doing/, /Done/]);
  await page.getByRole('button', { name: 'More board actions' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Export as CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('Spring release.csv');
  const written = readFileSync(await download.path(), 'utf8');
  expect(written).toContain('Write the plan');
  // Excel reads umlauts right only behind the mark.
  expect(written.codePointAt(0)).toBe(0xfeff);
});
