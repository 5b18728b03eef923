import type { Locator, Page } from '@playwright/test';
import { call, expect, expectAccessible, leftOf, login, test, type Program } from './helpers';

const WEBSITE: [string, string, number | null][] = [
  ['Home page', 'Done', 1200],
  ['Prices', 'Stuck', 300.5],
  ['Contact', 'Done', 80],
  ['Search', 'Working on it', null],
];
const APP: [string, string, number | null][] = [
  ['Sign in', 'Done', 450],
  ['Offline', 'Working on it', 2000],
];
const all = [...WEBSITE, ...APP];
const sum = all.reduce((total, [, , cost]) => total + (cost ?? 0), 0);
const english = (value: number) => value.toLocaleString('en-GB');

async function importBoard(program: Program, name: string, rows: typeof WEBSITE): Promise<string> {
  const { items } = await call(program, 'GET', '/workspaces');
  const csv = ['Name,Status,Cost', ...rows.map(([item, status, cost]) => `${item},${status},${cost ?? ''}`)].join('\n');
  const { board } = await call(
    program,
    'POST',
    `/boards/import?${new URLSearchParams({ workspaceId: items[0].id, name })}`,
    csv,
    'text/csv',
  );
  return board.id;
}

/** Two boards, whose names end in `mark`. */
async function twoBoards(program: Program, mark: string) {
  return {
    website: await importBoard(program, `Website ${mark}`, WEBSITE),
    app: await importBoard(program, `App ${mark}`, APP),
  };
}

async function makeDashboard(program: Program, name: string, boardIds: string[], widgets: object[]): Promise<string> {
  const { items } = await call(program, 'GET', '/workspaces');
  const record = await call(
    program,
    'POST',
    '/dashboards',
    JSON.stringify({
      workspaceId: items[0].id,
      name,
      config: { version: 1, boardIds, widgets, filters: { v: 1, people: null, all: [] } },
    }),
  );
  return record.id;
}

const numbers = (id: string, title: string, x: number, y = 0) => ({
  id,
  kind: 'numbers',
  title,
  layout: { x, y, w: 3, h: 3 },
  settings: { function: 'count' },
});
const tile = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const saved = (page: Page) => expect(page.getByRole('status').filter({ hasText: /^Saved$/ })).toBeVisible();
/** What was saved by the time that the page says so. */
async function settled(page: Page) {
  await expect(page.getByRole('status').filter({ hasText: /^Saving$/ })).toBeHidden();
  await saved(page);
}
const titles = (page: Page) => page.locator('.tile-title');

test('what a narrow widget leaves out is said beside the handle of its size, not under it', async ({
  page,
  program,
}) => {
  const { website } = await twoBoards(program, 'narrow');
  const [parent] = (await call(program, 'GET', `/boards/${website}/items`)).items;
  await call(
    program,
    'POST',
    `/boards/${website}/items`,
    JSON.stringify({
      items: [
        { name: 'Part one', parentId: parent.id },
        { name: 'Part two', parentId: parent.id },
      ],
    }),
  );
  const id = await makeDashboard(program, 'Narrow', [website], [numbers('a', 'Items', 0)]);
  await page.setViewportSize({ width: 720, height: 800 });
  await login(page, program, `/dashboards/${id}`);
  const note = tile(page, 'Items').getByText('2 subitems not counted');
  await expect(note).toBeVisible();
  await tile(page, 'Items').hover();
  const said = await note.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect().right;
  });
  const handle = (await tile(page, 'Items').getByRole('button', { name: 'Resize Items' }).boundingBox())!;
  expect(said).toBeLessThanOrEqual(handle.x);
});

test('a widget is pulled by the outermost pixels of its corner', async ({ page, program }) => {
  const { website } = await twoBoards(program, 'corner');
  const id = await makeDashboard(program, 'Corner', [website], [numbers('a', 'Items', 0)]);
  await login(page, program, `/dashboards/${id}`);
  const box = (await tile(page, 'Items').boundingBox())!;
  const corner = { x: box.x + box.width - 1, y: box.y + box.height - 1 };
  await page.mouse.move(corner.x, corner.y);
  await page.mouse.down();
  await page.mouse.move(corner.x + 200, corner.y + 120, { steps: 5 });
  await page.mouse.up();
  await expect.poll(async () => (await tile(page, 'Items').boundingBox())!.width).toBeGreaterThan(box.width + 100);
  await expect.poll(async () => (await tile(page, 'Items').boundingBox())!.height).toBeGreaterThan(box.height + 50);
});

