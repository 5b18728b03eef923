/** A board worked without a mouse: where the focus goes, and what is seen of it. */
import type { Page } from '@playwright/test';
import {
  call,
  expect,
  expectAccessible,
  grid,
  login,
  paste,
  shared as test,
  test as alone,
  type Program,
} from '../../../e2e/helpers';

interface Made {
  columns: readonly object[];
  items: readonly object[];
}

async function board(program: Program, { columns, items }: Made): Promise<string> {
  const workspaceId = (await call(program, 'GET', '/workspaces')).items[0].id;
  const { id } = await call(program, 'POST', '/boards', JSON.stringify({ workspaceId, name: 'Keys', preset: 'blank' }));
  for (const column of columns) await call(program, 'POST', `/boards/${id}/columns`, JSON.stringify(column));
  await call(program, 'POST', `/boards/${id}/items`, JSON.stringify({ items }));
  return id;
}

const cell = (page: Page, name: string, column: number) =>
  grid(page).locator('.grid-item', { hasText: name }).locator(`[data-column="${column}"]`);
const items = async (program: Program, id: string) =>
  (await call(program, 'GET', `/boards/${id}/items`)).items as { name: string; cells: Record<string, unknown> }[];
const texts = (count: number) => Array.from({ length: count }, (_, at) => ({ title: `Text ${at + 1}`, type: 'text' }));

test('Ctrl with an arrow goes to the edge of the filled cells, with Shift it selects, and Ctrl Space takes the column', async ({
  page,
  program,
}) => {
  const noted = (name: string, note?: string) => ({ name, ...(note ? { cells: { c1: note } } : {}) });
  const id = await board(program, {
    columns: texts(2),
    items: [noted('One', 'a'), noted('Two', 'b'), noted('Three'), noted('Four', 'd'), noted('Five')],
  });
  await login(page, program, `/boards/${id}`);
  await cell(page, 'One', 1).click();
  for (const name of ['Two', 'Four']) {
    await page.keyboard.press('Control+ArrowDown');
    await expect(cell(page, name, 1)).toBeFocused();
  }
  for (const name of ['Two', 'One']) {
    await page.keyboard.press('Control+ArrowUp');
    await expect(cell(page, name, 1)).toBeFocused();
  }
  await page.keyboard.press('Control+ArrowLeft');
  await expect(cell(page, 'One', 0)).toBeFocused();
  await page.keyboard.press('Control+ArrowRight');
  await expect(cell(page, 'One', 1)).toBeFocused();
  await page.keyboard.press('Control+Shift+ArrowDown');
  const chosen = grid(page).locator('[aria-selected="true"]');
  await expect(chosen).toHaveCount(2);
  await page.keyboard.press('Control+Space');
  await expect(chosen).toHaveCount(5);
});

test('the focus is never under the frozen columns, whichever way it came', async ({ page, program }) => {
  const id = await board(program, { columns: texts(9), items: [{ name: 'One' }, { name: 'Two' }] });
  await login(page, program, `/boards/${id}`);
  await cell(page, 'One', 0).click();
  /** Left of it ends what is frozen. */
  const free = async (line: string) => {
    const focused = (await page.locator(':focus').boundingBox())!;
    const name = (await grid(page).locator(`${line} [data-column="0"]`).first().boundingBox())!;
    const scroller = (await page.locator('.grid-scroll').boundingBox())!;
    expect(focused.x).toBeGreaterThanOrEqual(name.x + name.width - 1);
    expect(focused.x + focused.width).toBeLessThanOrEqual(scroller.x + scroller.width + 1);
  };
  for (const line of ['.grid-item', '.grid-head']) {
    if (line === '.grid-head') await page.keyboard.press('Control+ArrowUp').then(() => page.keyboard.press('ArrowUp'));
    await page.keyboard.press('End');
    await free(line);
    for (let at = 8; at > 0; at--) {
      await page.keyboard.press('ArrowLeft');
      await expect(page.locator(':focus')).toHaveAttribute('data-column', String(at));
      await free(line);
    }
    await page.keyboard.press('Home');
    await expect(page.locator(':focus')).toHaveAttribute('data-column', '0');
    await page.keyboard.press('ArrowRight');
    await free(line);
  }
  // The editor is where its cell is, though the board was scrolled away meanwhile.
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.locator('.grid-scroll').evaluate((element) => (element.scrollLeft = 400));
  await page.keyboard.type('x');
  await expect(grid(page).getByRole('textbox')).toBeFocused();
  await free('.grid-item');
});

