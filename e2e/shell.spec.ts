import { call, expect, expectAccessible, login, settingRow, test } from './helpers';

test('without a token the page says how to open it', async ({ page, program }) => {
  await page.goto(`${program.url}/app/`);
  await expect(page.getByRole('heading', { name: "You're signed out" })).toBeVisible();
  await expect(page.getByText('pilothouse open', { exact: true })).toBeVisible();
  await expectAccessible(page, 'signed out');
  // A login address opened in this very tab changes no more than what follows the #.
  await page.goto(await program.loginAddress());
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
});

test('a link that is opened in a new tab says why it is not signed in, and how one is', async ({ signedIn: page }) => {
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'Project boards' }).click({ button: 'middle' });
  const tab = await opened;
  await expect(tab).toHaveURL(/\/app\/boards$/);
  await expect(tab.getByText('Each tab signs in separately')).toBeVisible();
  await expect(tab.getByText('pilothouse open', { exact: true })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
});

test('a token that is refused later leads there too', async ({ page, program }) => {
  await login(page, program);
  await page.evaluate(() => sessionStorage.setItem('pilothouse.token', 'ph_own_none'));
  await page.reload();
  await expect(page.getByText('Nothing was lost.')).toBeVisible();
});

test('the address without a page leads to one', async ({ page, program }) => {
  await page.goto(`${program.url}/`);
  await expect(page).toHaveURL(/\/app\//);
});

test('the palette goes to a setting, with the keyboard alone', async ({ signedIn: page }) => {
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('searchbox', { name: 'Search and commands' });
  await expect(field).toBeFocused();
  // The focus stays in the field; the arrow keys move through the results and scroll them.
  await expectAccessible(page, 'palette', ['scrollable-region-focusable']);
  await page.keyboard.type('toastDisplayDuration');
  await expect(page.getByRole('menuitem').first()).toContainText(/toast display duration/i);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/key=toastDisplayDurationSeconds/);
  await expect(settingRow(page, 'toastDisplayDurationSeconds')).toBeVisible();
});

test('the palette lists each page once, and what was chosen last on top', async ({ signedIn: page }) => {
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
  await page.keyboard.press('Control+k');
  const entry = (name: RegExp) => page.getByRole('menuitem', { name });
  for (const name of [/^Inbox(?! stats)/, /^Sessions/]) await expect(entry(name)).toHaveCount(1);
  await expect(page.getByRole('searchbox', { name: 'Search and commands' })).toBeFocused();
  await page.keyboard.type('approvals');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/inbox$/);
  await page.reload();
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(entry(/^Inbox(?! stats)/)).toHaveCount(1);
  await expect(page.getByRole('menuitem').first()).toContainText('Inbox');
});

test('the palette changes the theme, and the choice is kept', async ({ signedIn: page }) => {
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByRole('searchbox', { name: 'Search and commands' }).fill('dark theme');
  await page.getByRole('menuitem', { name: /Use the dark theme/ }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});

test('the navigation folds, and keeps its names', async ({ signedIn: page }) => {
  const entry = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' });
  await expect(entry).toHaveAttribute('aria-current', 'page');
  await page.getByRole('button', { name: 'Hide sidebar' }).click();
  await expect(entry).toBeVisible();
  await expectAccessible(page, 'folded navigation');
  await page.reload();
  await expect(page.getByRole('button', { name: 'Show sidebar' })).toBeVisible();
  await page.keyboard.press('[');
  await expect(page.getByRole('button', { name: 'Hide sidebar' })).toBeVisible();
});

test('the keys of the page are listed', async ({ signedIn: page }) => {
  await page.locator('#main').focus();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(dialog.getByText('Search settings')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
});

test('an unknown address says so', async ({ page, program }) => {
  await login(page, program, '/nothing/here');
  await expect(page.getByText('Page not found')).toBeVisible();
  await expectAccessible(page, 'unknown address');
});

test('every component is accessible in each of its states', async ({ page, program }) => {
  await login(page, program, '/dev/components');
  await expect(page.getByRole('heading', { name: 'Components' })).toBeVisible();
  await expectAccessible(page, 'components');
});

test('in a narrow window the navigation is a bar of icons, without what stands below the entries', async ({
  page,
  program,
}) => {
  const { items } = await call(program, 'GET', '/workspaces');
  await call(program, 'POST', '/boards', JSON.stringify({ workspaceId: items[0].id, name: 'Narrow', preset: 'blank' }));
  await login(page, program, '/boards');
  const nav = page.getByRole('navigation', { name: 'Main' });
  const boards = nav.getByRole('list', { name: 'Boards', exact: true });
  await expect(boards).toBeVisible();
  await page.setViewportSize({ width: 600, height: 800 });
  await expect(nav.getByRole('link', { name: 'Project boards' })).toBeVisible();
  await expect(boards).toHaveCount(0);
  await expect(nav.getByRole('button', { name: 'Create dashboard' })).toHaveCount(0);
  expect((await nav.boundingBox())!.width).toBe(48);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(600);
});

test('in a narrow window the palette and the side panel fit, and no page stands twice in the palette', async ({
  page,
  program,
}) => {
  await page.setViewportSize({ width: 600, height: 800 });
  await login(page, program, '/settings?history=all');
  const inside = async (box: { x: number; width: number } | null) =>
    expect(box!.x + box!.width).toBeLessThanOrEqual(600);
  await inside(await page.getByRole('complementary', { name: 'Settings history' }).boundingBox());
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Search and commands' });
  await expect(palette.getByRole('menuitem', { name: /^Dashboards/ })).toHaveCount(1);
  await inside(await palette.boundingBox());
});

test('a page that is opened while the program is away says so, and opens when it is back', async ({
  page,
  program,
  console: faults,
}) => {
  await login(page, program, '/boards');
  await expect(page.getByRole('heading', { name: 'Project boards', level: 1 })).toBeVisible();
  await page.route(/\/app\/assets\/|\/health$/, (route) => route.abort());
  await page.getByRole('link', { name: 'Dashboards' }).click();
  await expect(page.getByText("Couldn't load this page")).toBeVisible();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText("Still can't reach it.")).toBeVisible();
  await page.unroute(/\/app\/assets\/|\/health$/);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'Dashboards', level: 1 })).toBeVisible();
  // The browser and React tell the files that were missing.
  faults.splice(0, faults.length, ...faults.filter((fault) => !/net::ERR_|preload|dynamically imported/.test(fault)));
});
