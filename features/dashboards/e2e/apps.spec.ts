/** A page of somebody else's on a dashboard: nothing is asked of it before it was allowed, and it has no access to anything. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { call, expect, expectAccessible, login, test, type Program } from '../../../e2e/helpers';

/** What the page tries, each thing with what came of it. */
const PAGE = `<!doctype html><html lang="en"><head><title>Plan</title></head><body><h1>Plan</h1><button>In the app</button><input aria-label="Note"><p></p><script>
const say = (what) => document.querySelector('p').append(what, '; ');
const tried = (name, act) => { try { say(name + ' ' + act()); } catch (error) { say(name + ' ' + error.name); } };
say('origin ' + self.origin);
tried('cookie', () => document.cookie);
tried('storage', () => localStorage.length);
tried('page', () => top.document.title);
tried('frame', () => parent.document.title);
tried('lead', () => { top.location = 'https://elsewhere.example/'; return 'away'; });
tried('window', () => String(window.open('about:blank')));
say('done');
</script></body></html>`;

/** Somebody else's program on this computer, and what was asked of it. */
async function otherProgram() {
  const asked: { url: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    asked.push({ url: request.url ?? '', headers: request.headers });
    response.setHeader('content-type', 'text/html');
    response.setHeader('set-cookie', 'theirs=1');
    response.end(PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('No port was given.');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    asked,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  };
}

async function withApps(program: Program, ...addresses: string[]): Promise<string> {
  const { items } = await call(program, 'GET', '/workspaces');
  const widgets = addresses.map((address, at) => ({
    id: `a${at}`,
    kind: 'apps',
    title: `App ${at}`,
    layout: { x: 6 * at, y: 0, w: 6, h: 8 },
    settings: { address },
  }));
  const record = await call(
    program,
    'POST',
    '/dashboards',
    JSON.stringify({
      workspaceId: items[0].id,
      name: 'Apps',
      config: { version: 1, boardIds: [], widgets, filters: { v: 1, people: null, all: [] } },
    }),
  );
  return record.id;
}

test('a page of somebody else’s is loaded once it is allowed, and reaches nothing', async ({
  page,
  program,
  context,
  console: faults,
}) => {
  const other = await otherProgram();
  const address = `${other.origin}/plan?of=team`;
  await context.addCookies([{ name: 'secret', value: '1', domain: '127.0.0.1', path: '/', sameSite: 'Lax' }]);
  const id = await withApps(program, address, `${other.origin}/other`);
  await login(page, program, `/dashboards/${id}`);
  const tile = page.getByRole('region', { name: 'App 0', exact: true });
  await expect(tile.getByText(address)).toBeVisible();
  await expect(
    page.getByRole('region', { name: 'App 1', exact: true }).getByRole('button', { name: 'Allow page' }),
  ).toBeVisible();
  await expectAccessible(page, 'a page that is not allowed yet');
  await expect(page.locator('iframe')).toHaveCount(0);
  expect(other.asked).toEqual([]);

  await tile.getByRole('button', { name: 'Allow page' }).click();
  const app = page.frameLocator(`iframe[title="App 0, page from ${other.origin}"]`).frameLocator('iframe');
  await expect(app.getByText('done;')).toBeVisible();
  const said = (await app.locator('p').textContent()) ?? '';
  expect(said).toContain(
    'origin null; cookie SecurityError; storage SecurityError; page SecurityError; frame SecurityError; lead SecurityError; window null;',
  );
  expect(new URL(page.url()).pathname).toBe(`/app/dashboards/${id}`);
  const first = other.asked[0];
  expect(first?.url).toBe('/plan?of=team');
  expect([first?.headers.cookie, first?.headers.referer, first?.headers.authorization]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(other.asked.filter(({ url }) => url === '/other')).toEqual([]);

  // The keyboard gets in and out again.
  await tile.getByRole('button', { name: 'More for App 0' }).focus();
  await page.keyboard.press('Tab');
  await expect(app.getByRole('button', { name: 'In the app' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(app.getByRole('textbox', { name: 'Note' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(app.getByRole('textbox', { name: 'Note' })).not.toBeFocused();
  await expect(page.locator('.tile-explain').first()).toBeFocused();

  // The console tells of its tries alone: nothing of ours was refused.
  expect(faults.filter((fault) => !/navigate|sandboxed|allow-popups|top-level/i.test(fault))).toEqual([]);
  faults.length = 0;

  // On paper and in a picture stands what it is, and not the page.
  const drawn = tile.getByText(`Third-party page from ${other.origin}. Shown only in Pilothouse.`);
  await expect(drawn).toBeHidden();
  await page.emulateMedia({ media: 'print' });
  await expect(drawn).toBeVisible();
  await expect(page.locator('iframe')).toBeHidden();
  await expect(page.getByText('/other')).toBeHidden();
  await page.emulateMedia({ media: null });
  const begun = other.asked.length;
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Export as PNG' }).click();
  expect((await download).suggestedFilename()).toBe('Apps.png');
  expect(other.asked.length).toBe(begun);

  // Allowed no more, it is gone at once.
  const { frame } = await page.locator('iframe').evaluate((element) => ({ frame: (element as HTMLIFrameElement).src }));
  await tile.getByRole('button', { name: 'More for App 0' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await page.getByRole('button', { name: `Remove ${address}` }).click();
  await expect(page.locator('iframe')).toHaveCount(0);
  expect((await page.request.get(frame, { headers: { 'sec-fetch-site': 'same-origin' } })).status()).toBe(404);
  await other.stop();
});

test('what is no address of a page is never loaded, and the published page names no more than its origin', async ({
  page,
  program,
}) => {
  const id = await withApps(program, 'javascript:alert(1)', 'https://user:secret@apps.example/');
  await login(page, program, `/dashboards/${id}`);
  await expect(page.getByText('Page not shown: the address must begin with https://.')).toBeVisible();
  await expect(page.getByText('Page not shown: the address has a user name or password.')).toBeVisible();
  await expect(page.locator('iframe')).toHaveCount(0);
  const right = await withApps(program, 'https://apps.example/private?key=1');
  const { html } = await call(program, 'GET', `/dashboards/${right}/publication/preview`);
  expect(html).toContain('Third-party page from <bdi>https://apps.example</bdi>. Shown only in Pilothouse.');
  expect(html).not.toContain('private');
  expect(html).not.toContain('iframe');
});

test('a page that is allowed no more ends in all windows', async ({ page, program, context, console: faults }) => {
  const other = await otherProgram();
  const id = await withApps(program, `${other.origin}/plan`);
  const second = await context.newPage();
  await login(page, program, `/dashboards/${id}`);
  await login(second, program, `/dashboards/${id}`);
  await expect(second.getByRole('button', { name: 'Allow page' })).toBeVisible();
  await page.getByRole('button', { name: 'Allow page' }).click();
  for (const window of [page, second]) await expect(window.locator('iframe')).toHaveCount(1);
  await page
    .getByRole('region', { name: 'App 0', exact: true })
    .getByRole('button', { name: 'More for App 0' })
    .click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await page.getByRole('button', { name: /^Remove http/ }).click();
  for (const window of [page, second]) await expect(window.locator('iframe')).toHaveCount(0);
  await expect(second.getByRole('button', { name: 'Allow page' })).toBeVisible();
  // The console tells of what the page tries.
  faults.length = 0;
  await other.stop();
});

test('what is typed into a page stays when its tile changes places with another', async ({
  page,
  program,
  console: faults,
}) => {
  const other = await otherProgram();
  const id = await withApps(program, `${other.origin}/plan`, `${other.origin}/other`);
  await login(page, program, `/dashboards/${id}`);
  const tile = page.getByRole('region', { name: 'App 0', exact: true });
  await tile.getByRole('button', { name: 'Allow page' }).click();
  const note = page
    .frameLocator(`iframe[title="App 0, page from ${other.origin}"]`)
    .frameLocator('iframe')
    .getByRole('textbox', { name: 'Note' });
  await note.fill('Half a sentence');
  const order = () => page.locator('.tile-title').allTextContents();
  expect(await order()).toEqual(['App 0', 'App 1']);

  // Its neighbor comes before it, and then it goes back before its neighbor.
  const moves = [
    ['App 1', 'Shift+ArrowLeft', ['App 1', 'App 0']],
    ['App 0', 'Shift+ArrowUp', ['App 0', 'App 1']],
  ] as const;
  for (const [name, key, expected] of moves) {
    const handle = page.getByRole('button', { name: `Move ${name}` });
    await handle.focus();
    for (const pressed of ['Enter', key, key, 'Enter']) await page.keyboard.press(pressed);
    await expect.poll(order).toEqual(expected);
    await expect(handle).toBeFocused();
    await expect(note).toHaveValue('Half a sentence');
  }
  expect(other.asked).toHaveLength(1);
  faults.length = 0;
  await other.stop();
});