async function tabTo(page: Page, target: Locator) {
  for (let i = 0; i < 80; i++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('Tab does not lead there.');
}

test('the name of a dashboard stands above its widgets, however wide the window is', async ({ page, program }) => {
  const { website } = await twoBoards(program, 'wide');
  const id = await makeDashboard(program, 'In line', [website], [numbers('a', 'Items', 0)]);
  await login(page, program, `/dashboards/${id}`);
  for (const width of [1280, 720]) {
    await page.setViewportSize({ width, height: 800 });
    await expect(tile(page, 'Items')).toBeVisible();
    await expect
      .poll(async () =>
        Math.round(
          (await leftOf(page.getByRole('button', { name: 'In line' }))) - (await tile(page, 'Items').boundingBox())!.x,
        ),
      )
      .toBe(0);
  }
});

test('in a narrow window a widget is in sight beside its settings', async ({ page, program }) => {
  const { website } = await twoBoards(program, 'narrow');
  const id = await makeDashboard(
    program,
    'Narrow',
    [website],
    ['First', 'Second', 'Third', 'Fourth'].map((title, at) => numbers(title, title, at * 3)),
  );
  await login(page, program, `/dashboards/${id}`);
  await page.setViewportSize({ width: 720, height: 700 });
  for (const title of ['First', 'Fourth']) {
    await tile(page, title)
      .getByRole('button', { name: `More for ${title}` })
      .press('Enter');
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const panel = page.getByRole('complementary', { name: 'Edit numbers' });
    await expect(panel.getByLabel('Title')).toBeFocused();
    await expect(tile(page, title)).toBeInViewport({ ratio: 0.99 });
    const [above, below] = [(await tile(page, title).boundingBox())!, (await panel.boundingBox())!];
    expect(above.y + above.height).toBeLessThanOrEqual(below.y);
    await page.keyboard.press('Escape');
    await expect(panel).toHaveCount(0);
  }
});

test('the panel of a widget that closes leaves the focus on the menu that opened it', async ({ page, program }) => {
  const { website } = await twoBoards(program, 'focus');
  const id = await makeDashboard(program, 'Focus', [website], [numbers('a', 'Items', 0)]);
  await login(page, program, `/dashboards/${id}`);
  const more = tile(page, 'Items').getByRole('button', { name: 'More for Items' });
  const panel = page.getByRole('complementary', { name: 'Edit numbers' });
  for (const close of ['Escape', 'Close panel']) {
    await more.press('Enter');
    await page.getByRole('menuitem', { name: 'Edit' }).press('Enter');
    await expect(panel.getByLabel('Title')).toBeFocused();
    if (close === 'Escape') await page.keyboard.press('Escape');
    else await panel.getByRole('button', { name: close }).press('Enter');
    await expect(panel).toHaveCount(0);
    await expect(more).toBeFocused();
  }
});

test('a name that a menu or the palette opens has the focus, and leaves it on its button', async ({
  page,
  program,
}) => {
  await login(page, program, '/dashboards');
  const field = page.getByRole('textbox', { name: 'Dashboard name' });
  const named = (name: string) => page.getByRole('heading', { name, exact: true }).getByRole('button');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name: 'Create dashboard' }).click();
  await expect(page.getByText('Connect boards to start')).toBeVisible();
  await expect(field).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(named('New dashboard')).toBeFocused();

  await page.keyboard.press('Control+k');
  await page.getByRole('searchbox', { name: 'Search and commands' }).fill('Create dashboard');
  await page.keyboard.press('Enter');
  await expect(field).toBeFocused();
  await page.keyboard.type('By palette');
  await page.keyboard.press('Enter');
  await expect(named('By palette')).toBeFocused();

  await page.getByRole('button', { name: 'More', exact: true }).press('Enter');
  await page.getByRole('menuitem', { name: 'Rename' }).press('Enter');
  await expect(page.getByRole('menu')).toHaveCount(0);
  await expect(field).toBeFocused();
  await page.keyboard.type('By menu');
  await page.keyboard.press('Escape');
  await expect(named('By palette')).toBeFocused();
});

