/** What stands above a dashboard's widgets: whose items and which, the picture, the paper, and who is invited. */
import type { Page } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import {
  call,
  expect,
  expectAccessible,
  login,
  rawCall,
  shared as test,
  test as alone,
  type Program,
} from '../../../e2e/helpers';
import { tabTo, tile } from './dashboard';
import { writtenIn } from './pdf';

const WEBSITE = 'Name,Status,Cost\nHome page,Done,1200\nPrices,Stuck,300\nContact,Done,80\nSearch,Working on it,';
const PLAIN = 'Name,Worth\nOne,1\nTwo,2';

async function importBoard(program: Program, name: string, csv: string): Promise<string> {
  const { items } = await call(program, 'GET', '/workspaces');
  const { board } = await call(
    program,
    'POST',
    `/boards/import?${new URLSearchParams({ workspaceId: items[0].id, name })}`,
    csv,
    'text/csv',
  );
  return board.id;
}

const tileOf = (id: string, kind: string, title: string, x: number, y: number, settings: object) => ({
  id,
  kind,
  title,
  layout: { x, y, w: 6, h: 6 },
  settings,
});
const count = (id: string, title: string, x = 0, y = 0) =>
  tileOf(id, 'numbers', title, x, y, { fn: 'count', cols: {} });
const bars = (id: string, title: string, x = 0, y = 0) =>
  tileOf(id, 'chart', title, x, y, { variant: 'bar', x: { by: 'column' }, y: { fn: 'count' }, cols: {} });

/** A dashboard over a board with a status and one without. */
async function dashboard(program: Program, name: string, widgets: object[]): Promise<string> {
  const { items } = await call(program, 'GET', '/workspaces');
  const boardIds = [await importBoard(program, 'Website', WEBSITE), await importBoard(program, 'Plain', PLAIN)];
  const config = { version: 1, boardIds, widgets, filters: { v: 1, people: null, all: [] } };
  return (await call(program, 'POST', '/dashboards', JSON.stringify({ workspaceId: items[0].id, name, config }))).id;
}

const filtersOf = async (program: Program, id: string) =>
  (await call(program, 'GET', `/dashboards/${id}`)).config.filters;
const figure = (page: Page, name: string) => tile(page, name).locator('.figure-value [aria-hidden]');
const bar = (page: Page, name: string) =>
  page.getByRole('search', { name: 'Filter all widgets' }).getByRole('button', { name });

test('rules over all boards by keyboard, where one board has not the column', async ({ page, program }) => {
  const id = await dashboard(program, 'Filtered', [count('a', 'Items')]);
  await login(page, program, `/dashboards/${id}`);
  await expect(figure(page, 'Items')).toHaveText('6');
  await tabTo(page, bar(page, 'Filter'));
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('button', { name: 'Add rule' }));
  await page.keyboard.press('Enter');
  const rule = page.getByRole('group', { name: 'Rule 1' });
  await page.keyboard.press('Shift+Tab');
  await tabTo(page, rule.getByRole('button', { name: /Column/ }));
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: 'Status' }).focus();
  await page.keyboard.press('Enter');
  await tabTo(page, rule.getByRole('button', { name: 'Done', exact: true }));
  await page.keyboard.press('Enter');
  await expect
    .poll(async () => (await filtersOf(program, id)).all)
    .toEqual([
      expect.objectContaining({ col: { by: 'title', title: 'Status', type: 'status' }, op: 'anyOf', value: ['Done'] }),
    ]);
  // Two of the one board; the other has no status and is shown whole.
  await expect(figure(page, 'Items')).toHaveText('4');
  await expect(page.getByText('4 of 6 items match')).toBeVisible();
  await expectAccessible(page, 'rules');
  await page.keyboard.press('Escape');
  await expect(bar(page, 'Filter (1)')).toBeFocused();
  const reach = tile(page, 'Items').getByRole('button', { name: 'Status filter applies to 1 of 2 boards' });
  await tabTo(page, reach);
  await page.keyboard.press('Enter');
  const boards = page.getByRole('dialog', { name: 'Boards the filters apply to' });
  await expect(boards).toContainText('Website');
  await expect(boards).toContainText('Plain');
  await page.keyboard.press('Escape');
  await expect(boards).toHaveCount(0);
  await page.keyboard.press('Control+z');
  await expect(figure(page, 'Items')).toHaveText('6');
  await page.keyboard.press('Control+Shift+Z');
  await expect(figure(page, 'Items')).toHaveText('4');
  await bar(page, 'Clear filters').press('Enter');
  await expect(figure(page, 'Items')).toHaveText('6');
  await expect.poll(async () => (await filtersOf(program, id)).all).toEqual([]);
});

