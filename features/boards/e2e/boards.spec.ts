import type { Page } from '@playwright/test';
import { call, cell, expect, expectAccessible, grid, login, test, type Program } from '../../../e2e/helpers';

const CSV = [
  'Name,Status,Owner,Due date,Effort,Budget,Tags,Blocked',
  '"Paint the hull",To do,Ada,2026-03-04,3,"$1,200.50","deck, hull",no',
  '"Mend the sails",In progress,Grace,2026-03-09,5,$300.00,deck,yes',
  '"Chart the course",Done,Ada,2026-02-20,2,$80.25,"maps, deck",no',
  '"Stow the cargo",Done,Linus,2026-02-25,8,$40.00,"hull, maps",no',
  '"Ring the bell",To do,Grace,2026-03-11,1,$9.99,deck,yes',
].join('\n');

const workspace = async (program: Program): Promise<string> => (await call(program, 'GET', '/workspaces')).items[0].id;

async function imported(program: Program, name: string, csv = CSV): Promise<string> {
  const query = new URLSearchParams({ workspaceId: await workspace(program), name });
  return (await call(program, 'POST', `/boards/import?${query}`, csv, 'text/csv')).board.id;
}

async function chooseFile(page: Page, name: string, text: string | Buffer) {
  await page.getByLabel('File to import').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
}

test('a file becomes a board: preview, a change of what was found, import', async ({ page, program }) => {
  await login(page, program, '/boards');
  await expect(page.getByRole('heading', { name: 'Project boards', level: 1 })).toBeVisible();
  await page.getByRole('button', { name: 'Import a file' }).first().click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('button', { name: 'Choose a file' })).toBeVisible();
  await expectAccessible(page, 'import');
  await chooseFile(page, 'ship.csv', CSV);
  await expect(dialog.getByText('columns separated by commas')).toBeVisible();
  const row = (title: string) =>
    dialog.getByRole('row').filter({ has: page.getByRole('rowheader', { name: title, exact: true }) });
  await expect(row('Name')).toContainText('Item name');
  await expect(row('Name').getByRole('button')).toHaveCount(0);
  await expect(row('Status').getByRole('button')).toHaveText(/Status/);
  await expect(row('Due date').getByRole('button')).toHaveText(/Date/);
  await expect(row('Blocked').getByRole('button')).toHaveText(/Checkbox/);
  await row('Tags').getByRole('button').click();
  await page.getByRole('option', { name: 'Skip' }).click();
  await dialog.getByRole('textbox', { name: 'Board name' }).fill('Ship');
  await dialog.getByRole('button', { name: /^Import \d+ rows$/ }).click();
  await expect(page.getByRole('heading', { name: 'Ship', level: 1 })).toBeVisible();
  await expect(grid(page).getByText('Mend the sails')).toBeVisible();
  await expect(grid(page).getByRole('columnheader', { name: 'Tags' })).toHaveCount(0);
  await expect(await cell(page, 'Paint the hull', 'Budget')).toHaveText(/1,200\.50/);
  await expectAccessible(page, 'board');
});

test('how a file was read is shown, and can be corrected', async ({ page, program }) => {
  const dialog = page.getByRole('dialog');
  await login(page, program, '/boards?import');
  // As an older Mac writes it, and without a row of titles.
  await chooseFile(page, 'crew.csv', Buffer.from('J\x9frgen,red\nBob,blue\nCat,green\n', 'latin1'));
  await expect(dialog.getByRole('button', { name: 'Import 2 rows' })).toBeVisible();
  await expect(dialog.getByRole('button', { name: /Column separator/ })).toHaveText(/Commas/);
  await dialog.getByText('First row has titles', { exact: true }).click();
  await expect(dialog.getByRole('button', { name: 'Import 3 rows' })).toBeVisible();
  await dialog.getByRole('button', { name: /Encoding/ }).click();
  await page.getByRole('option', { name: 'macintosh (classic Mac OS)' }).click();
  await expect(dialog.getByText(/^macintosh, columns separated by commas/)).toBeVisible();
  await expectAccessible(page, 'how a file was read');
  await dialog.getByRole('button', { name: 'Import 3 rows' }).click();
  await expect(grid(page).getByText('Jürgen')).toBeVisible();
});

