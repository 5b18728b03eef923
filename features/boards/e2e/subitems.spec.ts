/** Subitems on the page: in the table, in the item's panel, on cards and on dashboards. */
import type { Page } from '@playwright/test';
import { call, expect, expectAccessible, grid, login, shared as test, type Program } from '../../../e2e/helpers';

const json = (program: Program, method: string, path: string, body: object) =>
  call(program, method, path, JSON.stringify(body));

interface Made {
  id: string;
  status: string;
  labels: Record<string, string>;
}

/** A board with a status and two items, the first with two subitems, one of them done. */
async function made(program: Program, name: string): Promise<Made> {
  const workspaceId = (await call(program, 'GET', '/workspaces')).items[0].id;
  const { id } = await json(program, 'POST', '/boards', { workspaceId, name, preset: 'blank' });
  const settings = {
    labels: [
      { text: 'Open', color: '#4a7fd4' },
      { text: 'Done', color: '#00a86b', done: true },
    ],
  };
  const status = await json(program, 'POST', `/boards/${id}/columns`, { title: 'Status', type: 'status', settings });
  const labels: Record<string, string> = Object.fromEntries(
    status.settings.labels.map((label: { id: string; text: string }) => [label.text, label.id]),
  );
  const { items } = await json(program, 'POST', `/boards/${id}/items`, {
    items: [{ name: 'Paint the hull' }, { name: 'Mend the sails' }],
  });
  const under = (called: string, label: string) => ({
    name: called,
    parentId: items[0].id,
    cells: { [status.id]: labels[label] },
  });
  await json(program, 'POST', `/boards/${id}/items`, { items: [under('Scrape', 'Done'), under('Prime', 'Open')] });
  return { id, status: status.id, labels };
}

const names = (page: Page) => grid(page).locator('.grid-item .grid-cell[data-first] .grid-text');
const nameCell = (page: Page, name: string) =>
  grid(page).locator('.grid-item .grid-cell[data-first]').filter({ hasText: name });

test('subitems fold out below their parent by keyboard, and are added there', async ({ page, program }) => {
  const board = await made(program, 'Folding');
  await login(page, program, `/boards/${board.id}`);
  await expect(names(page)).toHaveText(['Paint the hull', 'Mend the sails']);
  await expect(page.getByText('2 items, 2 subitems')).toBeVisible();
  const parent = nameCell(page, 'Paint the hull');
  await expect(parent.getByRole('img', { name: '1 of 2 subitems done' })).toBeVisible();
  await parent.click();
  await page.keyboard.press('Alt+ArrowDown');
  await expect(names(page)).toHaveText(['Paint the hull', 'Scrape', 'Prime', 'Mend the sails']);
  await expect(parent).toBeFocused();
  await expectAccessible(page, 'a table with subitems');
  // The line below the subitems takes what is typed and stays for the next.
  for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('textbox', { name: 'Add a subitem to Paint the hull' })).toBeFocused();
  await page.keyboard.type('Varnish');
  await page.keyboard.press('Enter');
  await expect(names(page)).toHaveText(['Paint the hull', 'Scrape', 'Prime', 'Varnish', 'Mend the sails']);
  await expect(parent.getByRole('img', { name: '1 of 3 subitems done' })).toBeVisible();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Alt+ArrowUp');
  await expect(names(page)).toHaveText(['Paint the hull', 'Mend the sails']);
  await expect(parent).toBeFocused();
  // An item without any goes on to the line that adds the first.
  await page.keyboard.press('ArrowDown');
  await expect(nameCell(page, 'Mend the sails')).toBeFocused();
  await page.keyboard.press('Alt+ArrowDown');
  await expect(page.getByRole('textbox', { name: 'Add a subitem to Mend the sails' })).toBeFocused();
  await page.keyboard.type('Patch');
  await page.keyboard.press('Enter');
  await expect(names(page)).toHaveText(['Paint the hull', 'Mend the sails', 'Patch']);
  await page.keyboard.press('Escape');
  await nameCell(page, 'Mend the sails').getByRole('button', { name: 'Hide subitems of Mend the sails' }).click();
  await expect(names(page)).toHaveText(['Paint the hull', 'Mend the sails']);
});