alone('whose items are shown, where nobody has a person', async ({ page, program }) => {
  await call(program, 'POST', '/members', JSON.stringify({ name: 'Ada' }));
  const id = await dashboard(program, 'People', [count('a', 'Items')]);
  const [first] = (await call(program, 'GET', `/dashboards/${id}`)).config.boardIds;
  await call(program, 'POST', `/boards/${first}/columns`, JSON.stringify({ title: 'Owner', type: 'people' }));
  await login(page, program, `/dashboards/${id}`);
  await bar(page, 'People').press('Enter');
  await page.getByRole('group', { name: 'People', exact: true }).getByRole('button', { name: 'Ada' }).press('Enter');
  // Of the board with people nothing is Ada's; the other has none to ask.
  await expect(figure(page, 'Items')).toHaveText('2');
  await expect(bar(page, 'People: Ada')).toBeVisible();
  await expect(tile(page, 'Items').getByRole('button', { name: 'People applies to 1 of 2 boards' })).toBeVisible();
  await expect.poll(async () => (await filtersOf(program, id)).people?.ids?.length).toBe(1);
  await expectAccessible(page, 'people');
});

test('"Only this" of a bar narrows all widgets for this visit, until Escape', async ({ page, program }) => {
  const id = await dashboard(program, 'Only', [count('a', 'Items'), bars('b', 'By status', 6)]);
  await login(page, program, `/dashboards/${id}`);
  await expect(figure(page, 'Items')).toHaveText('6');
  const mark = tile(page, 'By status').locator('.chart-mark').first();
  await mark.click();
  await page.getByRole('button', { name: /^Show only .+ in all widgets$/ }).click();
  await expect(figure(page, 'Items')).not.toHaveText('6');
  const chip = page.getByRole('button', { name: /^Remove filter: / });
  await expect(chip).toBeVisible();
  await expectAccessible(page, 'only this');
  await page.keyboard.press('Escape');
  await expect(chip).toHaveCount(0);
  await expect(figure(page, 'Items')).toHaveText('6');
  await tile(page, 'By status').getByRole('button', { name: 'Show as table' }).click();
  await tile(page, 'By status').getByRole('button', { name: 'Only Done' }).press('Enter');
  await expect(figure(page, 'Items')).toHaveText('4');
  expect((await filtersOf(program, id)).all).toEqual([]);
});

/** Size of a picture, and how many of its pixels have each of these colors, as `#rrggbb`. */
const pixels = (page: Page, png: Buffer, colors: string[]) =>
  page.evaluate(
    async ([base64, wanted]) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')!;
      context.drawImage(bitmap, 0, 0);
      const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
      const counts = wanted.map(() => 0);
      const codes = wanted.map((color) => Number.parseInt(color.slice(1), 16));
      for (let at = 0; at < data.length; at += 4) {
        const index = codes.indexOf((data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!);
        if (index >= 0) counts[index]!++;
      }
      return { width: bitmap.width, height: bitmap.height, counts };
    },
    [png.toString('base64'), colors] as const,
  );

test('the picture is the whole grid at twice its size, in the colors of the page', async ({ page, program }) => {
  const id = await dashboard(program, 'Q1: numbers', [
    bars('b', 'By status'),
    count('a', 'Items', 6),
    bars('c', 'Below', 0, 30),
  ]);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await login(page, program, `/dashboards/${id}`);
    await expect(figure(page, 'Items')).toHaveText('6');
    const marks = tile(page, 'By status').locator('.chart-mark');
    await expect(marks).not.toHaveCount(0);
    const painted = await marks.evaluateAll((all) =>
      all.map((mark) => ({
        color: getComputedStyle(mark).fill,
        area: mark.getBoundingClientRect().width * mark.getBoundingClientRect().height,
      })),
    );
    const hex = (rgb: string) =>
      `#${(rgb.match(/\d+/g) ?? [])
        .slice(0, 3)
        .map((part) => Number(part).toString(16).padStart(2, '0'))
        .join('')}`;
    const grid = await page
      .locator('.dash-grid')
      .evaluate((element: HTMLElement) => ({ width: element.offsetWidth, height: element.offsetHeight }));
    await page.getByRole('button', { name: 'More', exact: true }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Export as PNG' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('Q1  numbers.png');
    const shot = await pixels(
      page,
      await readFile(await file.path()),
      painted.map(({ color }) => hex(color)),
    );
    // Above the widgets stands what is in them.
    expect(shot.width).toBe(grid.width * 2);
    expect(shot.height).toBeGreaterThan(grid.height * 2 + 20);
    // Each bar in its own color: four times its area, less its round corners, in each of the two charts.
    painted.forEach(({ area }, at) => expect(shot.counts[at], `${colorScheme} bar ${at}`).toBeGreaterThan(area * 4));
  }
  await page.emulateMedia({ colorScheme: null });
});

