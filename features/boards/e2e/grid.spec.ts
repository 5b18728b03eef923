import type { Page } from '@playwright/test';
import { call, expect, expectAccessible, grid, login, paste, shared as test, type Program } from '../../../e2e/helpers';

async function board(
  program: Program,
  items: { name: string; cells?: Record<string, unknown> }[] = ITEMS,
): Promise<string> {
  const workspaceId = (await call(program, 'GET', '/workspaces')).items[0].id;
  const { id } = await call(
    program,
    'POST',
    '/boards',
    JSON.stringify({ workspaceId, name: 'Sheet', preset: 'blank' }),
  );
  const column = (body: object) => call(program, 'POST', `/boards/${id}/columns`, JSON.stringify(body));
  await column({ title: 'Points', type: 'number' });
  await column({
    title: 'Status',
    type: 'status',
    settings: { labels: [{ text: 'To do' }, { text: 'Done', done: true }] },
  });
  await column({ title: 'Note', type: 'text' });
  await call(program, 'POST', `/boards/${id}/items`, JSON.stringify({ items }));
  return id;
}

const ITEMS = [
  { name: 'Task 10', cells: { c1: 3, c2: 'l1', c3: 'hull' } },
  { name: 'task 2', cells: { c1: 5, c2: 'l2', c3: 'deck' } },
  { name: 'Über', cells: { c1: 8, c2: 'l1' } },
  { name: 'Alpha', cells: { c2: 'l2', c3: 'hull' } },
];

const names = (page: Page) => grid(page).locator('.grid-item .grid-cell[data-column="0"] > .grid-text');
const column = (page: Page, at: number) => grid(page).locator(`.grid-item .grid-cell[data-column="${at}"]`);
const head = (page: Page, name: string) => grid(page).getByRole('columnheader', { name, exact: true });
const totals = (page: Page) => grid(page).locator('.grid-totals').first();

async function choose(page: Page, title: string, entry: string) {
  await head(page, title).hover();
  await page.getByRole('button', { name: `Options for ${title}` }).click();
  await page.getByRole('menuitem', { name: entry }).click();
}

async function open(page: Page, program: Program, id: string) {
  await login(page, program, `/boards/${id}`);
  await expect(names(page).first()).toBeVisible();
}

test('items are sorted, filtered and searched, edits move them at once, and the view keeps it', async ({
  page,
  program,
}) => {
  const id = await board(program);
  await open(page, program, id);
  await expectAccessible(page, 'table');
  await choose(page, 'Name', 'Sort ascending');
  await expect(names(page)).toHaveText(['Alpha', 'task 2', 'Task 10', 'Über']);
  await expect(head(page, 'Name')).toHaveAttribute('aria-sort', 'ascending');

  await choose(page, 'Points', 'Filter by this column');
  const rule = page.getByRole('group', { name: 'Rule 1' });
  await rule.getByRole('button', { name: /Comparison/ }).click();
  await page.getByRole('option', { name: '≥' }).click();
  await rule.getByRole('textbox', { name: 'Value' }).fill('5');
  await expect(names(page)).toHaveText(['task 2', 'Über']);
  await expect(page.getByText('2 of 4 items match')).toBeVisible();
  await expectAccessible(page, 'table filtered');

  // An edit is asked of the rules as well.
  await column(page, 1).first().click();
  await page.keyboard.type('1');
  await page.keyboard.press('Enter');
  await expect(names(page)).toHaveText(['Über']);

  await page.getByRole('searchbox', { name: 'Search items' }).fill('nothing');
  await expect(page.getByText('0 of 4 items match').first()).toBeVisible();
  await expectAccessible(page, 'nothing matches');
  await page.getByRole('button', { name: 'Clear filters' }).first().click();
  await expect(names(page)).toHaveCount(4);

  await expect
    .poll(async () => (await call(program, 'GET', `/boards/${id}/views`)).items[0]?.settings.sort)
    .toEqual([{ columnId: 'name', descending: false }]);
  await page.reload();
  await expect(names(page)).toHaveText(['Alpha', 'task 2', 'Task 10', 'Über']);
});

