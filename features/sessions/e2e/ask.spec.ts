import { call, expect, expectAccessible, setSetting, test } from '../../../e2e/helpers';

test('Ask: says what it needs without an engine, lists earlier questions, and goes with its setting', async ({
  signedIn: page,
  program,
}) => {
  await page.getByRole('link', { name: 'Ask', exact: true }).click();
  await expect(page.getByText('Ask needs an engine that answers.')).toBeVisible();
  await expectAccessible(page, 'Ask');
  await setSetting(program, 'requireSpawnSourceSession', false);
  await call(program, 'POST', '/ask', JSON.stringify({ prompt: 'practice: say Hello', engine: 'practice' }));
  await page.reload();
  await page.getByRole('link', { name: 'practice: say Hello' }).last().click();
  await expect(page.getByText('Hello').first()).toBeVisible();
  await setSetting(program, 'askAppEnabled', false);
  await expect(page.getByRole('link', { name: 'Ask', exact: true })).toBeHidden();
});