test('the column of groups is shown as such, and can become a column of the board', async ({ page, program }) => {
  const grouped = ['Name,Group,Effort', 'Caulk the seams,Dock,1', 'Oil the blocks,Rig,2'].join('\n');
  const groups = () => grid(page).locator('.grid-group-name');
  const dialog = page.getByRole('dialog');
  const becomes = dialog.getByRole('button', { name: 'Import Group as' });
  await login(page, program, '/boards?import');
  await chooseFile(page, 'docks.csv', grouped);
  await expect(becomes).toHaveText(/Item group/);
  // Another column changed: what is sent for the group must be taken too.
  await dialog.getByRole('button', { name: 'Import Effort as' }).click();
  await page.getByRole('option', { name: 'Text', exact: true }).click();
  await dialog.getByRole('button', { name: 'Import 2 rows' }).click();
  await expect(groups()).toHaveText([/Dock/, /Rig/]);
  await page.goto(`${program.url}/app/boards?import`);
  await chooseFile(page, 'docks again.csv', grouped);
  await becomes.click();
  await page.getByRole('option', { name: 'Text', exact: true }).click();
  await expect(becomes).toHaveText(/Text/);
  await dialog.getByRole('button', { name: 'Import 2 rows' }).click();
  await expect(await cell(page, 'Oil the blocks', 'Group')).toHaveText('Rig');
  await expect(groups()).toHaveCount(1);
});