test('columns are resized, moved, frozen and hidden by keyboard; groups fold; totals follow', async ({
  page,
  program,
}) => {
  const id = await board(program);
  await open(page, program, id);
  await expect(totals(page)).toContainText('Sum 16');
  await expect(totals(page).getByRole('img')).toHaveAttribute('aria-label', 'To do 2, Done 2');
  await choose(page, 'Points', 'Average');
  await expect(totals(page)).toContainText('Average 5.33');

  await head(page, 'Points').focus();
  const before = (await head(page, 'Points').boundingBox())!.width;
  await page.keyboard.press('Shift+ArrowRight');
  await expect.poll(async () => (await head(page, 'Points').boundingBox())!.width).toBe(before + 16);
  await page.keyboard.press('Control+Shift+ArrowRight');
  await expect(grid(page).getByRole('columnheader')).toHaveText(['Name', 'Status', 'Points', 'Note', 'Actions']);
  await expect(head(page, 'Points')).toBeFocused();
  await choose(page, 'Status', 'Freeze up to this column');
  await expect(head(page, 'Status')).toHaveAttribute('data-frozen', 'true');
  await choose(page, 'Note', 'Hide column');
  await expect(head(page, 'Note')).toHaveCount(0);
  await page.getByRole('button', { name: 'Show Note' }).click();
  await expect(head(page, 'Note')).toBeVisible();

  await grid(page).locator('.grid-group-name').focus();
  await page.keyboard.press('Enter');
  await expect(names(page)).toHaveCount(0);
  await expectAccessible(page, 'folded');
  await page.keyboard.press('Enter');
  await expect(names(page)).toHaveCount(4);
});

test('cells are selected, filled, cleared, edited together, and taken back', async ({ page, program }) => {
  const id = await board(program);
  await open(page, program, id);
  await column(page, 3).first().click();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await expect(grid(page).locator('[aria-selected="true"]')).toHaveCount(3);
  await expectAccessible(page, 'selected');
  await page.keyboard.press('Control+d');
  await expect(column(page, 3)).toHaveText(['hull', 'hull', 'hull', 'hull']);
  await page.keyboard.press('Control+z');
  await expect(column(page, 3)).toHaveText(['hull', 'deck', '', 'hull']);
  await page.keyboard.press('Control+Shift+z');
  await expect(column(page, 3)).toHaveText(['hull', 'hull', 'hull', 'hull']);
  await page.keyboard.press('Delete');
  await expect(column(page, 3)).toHaveText(['', '', '', 'hull']);
  await page.keyboard.type('rig');
  await page.keyboard.press('Enter');
  await expect(column(page, 3)).toHaveText(['rig', 'rig', 'rig', 'hull']);
  await expect
    .poll(async () =>
      (await call(program, 'GET', `/boards/${id}/items`)).items.map(
        (item: { cells: Record<string, string> }) => item.cells.c3,
      ),
    )
    .toEqual(['rig', 'rig', 'rig', 'hull']);
});