test('a widget is of one board and of items that meet its own rules, of which one is enough', async ({
  page,
  program,
}) => {
  const { website, app } = await twoBoards(program, 'own');
  const id = await makeDashboard(program, 'Own', [website, app], [numbers('a', 'Items', 0)]);
  await login(page, program, `/dashboards/${id}`);
  const figure = tile(page, 'Items').getByRole('button', { name: /show items/ });
  await expect(figure).toHaveAccessibleName('6, show items');
  await tile(page, 'Items').getByRole('button', { name: 'More for Items' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Edit' }).press('Enter');
  const panel = page.getByRole('complementary', { name: 'Edit numbers' });
  await panel.getByRole('checkbox', { name: 'App own' }).press('Space');
  await expect(figure).toHaveAccessibleName('4, show items');
  await panel.getByRole('button', { name: 'Add rule' }).press('Enter');
  const rule = (number: number) => panel.getByRole('group', { name: `Rule ${number}`, exact: true });
  const choose = async (number: number, column: string, value: string) => {
    await rule(number)
      .getByRole('button', { name: /Column/ })
      .press('Enter');
    await page.getByRole('option', { name: column, exact: true }).press('Enter');
    await rule(number).getByRole('button', { name: value, exact: true }).press('Enter');
  };
  await choose(1, 'Status', 'Stuck');
  await expect(figure).toHaveAccessibleName('1, show items');
  await panel.getByRole('button', { name: 'Or another rule instead of rule 1' }).press('Enter');
  await rule(2).getByRole('button', { name: 'Done', exact: true }).press('Enter');
  await expect(figure).toHaveAccessibleName('3, show items');
  await expectAccessible(page, 'own rules of a widget');
  await settled(page);
  const { config } = await call(program, 'GET', `/dashboards/${id}`);
  expect(config.widgets[0].settings).toMatchObject({
    boards: [website],
    rules: [{ any: [{ value: ['Stuck'] }, { value: ['Done'] }] }],
  });
});

test('from an empty page to figures, by mouse', async ({ page, program }) => {
  await twoBoards(program, 'mouse');
  await login(page, program, '/dashboards');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name: 'Create dashboard' }).click();
  const name = page.getByRole('textbox', { name: 'Dashboard name' });
  await expect(name).toBeFocused();
  await name.fill('Money');
  await name.press('Enter');
  await expect(page.getByText('Connect boards to start')).toBeVisible();
  await expectAccessible(page, 'empty dashboard');

  await page.getByRole('button', { name: '0 connected boards' }).click();
  await page.getByRole('searchbox', { name: 'Search boards' }).fill('mouse');
  await expect(page.getByRole('dialog').getByText('4 items')).toBeVisible();
  await page.getByRole('dialog').getByText('Website mouse').click();
  await page.getByRole('dialog').getByText('App mouse').click();
  await expectAccessible(page, 'connect boards');
  await page.getByRole('button', { name: 'Connect 2 boards' }).click();
  await expect(page.getByRole('button', { name: '2 connected boards' })).toBeVisible();

  const add = async (kind: string) => {
    await page.locator('.page-actions').getByRole('button', { name: 'Add widget' }).click();
    await page.getByRole('menuitem', { name: kind }).click();
  };
  await add('Numbers');
  await expect(tile(page, 'Sum of Cost').locator('.figure-value')).toHaveAttribute('title', english(sum));
  await expect(tile(page, 'Sum of Cost').getByText('2 of 2 boards')).toBeVisible();
  await add('Chart');
  const chart = tile(page, 'Number of items by status');
  await expect(chart.getByRole('img')).toHaveAccessibleName(/Number of items by status/);
  await chart.getByRole('button', { name: 'Show as table' }).click();
  await expect(chart.getByRole('row').filter({ hasText: 'Done' }).getByRole('cell').first()).toHaveText('3');
  await expectAccessible(page, 'dashboard with a table');
  await chart.getByRole('button', { name: 'Show as chart' }).click();
  await expectAccessible(page, 'dashboard with a chart');

  // Drag the figure to the right of the chart, then pull its lower edge.
  const before = (await tile(page, 'Sum of Cost').boundingBox())!;
  await page.mouse.move(before.x + 40, before.y + 14);
  await page.mouse.down();
  await page.mouse.move(before.x + before.width * 3 + 80, before.y + 14, { steps: 8 });
  await page.mouse.up();
  await expect
    .poll(async () => (await tile(page, 'Sum of Cost').boundingBox())!.x)
    .toBeGreaterThan(before.x + before.width * 2);
  const moved = (await tile(page, 'Sum of Cost').boundingBox())!;
  await page.mouse.move(moved.x + moved.width / 2, moved.y + moved.height);
  await page.mouse.down();
  await page.mouse.move(moved.x + moved.width / 2, moved.y + moved.height + 104, { steps: 8 });
  await page.mouse.up();
  await expect
    .poll(async () => Math.round((await tile(page, 'Sum of Cost').boundingBox())!.height))
    .toBe(Math.round(moved.height + 104));

  await settled(page);
  const kept = await tile(page, 'Sum of Cost').boundingBox();
  await page.reload();
  await expect(tile(page, 'Sum of Cost').locator('.figure-value')).toHaveAttribute('title', english(sum));
  await expect.poll(() => tile(page, 'Sum of Cost').boundingBox()).toEqual(kept);
});

