/** What happens while a page is being read for the first time is on it all the same. */
import type { Page, Route } from '@playwright/test';
import { call, expect, grid, login, setSetting, test, type Program } from './helpers';

const workspace = async (program: Program): Promise<string> => (await call(program, 'GET', '/workspaces')).items[0].id;

/** Has the page need your answer that was made before `happens`, until it shows a setting that was changed after that. */
async function overtaken(
  page: Page,
  address: string,
  happens: () => Promise<unknown>,
  isHeard: () => Promise<unknown>,
) {
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
  const { board } = await call(
    program,
    'POST',
    `/boards/import?${query}`,
    'Name,Effort\nPaint the hull,3\n',
    'text/csv',
  );
  const [item] = (await call(program, 'GET', `/boards/${board.id}/items`)).items;
  const column = Object.keys(item.cells)[0];
  await overtaken(
    page,
    `${program.url}/boards/${board.id}/full`,
    () => call(program, 'PATCH', `/boards/${board.id}/items/${item.id}/cells/${column}`, JSON.stringify({ value: 8 })),
    async () => {
      await setSetting(program, 'pmColorMode', 'dark');
      await expect
        .poll(() => page.evaluate(() => getComputedStyle(document.body).backgroundColor))
        .toBe('rgb(22, 23, 27)');
    },
  );
  await login(page, program, `/boards/${board.id}`);
  await expect(
    page.getByRole('row').filter({ hasText: 'Paint the hull' }).getByRole('gridcell', { name: '8', exact: true }),
  ).toBeVisible();
});

test('a name that a dashboard is given while it is on its way', async ({ page, program }) => {
  const made = await call(
    program,
    'POST',
    '/dashboards',
    JSON.stringify({ workspaceId: await workspace(program), name: 'Before' }),
  );
  await overtaken(
    page,
    `${program.url}/dashboards/${made.id}`,
    () => call(program, 'PATCH', `/dashboards/${made.id}`, JSON.stringify({ name: 'Afterwards' })),
    async () => {
      await setSetting(program, 'projectBoardsEnabled', false);
      await expect(
        page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Project boards' }),
      ).toHaveCount(0);
    },
  );
  await login(page, program, `/dashboards/${made.id}`);
  await expect(page.getByRole('heading', { name: 'Afterwards', level: 1 })).toBeVisible();
});

test('an edit of a cell has the navigation read no boards, a new name is shown', async ({ page, program }) => {
  const query = new URLSearchParams({ workspaceId: await workspace(program), name: 'Edited' });
  const { board } = await call(program, 'POST', `/boards/import?${query}`, 'Name,Effort\nPaint,3\n', 'text/csv');
  await login(page, program, '/settings');
  const link = page.getByRole('list', { name: 'Boards' }).getByRole('link');
  await expect(link.filter({ hasText: 'Edited' })).toBeVisible();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const item = (await call(program, 'GET', `/boards/${board.id}/items`)).items[0].id;
  await call(program, 'PATCH', `/boards/${board.id}/items/${item}/cells/c1`, JSON.stringify({ value: 5 }));
  await call(program, 'PATCH', `/boards/${board.id}`, JSON.stringify({ name: 'Renamed' }));
  await expect(link.filter({ hasText: 'Renamed' })).toBeVisible();
  expect(asked).not.toContain('/boards');
  // The page of the board knows by itself.
  await link.filter({ hasText: 'Renamed' }).click();
  await expect(page.getByRole('gridcell', { name: '5', exact: true })).toBeVisible();
  asked.length = 0;
  await call(program, 'PATCH', `/boards/${board.id}/items/${item}/cells/c1`, JSON.stringify({ value: 8 }));
  await expect(page.getByRole('gridcell', { name: '8', exact: true })).toBeVisible();
  await call(program, 'PATCH', `/boards/${board.id}`, JSON.stringify({ name: 'Once more' }));
  await expect(link.filter({ hasText: 'Once more' })).toBeVisible();
  expect(asked.filter((path) => path === '/boards' || path === `/boards/${board.id}`)).toEqual([]);
  await call(program, 'PATCH', `/boards/${board.id}`, JSON.stringify({ name: 'Renamed' }));
  await page.goto(`${program.url}/app/settings`);
  await expect(link.filter({ hasText: 'Renamed' })).toBeVisible();
  await call(program, 'DELETE', `/boards/${board.id}`);
  await expect(link.filter({ hasText: 'Renamed' })).toHaveCount(0);
  await call(program, 'POST', `/boards/${board.id}/restore`);
  await expect(link.filter({ hasText: 'Renamed' })).toBeVisible();
});

