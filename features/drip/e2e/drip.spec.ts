import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { call, expect, expectAccessible, setSetting, test } from '../../../e2e/helpers';

test('a queue is filled, put in order, released into the inbox, and hidden with its setting', async ({
  signedIn: page,
  program,
}) => {
  await setSetting(program, 'dripEnabled', true);
  await page.getByRole('link', { name: 'Drip' }).click();
  await expect(page.getByText('No queues')).toBeVisible();
  await page.getByRole('button', { name: 'New queue' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('Reading');
  await expectAccessible(page, 'the form of a queue');
  await dialog.getByRole('button', { name: 'Create' }).click();
  const queue = page.getByRole('region', { name: 'Reading' });
  for (const content of ['# One', '**Two**']) {
    await queue.getByRole('button', { name: 'Add item to Reading' }).click();
    await dialog.getByLabel('Content').fill(content);
    await dialog.getByRole('button', { name: 'Add' }).click();
    await expect(dialog).toBeHidden();
  }
  await queue.getByRole('button', { name: 'Edit Two' }).press('Alt+ArrowUp');
  await expect(queue.getByRole('listitem').first()).toContainText('Two');
  await expectAccessible(page, 'Drip');
  await queue.getByRole('button', { name: 'Release next of Reading' }).click();
  await expect(queue).toContainText('1 waiting, 1 released');
  await page.getByRole('link', { name: 'Inbox' }).click();
  await page.getByText('Two', { exact: true }).first().click();
  await expect(page.getByRole('article').locator('.markdown strong')).toHaveText('Two');
  await setSetting(program, 'dripEnabled', false);
  await expect(page.getByRole('link', { name: 'Drip' })).toBeHidden();
});

test('an HTML item reaches neither the network nor the page around it', async ({
  signedIn: page,
  program,
  console: faults,
}) => {
  let requests = 0;
  const canary = createServer((_, response) => {
    requests += 1;
    response.end();
  });
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
  const { port } = canary.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}/`;
  await setSetting(program, 'dripEnabled', true);
  const queue = await call(program, 'POST', '/drip', JSON.stringify({ name: 'Pages', everyHours: 1 }));
  const content = `<h1>Hello</h1><img src="${address}"><link rel="stylesheet" href="${address}">
    <script>fetch('${address}'); parent.document.title = 'taken'; parent.parent.document.title = 'taken'</script>`;
  const queueId = (queue as { id: string }).id;
  const item = await call(
    program,
    'POST',
    `/drip/${queueId}/items`,
    JSON.stringify({ title: 'Page', kind: 'html', content }),
  );
  await page.goto(`${program.url}/app/drip?item=${queueId}.${(item as { id: string }).id}`);
  const document = page.frameLocator('iframe[title="Page"]').frameLocator('iframe#document');
  await expect(document.getByRole('heading', { name: 'Hello' })).toBeVisible();
  const inner = page.frameLocator('iframe[title="Page"]').locator('iframe#document');
  await expect(inner).toHaveAttribute('sandbox', '');
  await expect(page).not.toHaveTitle(/taken/);
  await expectAccessible(page, 'an HTML item');
  expect(requests).toBe(0);
  // The browser says what it blocked.
  faults.length = 0;
  await setSetting(program, 'dripHtmlPreviewEnabled', false);
  await expect(page.getByText('HTML: Page')).toBeVisible();
  await expect(page.locator('iframe')).toHaveCount(0);
  faults.length = 0;
  canary.close();
});
