/** Where the keys of a table go: to the cell that was clicked, which is seen to be the current one. */
import type { Page } from '@playwright/test';
import {
  call,
  expect,
  expectAccessible,
  login,
  setSetting,
  shared as test,
  test as alone,
  type Program,
} from '../../../e2e/helpers';

const ROWS = 8;
const [BUDGET, DUE, NOTE] = [1, 2, 3];

async function open(page: Page, program: Program, rows = ROWS): Promise<string> {
  const workspaceId = (await call(program, 'GET', '/workspaces')).items[0].id;
  const { id } = await call(
    program,
    'POST',
    '/boards',
    JSON.stringify({ workspaceId, name: 'Cells', preset: 'blank' }),
  );
  const column = (body: object) => call(program, 'POST', `/boards/${id}/columns`, JSON.stringify(body));
  await column({ title: 'Budget', type: 'number', settings: { currency: 'EUR', decimals: 2 } });
  await column({ title: 'Due', type: 'date' });
  await column({ title: 'Note', type: 'text' });
  await column({ title: 'Owner', type: 'people' });
  const items = Array.from({ length: rows }, (_, at) => ({
    name: `Row ${at + 1}`,
    cells: { c1: 100 * (at + 1), c2: `2026-03-0${(at % 9) + 1}`, c3: `note ${at + 1}` },
  }));
  await call(program, 'POST', `/boards/${id}/items`, JSON.stringify({ items }));
  await login(page, program, `/boards/${id}`);
  await expect(cell(page, 1, 0)).toBeVisible();
  return id;
}

/** A cell by its row, which counts from 1, and its column, the name being the first. */
const cell = (page: Page, row: number, column: number) =>
  page
    .getByRole('grid')
    .locator(`.grid-item .grid-cell[data-column="${column}"]`)
    .nth(row - 1);
const stored = async (program: Program, id: string, column: string) =>
  ((await call(program, 'GET', `/boards/${id}/items`)).items as { cells: Record<string, unknown> }[]).map(
    (item) => item.cells[column],
  );
/** The change of the second item's name, as a script sends it. */
const renamed = async (program: Program, id: string, name: string) => [
  { itemId: (await call(program, 'GET', `/boards/${id}/items`)).items[1].id, name },
];
const isRefused = (page: Page) => page.getByText("Couldn't save cell");

test('what a step changes is in its answer, so that the page asks for no change of its own', async ({
  page,
  program,
}) => {
  const id = await open(page, program);
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes(`/boards/${id}/`)) asked.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  await cell(page, 1, BUDGET).click();
  await page.keyboard.type('777');
  const answered = page.waitForResponse((response) => response.request().method() === 'PATCH');
  await page.keyboard.press('Enter');
  await answered;
  await expect(cell(page, 1, BUDGET)).toHaveText('€777.00');
  // Another's change is asked for: by then the page has heard of both.
  await call(
    program,
    'PATCH',
    `/boards/${id}/cells`,
    JSON.stringify({ items: await renamed(program, id, 'Elsewhere') }),
  );
  await expect(cell(page, 2, 0)).toContainText('Elsewhere');
  expect(asked).toEqual([`PATCH /boards/${id}/cells`, `GET /boards/${id}/changed`]);
});

alone('after a refused edit the cell that is clicked has the keys', async ({ page, program }) => {
  // All three refusals are to be seen together.
  await setSetting(program, 'toastDisplayDurationSeconds', 30);
  const id = await open(page, program);
  await cell(page, 1, BUDGET).click();
  await page.keyboard.type('12x');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toBeVisible();
  await cell(page, 7, BUDGET).click();
  await expect(cell(page, 7, BUDGET)).toBeFocused();
  await expect(isRefused(page)).toHaveCount(1);
  await page.keyboard.type('777');
  await page.keyboard.press('Enter');
  await expect(cell(page, 7, BUDGET)).toHaveText('€777.00');

  // Without Enter, and with a key that empties.
  await cell(page, 8, BUDGET).click();
  await page.keyboard.type('12x');
  await cell(page, 5, BUDGET).click();
  await expect(isRefused(page)).toHaveCount(2);
  await page.keyboard.press('Delete');
  await expect(cell(page, 5, BUDGET)).toHaveText('');
  await cell(page, 2, DUE).click();
  await page.keyboard.type('99/99/2026');
  await cell(page, 3, DUE).click();
  await page.keyboard.press('Delete');
  await expect(cell(page, 3, DUE)).toHaveText('');
  await expect(isRefused(page)).toHaveCount(3);
  await expect.poll(() => stored(program, id, 'c1')).toEqual([100, 200, 300, 400, undefined, 600, 777, 800]);
  await expect
    .poll(() => stored(program, id, 'c2'))
    .toEqual([
      ...[1, 2].map((day) => `2026-03-0${day}`),
      undefined,
      ...[4, 5, 6, 7, 8].map((day) => `2026-03-0${day}`),
    ]);

  // What was refused can be gone on with.
  await page.getByRole('button', { name: 'Edit again' }).first().click();
  await expect(page.getByRole('textbox', { name: 'Due of Row 2' })).toHaveValue('99/99/2026');
});