test('the smallest tile shows its value, its chip and what it rests on', async ({ page, program }) => {
  const rule = { id: 'r', col: { by: 'title', title: 'Status', type: 'status' }, op: 'anyOf', value: ['Done'] };
  const small = {
    ...count('a', 'Items'),
    layout: { x: 0, y: 0, w: 2, h: 2 },
    settings: { function: 'count', cols: {}, rules: [{ ...rule, id: 'own' }] },
  };
  const id = await dashboard(program, 'Small', [small]);
  const { config } = await call(program, 'GET', `/dashboards/${id}`);
  await call(
    program,
    'PATCH',
    `/dashboards/${id}`,
    JSON.stringify({ config: { ...config, filters: { v: 1, people: null, all: [rule] } } }),
  );
  await login(page, program, `/dashboards/${id}`);
  await expect(figure(page, 'Items')).toHaveText('4');
  const whole = (parts: readonly string[]) =>
    tile(page, 'Items').evaluate((element, wanted) => {
      const outer = element.getBoundingClientRect();
      return wanted.map((selector) => {
        const part = element.querySelector(selector)!;
        const { left, right, top, bottom } = part.getBoundingClientRect();
        const isSeen = [left + 2, (left + right) / 2, right - 2].every((x) =>
          part.contains(document.elementFromPoint(x, (top + bottom) / 2)),
        );
        return isSeen && right <= outer.right && bottom <= outer.bottom && top >= outer.top;
      });
    }, parts);
  expect(await whole(['.figure-value', '.tile-reach .btn', '.tile-foot > :first-child', '.tile-explain'])).toEqual([
    true,
    true,
    true,
    true,
  ]);
  await expectAccessible(page, 'the smallest tile');
  await tile(page, 'Items')
    .getByRole('button', { name: /applies to 1 of 2 boards|filters/ })
    .click();
  await expect(page.getByRole('dialog').getByText('Plain')).toBeVisible();
});

test('what scrolls on the page is whole in the picture', async ({ page, program }) => {
  const names = Array.from({ length: 40 }, (_, at) => `Row ${at}`);
  const wide = Array.from({ length: 9 }, (_, at) => `Correspondence${at}`);
  const boardIds = [
    await importBoard(
      program,
      'Long',
      [
        `Name,Status,${wide.join()}`,
        ...names.map((name) => `${name},Done,${wide.map((title) => `Un${title.toLowerCase()}`).join()}`),
      ].join('\n'),
    ),
  ];
  const by = (variant: string) => ({ variant, x: { by: 'name' }, y: { fn: 'count' }, cols: {} });
  const widgets = [
    tileOf('a', 'chart', 'Columns', 0, 0, by('column')),
    tileOf('b', 'chart', 'Bars', 6, 0, by('bar')),
    tileOf('c', 'table', 'Rows', 0, 6, { cols: {} }),
    count('d', 'Beside', 6, 6),
    count('e', 'Below', 0, 12),
  ];
  const { items } = await call(program, 'GET', '/workspaces');
  const config = { version: 1, boardIds, widgets, filters: { v: 1, people: null, all: [] } };
  const { id } = await call(
    program,
    'POST',
    '/dashboards',
    JSON.stringify({ workspaceId: items[0].id, name: 'Whole', config }),
  );
  await login(page, program, `/dashboards/${id}`);
  for (const name of ['Columns', 'Bars'])
    await expect(tile(page, name).locator('.chart-mark')).toHaveCount(names.length);
  await expect(tile(page, 'Rows').getByRole('row')).toHaveCount(names.length + 1);
  const frame = page.locator('.dash-frame');
  /** How far what is drawn in a tile goes beyond it, and the lower edge of each. */
  const measured = () =>
    frame.evaluate((element: HTMLElement) => {
      element.dataset.exported = '';
      const tiles = [...element.querySelectorAll('.tile')].map((one) => {
        const { right, bottom } = one.getBoundingClientRect();
        const drawn = [...one.querySelectorAll('.chart-frame > svg, tr:last-child')].map((part) =>
          part.getBoundingClientRect(),
        );
        return {
          over: Math.max(0, ...drawn.map((part) => Math.max(part.right - right, part.bottom - bottom))),
          top: one.getBoundingClientRect().top,
          bottom,
        };
      });
      const size = { width: element.offsetWidth, height: element.offsetHeight };
      delete element.dataset.exported;
      return { tiles, size };
    });
  const { tiles, size } = await measured();
  expect(tiles.map(({ over }) => over)).toEqual([0, 0, 0, 0, 0]);
  expect(tiles[4]!.top).toBeGreaterThan(tiles[2]!.bottom);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Export as PNG' }).click();
  const shot = await pixels(page, await readFile(await (await download).path()), []);
  expect([shot.width, shot.height]).toEqual([size.width * 2, size.height * 2]);
});