test('a filter chooses among items; a subitem is shown below its parent only', async ({ page, program }) => {
  const board = await made(program, 'Filtered');
  await login(page, program, `/boards/${board.id}`);
  await nameCell(page, 'Paint the hull').click();
  await page.keyboard.press('Alt+ArrowDown');
  await expect(names(page)).toHaveText(['Paint the hull', 'Scrape', 'Prime', 'Mend the sails']);
  const search = page.getByRole('searchbox');
  await search.fill('hull');
  await expect(names(page)).toHaveText(['Paint the hull', 'Scrape', 'Prime']);
  await search.fill('Scrape');
  await expect(page.getByText('No matching items')).toBeVisible();
});

test('the panel of an item adds, orders, finishes, renames, opens and deletes subitems', async ({ page, program }) => {
  const board = await made(program, 'Panel');
  await login(page, program, `/boards/${board.id}`);
  await nameCell(page, 'Mend the sails').click();
  await page.keyboard.press('Space');
  const panel = page.getByRole('complementary', { name: 'Mend the sails' });
  await expect(panel.getByText('No subitems yet')).toBeVisible();
  const field = panel.getByRole('textbox', { name: 'Add a subitem' });
  await field.fill('Cut');
  await field.press('Enter');
  await field.fill('Sew');
  await field.press('Enter');
  const listed = panel.locator('.subitem-name');
  await expect(listed).toHaveText(['Cut', 'Sew']);
  await panel.getByRole('button', { name: 'Status of Sew' }).click();
  await page.getByRole('option', { name: 'Done' }).click();
  await expect(panel.getByText('1 of 2 subitems done')).toBeVisible();
  await listed.nth(1).focus();
  await page.keyboard.press('Alt+ArrowUp');
  await expect(listed).toHaveText(['Sew', 'Cut']);
  await expect(listed.nth(0)).toBeFocused();
  await page.keyboard.press('F2');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Sew the seams');
  await page.keyboard.press('Enter');
  await expect(listed).toHaveText(['Sew the seams', 'Cut']);
  await expectAccessible(page, 'an item with subitems');
  await listed.nth(1).focus();
  await page.keyboard.press('Delete');
  await expect(listed).toHaveText(['Sew the seams']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(listed).toHaveText(['Sew the seams', 'Cut']);
  // To the subitem, and back to its parent.
  await listed.nth(0).click();
  const opened = page.getByRole('complementary', { name: 'Sew the seams' });
  await expect(opened.getByText('Subitem of')).toBeVisible();
  await expectAccessible(page, 'a subitem');
  await opened.getByRole('button', { name: 'Mend the sails' }).click();
  await expect(listed).toHaveText(['Sew the seams', 'Cut']);
});

test('cards show how far their subitems are and stand for items only', async ({ page, program }) => {
  const board = await made(program, 'Cards');
  const view = await json(program, 'POST', `/boards/${board.id}/views`, {
    name: 'Cards',
    kind: 'kanban',
    settings: { byColumn: board.status },
  });
  await login(page, program, `/boards/${board.id}?view=${view.id}`);
  await expect(page.locator('.card-open')).toHaveText(['Paint the hull', 'Mend the sails']);
  await expect(
    page.locator('.card').filter({ hasText: 'Paint the hull' }).getByRole('img', { name: '1 of 2 subitems done' }),
  ).toBeVisible();
  await expectAccessible(page, 'cards with subitems');
});

test('a widget counts items, says how many subitems it leaves out, and counts them too where it is told to', async ({
  page,
  program,
}) => {
  const board = await made(program, 'Counted');
  const workspaceId = (await call(program, 'GET', '/workspaces')).items[0].id;
  const widget = {
    id: 'w',
    kind: 'numbers',
    title: 'Work',
    layout: { x: 0, y: 0, w: 4, h: 3 },
    settings: { fn: 'count' },
  };
  const config = { version: 1, boardIds: [board.id], widgets: [widget], filters: { v: 1, people: null, all: [] } };
  const { id } = await json(program, 'POST', '/dashboards', { workspaceId, name: 'With subitems', config });
  await login(page, program, `/dashboards/${id}`);
  await expect(page.getByText('2 subitems not counted')).toBeVisible();
  const figure = page.locator('.figure-value');
  await expect(figure).toHaveAttribute('title', '2');
  await page.getByRole('button', { name: 'More for Work' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await page.getByRole('switch', { name: 'Include subitems' }).focus();
  await page.keyboard.press('Space');
  await expect(figure).toHaveAttribute('title', '4');
  await expect(page.getByText('2 subitems not counted')).toBeHidden();
  await expectAccessible(page, 'a widget that counts subitems');
});