test('a click while a cell is edited saves it and goes where it went, to a range and to whole rows too', async ({
  page,
  program,
}) => {
  const id = await open(page, program);
  const edit = async (row: number, text: string) => {
    await cell(page, row, NOTE).click();
    await page.keyboard.type(text);
  };
  const editor = page.getByRole('grid').locator('.cell-editor');
  await edit(1, 'first');
  // Within the editor a click places the caret.
  await editor.click();
  await page.keyboard.type('!');
  await cell(page, 3, NOTE).click();
  await expect(cell(page, 3, NOTE)).toBeFocused();
  await edit(2, 'second');
  await cell(page, 4, NOTE).click({ modifiers: ['Shift'] });
  await expect(page.locator('.grid-cell[aria-selected="true"]')).toHaveCount(3);
  await edit(5, 'fifth');
  await page.getByRole('rowheader').nth(6).click();
  await expect(page.getByText('1 item selected')).toBeVisible();
  await expect(cell(page, 7, 0)).toBeFocused();
  await expect
    .poll(() => stored(program, id, 'c3'))
    .toEqual(['first!', 'second', 'note 3', 'note 4', 'fifth', 'note 6', 'note 7', 'note 8']);
});

alone('the cell that is clicked is outlined in every density, light and dark', async ({ page, program }) => {
  await open(page, program);
  for (const density of ['dense', 'compact', 'comfortable', 'spacious']) {
    await call(program, 'PATCH', '/settings/pmBoardDensity', JSON.stringify({ value: density }));
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const at of [0, BUDGET]) {
        await cell(page, 2, at).click();
        await expect(cell(page, 2, at)).toBeFocused();
        await expect(cell(page, 2, at)).toHaveCSS('outline-style', 'solid');
        await expect(cell(page, 2, at)).toHaveCSS('outline-width', '2px');
      }
    }
    // The line below a row is not covered by what stands in it.
    const covered = await page
      .locator('.grid-item')
      .nth(1)
      .evaluate(
        (row) =>
          [...row.children].filter(
            (one) => one.getBoundingClientRect().bottom > row.getBoundingClientRect().bottom - 1 + 0.01,
          ).length,
      );
    expect(covered, density).toBe(0);
  }
  await expectAccessible(page, 'a clicked cell');
});

test('Space edits what a cell holds, and an editor that is only opened changes nothing', async ({ page, program }) => {
  const id = await open(page, program);
  for (const [at, draft] of [
    [BUDGET, '100'],
    [DUE, '2026-03-01'],
    [NOTE, 'note 1'],
  ] as const) {
    await cell(page, 1, at).click();
    await page.keyboard.press(' ');
    await expect(page.getByRole('grid').locator('input.cell-editor')).toHaveValue(draft);
    await cell(page, 5, at).click();
  }
  await expect(page.getByRole('grid').locator('.cell-editor')).toHaveCount(0);
  await page.reload();
  await expect(cell(page, 1, NOTE)).toHaveText('note 1');
  expect([
    (await stored(program, id, 'c1'))[0],
    (await stored(program, id, 'c2'))[0],
    (await stored(program, id, 'c3'))[0],
  ]).toEqual([100, '2026-03-01', 'note 1']);
});

alone(
  'what an editor offers for the last row is above the totals, and a total is never cut',
  async ({ page, program }) => {
    const id = await open(page, program, 40);
    await call(
      program,
      'PATCH',
      `/boards/${id}/items/${(await call(program, 'GET', `/boards/${id}/items`)).items[0].id}/cells/c1`,
      JSON.stringify({ value: 299_940_200 }),
    );
    for (let at = 1; at <= 3; at++) await call(program, 'POST', '/members', JSON.stringify({ name: `Member ${at}` }));
    await page.reload();
    const foot = page.locator('.grid-foot');
    const total = foot.locator('.grid-total').first();
    await expect(total).toContainText(/Sum €300M/i);
    await expect(total).toHaveAttribute('title', 'Sum €300,022,100.00');
    await expect(total.locator('.sr-only')).toHaveText('€300,022,100.00');
    const isWhole = () =>
      total.evaluate(
        (one) =>
          one.scrollWidth <= one.clientWidth &&
          [...one.children].every(
            (part) =>
              part.classList.contains('sr-only') || part.scrollWidth <= part.clientWidth || part.clientWidth === 0,
          ),
      );
    await expect.poll(isWhole).toBe(true);

    await cell(page, 1, 0).click();
    await page.keyboard.press('Control+End');
    const owner = page
      .getByRole('grid')
      .getByRole('gridcell', { selected: false })
      .and(page.locator('.grid-cell:focus'));
    await expect(owner).toBeFocused();
    await page.keyboard.press('Enter');
    const choices = page.getByRole('option');
    await expect(page.getByRole('option', { name: 'Member 3' })).toBeVisible();
    for (const choice of await choices.all()) {
      const isOnTop = () =>
        choice.evaluate((one) => {
          const { left, top, height } = one.getBoundingClientRect();
          return one.contains(document.elementFromPoint(left + 20, top + height / 2));
        });
      await expect.poll(isOnTop, (await choice.textContent()) ?? '').toBe(true);
    }
    await expectAccessible(page, 'choices above');
    await page.getByRole('option', { name: 'Member 2' }).click();
    await page.keyboard.press('Enter');
    await expect(page.locator('.grid-cell[data-column="4"]').filter({ hasText: 'Member 2' })).toHaveCount(1);
  },
);
