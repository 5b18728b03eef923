import type { Page } from '@playwright/test';
import { call, expect, expectAccessible, login, test, type Program } from './helpers';

const post = async (program: Program, path: string, body: object) => call(program, 'POST', path, JSON.stringify(body));
const patch = async (program: Program, path: string, body: object) => call(program, 'PATCH', path, JSON.stringify(body));
async function blank(program: Program, name: string): Promise<string> {
  const workspaceId = (await call(program, 'GET', '/workspaces')).items[0].id;
  return (await post(program, '/boards', { workspaceId, name, preset: 'blank' })).id;
}
const grid = (page: Page) => page.getByRole('grid');
async function cell(page: Page, item: string, column: string) {
  await expect(grid(page).getByRole('columnheader', { name: column, exact: true })).toBeVisible();
  const titles = await grid(page).getByRole('columnheader').allTextContents();
  return grid(page).getByRole('row').filter({ hasText: item }).getByRole('gridcell').nth(titles.indexOf(column));
}

/** A board with an item and a column of most kinds. */
async function filled(page: Page, program: Program) {
  await page.clock.setFixedTime(new Date('2026-03-05T10:00:00'));
  const board = await blank(program, 'Fields');
  const column = async (body: object): Promise<string> => (await post(program, `/boards/${board}/columns`, body)).id;
  const points = await column({ title: 'Points', type: 'number' });
  const state = await column({ title: 'State', type: 'status', settings: { labels: [{ text: 'Open' }, { text: 'Done', done: true }] } });
  await column({ title: 'Paid', type: 'checkbox' });
  const due = await column({ title: 'Due', type: 'date' });
  await column({ title: 'Span', type: 'timeline' });
  await column({ title: 'Twice', type: 'formula', settings: { formula: '{Points} * 2' } });
  await column({ title: 'Made by', type: 'createdBy' });
  await post(program, `/boards/${board}/groups`, { name: 'Later' });
  const item: string = (await post(program, `/boards/${board}/items`, { name: 'Mend the sails', cells: { [points]: 3, [due]: '2026-03-18' } })).id;
  return { board, item, points, state, due };
}
const side = (page: Page) => page.locator('aside.side-panel');

test('the fields of an item are edited at its side, by keyboard', async ({ page, program }) => {
  const { board } = await filled(page, program);
  await login(page, program, `/boards/${board}`);
  await (await cell(page, 'Mend the sails', 'Name')).focus();
  await page.keyboard.press('Space');
  const panel = side(page);
  await expect(panel.getByRole('button', { name: 'Mend the sails', exact: true })).toBeFocused();
  await expectAccessible(page, 'fields');

  await panel.getByRole('button', { name: 'Points: 3' }).focus();
  await page.keyboard.type('5');
  await expectAccessible(page, 'field being edited');
  await page.keyboard.press('Tab');
  await expect(await cell(page, 'Mend the sails', 'Points')).toHaveText('5');
  await expect(panel.getByText('10', { exact: true })).toBeVisible();
  await expect(panel.getByRole('button', { name: 'State: empty' })).toBeFocused();
  await page.keyboard.press('Enter');
  await panel.getByRole('combobox', { name: 'State of Mend the sails' }).selectOption('Done');
  await page.keyboard.press('Tab');
  await expect(panel.getByRole('checkbox', { name: 'Paid' })).toBeFocused();
  await page.keyboard.press('Space');
  await expect(panel.getByRole('checkbox', { name: 'Paid' })).toBeChecked();
  await panel.getByRole('button', { name: 'Span: empty' }).press('Enter');
  await panel.getByLabel('From').fill('2026-03-17');
  await expectAccessible(page, 'span at the side');
  await page.keyboard.press('Enter');
  await expect(panel.getByRole('button', { name: 'Span: 17 Mar 2026' })).toBeFocused();
  await expect(await cell(page, 'Mend the sails', 'State')).toHaveText('Done');

  // The group, by its list; Escape closes the list and not the panel.
  const group = panel.getByRole('button', { name: /Group of Mend the sails/ });
  await group.press('Enter');
  await page.keyboard.press('Escape');
  await expect(group).toBeFocused();
  await group.press('Enter');
  await page.getByRole('option', { name: 'Later' }).click();
  await expect(group).toContainText('Later');
  await expect(page.getByText('Moved Mend the sails to Later')).toBeVisible();

  // The name is the panel's title.
  await panel.getByRole('button', { name: 'Mend the sails', exact: true }).press('F2');
  await page.keyboard.type(' now');
  await page.keyboard.press('Enter');
  await expect(panel.getByRole('heading', { name: 'Mend the sails now' })).toBeVisible();
});

test('the fields of an item follow what others do to it', async ({ page, program }) => {
  const { board, item, points } = await filled(page, program);
  await login(page, program, `/boards/${board}`);
  const panel = side(page);
  await (await cell(page, 'Mend the sails', 'Name')).press('Space');
  await expect(panel.getByRole('button', { name: 'Points: 3' })).toBeVisible();
  await patch(program, `/boards/${board}/items/${item}`, { name: 'Mend all sails', cells: { [points]: 8 } });
  await expect(panel.getByRole('heading', { name: 'Mend all sails' })).toBeVisible();
  await expect(panel.getByRole('button', { name: 'Points: 8' })).toBeVisible();
  // Someone else's value is not written over unseen.
  await panel.getByRole('button', { name: 'Points: 8' }).focus();
  await page.keyboard.type('9');
  await patch(program, `/boards/${board}/items/${item}`, { cells: { [points]: 13 } });
  await expect(await cell(page, 'Mend all sails', 'Points')).toHaveText('13');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Keep mine' }).click();
  await expect(await cell(page, 'Mend all sails', 'Points')).toHaveText('9');

  await call(program, 'DELETE', `/boards/${board}/items/${item}`);
  await expect(panel.getByRole('alert')).toContainText('This item is no longer here');
  await expectAccessible(page, 'item that is gone');
  await panel.getByRole('button', { name: 'Show archive and trash' }).click();
  await expect(page).toHaveURL(/\/trash$/);
});

test('the fields of an item are edited from every view', async ({ page, program }) => {
  const { board, points, state, due } = await filled(page, program);
  await login(page, program);
  const panel = side(page);
  let count = 20;
  for (const [kind, settings] of [['kanban', { byColumn: state }], ['calendar', { dateColumn: due }], ['timeline', { dateColumn: due }]] as const) {
    const { id } = await post(program, `/boards/${board}/views`, { name: `As ${kind}`, kind, settings });
    await page.goto(`${program.url}/app/boards/${board}?view=${id}`);
    await page.getByRole('tabpanel').getByRole('button', { name: /^Mend the sails/ }).first().click();
    count += 1;
    await panel.getByRole('button', { name: /^Points: / }).focus();
    await page.keyboard.type(String(count));
    await page.keyboard.press('Enter');
    await expect(panel.getByRole('button', { name: `Points: ${count}` })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(panel).toHaveCount(0);
    await expect.poll(async () => (await call(program, 'GET', `/boards/${board}/items`)).items[0].cells[points]).toBe(count);
  }
});