test('Tab goes on to the next item, Enter to below where the Tabs began, and the last cell is not written over', async ({
  page,
  program,
}) => {
  const id = await board(program, {
    columns: texts(2),
    items: [{ name: 'One' }, { name: 'Two' }, { name: 'Three' }],
  });
  await login(page, program, `/boards/${id}`);
  await cell(page, 'One', 1).click();
  for (const text of ['a', 'b']) {
    await page.keyboard.type(text);
    await page.keyboard.press('Tab');
  }
  await expect(cell(page, 'Two', 0)).toBeFocused();
  await page.keyboard.press('F2');
  await page.keyboard.press('Shift+Tab');
  await expect(cell(page, 'One', 2)).toBeFocused();
  await page.keyboard.press('F2');
  await page.keyboard.press('Tab');
  await page.keyboard.press('F2');
  await page.keyboard.press('Tab');
  await page.keyboard.type('c');
  await page.keyboard.press('Enter');
  // The Tabs began in the first text.
  await expect(cell(page, 'Three', 1)).toBeFocused();
  await page.keyboard.type('d');
  await page.keyboard.press('Tab');
  await page.keyboard.type('e');
  await page.keyboard.press('Tab');
  await expect(cell(page, 'Three', 2)).toBeFocused();
  await page.keyboard.type('fgh');
  await expect(page.getByText('No next cell')).toHaveCount(1);
  await expect(grid(page).getByRole('textbox')).toHaveCount(0);
  await expect(cell(page, 'Three', 2)).toHaveText('e');
  await page.keyboard.press('Enter');
  await expect(grid(page).getByRole('textbox')).toHaveValue('e');
  await page.keyboard.press('Escape');
  await expect
    .poll(async () => (await items(program, id)).map((item) => item.cells))
    .toEqual([{ c1: 'a', c2: 'b' }, { c1: 'c' }, { c1: 'd', c2: 'e' }]);
});

test('what a cell does not take is said beside it, and what was typed can be corrected', async ({ page, program }) => {
  const id = await board(program, {
    columns: [
      { title: 'Due', type: 'date' },
      { title: 'Share', type: 'progress' },
      { title: 'Note', type: 'text' },
    ],
    items: [{ name: 'One', cells: { c1: '2026-01-05' } }, { name: 'Two' }],
  });
  await login(page, program, `/boards/${id}`);
  // A day is typed in one field, however editing began.
  await cell(page, 'One', 1).click();
  await page.keyboard.press('F2');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('2026-11-20');
  await page.keyboard.press('Enter');
  await expect(cell(page, 'One', 1)).toHaveText('20 Nov 2026');

  const share = page.getByRole('textbox', { name: 'Share of One' });
  await cell(page, 'One', 2).click();
  await page.keyboard.type('150');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert').filter({ hasText: 'Share accepts a number from 0 to 100.' })).toBeVisible();
  await expect(share).toBeFocused();
  // Left all the same, it is offered again.
  await page.getByRole('textbox', { name: 'Add an item' }).click();
  await page.getByRole('button', { name: 'Edit again' }).click();
  await expect(share).toBeFocused();
  await expect(share).toHaveValue('150');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Enter');
  await expect(cell(page, 'One', 2)).toHaveText('15%');

  // What only the program refuses as well.
  await cell(page, 'One', 3).click();
  await page.keyboard.press('F2');
  await page.getByRole('textbox', { name: 'Note of One' }).fill('to be \u0007mended');
  await page.keyboard.press('Enter');
  await expect(page.getByText("Couldn't save change")).toBeVisible();
  await page.getByRole('button', { name: 'Edit again' }).click();
  await expect(page.getByRole('textbox', { name: 'Note of One' })).toHaveValue('to be \u0007mended');
  await page.getByRole('textbox', { name: 'Note of One' }).fill('mended');
  await page.keyboard.press('Enter');
  await expect
    .poll(async () => (await items(program, id))[0]!.cells)
    .toEqual({ c1: '2026-11-20', c2: 15, c3: 'mended' });
});

const STATE = { title: 'State', type: 'status', settings: { labels: [{ text: 'Open' }, { text: 'Done' }] } };
const view = async (program: Program, id: string, kind: string, settings: object) =>
  (await call(program, 'POST', `/boards/${id}/views`, JSON.stringify({ name: kind, kind, settings }))).id as string;