test('what a spreadsheet copied is pasted: what fits is written, the rest is named, the end grows', async ({
  page,
  program,
}) => {
  const id = await board(program);
  await open(page, program, id);
  await paste(column(page, 0).nth(2), 'Third\t1,200.5\tdone\nFourth\tmany\tnever\nFifth\t7\tTo do\n');
  await expect(
    page.getByText('Pasted 4 cells, added 1 item', { exact: true }).and(page.locator('.toast *')),
  ).toBeVisible();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('listitem')).toHaveText([/Points of Alpha.*many/, /Status of Alpha.*never/]);
  await expectAccessible(page, 'refused');
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await expect(names(page)).toHaveText(['Task 10', 'task 2', 'Third', 'Fourth', 'Fifth']);
  await expect(column(page, 1)).toHaveText(['3', '5', '1,200.5', '', '7']);
  // One paste is one step: what it added goes with what it changed, and comes back with it.
  await column(page, 0).nth(2).click();
  await page.keyboard.press('Control+z');
  await expect(names(page)).toHaveText(['Task 10', 'task 2', 'Über', 'Alpha']);
  await expect(column(page, 1)).toHaveText(['3', '5', '8', '']);
  await page.keyboard.press('Control+y');
  await expect(names(page)).toHaveText(['Task 10', 'task 2', 'Third', 'Fourth', 'Fifth']);

  await column(page, 0).nth(2).click();
  await page.keyboard.press('Shift+End');
  const copied = await page.evaluate(() => {
    const clipboardData = new DataTransfer();
    document.activeElement?.dispatchEvent(
      new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true }),
    );
    return clipboardData.getData('text/plain');
  });
  expect(copied).toBe('Third\t1200.5\tDone\t');
});

test('a bulk edit that meets what someone else wrote overwrites nothing, and an undo names who is in the way', async ({
  page,
  program,
}) => {
  const id = await board(program);
  await open(page, program, id);
  const items = (await call(program, 'GET', `/boards/${id}/items`)).items as { id: string; name: string }[];
  const stored = async () =>
    ((await call(program, 'GET', `/boards/${id}/items`)).items as { cells: Record<string, string> }[]).map(
      (item) => item.cells.c3,
    );
  // The page does not hear of the other's change before it sends its own.
  let hear = () => {};
  const heard = new Promise<void>((resolve) => {
    hear = resolve;
  });
  await page.route(/\/(changed\?|full)/, (route) => heard.then(() => route.continue()));
  await call(program, 'PATCH', `/boards/${id}/items/${items[1]?.id}/cells/c3`, JSON.stringify({ value: 'keel' }));
  await column(page, 3).first().click();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Control+d');
  const asked = page.getByRole('dialog', { name: 'Conflicting changes' });
  await expect(asked.getByRole('listitem')).toContainText('Note of task 2 was changed by the command line');
  await expect(asked.getByRole('definition')).toHaveText(['hull', 'keel']);
  expect(await stored()).toEqual(['hull', 'keel', undefined, 'hull']);
  await expectAccessible(page, 'bulk conflict');
  hear();
  await asked.getByRole('button', { name: 'Keep theirs' }).click();
  await expect.poll(stored).toEqual(['hull', 'keel', 'hull', 'hull']);
  await call(program, 'PATCH', `/boards/${id}/items/${items[2]?.id}/cells/c3`, JSON.stringify({ value: 'mast' }));
  await expect(column(page, 3)).toHaveText(['hull', 'keel', 'mast', 'hull']);
  await column(page, 3).first().click();
  await page.keyboard.press('Control+z');
  await expect(page.getByText("Couldn't undo")).toBeVisible();
  await expect(page.getByText('Nothing was undone. Über: It has been changed again since then.')).toBeVisible();
  expect(await stored()).toEqual(['hull', 'keel', 'mast', 'hull']);
});