test('a widget hangs at the pointer, the outline shows where it lands, and others keep their width', async ({
  page,
  program,
}) => {
  const { website } = await twoBoards(program, 'carry');
  const id = await makeDashboard(
    program,
    'Carry',
    [website],
    [numbers('a', 'One', 0), numbers('b', 'Two', 3), numbers('c', 'Low', 0, 3)],
  );
  await page.setViewportSize({ width: 1280, height: 480 });
  await login(page, program, `/dashboards/${id}`);
  for (const title of ['One', 'Two', 'Low'])
    await expect(tile(page, title).locator('.figure-value')).toHaveAttribute('title', '4');
  const box = async (of: Locator) => {
    const { x, y, width, height } = (await of.boundingBox())!;
    return { x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.round(height) };
  };
  const [one, two, low] = [await box(tile(page, 'One')), await box(tile(page, 'Two')), await box(tile(page, 'Low'))];
  const outline = page.locator('.dash-ghost');
  const [left, top] = [one.x + 40, one.y + 14];
  await page.mouse.move(left, top);
  await page.mouse.down();
  await page.mouse.move(left + 17, top + 230, { steps: 6 });
  // Below all others: the one under it has moved up, and what is below the page takes no width.
  await expect.poll(() => box(tile(page, 'One'))).toEqual({ ...one, x: one.x + 17, y: one.y + 230 });
  await expect.poll(() => box(outline)).toEqual({ ...one, y: low.y });
  await expect.poll(() => box(tile(page, 'Low'))).toEqual(one);
  expect(await box(tile(page, 'Two'))).toEqual(two);
  // What is told to tiles and their grid at each step is not handed on to all that stands in them, which would be styled anew.
  const handedOn = await tile(page, 'One')
    .locator('.figure-value')
    .evaluate((figure) => {
      const places = [
        '--rows',
        ...['x', 'y', 'w', 'h'].flatMap((name) => [`--${name}`, `--at-${name}`]),
        '--by-x',
        '--by-y',
      ];
      const of = (element: Element) => places.map((name) => getComputedStyle(element).getPropertyValue(name));
      const outside = of(document.body);
      return places.filter((_, at) => of(figure)[at] !== outside[at]);
    });
  expect(handedOn).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(outline).toBeHidden();
  await expect.poll(() => box(tile(page, 'One'))).toEqual(one);
  await page.mouse.up();

  // Dropped, it lies where the outline was.
  await page.mouse.move(left, top);
  await page.mouse.down();
  await page.mouse.move(left - 9, top + 160, { steps: 6 });
  await expect.poll(() => box(outline)).toEqual({ ...one, y: low.y });
  await page.mouse.up();
  await expect.poll(() => box(tile(page, 'One'))).toEqual({ ...one, y: low.y });

  // An edge follows too.
  const [edge, middle] = [two.x + two.width, two.y + two.height / 2];
  await page.mouse.move(edge, middle);
  await page.mouse.down();
  await page.mouse.move(edge + 30, middle, { steps: 4 });
  await expect.poll(() => box(tile(page, 'Two'))).toEqual({ ...two, width: two.width + 30 });
  await expect.poll(() => box(outline)).toEqual(two);
  await page.mouse.up();
  await expect.poll(() => box(tile(page, 'Two'))).toEqual(two);
});

test('a dashboard is there at the press of +: one for two presses, and what is typed at once is its name', async ({
  page,
  program,
}) => {
  await login(page, program, '/dashboards');
  const plus = page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name: 'Create dashboard' });
  const title = page.getByRole('textbox', { name: 'Dashboard name' });
  const named = (name: string) => page.getByRole('heading', { name, exact: true });
  // The first one has the page's own file loaded.
  await plus.click();
  await expect(title).toBeFocused();
  await title.fill('First');
  await title.press('Enter');
  await settled(page);

  const made: string[] = [];
  page.on('request', (request) => request.method() === 'POST' && made.push(new URL(request.url()).pathname));
  let go = () => {};
  await page.route('**/dashboards', async (route) => {
    if (route.request().method() === 'POST') await new Promise<void>((resolve) => (go = resolve));
    return route.continue();
  });
  await plus.dblclick();
  await page.keyboard.type('Typed at ');
  await expect.poll(() => made).toEqual(['/dashboards']);
  go();
  await expect(page.getByRole('button', { name: '0 connected boards' })).toBeVisible();
  await page.keyboard.type('once');
  await expect(title).toHaveValue('Typed at once');
  await title.press('Enter');
  await expect(named('Typed at once')).toBeVisible();
  await settled(page);
  expect(made).toEqual(['/dashboards']);
  await page.unrouteAll();

  await plus.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type('Numbers of all');
  await page.keyboard.press('Enter');
  await expect(named('Numbers of all')).toBeVisible();
  await expect(page.getByRole('button', { name: '0 connected boards' })).toBeVisible();
  await settled(page);
  expect(made).toHaveLength(2);
  await expect(
    page.getByRole('list', { name: 'Dashboards' }).getByRole('link', { name: 'Numbers of all' }),
  ).toBeVisible();

  // The program says no: the page says why, and what was typed is there for the next try.
  await page.route('**/dashboards', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({
          status: 409,
          contentType: 'application/problem+json',
          body: JSON.stringify({ code: 'full', detail: 'There is no room.' }),
        })
      : route.continue(),
  );
  await plus.press('Enter');
  await page.keyboard.type('Later');
  await expect(page.getByText("Couldn't create dashboard")).toBeVisible();
  await expectAccessible(page, 'a dashboard that was not created');
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(named('Later')).toBeVisible();
  await expect(page).toHaveURL(/dashboards\/(?!new)/);
  await settled(page);
});

