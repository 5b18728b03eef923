/** What organizes boards: groups, settings of columns, members, and what an import asks about both. */
import type { Page } from '@playwright/test';
import {
  call,
  expect,
  expectAccessible,
  login,
  shared as test,
  test as alone,
  type Program,
} from '../../../e2e/helpers';

async function board(program: Program): Promise<string> {
  const workspaceId = (await call(program, 'GET', '/workspaces')).items[0].id;
  const { id } = await call(
    program,
    'POST',
    '/boards',
    JSON.stringify({ workspaceId, name: 'Sheet', preset: 'blank' }),
  );
  await call(
    program,
    'POST',
    `/boards/${id}/columns`,
    JSON.stringify({ title: 'Status', type: 'status', settings: { labels: [{ text: 'To do' }, { text: 'Done' }] } }),
  );
  await call(program, 'POST', `/boards/${id}/items`, JSON.stringify({ items: [{ name: 'Mast' }, { name: 'Sail' }] }));
  return id;
}

const heads = (page: Page) => page.getByRole('grid').locator('.grid-group-name');
const texts = (page: Page) =>
  page.getByRole('grid').locator('.grid-group-name, .grid-item .grid-cell[data-column="0"] > .grid-text');

async function choose(page: Page, group: string, entry: string) {
  await page.getByRole('button', { name: `Options for group ${group}` }).click();
  await page.getByRole('menuitem', { name: entry }).click();
}

test('groups are added, renamed, moved, filled and deleted on the page, and come back', async ({ page, program }) => {
  const id = await board(program);
  await login(page, program, `/boards/${id}`);
  await expect(heads(page)).toHaveCount(1);
  const first = (await call(program, 'GET', `/boards/${id}`)).groups[0].name as string;
  await page.getByRole('button', { name: 'Add group' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Later');
  await expectAccessible(page, 'a group is added');
  await page.getByRole('dialog').getByRole('button', { name: 'Add group' }).click();
  await expect(heads(page)).toHaveText([`${first}2`, 'Later0']);

  await page.getByRole('button', { name: 'Add an item to Later' }).click();
  await expect(page.getByPlaceholder('Add an item to Later')).toBeFocused();
  await page.keyboard.type('Anchor');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: `Add an item to ${first}` }).click();
  await expect(page.getByPlaceholder(`Add an item to ${first}`)).toBeFocused();
  await page.keyboard.type('Rope');
  await page.keyboard.press('Enter');
  await expect(texts(page)).toHaveText([`${first}3`, 'Mast', 'Sail', 'Rope', 'Later1', 'Anchor']);
  await expectAccessible(page, 'groups');

  await choose(page, 'Later', 'Rename or recolor');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Harbour');
  await page.keyboard.press('Enter');
  await choose(page, 'Harbour', 'Move up');
  await expect(heads(page)).toHaveText(['Harbour1', `${first}3`]);

  await choose(page, first, 'Delete group');
  await expectAccessible(page, 'a group is deleted');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete group' }).click();
  await expect(heads(page)).toHaveText(['Harbour4']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(texts(page)).toHaveText(['Harbour1', 'Anchor', `${first}3`, 'Mast', 'Sail', 'Rope']);
});

test('a group is managed by keyboard alone, and a column is edited from its own menu', async ({ page, program }) => {
  const id = await board(program);
  await login(page, program, `/boards/${id}`);
  await heads(page).first().focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Rename or recolor' })).toBeFocused();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Hull');
  await page.keyboard.press('Enter');
  await expect(heads(page)).toHaveText(['Hull2']);

  await page.getByRole('columnheader', { name: 'Status', exact: true }).hover();
  await page.getByRole('button', { name: 'Options for Status' }).click();
  await page.getByRole('menuitem', { name: 'Change column' }).click();
  await expect(page.getByRole('dialog', { name: 'Change Status' })).toBeVisible();
  await page.getByRole('textbox', { name: 'Text of label 1' }).fill('Open');
  await page.getByRole('button', { name: 'Save column' }).click();
  await expect
    .poll(async () => (await call(program, 'GET', `/boards/${id}`)).columns[0].settings.labels[0].text)
    .toBe('Open');
});

