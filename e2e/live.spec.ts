/** What happens while a page is being read for the first time is on it all the same. */
import type { Page, Route } from '@playwright/test';
import { call, expect, login, setSetting, test, type Program } from './helpers';

const workspace = async (program: Program): Promise<string> => (await call(program, 'GET', '/workspaces')).items[0].id;

/** Has the page wait for an answer that was made before `happens`, until it shows a setting that was changed after that. */
async function overtaken(page: Page, address: string, happens: () => Promise<unknown>, isHeard: () => Promise<unknown>) {
  await page.route(
    address,
    async (route: Route) => {
      const response = await route.fetch();
      await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
      await happens();
      await isHeard();
      await route.fulfill({ response });
    },
    { times: 1 },
  );
}

test('nothing is read before the page hears what happens', async ({ page, program }) => {
  const asked: string[] = [];
  let open = () => {};
  const isOpen = new Promise<void>((resolve) => (open = resolve));
  await page.route('**/events', async (route) => {
    await isOpen;
    await route.continue();
  });
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(await program.loginAddress());
  await expect(page.getByRole('status').filter({ hasText: 'Connecting' })).toBeAttached();
  expect(asked).not.toContain('/settings');
  open();
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
  await expect.poll(() => asked).toContain('/settings');
});

test('a cell that is written while its board is on its way', async ({ page, program }) => {
  const query = new URLSearchParams({ workspaceId: await workspace(program), name: 'Ship' });
  const { board } = await call(program, 'POST', `/boards/import?${query}`, 'Name,Effort\nPaint the hull,3\n', 'text/csv');
  const [item] = (await call(program, 'GET', `/boards/${board.id}/items`)).items;
  const column = Object.keys(item.cells)[0];
  await overtaken(
    page,
    `${program.url}/boards/${board.id}/full`,
    () => call(program, 'PATCH', `/boards/${board.id}/items/${item.id}/cells/${column}`, JSON.stringify({ value: 8 })),
    async () => {
      await setSetting(program, 'pmColorMode', 'dark');
      await expect.poll(() => page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(22, 23, 27)');
    },
  );
  await login(page, program, `/boards/${board.id}`);
  await expect(page.getByRole('row').filter({ hasText: 'Paint the hull' }).getByRole('gridcell', { name: '8', exact: true })).toBeVisible();
});

test('a name that a dashboard is given while it is on its way', async ({ page, program }) => {
  const made = await call(program, 'POST', '/dashboards', JSON.stringify({ workspaceId: await workspace(program), name: 'Before' }));
  await overtaken(
    page,
    `${program.url}/dashboards/${made.id}`,
    () => call(program, 'PATCH', `/dashboards/${made.id}`, JSON.stringify({ name: 'Afterwards' })),
    async () => {
      await setSetting(program, 'projectBoardsEnabled', false);
      await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Project boards' })).toHaveCount(0);
    },
  );
  await login(page, program, `/dashboards/${made.id}`);
  await expect(page.getByRole('heading', { name: 'Afterwards', level: 1 })).toBeVisible();
});