/** An open board of three items, what changes it from elsewhere, and whether its page read it whole since. */
async function followed(page: Page, program: Program) {
  const query = new URLSearchParams({ workspaceId: await workspace(program), name: 'Followed' });
  const { board } = await call(
    program,
    'POST',
    `/boards/import?${query}`,
    'Name,Points\nOne,3\nTwo,5\nThree,8\n',
    'text/csv',
  );
  const items = (await call(program, 'GET', `/boards/${board.id}/items`)).items as { id: string; position: number }[];
  await login(page, program, `/boards/${board.id}`);
  await expect(names(page)).toHaveText(['One', 'Two', 'Three']);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const send = (method: string, path: string, body?: unknown) =>
    call(program, method, `/boards/${board.id}${path}`, body === undefined ? null : JSON.stringify(body));
  const revision = async (): Promise<number> => (await send('GET', '')).revision;
  const undo = async () => send('POST', '/undo', { revision: await revision() });
  return { items, send, undo, isRead: () => asked.includes(`/boards/${board.id}/full`) };
}

const names = (page: Page) => grid(page).locator('.grid-item .grid-cell[data-column="0"] > .grid-text');

test('items that are moved elsewhere, with that taken back and done again, stand in their place without a reading', async ({
  page,
  program,
}) => {
  const { items, send, undo, isRead } = await followed(page, program);
  await send('PATCH', `/items/${items[2]!.id}`, { position: items[0]!.position + 1 });
  await expect(names(page)).toHaveText(['One', 'Three', 'Two']);
  await undo();
  await expect(names(page)).toHaveText(['One', 'Two', 'Three']);
  await undo();
  await expect(names(page)).toHaveText(['One', 'Three', 'Two']);
  await send('DELETE', `/items/${items[0]!.id}`);
  await expect(names(page)).toHaveText(['Three', 'Two']);
  await send('POST', `/items/${items[0]!.id}/restore`);
  await expect(names(page)).toHaveText(['One', 'Three', 'Two']);
  // The engine knows the order as well.
  await page.getByRole('searchbox', { name: 'Search items' }).fill('t');
  await expect(names(page)).toHaveText(['Three', 'Two']);
  await send('PATCH', `/items/${items[1]!.id}`, { position: 0 });
  await expect(names(page)).toHaveText(['Two', 'Three']);
  expect(isRead()).toBe(false);
});