test('by pointer cells are filled from a corner, and columns are moved and resized', async ({ page, program }) => {
  const id = await board(program);
  await open(page, program, id);
  const middle = async (at: ReturnType<Page['locator']>) => {
    const box = (await at.boundingBox())!;
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  const drag = async (from: { x: number; y: number }, to: { x: number; y: number }) => {
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 8 });
    await page.mouse.up();
  };
  await column(page, 3).first().click();
  await drag(await middle(column(page, 3).first().locator('[data-handle]')), await middle(column(page, 3).nth(2)));
  await expect(column(page, 3)).toHaveText(['hull', 'hull', 'hull', 'hull']);
  await expect
    .poll(async () =>
      (await call(program, 'GET', `/boards/${id}/items`)).items.map(
        (item: { cells: Record<string, string> }) => item.cells.c3,
      ),
    )
    .toEqual(['hull', 'hull', 'hull', 'hull']);

  await drag(await middle(head(page, 'Points')), await middle(head(page, 'Note')));
  await expect(grid(page).getByRole('columnheader')).toHaveText(['Name', 'Status', 'Note', 'Points', 'Actions']);

  const before = (await head(page, 'Status').boundingBox())!;
  const edge = await middle(head(page, 'Status').locator('.grid-edge'));
  await drag(edge, { x: edge.x + 60, y: edge.y });
  await expect.poll(async () => Math.round((await head(page, 'Status').boundingBox())!.width - before.width)).toBe(60);
  await expect
    .poll(async () => (await call(program, 'GET', `/boards/${id}/views`)).items[0]?.settings)
    .toMatchObject({ columnOrder: ['c2', 'c3', 'c1'], widths: { c2: Math.round(before.width) + 60 } });
  await page.reload();
  await expect(grid(page).getByRole('columnheader')).toHaveText(['Name', 'Status', 'Note', 'Points', 'Actions']);
});

