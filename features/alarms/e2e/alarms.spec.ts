import { expect, expectAccessible, test } from '../../../e2e/helpers';

test('the sidebar leads to Alarms', async ({ signedIn: page }) => {
  await page.getByRole('link', { name: 'Alarms' }).click();
  await expect(page.getByRole('heading', { name: 'Alarms', level: 1 })).toBeVisible();
  await expectAccessible(page, 'Alarms');
});