alone('members are added, found, changed and removed on their page', async ({ page, program }) => {
  await login(page, program, '/members');
  await expect(page.getByText('No members yet')).toBeVisible();
  for (const name of ['Ada Lind', 'Bo Ek']) {
    await page.getByRole('button', { name: 'Add member' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
    await dialog.getByRole('combobox', { name: 'Time zone' }).fill('Europe/Berlin');
    if (name === 'Bo Ek') await expectAccessible(page, 'a member is added');
    await dialog.getByRole('button', { name: 'Add member' }).click();
    await expect(dialog).toBeHidden();
  }
  await expect(page.getByRole('listitem').filter({ hasText: 'Europe/Berlin' })).toHaveCount(2);
  await expectAccessible(page, 'members');
  await page.getByRole('searchbox', { name: 'Search members' }).fill('ada');
  await page.getByRole('button', { name: 'Remove Ada Lind' }).click();
  await page.getByRole('button', { name: 'Remove member' }).click();
  await expect(page.getByText('No matching members')).toBeVisible();
  await page.getByRole('button', { name: 'Show all members' }).click();
  await expect(page.getByRole('button', { name: 'Change Bo Ek' })).toBeVisible();
});

alone(
  'an import says what does not fit, adds who is missing, and gives the board its views',
  async ({ page, program }) => {
    await login(page, program, '/boards?import');
    const dialog = page.getByRole('dialog');
    const pick = async (label: string | RegExp, option: string) => {
      await dialog.getByRole('button', { name: label }).click();
      await page.getByRole('option', { name: option, exact: true }).click();
    };
    const csv = [
      'Name,Status,Due,Assignee,Budget',
      'Mast,Open,2026-03-01,Cleo Ray,"€1.200,50"',
      'Sail,Done,2026-03-02,Dan Oh,4500.75',
      'Rope,Open,2026-03-03,Cleo Ray,much',
      '',
    ].join('\n');
    await page
      .getByLabel('File to import')
      .setInputFiles({ name: 'refit.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    const missing = dialog.getByRole('button', { name: 'Add 2 missing people as members' });
    await page.setViewportSize({ width: 720, height: 800 });
    const isInside = async () =>
      missing.evaluate(
        (button) => button.getBoundingClientRect().right <= button.closest('td')!.getBoundingClientRect().right,
      );
    await expect.poll(isInside).toBe(true);
    await page.setViewportSize({ width: 1280, height: 800 });
    await missing.click();
    await expect(dialog.getByRole('button', { name: 'Import Assignee as' })).toHaveText(/People/);
    await expect(dialog.getByRole('button', { name: /missing people/ })).toHaveCount(0);
    await pick('Import Budget as', 'Number');
    await expect(dialog.getByRole('button', { name: 'Import 3 rows' })).toBeVisible();
    await expectAccessible(page, 'an import with cells that do not fit');
    await pick(/1 of 3 rows has a cell that doesn't fit its column/, 'Skip the row');
    await expect(dialog.getByRole('button', { name: 'Import 2 rows' })).toBeVisible();
    await pick(/1 of 3 rows has a cell that doesn't fit its column/, 'Leave these cells empty');
    await dialog.getByRole('button', { name: 'Import 3 rows' }).click();
    await expect(page.getByRole('alertdialog', { name: 'Imported 3 items into refit' })).toBeVisible();
    await expect(page.getByRole('grid').getByText('1,200.5')).toBeVisible();
    for (const view of ['Table', 'Kanban', 'Calendar'])
      await expect(page.getByRole('tab', { name: view })).toBeVisible();
  },
);
