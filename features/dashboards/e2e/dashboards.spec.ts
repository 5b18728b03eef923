import type { Page } from '@playwright/test';
import { call, expect, expectAccessible, login, test } from '../../../e2e/helpers';
import {
  all,
  english,
  makeDashboard,
  numbers,
  settled,
  sum,
  tabTo,
  tile,
  titles,
  twoBoards,
  WEBSITE,
} from './dashboard';

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

test('from an empty page to figures, by mouse', async ({ page, program }) => {
  await twoBoards(program, 'mouse');
  await login(page, program, '/dashboards');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name: 'Create dashboard' }).click();
  const name = page.getByRole('textbox', { name: 'Dashboard name' });
  await expect(name).toBeFocused();
  await name.fill('Money');
  await name.press('Enter');
  await expect(page.getByText('Connect boards to start')).toBeVisible();

  await page.locator('.page-actions').getByRole('button', { name: 'Connect boards' }).click();
  await page.getByRole('searchbox', { name: 'Search boards' }).fill('mouse');
  await expect(page.getByRole('dialog').getByText('4 items')).toBeVisible();
  await page.getByRole('dialog').getByText('Website mouse').click();
  await page.getByRole('dialog').getByText('App mouse').click();
  await expectAccessible(page, 'connect boards');
  await page.getByRole('button', { name: 'Connect 2 boards' }).click();
  await expect(page.getByText('over all 2 connected boards')).toBeVisible();

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
  await expect(page.getByText('Connect boards to start')).toBeVisible();
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
  await expect(page.getByText('Connect boards to start')).toBeVisible();
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
  // The name can be typed before the dashboard is there; its keys come with it.
  await expect(page).toHaveURL(/dashboards\/(?!new)/);
  await expect(page.getByText('Connect boards to start')).toBeVisible();

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
  await expect(page.getByText('over all 2 connected boards')).toBeVisible();

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