test('cells are edited in place by keyboard and saved at once', async ({ page, program }) => {
  const board = await imported(program, 'Edited');
  await login(page, program, `/boards/${board}`);
  await (await cell(page, 'Paint the hull', 'Effort')).click();
  await (await cell(page, 'Paint the hull', 'Effort')).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Effort of Paint the hull' }).fill('many');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert').filter({ hasText: 'Effort accepts a number' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(await cell(page, 'Paint the hull', 'Effort')).toHaveText('3');
  await page.keyboard.press('1');
  await page.keyboard.type('3');
  await page.keyboard.press('Enter');
  await expect(await cell(page, 'Paint the hull', 'Effort')).toHaveText('13');
  // Enter went down a line; left and Delete empty the date of the next item.
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Delete');
  await expect(await cell(page, 'Mend the sails', 'Due date')).toHaveText('');
  await (await cell(page, 'Paint the hull', 'Blocked')).focus();
  await page.keyboard.press('Space');
  await expect((await cell(page, 'Paint the hull', 'Blocked')).getByRole('img', { name: 'Yes' })).toBeVisible();
  await (await cell(page, 'Paint the hull', 'Status')).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('combobox', { name: 'Status of Paint the hull' }).selectOption('Done');
  await page.keyboard.press('Enter');
  await expect(await cell(page, 'Paint the hull', 'Status')).toHaveText('Done');
  // Shown before it is sent, and gone with the page until then.
  const { columns } = await call(program, 'GET', `/boards/${board}`);
  const idOf = (title: string): string => columns.find((column: { title: string }) => column.title === title).id;
  const done = columns
    .find((column: { title: string }) => column.title === 'Status')
    .settings.labels.find((label: { text: string }) => label.text === 'Done').id;
  const stored = async () => {
    const { items } = await call(program, 'GET', `/boards/${board}/items`);
    return [
      items[0].cells[idOf('Effort')],
      items[0].cells[idOf('Blocked')],
      items[0].cells[idOf('Status')],
      items[1].cells[idOf('Due date')],
    ];
  };
  await expect.poll(stored).toEqual([13, true, done, undefined]);
  await page.reload();
  await expect(await cell(page, 'Paint the hull', 'Effort')).toHaveText('13');
  await expect(await cell(page, 'Paint the hull', 'Status')).toHaveText('Done');
});

test('a cell that someone else changed meanwhile is not written over unseen', async ({ page, program }) => {
  const board = await imported(program, 'Edited by two');
  await login(page, program, `/boards/${board}`);
  const effort = () => cell(page, 'Paint the hull', 'Effort');
  const columns = (await call(program, 'GET', `/boards/${board}`)).columns as { id: string; title: string }[];
  const column = columns.find((one) => one.title === 'Effort')!.id;
  const items = async () =>
    (await call(program, 'GET', `/boards/${board}/full`)).items as {
      id: string;
      name: string;
      cells: Record<string, unknown>;
    }[];
  const item = (await items()).find((one) => one.name === 'Paint the hull')!.id;
  const stored = async () => (await items()).find((one) => one.id === item)!.cells[column];
  const dialog = page.getByRole('dialog');
  const bothEdit = async (mine: string, theirs: number) => {
    await (await effort()).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Effort of Paint the hull' }).fill(mine);
    await call(program, 'PATCH', `/boards/${board}/items/${item}/cells/${column}`, JSON.stringify({ value: theirs }));
    await page.keyboard.press('Enter');
    await expect(dialog.getByText('Conflicting changes')).toBeVisible();
    await expect(dialog.getByRole('definition')).toHaveText([mine, String(theirs)]);
  };
  await bothEdit('21', 42);
  expect(await stored()).toBe(42);
  await dialog.getByRole('button', { name: 'Keep theirs' }).click();
  await expect(await effort()).toHaveText('42');
  await bothEdit('22', 43);
  await dialog.getByRole('button', { name: 'Keep mine' }).click();
  await expect(await effort()).toHaveText('22');
  await expect.poll(stored).toBe(22);
});

test('a change elsewhere is seen in an open board', async ({ page, program }) => {
  const board = await imported(program, 'Watched');
  await login(page, program, `/boards/${board}`);
  await expect(grid(page).getByText('Ring the bell')).toBeVisible();
  await call(program, 'POST', `/boards/${board}/items`, JSON.stringify({ name: 'Weigh the anchor' }));
  await expect(grid(page).getByText('Weigh the anchor')).toBeVisible();
});

test('an item is opened, talked about and followed, by keyboard', async ({ page, program }) => {
  const board = await imported(program, 'Talked about');
  await call(program, 'POST', '/members', JSON.stringify({ name: 'Ada Berg' }));
  await login(page, program, `/boards/${board}`);
  await (await cell(page, 'Paint the hull', 'Effort')).focus();
  await page.keyboard.type('7');
  await page.keyboard.press('Enter');
  await expect(await cell(page, 'Paint the hull', 'Effort')).toHaveText('7');
  await (await cell(page, 'Paint the hull', 'Name')).focus();
  await page.keyboard.press('Space');
  const panel = page.getByRole('complementary', { name: 'Paint the hull' });
  await expect(panel.getByRole('button', { name: 'Paint the hull', exact: true })).toBeFocused();
  await panel.getByRole('textbox', { name: 'Comment' }).focus();
  await page.keyboard.type('<b>Blue</b>, says @ada b');
  await expect(panel.getByRole('option', { name: 'Ada Berg' })).toBeVisible();
  await expectAccessible(page, 'item');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+Enter');
  await expect(panel.getByRole('paragraph').filter({ hasText: '<b>Blue</b>, says @Ada Berg' })).toBeVisible();
  const { items } = (await call(program, 'GET', `/boards/${board}/full`)) as { items: { id: string; name: string }[] };
  const item = items.find((one) => one.name === 'Paint the hull')!.id;
  await call(program, 'POST', `/boards/${board}/items/${item}/comments`, JSON.stringify({ text: 'From elsewhere' }));
  await expect(panel.getByText('From elsewhere')).toBeVisible();
  const written =
    '**Plan**: [read it](https://example.org/plan), not [this](javascript:alert(1))\n\n- `one`\n- two\n\n> said\n\n```\ncode\n```\n\n![picture](https://example.org/p.png)<img src=x onerror=alert(1)>';
  await call(program, 'POST', `/boards/${board}/items/${item}/comments`, JSON.stringify({ text: written }));
  await expect(panel.getByRole('listitem').filter({ hasText: /^two$/ })).toBeVisible();
  await expect(panel.locator('.comment-text a')).toHaveText(['read it', 'picture']);
  await expect(panel.locator('.comment-text img')).toHaveCount(0);
  await expect(panel.getByText('[this](javascript:alert(1))')).toBeVisible();
  await expectAccessible(page, 'formatted comment');
  await panel.getByRole('tab', { name: 'Activity' }).click();
  await expectAccessible(page, 'item-activity');
  await panel.getByRole('button', { name: 'Undo: Effort, 3 to 7' }).click();
  await expect(await cell(page, 'Paint the hull', 'Effort')).toHaveText('3');
  await expect(panel.getByText('Commented')).toHaveCount(3);
  await panel.getByRole('tab', { name: 'Activity' }).focus();
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);
  await expect(await cell(page, 'Paint the hull', 'Name')).toBeFocused();
  await (await cell(page, 'Mend the sails', 'Name')).hover();
  await page.getByRole('button', { name: 'Open Mend the sails' }).click();
  await expect(page.getByRole('complementary', { name: 'Mend the sails' }).getByText('No comments yet')).toBeVisible();
});