test('the same by keyboard alone', async ({ page, program }) => {
  await twoBoards(program, 'keys');
  await login(page, program, '/dashboards');
  await tabTo(page, page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name: 'Create dashboard' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: 'Dashboard name' })).toBeFocused();
  await page.keyboard.type('By keys');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'By keys' })).toBeVisible();

  await page.keyboard.press('b');
  await expect(page.getByRole('searchbox', { name: 'Search boards' })).toBeFocused();
  // Two boards, and the sessions of agents.
  await expect(page.getByRole('dialog').getByRole('checkbox')).toHaveCount(3);
  await page.keyboard.type('keys');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await tabTo(page, page.getByRole('button', { name: 'Connect 2 boards' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: '2 connected boards' })).toBeVisible();

  for (const kind of ['n', 'c']) {
    await tabTo(page, page.locator('.page-actions').getByRole('button', { name: 'Add widget' }));
    await page.keyboard.press('Enter');
    await expect(page.getByRole('menuitem').first()).toBeFocused();
    await page.keyboard.type(kind);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('menu')).toBeHidden();
  }
  await expect(tile(page, 'Sum of Cost').locator('.figure-value')).toHaveAttribute('title', english(sum));
  await expect(titles(page)).toHaveText(['Sum of Cost', 'Number of items by status']);

  const says = page.getByTestId('grid-says');
  await tabTo(page, page.getByRole('button', { name: 'Move Number of items by status' }));
  await page.keyboard.press('Enter');
  await expect(says).toContainText('lifted, column 4, row 1');
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowLeft');
  await expect(says).toContainText('column 1, row 1, 6 by 6, pushes 1 widget down');
  await page.keyboard.press('Enter');
  await expect(says).toContainText('dropped');
  await expect(page.getByRole('button', { name: 'Move Number of items by status' })).toBeFocused();
  await expect(titles(page)).toHaveText(['Number of items by status', 'Sum of Cost']);

  await tabTo(page, page.getByRole('button', { name: 'Resize Sum of Cost' }));
  await page.keyboard.press('Space');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Space');
  await expect(says).toContainText('7 by 3');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await expect(titles(page)).toHaveText(['Sum of Cost', 'Number of items by status']);
  await page.keyboard.press('Control+Shift+z');
  await expect(titles(page)).toHaveText(['Number of items by status', 'Sum of Cost']);
  await settled(page);
  await page.reload();
  await expect(tile(page, 'Sum of Cost')).toBeVisible();
  await expect(titles(page)).toHaveText(['Number of items by status', 'Sum of Cost']);
});

test('two pages change one dashboard and both keep their work', async ({ page, program, context }) => {
  const id = await makeDashboard(program, 'Shared', [], [numbers('a', 'First', 0), numbers('b', 'Second', 3)]);
  await login(page, program, `/dashboards/${id}`);
  const other = await context.newPage();
  await login(other, program, `/dashboards/${id}`);
  await expect(tile(other, 'Second')).toBeVisible();
  const retitle = async (where: Page, from: string, to: string) => {
    await tile(where, from).hover();
    await tile(where, from)
      .getByRole('button', { name: `More for ${from}` })
      .click();
    await where.getByRole('menuitem', { name: 'Edit' }).click();
    await where.getByRole('textbox', { name: 'Title' }).fill(to);
  };
  await retitle(page, 'First', 'Mine');
  await retitle(other, 'Second', 'Theirs');
  for (const where of [page, other]) {
    await expect(tile(where, 'Mine')).toBeVisible();
    await expect(tile(where, 'Theirs')).toBeVisible();
    await settled(where);
  }
  const record = await call(program, 'GET', `/dashboards/${id}`);
  expect(record.config.widgets.map((widget: { title: string }) => widget.title)).toEqual(['Mine', 'Theirs']);
});

test('two pages change the same place: each person is told, keeps the other rules, and Undo takes nothing of the other', async ({
  page,
  program,
  context,
}) => {
  const { website, app } = await twoBoards(program, 'same');
  const id = await makeDashboard(program, 'Same', [website, app], [numbers('a', 'First', 0)]);
  await login(page, program, `/dashboards/${id}`);
  const other = await context.newPage();
  await login(other, program, `/dashboards/${id}`);
  const stored = async () => (await call(program, 'GET', `/dashboards/${id}`)).config;
  const write = async (where: Page, title: string) => {
    await tile(where, 'First').hover();
    await tile(where, 'First').getByRole('button', { name: 'More for First' }).click();
    await where.getByRole('menuitem', { name: 'Edit' }).click();
    await where.getByRole('textbox', { name: 'Title' }).fill(title);
  };
  // The other page's change waits on its way until this page's is in.
  let go = () => {};
  const isIn = new Promise<void>((resolve) => (go = resolve));
  await other.route(`**/dashboards/${id}`, async (route) => {
    if (route.request().method() !== 'GET') await isIn;
    return route.continue();
  });
  await expect(tile(page, 'First')).toBeVisible();
  await expect(tile(other, 'First')).toBeVisible();
  const rule = (name: string) => ({ id: name, col: { by: 'title', title: name, type: 'status' }, op: 'isNotEmpty' });
  await write(other, 'Theirs');
  await expect(other.getByText('Saving', { exact: true })).toBeVisible();
  const before = await stored();
  await call(
    program,
    'PATCH',
    `/dashboards/${id}`,
    JSON.stringify({ config: { ...before, filters: { ...before.filters, all: [rule('Status')] } } }),
  );
  await write(page, 'Mine');
  await expect.poll(async () => (await stored()).widgets[0].title).toBe('Mine');
  go();
  await expect.poll(async () => (await stored()).widgets[0].title).toBe('Theirs');
  await expect(other.getByText('Conflict', { exact: true })).toBeVisible();
  const told = page.getByRole('alertdialog').filter({ hasText: 'Their version is saved: Theirs: title.' });
  await expect(told).toBeVisible();
  expect((await stored()).filters.all).toHaveLength(1);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(page.getByRole('alertdialog').filter({ hasText: 'Not changed: Theirs: title.' })).toBeVisible();
  await expect(tile(page, 'Theirs')).toBeVisible();
  await told.getByRole('button', { name: 'Use mine' }).click();
  await expect.poll(async () => (await stored()).widgets[0].title).toBe('Mine');
  await expect(tile(other, 'Mine')).toBeVisible();
  await settled(other);
});

