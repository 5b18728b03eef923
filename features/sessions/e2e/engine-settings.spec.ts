/** Engines are set up, an agent is added and removed, and a hub gets a tool server, by keyboard where it's a form. */
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { call, expectAccessible } from '../../../e2e/helpers';
import { expect, hubOf, test } from './session';

const KEY = 'sk-browser-Zq8xWv7Tn6';

test('an engine is set up, what is wrong is said at its field, and a secret is never shown again', async ({
  signedIn: page,
  program,
}) => {
  await page.goto(`${program.url}/app/engines`);
  await page.getByRole('button', { name: 'Edit Codex' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit Codex' });
  await dialog.getByLabel('Program').fill('/nowhere/codex-acp');
  await dialog.getByRole('button', { name: 'Save engine' }).press('Enter');
  await expect(dialog.getByText("/nowhere/codex-acp doesn't exist.")).toBeVisible();
  await expectAccessible(page, 'an engine with an error');
  await dialog.getByLabel('Program').fill('');
  await dialog.getByRole('button', { name: 'Add variable' }).press('Enter');
  await expect(dialog.getByLabel('Name of variable 1')).toBeFocused();
  await page.keyboard.type('ROUTER_KEY');
  await page.keyboard.press('Tab');
  await page.keyboard.type(KEY);
  await dialog.getByRole('button', { name: 'Save engine' }).press('Enter');
  await expect(dialog).toHaveCount(0);
  await page.reload();
  await page.getByRole('button', { name: 'Edit Codex' }).click();
  const value = dialog.getByLabel('Value of ROUTER_KEY');
  await expect(value).toHaveAttribute('placeholder', 'Set');
  await expect(value).toHaveValue('');
  expect(await page.content()).not.toContain(KEY);
});

test('an agent is added, offered for new sessions, and removed', async ({ signedIn: page, program, folder }) => {
  const command = path.join(folder, 'my-agent');
  await writeFile(command, '#!/bin/sh\nexit 0\n');
  await chmod(command, 0o755);
  await hubOf(program, folder);
  await page.goto(`${program.url}/app/engines`);
  await page.getByRole('button', { name: 'Add engine' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add engine' });
  await expect(dialog.getByLabel('Name', { exact: true })).toBeFocused();
  await page.keyboard.type('My Agent');
  await dialog.getByLabel('Command').fill(command);
  await dialog.getByLabel('Arguments').fill('acp');
  await expectAccessible(page, 'a new agent');
  await dialog.getByRole('button', { name: 'Add engine' }).click();
  const card = page.getByRole('region', { name: 'My Agent' });
  await expect(card).toContainText('Ready');
  await expectAccessible(page, 'engines with an agent');
  await page.goto(`${program.url}/app/sessions?new=`);
  await page
    .getByRole('dialog', { name: 'Start a session' })
    .getByRole('button', { name: /Engine$/ })
    .click();
  await expect(page.getByRole('option', { name: /My Agent/ })).toBeVisible();
  await page.goto(`${program.url}/app/engines`);
  await page.getByRole('button', { name: 'Remove My Agent' }).click();
  await page.getByRole('button', { name: 'Remove engine' }).click();
  await expect(card).toHaveCount(0);
});

test('a hub gets a tool server', async ({ signedIn: page, program, folder }) => {
  await call(program, 'POST', '/hubs', JSON.stringify({ folder, name: 'Shop' }));
  await page.goto(`${program.url}/app/hubs`);
  await page.getByRole('button', { name: 'Tool servers of Shop' }).click();
  await page.getByRole('button', { name: 'Add tool server' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a tool server' });
  await page.keyboard.type('pilothouse');
  await dialog.getByRole('textbox', { name: 'Command' }).fill('npx');
  await dialog.getByRole('button', { name: 'Save server' }).click();
  await expect(dialog.getByText(/reserved/)).toBeVisible();
  await dialog.getByLabel('Name', { exact: true }).fill('files');
  await dialog.getByRole('button', { name: 'Save server' }).click();
  await expect(page.getByRole('dialog', { name: 'Tool servers of Shop' }).getByText('npx')).toBeVisible();
  await expectAccessible(page, 'tool servers');
});