test('rows are numbered by item; several are archived at once and come back, one from its panel', async ({
  page,
  program,
}) => {
  const id = await board(program);
  await open(page, program, id);
  await expect(grid(page).getByRole('rowheader')).toHaveText(['1', '2', '3', '4']);
  await grid(page).getByRole('rowheader').first().click();
  await grid(page)
    .getByRole('rowheader')
    .nth(1)
    .click({ modifiers: ['Shift'] });
  const bulk = page.getByRole('group', { name: 'Selected items' });
  await expect(bulk).toContainText('2 items selected');
  await expectAccessible(page, 'bulk bar');
  await bulk.getByRole('button', { name: 'Archive' }).click();
  await expect(names(page)).toHaveText(['Über', 'Alpha']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(names(page)).toHaveText(['Task 10', 'task 2', 'Über', 'Alpha']);
  await names(page).first().click();
  await page.keyboard.press(' ');
  await page.getByRole('button', { name: 'Archive item' }).click();
  await expect(names(page)).toHaveText(['task 2', 'Über', 'Alpha']);
  await names(page).first().click();
  await page.keyboard.press('Control+z');
  await expect(names(page)).toHaveText(['Task 10', 'task 2', 'Über', 'Alpha']);
});

test('a board of many items holds few of them in the page', async ({ page, program }) => {
  const rows = Array.from({ length: 20_000 }, (_, at) => `Row ${at},${at}`);
  const workspaceId = (await call(program, 'GET', '/workspaces')).items[0].id;
  const { board: made } = await call(
    program,
    'POST',
    `/boards/import?${new URLSearchParams({ workspaceId, name: 'Many' })}`,
    ['Name,Points', ...rows].join('\n'),
    'text/csv',
  );
  await open(page, program, made.id);
  await choose(page, 'Points', 'Sort descending');
  await expect(names(page).first()).toHaveText('Row 19999');
  await names(page).first().click();
  await page.keyboard.press('Control+End');
  await expect(names(page).last()).toHaveText('Row 0');
  expect(await grid(page).getByRole('row').count()).toBeLessThan(80);
  // Lines that pass by are drawn without their buttons; those at which the scrolling ends have them.
  await grid(page).hover();
  for (let turn = 0; turn < 10; turn++) await page.mouse.wheel(0, -4_000);
  await expect(names(page).filter({ hasText: /^Row 1\d\d\d$/ })).not.toHaveCount(0);
  await expect(
    page.locator('.grid-item').filter({ hasNot: page.getByRole('button', { name: /^Open Row / }) }),
  ).toHaveCount(0);
});

test('what is being typed stays with its item and column while others add and delete', async ({ page, program }) => {
  const id = await board(program);
  await open(page, program, id);
  const items = (await call(program, 'GET', `/boards/${id}/items`)).items as { id: string; name: string }[];
  const note = (name: string) => items.find((one) => one.name === name)!.id;
  await column(page, 3).nth(3).dblclick();
  const editor = grid(page).getByRole('textbox', { name: 'Note of Alpha' });
  await editor.fill('keel');
  // The item above goes, and with it every line moves up by one; so does the column beside it.
  await call(program, 'DELETE', `/boards/${id}/items/${note('task 2')}`);
  await call(program, 'DELETE', `/boards/${id}/columns/c1`);
  await expect(names(page)).toHaveText(['Task 10', 'Über', 'Alpha']);
  await expect(head(page, 'Points')).toHaveCount(0);
  await expect(editor).toHaveValue('keel');
  await page.keyboard.press('Enter');
  await expect
    .poll(async () => (await call(program, 'GET', `/boards/${id}/items/${note('Alpha')}`)).cells)
    .toMatchObject({ c3: 'keel' });
  expect((await call(program, 'GET', `/boards/${id}/items/${note('Über')}`)).cells.c3).toBeUndefined();
});

test('an editor that is opened over several selected items and left changes none of them', async ({
  page,
  program,
}) => {
  const id = await board(program);
  await open(page, program, id);
  await column(page, 0).first().click();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  for (const leave of ['Enter', 'Tab']) {
    await page.keyboard.press('F2');
    await expect(grid(page).getByRole('textbox', { name: /^Name of/ })).toBeVisible();
    await page.keyboard.press(leave);
  }
  await page.reload();
  await expect(names(page)).toHaveText(ITEMS.map(({ name }) => name));
});

test('a paste larger than one request takes is saved in several, and is one step to take back', async ({
  page,
  program,
}) => {
  const id = await board(program);
  await open(page, program, id);
  let isSeen = () => {};
  const seen = new Promise<void>((resolve) => (isSeen = resolve));
  const sent: number[] = [];
  await page.route(`**/boards/${id}/cells`, async (route) => {
    sent.push((route.request().postDataJSON() as { add: unknown[] }).add.length);
    if (sent.length === 2) await seen;
    await route.continue();
  });
  // Long texts, so that few items are enough.
  await paste(
    column(page, 0).nth(3),
    Array.from({ length: 401 }, (_, row) => `Row ${row}\t${row}\tDone\t${'x'.repeat(19_000)}\n`).join(''),
  );
  const saving = page.getByRole('region', { name: 'Saving' });
  await expect(saving).toContainText(/Saving [1-9]\d\d of 401 items/, { timeout: 60_000 });
  await expect(saving.getByRole('button', { name: 'Cancel' })).toBeVisible();
  await expectAccessible(page, 'saving');
  // It goes on where the board is left; the page is not closed over it unasked, and the way back leads to it.
  const isAsked = () => page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })));
  await page.getByRole('link', { name: 'Settings' }).click();
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
  expect(await isAsked()).toBe(true);
  await page.goBack();
  await expect(saving).toContainText(/Saving [1-9]\d\d of 401 items/);
  await expect(saving.getByRole('button', { name: 'Cancel' })).toBeVisible();
  isSeen();
  await expect(saving).toHaveCount(0);
  await expect.poll(isAsked).toBe(false);
  expect([sent.length, sent[0]! + sent[1]!]).toEqual([2, 400]);
  await expect.poll(async () => (await call(program, 'GET', `/boards/${id}`)).itemCount).toBe(404);
  await page.keyboard.press('Control+z');
  await expect.poll(async () => (await call(program, 'GET', `/boards/${id}`)).itemCount).toBe(4);
  await expect(names(page)).toHaveText(['Task 10', 'task 2', 'Über', 'Alpha']);
});

