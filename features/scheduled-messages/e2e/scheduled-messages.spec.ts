import { expect, expectAccessible, setSetting, test } from '../../../e2e/helpers';

test('a message is scheduled in words, sent to the inbox as Markdown, paused, deleted, and restored', async ({
  signedIn: page,
  program,
}) => {
  await page.getByRole('link', { name: 'Scheduled messages' }).click();
  await expect(page.getByText('No scheduled messages')).toBeVisible();
  await page.getByRole('button', { name: 'New message' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill('Metrics');
  await dialog.getByLabel('When').fill('every weekday at 9 in Tokyo');
  await expect(dialog.getByText(/Understood as 09:00, Weekdays, Asia\/Tokyo/)).toBeVisible();
  await dialog.getByLabel('Text', { exact: true }).fill('Read the **metrics**');
  await expect(dialog.getByRole('region', { name: 'Preview' }).locator('strong')).toHaveText('metrics');
  await expectAccessible(page, 'the form of a scheduled message');
  await dialog.getByRole('button', { name: 'Schedule' }).click();
  const row = page.getByRole('list', { name: 'Scheduled messages' }).getByRole('listitem');
  await expect(row).toContainText('09:00, Weekdays, Asia/Tokyo');
  await expectAccessible(page, 'scheduled messages');

  await row.getByRole('button', { name: 'Send Metrics now' }).click();
  await page.getByRole('link', { name: 'Inbox' }).click();
  await page.getByText('Metrics').first().click();
  await expect(page.getByRole('article', { name: 'Metrics' }).locator('strong')).toHaveText('metrics');

  await page.getByRole('link', { name: 'Scheduled messages' }).click();
  await row.locator('.switch').click();
  await expect(row.getByRole('switch', { name: 'Metrics' })).not.toBeChecked();
  await row.getByRole('button', { name: 'Delete Metrics' }).click();
  await expect(page.getByText('No scheduled messages')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(row).toContainText('Metrics');

  await setSetting(program, 'scheduledMessagesEnabled', false);
  await expect(page.getByRole('link', { name: 'Scheduled messages' })).toBeHidden();
});