test('items and columns come and go, the board is renamed and deleted', async ({ page, program }) => {
  await login(page, program, '/boards');
  await page.getByRole('button', { name: 'Create board' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Made here');
  await page.getByRole('dialog').getByRole('button', { name: 'Create board' }).press('Enter');
  await expect(page.getByRole('heading', { name: 'Made here', level: 1 })).toBeFocused();
  await page.getByRole('textbox', { name: 'Add an item' }).fill('<b>First</b> \u05e9\u05dc\u05d5\u05dd e\u0301');
  await page.keyboard.press('Enter');
  await expect(grid(page).getByText('<b>First</b> \u05e9\u05dc\u05d5\u05dd e\u0301')).toBeVisible();
  await page.getByRole('button', { name: 'Add column' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Weight');
  await page.getByRole('dialog').getByRole('button', { name: 'Add column' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(grid(page).getByRole('columnheader', { name: 'Weight' })).toBeFocused();
  await page.getByRole('button', { name: /^Delete <b>First/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete item' }).click();
  await expect(grid(page).getByText('<b>First</b>')).toHaveCount(0);
  // The notice brings it back; deleted once more, the trash does.
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(grid(page).getByText('<b>First</b>')).toBeVisible();
  await page.getByRole('button', { name: /^Delete <b>First/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete item' }).click();
  await expect(grid(page).getByText('<b>First</b>')).toHaveCount(0);
  await page.getByRole('button', { name: 'More board actions' }).click();
  await page.getByRole('menuitem', { name: 'View Trash' }).click();
  await expect(page.getByRole('heading', { name: 'Archive and Trash', level: 1 })).toBeVisible();
  await expectAccessible(page, 'trash');
  await page.getByRole('button', { name: /^Restore <b>First/ }).click();
  await expect(page.getByText('Trash is empty')).toBeVisible();
  await page.getByRole('button', { name: 'Open the board' }).click();
  await expect(grid(page).getByText('<b>First</b>')).toBeVisible();
  await page.getByRole('button', { name: 'More board actions' }).click();
  await page.getByRole('menuitem', { name: 'Rename board' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Renamed');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename board' }).click();
  await expect(page.getByRole('heading', { name: 'Renamed', level: 1 })).toBeVisible();
  const address = page.url();
  await page.getByRole('button', { name: 'More board actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete board' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete board' }).click();
  await expect(page.getByRole('heading', { name: 'Project boards', level: 1 })).toBeVisible();
  await page.goto(address);
  await expect(page.getByText('Board not found')).toBeVisible();
  await expectAccessible(page, 'gone');
  await page.goto(`${program.url}/app/boards/trash`);
  await page.getByRole('button', { name: 'Restore Renamed' }).click();
  await expect(page.getByText('No deleted boards')).toBeVisible();
  await page.goto(address);
  await expect(page.getByRole('heading', { name: 'Renamed', level: 1 })).toBeVisible();
});

test('of ten thousand items only those in view are in the document', async ({ page, program }) => {
  const rows = Array.from({ length: 10_000 }, (_, i) => `Item ${i},${i % 7}`);
  const board = await imported(program, 'Long', ['Name,Effort', ...rows].join('\n'));
  await login(page, program, `/boards/${board}`);
  await expect(grid(page)).toHaveAttribute('aria-rowcount', '10003');
  expect(await grid(page).getByRole('row').count()).toBeLessThan(80);
  await (await cell(page, 'Item 0', 'Name')).focus();
  await page.keyboard.press('Control+End');
  await expect(grid(page).getByText('Item 9999')).toBeVisible();
  expect(await grid(page).getByRole('row').count()).toBeLessThan(80);
});

test('a file that cannot be taken says why, and nothing is made', async ({ page, program }) => {
  await login(page, program, '/boards?import');
  await chooseFile(page, 'empty.csv', '');
  await expect(page.getByRole('alert')).toContainText('no row');
  await chooseFile(page, 'picture.csv', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1, 2, 3]));
  await expect(page.getByRole('alert')).not.toContainText('no row');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});