test('a paste into links says that it looks the items up, and lands above an edit made meanwhile', async ({
  page,
  program,
}) => {
  const tasks = await board(program);
  const id = await board(program);
  await call(
    program,
    'POST',
    `/boards/${id}/columns`,
    JSON.stringify({ title: 'Tasks', type: 'itemLink', settings: { boardId: tasks } }),
  );
  await open(page, program, id);
  let answer = () => {};
  const asked = new Promise<void>((resolve) => (answer = resolve));
  await page.route(`**/boards/${tasks}/full`, (route) => asked.then(() => route.continue()));
  await paste(column(page, 3).first(), 'pasted\tÜber\n');
  await expect(page.getByText('Looking up items').first()).toBeVisible();
  await expectAccessible(page, 'looking up');
  await page.keyboard.type('mine');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await call(program, 'GET', `/boards/${id}/items`)).items[0].cells.c3).toBe('mine');
  answer();
  await expect(column(page, 3).first()).toHaveText('pasted');
  await expect(column(page, 4).first()).toHaveText('Über');
  await expect.poll(async () => (await call(program, 'GET', `/boards/${id}/items`)).items[0].cells.c3).toBe('pasted');
  await expect(page.locator('.grid-looking')).toHaveCount(0);
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('Delete with whole rows selected deletes the items, with cells selected it empties them', async ({
  page,
  program,
}) => {
  const id = await board(program);
  await open(page, program, id);
  const rowHead = (at: number) => grid(page).locator('[data-row-head]').nth(at);
  await rowHead(1).click();
  await rowHead(2).click({ modifiers: ['Shift'] });
  await expect(page.getByRole('group', { name: 'Selected items' })).toContainText('2 items selected');
  await page.keyboard.press('Delete');
  await expect(names(page)).toHaveText(['Task 10', 'Alpha']);
  await expect(page.getByText('Deleted 2 items')).toBeVisible();
  // The keys go on where the items stood.
  await expect(column(page, 0).nth(1)).toBeFocused();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(names(page)).toHaveText(['Task 10', 'task 2', 'Über', 'Alpha']);

  await column(page, 1).nth(0).click();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Delete');
  await expect(column(page, 1)).toHaveText(['', '', '8', '']);
  await expect(names(page)).toHaveCount(4);
});

test('items are deleted where they were chosen as items, never for cells that happen to span the board', async ({
  page,
  program,
}) => {
  const id = await board(program);
  for (const title of (await call(program, 'GET', `/boards/${id}`)).columns)
    await call(program, 'DELETE', `/boards/${id}/columns/${title.id}`);
  await open(page, program, id);
  const bulk = page.getByRole('group', { name: 'Selected items' });
  await names(page).nth(1).click();
  await page.keyboard.press('Shift+ArrowDown');
  await expect(bulk).toBeHidden();
  await page.keyboard.press('Delete');
  await expect(page.getByText('Item name is required')).toBeVisible();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Backspace');
  await expect(names(page)).toHaveCount(4);

  await names(page).nth(1).click();
  await page.keyboard.press('Shift+Space');
  await page.keyboard.press('Shift+ArrowDown');
  await expect(bulk).toContainText('2 items selected');
  await page.keyboard.press('Backspace');
  await expect(names(page)).toHaveCount(4);
  await page.keyboard.press('Delete');
  await expect(names(page)).toHaveText(['Task 10', 'Alpha']);
});

test('what is added while the filter hides it is said, and can be shown', async ({ page, program }) => {
  const id = await board(program);
  await open(page, program, id);
  await page.getByRole('searchbox', { name: 'Search items' }).fill('task');
  await expect(names(page)).toHaveText(['Task 10', 'task 2']);
  const add = page.getByRole('textbox', { name: 'Add an item' });
  await add.fill('Another task');
  await add.press('Enter');
  await expect(names(page)).toHaveText(['Task 10', 'task 2', 'Another task']);
  await add.fill('Mast');
  await add.press('Enter');
  await expect(page.getByText('Added Mast; the search hides it')).toBeVisible();
  await expect(page.getByText(/Added Another task/)).toHaveCount(0);
  await page.getByRole('button', { name: 'Show it' }).click();
  await expect(page.getByRole('complementary', { name: 'Mast' })).toBeVisible();
});