test('where two changed the same place mine stays until theirs is taken', async ({ page, program }) => {
  const id = await makeDashboard(program, 'Clash', [], [numbers('a', 'First', 0)]);
  await login(page, program, `/dashboards/${id}`);
  await expect(tile(page, 'First')).toBeVisible();
  // Someone else is just quicker: their change is in when this page's arrives.
  let wasQuicker = false;
  await page.route(`**/dashboards/${id}`, async (route) => {
    if (route.request().method() !== 'PATCH' || wasQuicker) return route.continue();
    wasQuicker = true;
    const { config } = await call(program, 'GET', `/dashboards/${id}`);
    config.widgets[0].title = 'Theirs';
    await call(program, 'PATCH', `/dashboards/${id}`, JSON.stringify({ config }));
    return route.continue();
  });
  await tile(page, 'First').hover();
  await tile(page, 'First').getByRole('button', { name: 'More for First' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Mine');
  await expect(page.getByText('Conflict', { exact: true })).toBeVisible();
  await expect(tile(page, 'Mine')).toBeVisible();
  await expect(page.getByRole('alertdialog').filter({ hasText: 'Edit conflict' })).toBeVisible();
  await expectAccessible(page, 'conflict');
  await page.locator('.saved').getByRole('button', { name: 'Use theirs' }).click();
  await expect(tile(page, 'Theirs')).toBeVisible();
  await settled(page);
  expect((await call(program, 'GET', `/dashboards/${id}`)).config.widgets[0].title).toBe('Theirs');
});

test('figures follow the boards, and a board that is gone is named, restored and disconnected', async ({
  page,
  program,
}) => {
  const { website, app } = await twoBoards(program, 'live');
  const id = await makeDashboard(program, 'Live', [website, app], [numbers('n', 'Items', 0)]);
  await login(page, program, `/dashboards/${id}`);
  const figure = tile(page, 'Items').locator('.figure-value');
  await expect(figure).toHaveAttribute('title', String(all.length));
  await call(program, 'POST', `/boards/${app}/items`, JSON.stringify({ name: 'New', groupId: 'g1' }));
  await expect(figure).toHaveAttribute('title', String(all.length + 1));
  await call(program, 'DELETE', `/boards/${app}`);
  const missing = page.getByRole('list', { name: 'Unavailable boards' });
  const { name } = (
    await call(
      program,
      'GET',
      `/boards/trash?workspaceId=${(await call(program, 'GET', '/workspaces')).items[0].id}&place=trash`,
    )
  ).items[0];
  await expect(missing).toContainText(`The connected board ${name} is in the trash`);
  await expectAccessible(page, 'a board is missing');
  await expect(figure).toHaveAttribute('title', String(WEBSITE.length));
  await expect(page.getByText(app)).toHaveCount(0);
  expect((await call(program, 'GET', `/dashboards/${id}`)).config.boardIds).toEqual([website, app]);
  await missing.getByRole('button', { name: 'Restore' }).click();
  await expect(figure).toHaveAttribute('title', String(all.length + 1));
  await expect(missing).toHaveCount(0);
  await call(program, 'DELETE', `/boards/${app}`);
  await call(program, 'DELETE', `/boards/trash/${app}`);
  await expect(missing).toContainText('A connected board was deleted');
  await missing.getByRole('button', { name: 'Disconnect' }).click();
  await expect(missing).toHaveCount(0);
  await settled(page);
  expect((await call(program, 'GET', `/dashboards/${id}`)).config.boardIds).toEqual([website]);
});

test('what was changed while the program did not answer is kept and sent later', async ({
  page,
  program,
  console: faults,
}) => {
  const id = await makeDashboard(program, 'Away', [], [numbers('a', 'First', 0)]);
  await login(page, program, `/dashboards/${id}`);
  await expect(tile(page, 'First')).toBeVisible();
  await page.route(`**/dashboards/${id}`, (route) => route.abort());
  await page.getByRole('button', { name: 'Away' }).click();
  await page.getByRole('textbox', { name: 'Dashboard name' }).fill('Kept');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Offline, saved locally')).toBeVisible();
  await page.unroute(`**/dashboards/${id}`);
  await settled(page);
  expect((await call(program, 'GET', `/dashboards/${id}`)).name).toBe('Kept');
  // The browser reports the requests that this test made fail.
  expect(faults.every((fault) => fault.includes('ERR_FAILED'))).toBe(true);
  faults.length = 0;
});

test('a widget moves and grows without dragging, and a dashboard is deleted after a question', async ({
  page,
  program,
}) => {
  const id = await makeDashboard(program, 'Short-lived', [], [numbers('a', 'First', 0), numbers('b', 'Second', 3)]);
  await login(page, program, `/dashboards/${id}`);
  const choose = async (entry: string) => {
    await tile(page, 'First').hover();
    await tile(page, 'First').getByRole('button', { name: 'More for First' }).click();
    await page.getByRole('menuitem', { name: entry }).click();
  };
  await choose('Full width');
  const width = async (name: string) => (await tile(page, name).boundingBox())!.width;
  await expect.poll(async () => (await width('First')) / (await width('Second'))).toBeGreaterThan(3);
  await choose('Small');
  await choose('Move to…');
  await page.getByRole('dialog').getByRole('spinbutton', { name: 'Column' }).fill('10');
  await expectAccessible(page, 'move a widget');
  await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click();
  await expect(titles(page)).toHaveText(['Second', 'First']);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Delete dashboard' }).click();
  await page
    .getByRole('alertdialog')
    .or(page.getByRole('dialog'))
    .getByRole('button', { name: 'Delete dashboard' })
    .click();
  await expect(page).toHaveURL(/\/dashboards$/);
  await expect(page.getByRole('link', { name: /Short-lived/ })).toHaveCount(0);
});

/** A day so many days from today, as the program has it. */
const dayFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** A board whose items are of two sprints: 8 of 10 points done in the first, 4 of 10 in the second. */
async function sprintBoard(program: Program, name: string): Promise<string> {
  const json = (method: string, path: string, body: object) => call(program, method, path, JSON.stringify(body));
  const { items: workspaces } = await call(program, 'GET', '/workspaces');
  const { id } = await json('POST', '/boards', { workspaceId: workspaces[0].id, name, preset: 'blank' });
  const column = (title: string, type: string, settings: object = {}) =>
    json('POST', `/boards/${id}/columns`, { title, type, settings });
  const color = '#4a7fd4';
  const sprints = await column('Sprint', 'dropdown', {
    labels: [
      { text: 'Sprint 1', color },
      { text: 'Sprint 2', color },
    ],
  });
  const status = await column('Status', 'status', {
    labels: [
      { text: 'Open', color },
      { text: 'Done', color: '#00a86b', done: true },
    ],
  });
  const points = await column('Points', 'number');
  const finished = await column('Finished', 'date');
  const label = (of: { settings: { labels: { id: string; text: string }[] } }, text: string) =>
    of.settings.labels.find((one) => one.text === text)!.id;
  const item = (called: string, sprint: string, effort: number, done: string | null) => ({
    name: called,
    cells: {
      [sprints.id]: label(sprints, sprint),
      [status.id]: label(status, done ? 'Done' : 'Open'),
      [points.id]: effort,
      ...(done ? { [finished.id]: done } : {}),
    },
  });
  await json('POST', `/boards/${id}/items`, {
    items: [
      item('Keel', 'Sprint 1', 5, dayFromNow(-20)),
      item('Mast', 'Sprint 1', 3, dayFromNow(-12)),
      item('Rudder', 'Sprint 1', 2, null),
      item('Sails', 'Sprint 2', 4, dayFromNow(-1)),
      item('Anchor', 'Sprint 2', 6, null),
    ],
  });
  return id;
}

test('every kind of widget is added by keyboard, explains itself, and leads to its items', async ({
  page,
  program,
}) => {
  const board = await sprintBoard(program, 'Boat yard');
  const id = await makeDashboard(program, 'Kinds', [board], []);
  await page.setViewportSize({ width: 1280, height: 900 });
  await login(page, program, `/dashboards/${id}`);
  await expect(page.getByRole('button', { name: '1 connected board' })).toBeVisible();
  const add = async (kind: string) => {
    await page.locator('.page-actions').getByRole('button', { name: 'Add widget' }).press('Enter');
    await page.getByRole('menuitem', { name: kind }).press('Enter');
  };
  const table = (of: Locator) => of.getByRole('button', { name: 'Show as table' });
  const rows = (of: Locator) => of.getByRole('row').allInnerTexts();

  await add('Velocity');
  const velocity = tile(page, 'Velocity');
  await expect(velocity.getByText('Average 6 over the last 2 closed sprints')).toBeVisible();
  await expect(velocity.getByRole('img')).toHaveAccessibleName(/Velocity/);
  await add('Planned vs unplanned');
  const planned = tile(page, 'Planned vs unplanned');
  await expect(planned.getByText('Above each sprint')).toBeVisible();
  await add('Burndown');
  const burndown = tile(page, 'Burndown');
  await expect(burndown.locator('.chart-lead')).toHaveText(/^Sprint 2.*6 points left/);
  await add('Chart');
  await add('Numbers');
  await expect(tile(page, 'Sum of Points').locator('.figure-value')).toHaveAttribute('title', '20');
  await settled(page);

  // Days of a sprint are given in the panel; until then they are guessed from its items, which is said.
  await velocity.getByRole('button', { name: 'Approximate, explain Velocity' }).press('Enter');
  const explained = page.getByRole('dialog', { name: 'How Velocity is calculated' });
  await expect(explained.getByText('Items are weighted by Points. Items without a value count as 0.')).toBeVisible();
  await expect(explained.getByText('5 of 5 items used')).toBeVisible();
  await expect(explained.getByText('Theirs are estimated from their items.')).toBeVisible();
  await expect(explained.getByRole('row', { name: /Boat yard/ })).toHaveText(
    'Boat yardSprintPointsStatusFinishedNoneNone',
  );
  await expectAccessible(page, 'a widget explained');
  await page.keyboard.press('Escape');
  await expect(explained).toHaveCount(0);
  await velocity.getByRole('button', { name: 'More for Velocity' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Edit' }).press('Enter');
  const days: [string, number, number][] = [
    ['Sprint 1', -21, -8],
    ['Sprint 2', -6, 7],
  ];
  for (const [name, from, to] of days) {
    await page.getByLabel(`${name}, first day`).fill(dayFromNow(from));
    await page.getByLabel(`${name}, last day`).fill(dayFromNow(to));
  }
  await expectAccessible(page, 'the settings of a velocity');
  await expect(velocity.getByText('Average 8 over the last closed sprint')).toBeVisible();
  await expect(velocity.getByText('Active sprint')).toBeVisible();
  await expect(velocity.getByText('Approximate')).toHaveCount(0);
  await page.keyboard.press('Escape');

  await table(velocity).press('Enter');
  expect(await rows(velocity)).toEqual([
    'Sprint\tCompleted\tScope (today)',
    'Sprint 1\t8\t10',
    'Sprint 2 (active)\t4\t10',
  ]);
  await velocity.getByRole('button', { name: 'Sprint 1, Completed: 8, show items' }).press('Enter');
  const behind = page.getByRole('dialog', { name: 'Sprint 1, Completed: 8' });
  await expect(behind.getByRole('listitem')).toHaveText([/^Keel/, /^Mast/]);
  await expectAccessible(page, 'the items behind a value');
  await page.keyboard.press('Escape');
  await expect(behind).toHaveCount(0);

  // All was created today, long after the first sprint had begun.
  await table(planned).press('Enter');
  await expect(planned.getByRole('row').nth(1)).toContainText('100%');
  await expect(planned.getByText('Approximate')).toBeVisible();
  await expect(burndown.getByText('Approximate')).toBeVisible();
  await table(burndown).press('Enter');
  await expect(burndown.getByRole('row').first()).toHaveText('DayRemainingScopeIdeal');

  const chart = tile(page, 'Number of items by status');
  await chart.getByRole('button', { name: 'More for Number of items by status' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Edit' }).press('Enter');
  const panel = page.getByRole('complementary', { name: 'Edit chart' });
  for (const variant of ['Donut', 'Line', 'Bars', 'Columns']) {
    await panel.getByRole('button', { name: /Kind/ }).press('Enter');
    await page.getByRole('option', { name: variant, exact: true }).press('Enter');
    await expect(panel.getByRole('button', { name: /Kind/ })).toContainText(variant);
    await expect(chart.getByRole('img')).toHaveAccessibleName(/Largest: (Done|Open)/);
  }
  await panel.getByRole('button', { name: /Stack by/ }).press('Enter');
  await page.getByRole('option', { name: 'Board', exact: true }).press('Enter');
  await expect(chart.locator('.chart-legend')).toContainText('Boat yard');
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);
  await chart.locator('[data-pick]').first().click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('listitem').first()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);

  for (const shown of [velocity, planned, burndown])
    await shown.getByRole('button', { name: 'Show as chart' }).press('Enter');
  await expectAccessible(page, 'all kinds');
  await settled(page);
  await page.reload();
  await expect(velocity.getByText('Average 8 over the last closed sprint')).toBeVisible();
  await velocity.getByRole('button', { name: 'More for Velocity' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Show items' }).press('Enter');
  await page.getByRole('dialog').getByRole('link', { name: 'Keel' }).click();
  await expect(page).toHaveURL(new RegExp(`/boards/${board}`));
});

test('settings of other clients that cannot be computed with are named and can be put back', async ({
  page,
  program,
}) => {
  const { website } = await twoBoards(program, 'wrong');
  const layout = (x: number) => ({ x, y: 0, w: 4, h: 5 });
  const id = await makeDashboard(
    program,
    'Wrong',
    [website],
    [
      {
        id: 'a',
        kind: 'numbers',
        title: 'Wrong type',
        layout: layout(0),
        settings: { function: 3, theirs: { kept: true } },
      },
      {
        id: 'b',
        kind: 'chart',
        title: 'Wrong together',
        layout: layout(4),
        settings: { variant: 'pie', y: { function: 'average' } },
      },
      { id: 'c', kind: 'gantt', title: 'Unknown', layout: layout(8), settings: { bars: [1] } },
    ],
  );
  await login(page, program, `/dashboards/${id}`);
  await expect(tile(page, 'Wrong type').getByText("This widget's settings are invalid")).toBeVisible();
  await expect(tile(page, 'Wrong together').getByText('a pie shows parts of a whole')).toBeVisible();
  await expect(tile(page, 'Unknown').getByText("This version can't show widgets of type “gantt”.")).toBeVisible();
  await expectAccessible(page, 'widgets that cannot be shown');
  await tile(page, 'Wrong type').getByRole('button', { name: 'Reset settings' }).press('Enter');
  await expect(tile(page, 'Wrong type').locator('.figure-value')).toHaveAttribute('title', english(1580.5));
  await settled(page);
  const { config } = await call(program, 'GET', `/dashboards/${id}`);
  expect(config.widgets.map((widget: { settings: object }) => widget.settings)).toEqual([
    { function: 'sum' },
    { variant: 'pie', y: { function: 'average' } },
    { bars: [1] },
  ]);
});
