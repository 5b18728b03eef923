import type { Page } from '@playwright/test';
import { call, expect, expectAccessible, login, rawCall, test, type Program } from '../../../e2e/helpers';

/** Markup that would do something where it is not escaped. */
const HOSTILE = `<img src=x onerror="window.pwned=1">"'&`;

async function dashboard(program: Program, name: string): Promise<string> {
  const { items } = await call(program, 'GET', '/workspaces');
  const csv = [
    'Name,Status,Cost',
    'Home page,Done,1200',
    'Prices,Stuck,300',
    `Contact,"${HOSTILE.replaceAll('"', '""')}",80`,
  ].join('\n');
  const { board } = await call(
    program,
    'POST',
    `/boards/import?${new URLSearchParams({ workspaceId: items[0].id, name: `Website ${HOSTILE}` })}`,
    csv,
    'text/csv',
  );
  const widget = (id: string, kind: string, title: string, x: number, y: number, settings: object) => ({
    id,
    kind,
    title,
    layout: { x, y, w: 6, h: 6 },
    settings,
  });
  const widgets = [
    widget('n', 'numbers', `Items ${HOSTILE}`, 0, 0, { function: 'count' }),
    widget('c', 'chart', 'By status', 6, 0, { x: { by: 'column' } }),
    widget('b', 'chart', 'By board', 0, 6, { variant: 'donut', x: { by: 'board' } }),
    widget('t', 'table', 'Rows', 6, 6, {}),
    widget('i', 'chart', 'By item', 0, 12, { variant: 'bar', x: { by: 'name' } }),
  ];
  const body = {
    workspaceId: items[0].id,
    name,
    config: { version: 1, boardIds: [board.id], widgets, filters: { v: 1, people: null, all: [] } },
  };
  return (await call(program, 'POST', '/dashboards', JSON.stringify(body))).id;
}

/** Publishes through the dialog; where. */
async function publish(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Publish to web' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Publish to web' });
  const button = dialog.getByRole('button', { name: 'Publish', exact: true });
  await expect(button).toBeEnabled();
  await expectAccessible(page, 'publish dialog');
  await button.press('Enter');
  const link = dialog.getByRole('link', { name: /^http:/ });
  await expect(link).toBeVisible();
  return (await link.getAttribute('href'))!;
}

test('a dashboard is published, read by a stranger, published again, and revoked', async ({
  page,
  program,
  browser,
}) => {
  const id = await dashboard(program, `Figures ${HOSTILE}`);
  await login(page, program, `/dashboards/${id}`);
  const address = await publish(page);
  const dialog = page.getByRole('dialog', { name: 'Publish to web' });
  await expect(dialog.getByText("Rows isn't published: it shows individual items.")).toBeVisible();
  await expect(dialog.getByText(/No changes since/)).toBeVisible();
  expect(new URL(address).origin).not.toBe(program.url);

  // Scripts are off on the page; the check brings its own.
  const context = await browser.newContext({ bypassCSP: true });
  const reader = await context.newPage();
  const asked: string[] = [];
  reader.on('request', (request) => asked.push(request.url()));
  await reader.goto(address);
  await expect(reader.getByRole('heading', { level: 1 })).toHaveText(`Figures ${HOSTILE}`);
  await expect(reader.getByRole('heading', { level: 2 })).toHaveText([
    `Items ${HOSTILE}`,
    'By status',
    'By board',
    'By item',
  ]);
  await reader.getByText('Show as table').first().click();
  await expect(reader.getByRole('row', { name: 'Done 1' })).toBeVisible();
  const text = await reader.content();
  for (const kept of ['Home page', 'Prices', id]) expect(text).not.toContain(kept);
  for (const width of [1280, 480]) {
    await reader.setViewportSize({ width, height: 800 });
    await expectAccessible(reader, `published page, ${width} wide`);
    expect(await reader.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  }
  expect(await reader.evaluate(() => 'pwned' in window)).toBe(false);
  // The page, and nothing else: no script, no picture, nothing of the interface.
  expect(asked).toEqual([address]);

  await call(program, 'PATCH', `/dashboards/${id}`, JSON.stringify({ name: 'Renamed' }));
  await reader.reload();
  await expect(reader.getByRole('heading', { level: 1 })).toHaveText(`Figures ${HOSTILE}`);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await page.getByRole('button', { name: 'Publish to web' }).click();
  await expect(dialog.getByText(/The results have changed since/)).toBeVisible();
  await expect(dialog.getByText(/Items and cell text are shown as numbers\./)).toBeVisible();
  await dialog.getByText('Show item names and cell text').click();
  await expect(dialog.getByText(/item names\. No other boards/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Publish again' }).click();
  await expect(dialog.getByText(/No changes since/)).toBeVisible();
  await reader.reload();
  await expect(reader.getByRole('heading', { level: 1 })).toHaveText('Renamed');
  expect(await reader.content()).toContain('Home page');

  await dialog.getByRole('button', { name: 'Unpublish', exact: true }).press('Enter');
  await page
    .getByRole('dialog', { name: 'Unpublish Renamed?' })
    .getByRole('button', { name: 'Unpublish' })
    .press('Enter');
  await expect(dialog.getByText('Not published.')).toBeVisible();
  // Nothing is published any more, so that nothing listens either.
  await expect
    .poll(() =>
      fetch(address).then(
        ({ status }) => status,
        () => 'nothing listens',
      ),
    )
    .toBe('nothing listens');
  await context.close();
});

test('one address is gone while another still works, and the door serves nothing else', async ({ program }) => {
  const [kept, revoked] = [await dashboard(program, 'Kept'), await dashboard(program, 'Revoked')];
  const put = async (id: string) =>
    (await call(program, 'POST', `/dashboards/${id}/publication`, '{}')).address as string;
  const [works, gone] = [await put(kept), await put(revoked)];
  expect((await rawCall(program, 'DELETE', `/dashboards/${revoked}/publication`)).status).toBe(204);
  const told = async (address: string) => {
    const answer = await fetch(address);
    return [answer.status, await answer.text()];
  };
  const [status, unknown] = await told(`${new URL(works).origin}/p/${'0'.repeat(32)}`);
  expect(status).toBe(404);
  expect(await told(gone)).toEqual([404, unknown]);
  for (const path of ['/', '/app/', '/health', '/dashboards', `/dashboards/${kept}`, '/openapi.json', '/mcp'])
    expect(await told(new URL(works).origin + path)).toEqual([404, unknown]);
  expect((await told(works))[0]).toBe(200);
  // Neither does the interface serve published pages.
  expect((await fetch(program.url + new URL(works).pathname)).status).toBe(401);
});

test('it is printed without cutting a widget', async ({ program, browser }) => {
  const id = await dashboard(program, 'Printed');
  const { address } = await call(program, 'POST', `/dashboards/${id}/publication`, '{}');
  const context = await browser.newContext({ bypassCSP: true });
  const page = await context.newPage();
  await page.goto(address);
  await page.emulateMedia({ media: 'print' });
  const cut = await page
    .locator('.tile')
    .evaluateAll((tiles) => tiles.map((tile) => getComputedStyle(tile).breakInside));
  expect(cut).toEqual(['avoid', 'avoid', 'avoid', 'avoid']);
  await context.close();
});