test('a card that is dropped by keyboard keeps the focus among others, and undo works in every view', async ({
  page,
  program,
}) => {
  const id = await board(program, {
    columns: [STATE, { title: 'Due', type: 'date' }],
    items: ['Ada', 'Bob', 'Cleo', 'Dan'].map((name, at) => ({ name, cells: { c1: at === 0 ? 'l1' : 'l2' } })),
  });
  await login(page, program, `/boards/${id}?view=${await view(program, id, 'kanban', { byColumn: 'c1' })}`);
  const names = (stack: string) => page.locator(`[data-stack="${stack}"] .card-open`);
  const ada = page.getByRole('button', { name: 'Ada', exact: true });
  await names('l2').last().focus();
  await ada.focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(names('l2')).toHaveText(['Ada', 'Bob', 'Cleo', 'Dan']);
  await expect(ada).toBeFocused();
  await page.keyboard.press('Control+z');
  await expect(names('l1')).toHaveText(['Ada']);
  await page.keyboard.press('Control+Shift+z');
  await expect(names('l2')).toHaveText(['Ada', 'Bob', 'Cleo', 'Dan']);
  // A field has its own undo.
  await page.getByRole('searchbox', { name: 'Search items' }).fill('Bo');
  await page.keyboard.press('Control+z');
  await page.getByRole('searchbox', { name: 'Search items' }).fill('');
  await expect(names('l2')).toHaveText(['Ada', 'Bob', 'Cleo', 'Dan']);

  for (const kind of ['calendar', 'timeline']) {
    await page.goto(
      `${program.url}/app/boards/${id}?view=${await view(program, id, kind, kind === 'calendar' ? { dateColumn: 'c2' } : { dateColumn: 'c2', endColumn: 'c2' })}`,
    );
    const bob = page.getByRole('button', { name: 'Bob', exact: true }).first();
    await bob.focus();
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Bob' });
    await panel.getByRole('button', { name: 'State: Done' }).press('Delete');
    await expect(panel.getByRole('button', { name: 'State: empty' })).toBeVisible();
    const stored = async () => (await items(program, id))[1]!.cells;
    await expect.poll(stored).toEqual({});
    await page.keyboard.press('Control+z');
    await expect(panel.getByRole('button', { name: 'State: Done' })).toBeVisible();
    await expect.poll(stored).toEqual({ c1: 'l2' });
  }
});

test('at 900 pixels an open item lies over the page, which keeps its tabs and its room', async ({ page, program }) => {
  const id = await board(program, { columns: [{ title: 'Due', type: 'date' }], items: [{ name: 'One' }] });
  await page.setViewportSize({ width: 900, height: 800 });
  await login(page, program, `/boards/${id}?view=${await view(program, id, 'table', {})}`);
  const main = page.locator('.page-main');
  const wide = (await main.boundingBox())!.width;
  await grid(page).getByText('One', { exact: true }).click();
  await page.keyboard.press('Space');
  const panel = page.getByRole('complementary', { name: 'One' });
  await expect(panel).toBeVisible();
  expect((await main.boundingBox())!.width).toBe(wide);
  const tab = (await page.locator('.view-frame').getByRole('tab').first().boundingBox())!;
  expect(tab.x + tab.width).toBeLessThan((await panel.boundingBox())!.x);
  await expectAccessible(page, 'an item over a narrow page');
});