test('on paper it is said which filters are in force, and when', async ({ page, program }) => {
  const id = await dashboard(program, 'Said', [count('a', 'Items')]);
  const { config } = await call(program, 'GET', `/dashboards/${id}`);
  const rule = (value: string) => ({
    id: value,
    col: { by: 'title', title: 'Status', type: 'status' },
    op: 'anyOf',
    value: [value],
  });
  const filters = {
    v: 1,
    people: { ids: ['none'] },
    all: [{ any: [rule('Done'), rule('Lost')] }, { ...rule('Stuck'), off: true }],
  };
  await call(program, 'PATCH', `/dashboards/${id}`, JSON.stringify({ config: { ...config, filters } }));
  await login(page, program, `/dashboards/${id}`);
  await expect(page.getByText(/of 6 items match/)).toBeVisible();
  const said = page.getByTestId('in-force');
  await expect(said).toBeHidden();
  await page.emulateMedia({ media: 'print' });
  await expect(said).toBeVisible();
  await expect(said).toHaveText(
    /^Filtered: People: Unassigned; Status is any of Done, or Status is any of Lost \(has no effect: the label was deleted\)\. As of .*20\d\d.*\.$/,
  );
  await page.emulateMedia({ media: null });
});

test('on paper no widget is cut, and nothing is there that one would press', async ({ page, program }) => {
  const widgets = [0, 1, 2, 3, 4, 5].map((at) =>
    at % 2 ? bars(`w${at}`, `Widget ${at}`, 6, at * 6) : count(`w${at}`, `Widget ${at}`, 0, at * 6),
  );
  const id = await dashboard(program, 'Paper', [
    ...widgets,
    { ...bars('tall', 'Tall', 0, 60), layout: { x: 0, y: 60, w: 12, h: 40 } },
  ]);
  await login(page, program, `/dashboards/${id}`);
  await expect(figure(page, 'Widget 0')).toHaveText('6');
  await expect(tile(page, 'Tall').locator('.chart-mark')).not.toHaveCount(0);
  await page.emulateMedia({ media: 'print' });
  // A sheet of A4 that lies, less its margins, is the lowest of those that are usual.
  const sheet_px = { width: 718, height: Math.floor((190 / 25.4) * 96) };
  await page.setViewportSize(sheet_px);
  await expect(
    page.getByRole('button', { name: /^(More|Move|Resize|Add widget|Filter|People|Invite|Undo|Show as)/ }),
  ).toHaveCount(0);
  await expect(page.getByRole('navigation')).toHaveCount(0);
  const boxes = await page.locator('.tile').evaluateAll((tiles) =>
    tiles.map((one) => {
      const { left, right, height } = one.getBoundingClientRect();
      const inner = one.querySelector('svg.chart')?.getBoundingClientRect();
      return {
        left,
        right,
        height,
        breakInside: getComputedStyle(one).breakInside,
        over: inner ? Math.max(inner.right - right, inner.bottom - one.getBoundingClientRect().bottom) : 0,
      };
    }),
  );
  expect(boxes).toHaveLength(7);
  for (const { left, right, height, breakInside, over } of boxes) {
    expect(breakInside).toBe('avoid');
    expect(height).toBeLessThan(sheet_px.height);
    expect([left >= 0, right <= sheet_px.width, over <= 0]).toEqual([true, true, true]);
  }
  await page.emulateMedia({ media: null });
  const pdf = await page.pdf({ format: 'A4' });
  const sheets = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g) ?? [];
  // Three of the low ones to a sheet, and the tall one: were the page's own frame kept, there would be one sheet.
  expect(sheets.length).toBeGreaterThan(1);
});

