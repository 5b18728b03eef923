import { expect, expectAccessible, newSession, test } from '../../../e2e/helpers';

test('a digest: written now, its facts link to sessions, and it stays in the list', async ({
  signedIn: page,
  program,
}) => {
  await page.goto(`${program.url}/app/digests`);
  await expect(page.getByText('No digests yet')).toBeVisible();
  await expectAccessible(page, 'no digests');
  const session = await newSession(program, 'Fix the login');
  await page.getByRole('button', { name: 'Write digest now' }).click();
  await expect(page.getByRole('heading', { name: 'Daily briefing', level: 1 })).toBeVisible();
  const fact = page.getByRole('link', { name: 'Fix the login' });
  await expect(fact).toBeVisible();
  await expectAccessible(page, 'a digest');
  await fact.click();
  await expect(page).toHaveURL(new RegExp(`/sessions/${session}$`));
  await page.goto(`${program.url}/app/digests`);
  await expect(page.getByRole('list', { name: 'Digests' }).getByRole('link')).toContainText('Daily briefing');
});
