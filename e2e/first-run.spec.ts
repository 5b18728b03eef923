import { rm } from 'node:fs/promises';
import { expect, expectAccessible, login, settingOf, test } from './helpers';

test('the first screen leads to a whole practice session, answered from the inbox', async ({ page, program }) => {
  await login(page, program);
  await expect(page.getByRole('heading', { name: 'Welcome to Pilothouse' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Set up your first board' })).toBeVisible();
  await expectAccessible(page, 'first screen');
  await page.getByLabel('How did you hear about Pilothouse?').fill('A friend');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('How you heard about Pilothouse: A friend')).toBeVisible();
  expect(await settingOf(program, 'heardAboutUs')).toBe('A friend');
  await page.getByRole('button', { name: 'Start practice session' }).click();
  await expect(page).toHaveURL(/\/app\/sessions\//);
  const session = page.url();
  await page.getByRole('link', { name: /Inbox/ }).click();
  await page
    .getByRole('article', { name: /^A first look/ })
    .getByRole('button', { name: 'Allow', exact: true })
    .click();
  await expect(page.getByRole('row', { name: /^A first look.*: done/ })).toBeVisible();
  await page.goto(session);
  await expect(page.getByText('Finished').first()).toBeVisible();
  // With a session it is no more the first screen.
  await page.goto(`${program.url}/app/`);
  await expect(page).toHaveURL(/\/app\/inbox$/);
  await rm(`${program.dataDir}-practice`, { recursive: true, force: true });
});