test('what is done to columns, groups, views and the board is taken back and done again in the order in which it was done', async ({
  page,
  program,
}) => {
  const id = await board(program);
  await open(page, program, id);
  const points = () => column(page, 1).first();
  await points().click();
  await page.keyboard.type('777');
  await page.keyboard.press('Enter');
  await expect(points()).toHaveText('777');

  await choose(page, 'Note', 'Delete column');
  await page.getByRole('button', { name: 'Delete column' }).click();
  await expect(head(page, 'Note')).toHaveCount(0);
  await choose(page, 'Points', 'Rename column');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Score');
  await page.keyboard.press('Enter');
  await expect(head(page, 'Score')).toBeVisible();
  await page.getByRole('button', { name: 'More board actions' }).click();
  await page.getByRole('menuitem', { name: 'Rename board' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Renamed');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Renamed', exact: true })).toBeVisible();

  await points().click();
  await page.keyboard.press('Control+z');
  await expect(page.getByRole('heading', { name: 'Sheet', exact: true })).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(head(page, 'Points')).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(head(page, 'Note')).toBeVisible();
  await expect(points()).toHaveText('777');
  await page.keyboard.press('Control+z');
  await expect(points()).toHaveText('3');
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('Control+Shift+z');
  await expect(head(page, 'Score')).toBeVisible();
  await expect(head(page, 'Note')).toHaveCount(0);
  await expect(points()).toHaveText('777');
});

test('a link is opened by pointer and by key, from the table and from the panel, and the cell keeps the focus', async ({
  page,
  program,
}) => {
  const id = await board(program, [{ name: 'First' }]);
  await call(program, 'POST', `/boards/${id}/columns`, JSON.stringify({ title: 'Page', type: 'link' }));
  const [first] = (await call(program, 'GET', `/boards/${id}/items`)).items;
  await call(
    program,
    'PATCH',
    `/boards/${id}/items/${first.id}/cells/c4`,
    JSON.stringify({ value: `${program.url}/app/` }),
  );
  await open(page, program, id);
  const cell = column(page, 4).first();
  const opens = async (act: () => Promise<void>) => {
    const [tab] = await Promise.all([page.context().waitForEvent('page'), act()]);
    await expect(tab).toHaveURL(new RegExp(`^${program.url}/`));
    await tab.close();
  };
  await column(page, 1).first().click();
  await opens(() => cell.getByRole('link').click());
  await expect(column(page, 1).first()).toBeFocused();
  await cell.click();
  await opens(() => page.keyboard.press('Alt+Enter'));
  await expect(cell).toBeFocused();
  await expectAccessible(page, 'a table with links');

  // The corner that fills down goes with the focus.
  const handle = grid(page).locator('[data-handle]');
  await expect(handle).toBeVisible();
  await grid(page).getByRole('button', { name: 'Open First' }).focus();
  await expect(handle).toBeHidden();
  await column(page, 0).first().click();
  await page.keyboard.press('Space');
  await opens(() =>
    page
      .getByRole('complementary', { name: 'First' })
      .getByRole('link', { name: /^Open http/ })
      .click(),
  );
  await expectAccessible(page, 'an item with a link');
});

test('a pasted column of days is read in one order, and what was open is said', async ({ page, program }) => {
  const id = await board(program);
  await call(program, 'POST', `/boards/${id}/columns`, JSON.stringify({ title: 'Start', type: 'date' }));
  await open(page, program, id);
  const start = column(page, 4).first();
  await paste(start, '03/04/2026\n13/04/2026\n05/04/2026');
  const cells = async () =>
    (await call(program, 'GET', `/boards/${id}/items`)).items
      .slice(0, 3)
      .map((item: { cells: Record<string, string> }) => item.cells.c4);
  await expect.poll(cells).toEqual(['2026-04-03', '2026-04-13', '2026-04-05']);
  await paste(start, '03/04/2026\n05/04/2026');
  await expect(page.getByText(/2 dates were read (day|month) first/)).toBeVisible();
});
