import { call, expect, expectAccessible, setSetting, test } from '../../../e2e/helpers';

test('inbox stats count what was dismissed, as charts and as tables', async ({ signedIn: page, program }) => {
  await page.goto(`${program.url}/app/inbox/stats`);
  await expect(page.getByText('No stats yet')).toBeVisible();
  await call(program, 'POST', '/alert', JSON.stringify({ title: 'Canary' }));
  await page.getByRole('button', { name: 'View inbox' }).click();
  await page.getByRole('main').getByText('Canary').first().click();
  await page.keyboard.press('e');
  await expect(page.getByText("You're all caught up")).toBeVisible();
  await page.goto(`${program.url}/app/inbox/stats`);
  const waits = page.getByRole('region', { name: 'Waiting time until you answer or dismiss' });
  await expect(waits.getByRole('listitem')).toContainText(/Alert.*Median: \d/);
  await expectAccessible(page, 'inbox stats');
  await page.getByRole('button', { name: 'Show as table' }).click();
  await expect(page.getByRole('grid')).toHaveCount(4);
  await expectAccessible(page, 'inbox stats as tables');
  await setSetting(program, 'inboxAnalyticsEnabled', false);
  await expect(page.getByText(/nothing new is recorded/)).toBeVisible();
});