test('an item is deleted from its panel and comes back; at a small width items without a date are still there', async ({
  page,
  program,
}) => {
  const id = await board(program, {
    columns: [{ title: 'Due', type: 'date' }],
    items: [{ name: 'One' }, { name: 'Two' }],
  });
  await page.setViewportSize({ width: 720, height: 800 });
  await login(page, program, `/boards/${id}?view=${await view(program, id, 'calendar', { dateColumn: 'c1' })}`);
  const undated = page.getByRole('complementary', { name: 'No date' });
  await expect(undated.getByRole('button', { name: 'One' })).toBeInViewport();
  await expectAccessible(page, 'a small calendar');
  await undated.getByRole('button', { name: 'One' }).click();
  await page.getByRole('complementary', { name: 'One' }).getByRole('button', { name: 'Delete item' }).click();
  await page.getByRole('dialog', { name: 'Delete One' }).getByRole('button', { name: 'Delete item' }).click();
  await expect(undated.getByRole('button', { name: 'One' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(undated.getByRole('button', { name: 'One' })).toBeVisible();
});

test('Escape leaves one level at a time: a selection, the panel at the side, the rules of the filter', async ({
  page,
  program,
}) => {
  const id = await board(program, { columns: texts(1), items: [{ name: 'Ada' }, { name: 'Bob' }] });
  await login(page, program, `/boards/${id}`);
  const panel = page.getByRole('complementary', { name: 'Ada' });
  await cell(page, 'Ada', 0).press('Space');
  await expect(panel).toBeVisible();
  await cell(page, 'Bob', 0).focus();
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Escape');
  await expect(cell(page, 'Bob', 1)).toHaveAttribute('aria-selected', 'false');
  await expect(panel).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);
  await expect(cell(page, 'Bob', 0)).toBeFocused();

  await page.getByRole('button', { name: 'Filter', exact: true }).press('Enter');
  await page.getByRole('button', { name: 'Add rule' }).press('Escape');
  await expect(page.getByRole('group', { name: 'Filter rules' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Filter', exact: true })).toBeFocused();
});

test('Enter closes what a paste did not take', async ({ page, program }) => {
  const id = await board(program, { columns: [{ title: 'Points', type: 'number' }], items: [{ name: 'One' }] });
  await login(page, program, `/boards/${id}`);
  await paste(cell(page, 'One', 1), 'many');
  const dialog = page.getByRole('dialog', { name: '1 cell not changed' });
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
});

test('an item of the open board is found by its name and opens at the side', async ({ page, program }) => {
  const id = await board(program, {
    columns: [STATE],
    items: [{ name: 'Mend the sails' }, { name: 'Varnish the bowsprit' }],
  });
  await login(page, program, `/boards/${id}?view=${await view(program, id, 'kanban', { byColumn: 'c1' })}`);
  await expect(page.getByRole('button', { name: 'Varnish the bowsprit', exact: true })).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByRole('searchbox', { name: 'Search and commands' }).fill('bowsprit');
  await expect(page.getByRole('menuitem', { name: 'Varnish the bowsprit' })).toBeVisible();
  await expectAccessible(page, 'items in the palette');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('complementary', { name: 'Varnish the bowsprit' })).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`/boards/${id}\\?view=[^&]+$`));
  await page.getByRole('button', { name: 'Close panel' }).click();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Varnish the bowsprit', exact: true })).toBeVisible();
  await expect(page.getByRole('complementary', { name: 'Varnish the bowsprit' })).toHaveCount(0);
});

test('an item of another board is found by its name and opens beside its board', async ({ page, program }) => {
  const id = await board(program, { columns: [STATE], items: [{ name: 'Caulk the seams' }] });
  await login(page, program, '/settings');
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('searchbox', { name: 'Search and commands' })).toBeFocused();
  await page.keyboard.type('seams');
  await expect(page.getByRole('menuitem', { name: /Caulk the seams/ })).toContainText('Keys');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`/boards/${id}`));
  await expect(page.getByRole('complementary', { name: 'Caulk the seams' })).toBeVisible();
});

alone(
  'messages stand over the navigation and cover nothing of the page; the keys fill their dialog',
  async ({ page, program }) => {
    const id = await board(program, { columns: [STATE], items: [{ name: 'One' }] });
    await login(page, program, `/boards/${id}?view=${await view(program, id, 'kanban', { byColumn: 'c1' })}`);
    await page.getByRole('button', { name: 'One', exact: true }).click();
    await page.getByRole('button', { name: 'Archive item' }).click();
    const message = page.getByRole('alertdialog', { name: 'Archived One' });
    await expect(message).toBeInViewport({ ratio: 1 });
    // A message goes by itself, but not from under the pointer.
    await message.hover();
    await expectAccessible(page, 'a message');
    const [box, main] = [(await message.boundingBox())!, (await page.getByRole('main').boundingBox())!];
    expect(box.x + box.width).toBeLessThanOrEqual(main.x);
    await message.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByRole('button', { name: 'One', exact: true })).toBeVisible();

    await page.goto(`${program.url}/app/boards/${id}?view=${await view(program, id, 'table', {})}`);
    await expect(grid(page)).toBeVisible();
    await page.keyboard.press('?');
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' }).locator('.shortcuts');
    await expect(list).toBeVisible();
    // Neither half is much longer than the other.
    const ends = await list.locator('dl > div').evaluateAll((rows) => {
      const boxes = rows.map((row) => row.getBoundingClientRect());
      const lefts = [...new Set(boxes.map(({ left }) => left))];
      return lefts.map((left) => Math.max(...boxes.filter((one) => one.left === left).map(({ bottom }) => bottom)));
    });
    expect(ends).toHaveLength(2);
    expect(Math.abs(ends[0]! - ends[1]!)).toBeLessThan(80);
  },
);