test('columns and groups that are added, changed, moved and deleted elsewhere are shown without a reading', async ({
  page,
  program,
}) => {
  const { items, send, undo, isRead } = await followed(page, program);
  const heads = grid(page).getByRole('columnheader');
  await expect(heads).toHaveText(['Name', 'Points', 'Actions']);
  const made = await send('POST', '/columns', { title: 'Note', type: 'text', position: 0 });
  await expect(heads).toHaveText(['Name', 'Note', 'Points', 'Actions']);
  await send('PATCH', `/items/${items[1]!.id}/cells/${made.id}`, { value: 'written' });
  await expect(grid(page).getByRole('gridcell', { name: 'written', exact: true })).toBeVisible();
  await page.getByRole('searchbox', { name: 'Search items' }).fill('written');
  await expect(names(page)).toHaveText(['Two']);
  await send('PATCH', `/columns/${made.id}`, { title: 'Remark', position: 1 });
  await expect(heads).toHaveText(['Name', 'Points', 'Remark', 'Actions']);
  await undo();
  await expect(heads).toHaveText(['Name', 'Note', 'Points', 'Actions']);
  await send('DELETE', `/columns/${made.id}`);
  await expect(heads).toHaveText(['Name', 'Points', 'Actions']);
  await undo();
  await expect(heads).toHaveText(['Name', 'Note', 'Points', 'Actions']);
  await expect(names(page)).toHaveText(['Two']);
  await expect(grid(page).getByRole('gridcell', { name: 'written', exact: true })).toBeVisible();
  await send('POST', '/columns', { title: 'Twice', type: 'formula', settings: { formula: '{Points} * 2' } });
  await expect(grid(page).getByRole('gridcell', { name: '10', exact: true })).toBeVisible();
  await page.getByRole('searchbox', { name: 'Search items' }).fill('');
  const group = await send('POST', '/groups', { name: 'Later', position: 0 });
  await send('PATCH', `/items/${items[0]!.id}`, { groupId: group.id });
  await expect(names(page)).toHaveText(['One', 'Two', 'Three']);
  await send('PATCH', `/groups/${group.id}`, { position: 1 });
  await expect(names(page)).toHaveText(['Two', 'Three', 'One']);
  await undo();
  await expect(names(page)).toHaveText(['One', 'Two', 'Three']);
  await send('DELETE', `/groups/${group.id}?withItems=true`);
  await expect(names(page)).toHaveText(['Two', 'Three']);
  await undo();
  await expect(names(page)).toHaveText(['One', 'Two', 'Three']);
  expect(isRead()).toBe(false);
});

test('what linked items hold is shown as it changes without a reading', async ({ page, program }) => {
  const query = new URLSearchParams({ workspaceId: await workspace(program), name: 'Sprints' });
  const sprints = (
    await call(program, 'POST', `/boards/import?${query}`, 'Name,Goal\nFirst,20\nSecond,7\n', 'text/csv')
  ).board.id as string;
  const [first, second] = (await call(program, 'GET', `/boards/${sprints}/items`)).items as [
    { id: string },
    { id: string },
  ];
  const { items, send, isRead } = await followed(page, program);
  const there = (method: string, path: string, body?: unknown) =>
    call(program, method, `/boards/${sprints}${path}`, body === undefined ? null : JSON.stringify(body));
  const undoThere = async () => there('POST', '/undo', { revision: (await there('GET', '')).revision });
  const cell = (name: string) => grid(page).getByRole('gridcell', { name, exact: true });
  const link = await send('POST', '/columns', { title: 'Sprint', type: 'itemLink', settings: { boardId: sprints } });
  await send('PATCH', `/items/${items[0]!.id}/cells/${link.id}`, { value: [first.id] });
  await expect(cell('First')).toBeVisible();
  await send('POST', '/columns', {
    title: 'Goal',
    type: 'mirror',
    settings: { linkColumn: link.id, sourceColumn: 'c1' },
  });
  await expect(cell('20')).toBeVisible();
  await there('PATCH', `/items/${first.id}/cells/c1`, { value: 21 });
  await expect(cell('21')).toBeVisible();
  await undoThere();
  await expect(cell('20')).toBeVisible();
  await undoThere();
  await expect(cell('21')).toBeVisible();
  await there('PATCH', `/items/${first.id}`, { name: 'Renamed' });
  await expect(cell('Renamed')).toBeVisible();
  // The engine knows as well.
  await page.getByRole('searchbox', { name: 'Search items' }).fill('renamed');
  await expect(names(page)).toHaveText(['One']);
  await there('PATCH', `/items/${first.id}`, { name: 'Again' });
  await expect(names(page)).toHaveText([]);
  await page.getByRole('searchbox', { name: 'Search items' }).fill('');
  await there('DELETE', `/items/${first.id}`);
  await expect(cell('21')).toHaveCount(0);
  await there('POST', `/items/${first.id}/restore`);
  await expect(cell('Again')).toBeVisible();
  await send('PATCH', `/items/${items[1]!.id}/cells/${link.id}`, { value: [second.id] });
  await expect(cell('Second')).toBeVisible();
  await expect(cell('7')).toBeVisible();
  expect(isRead()).toBe(false);
});