test('on paper a table of several sheets has all its rows, one below the other', async ({ page, program }) => {
  const names = Array.from({ length: 48 }, (_, at) => `Row ${String(at).padStart(2, '0')}`);
  const boardIds = [
    await importBoard(program, 'Long', ['Name,Status', ...names.map((name) => `${name},Done`)].join('\n')),
    await importBoard(program, 'Short', 'Name,Status\nLast,Done'),
  ];
  const { items } = await call(program, 'GET', '/workspaces');
  const widgets = [
    count('a', 'First'),
    count('b', 'Second', 6),
    { ...bars('c', 'Bars', 0, 6), settings: { variant: 'bar', x: { by: 'name' }, y: { fn: 'count' }, cols: {} } },
    tileOf('d', 'table', 'Rows', 6, 6, { cols: {} }),
  ];
  const config = {
    version: 1,
    boardIds,
    widgets: widgets.map((one, at) => ({ ...one, layout: { x: 0, y: at * 20, w: 12, h: 20 } })),
    filters: { v: 1, people: null, all: [] },
  };
  const { id } = await call(
    program,
    'POST',
    '/dashboards',
    JSON.stringify({ workspaceId: items[0].id, name: 'Tables', config }),
  );
  await login(page, program, `/dashboards/${id}`);
  await tile(page, 'Bars').getByRole('button', { name: 'Show as table' }).click();
  const tables = ['Bars', 'Rows'];
  for (const name of tables) await expect(tile(page, name).getByRole('row')).toHaveCount(names.length + 2);
  // However much of a sheet is left for the first one.
  for (const rows of [2, 5, 6, 7, 8]) {
    await tile(page, 'Second').evaluate((element, h) => element.style.setProperty('--h', String(h)), rows);
    for (const landscape of [false, true]) {
      const pieces = writtenIn(await page.pdf({ format: 'A4', landscape }));
      const at = (text: string) => pieces.findIndex((piece) => piece.text === text);
      for (const [index, name] of tables.entries()) {
        const end = index + 1 < tables.length ? at(tables[index + 1]!) : pieces.length;
        const inside = pieces.slice(at(name), end);
        const found = inside.filter(({ text }) => /^Row \d\d$/.test(text));
        expect(found.map(({ text }) => text)).toEqual(names);
        expect(found[0]!.sheet, `${name} is named on the sheet of its first row`).toBe(inside[0]!.sheet);
        const foot = inside.find(({ text }) => text.startsWith('2 of 2 boards'))!;
        // A row is 26 px high, and its foot stands close below it.
        [...found, foot].reduce((above, below) => {
          expect(
            below.sheet > above.sheet || below.baseline_px - above.baseline_px >= 18,
            `${below.text} stands below ${above.text}`,
          ).toBe(true);
          return below;
        });
      }
    }
  }
});

alone('members are invited by keyboard, and the others find no such dashboard', async ({ page, program }) => {
  const ada = await call(program, 'POST', '/members', JSON.stringify({ name: 'Ada Berg' }));
  const ben = await call(program, 'POST', '/members', JSON.stringify({ name: 'Ben' }));
  const tokenOf = async (memberId: string) =>
    (await call(program, 'POST', '/tokens', JSON.stringify({ kind: 'member', name: 'T', memberId }))).token;
  const tokens = { ada: await tokenOf(ada.id), ben: await tokenOf(ben.id) };
  const id = await dashboard(program, 'Ours', [count('a', 'Items')]);
  const as = (token: string, method: string, body?: object) =>
    fetch(`${program.url}/dashboards/${id}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }).then(({ status }) => status);
  expect(await as(tokens.ben, 'GET')).toBe(200);
  await login(page, program, `/dashboards/${id}`);
  await page.getByRole('button', { name: 'Invite', exact: true }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Invite to this dashboard' });
  await expect(dialog).toContainText('No one is invited');
  await expectAccessible(page, 'invite');
  await dialog.getByRole('button', { name: /Role of Ada Berg/ }).press('Enter');
  await page.getByRole('option', { name: /^Viewer/ }).press('Enter');
  await expect(dialog).toContainText('One member is invited');
  await expect
    .poll(async () => (await call(program, 'GET', `/dashboards/${id}/members`)).items)
    .toEqual([expect.objectContaining({ memberId: ada.id, role: 'viewer' })]);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Invited: Ada Berg' })).toHaveText('AB');
  await expectAccessible(page, 'invited');
  expect([
    await as(tokens.ben, 'GET'),
    await as(tokens.ada, 'GET'),
    await as(tokens.ada, 'PATCH', { name: 'Mine' }),
  ]).toEqual([404, 200, 403]);
  expect((await rawCall(program, 'DELETE', `/dashboards/${id}/members/${ada.id}`)).status).toBe(204);
  // The page hears of it.
  await expect(page.getByRole('button', { name: /^Invited: / })).toHaveCount(0);
  expect(await as(tokens.ben, 'GET')).toBe(200);
});
