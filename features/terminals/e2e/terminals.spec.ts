import { expect, expectAccessible, test } from '../../../e2e/helpers';

test('the sidebar leads to Terminals', async ({ signedIn: page }) => {
  await page.getByRole('link', { name: 'Terminals' }).click();
  await expect(page.getByRole('heading', { name: 'Terminals', level: 1 })).toBeVisible();
  await expectAccessible(page, 'Terminals');
});
