import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, expect, expectAccessible, setSetting, test } from '../../../e2e/helpers';

const SERVER = `require('http').createServer((request, response) => {
  console.log(request.method, request.url);
  response.setHeader('content-type', 'text/html').end('<!doctype html><title>Site</title><h1>Hello from ' + request.headers.host + '</h1>');
}).listen(process.env.PORT, process.env.HOST, () => console.log('ready'));`;

test('an app is started from the page, opened through the proxy, and stopped', async ({ signedIn: page, program }) => {
  const folder = mkdtempSync(join(tmpdir(), 'running-apps-'));
  writeFileSync(join(folder, 'server.js'), SERVER);
  await call(program, 'POST', '/hubs', JSON.stringify({ folder }));
  await page.getByRole('link', { name: 'Running apps' }).click();
  await expect(page.getByText('No running apps')).toBeVisible();
  await page.getByRole('button', { name: 'Start app' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('My Site');
  await dialog.getByLabel('Command', { exact: true }).fill('node server.js');
  await dialog.getByRole('button', { name: 'Start' }).click();
  await expect(dialog.getByText(/such as my-site/)).toBeVisible();
  await expectAccessible(page, 'the form of an app');
  await dialog.getByLabel('Name', { exact: true }).fill('my-site');
  await dialog.getByRole('button', { name: 'Start' }).click();
  const row = page.getByRole('list', { name: 'Running apps' }).getByRole('listitem');
  await expect(row.getByText('Up', { exact: true })).toBeVisible();
  await row.getByRole('button', { name: 'Log of my-site' }).click();
  await expect(row.getByRole('region')).toContainText('ready');
  await expectAccessible(page, 'running apps');

  const opened = page.waitForEvent('popup');
  await row.getByRole('link').click();
  const site = await opened;
  await expect(site.getByRole('heading', { name: /Hello from my-site\.localhost/ })).toBeVisible();
  const url = site.url();
  await row.getByRole('button', { name: 'Stop my-site' }).click();
  await expect(row.getByText('Stopped', { exact: true })).toBeVisible();
  await site.reload();
  await expect(site.getByRole('heading', { name: 'my-site has ended' })).toBeVisible();
  await row.getByRole('button', { name: 'Restart my-site' }).click();
  await expect(row.getByText('Up', { exact: true })).toBeVisible();
  // Off hides the entry; the proxy goes on.
  await setSetting(program, 'runningAppsEnabled', false);
  await expect(page.getByRole('link', { name: 'Running apps' })).toBeHidden();
  await site.goto(url);
  await expect(site.getByRole('heading', { name: /Hello from/ })).toBeVisible();
});
