import { call, expect, expectAccessible, rawCall, setSetting, test } from '../../../e2e/helpers';

const alert = (program: Parameters<typeof call>[0], body: object) =>
  call(program, 'POST', '/alert', JSON.stringify(body));

test('an alert of a script appears on the open page, is read by keyboard, dismissed and taken back', async ({
  signedIn: page,
  program,
}) => {
  await page.goto(`${program.url}/app/inbox`);
  await expect(page.getByText("You're all caught up")).toBeVisible();
  await expectAccessible(page, 'empty inbox');

  await alert(program, {
    title: 'Nightly build is red',
    body: 'Three tests fail.\n<script>window.bad = 1</script>',
    severity: 'critical',
    link: '/app/settings',
  });
  await alert(program, { title: 'Second', severity: 'warning' });
  const first = page.getByRole('row', { name: /Nightly build/ });
  await expect(first).toBeVisible();
  await expect(first).toContainText('<script>window.bad = 1</script>');
  expect(await page.evaluate(() => 'bad' in window)).toBe(false);
  await expect(page.getByRole('link', { name: /Inbox/ })).toContainText('2');
  await expectAccessible(page, 'inbox with rows');

  await first.focus();
  await page.keyboard.press('u');
  await expect(page.getByRole('link', { name: /Inbox/ })).toContainText('1');
  await page.keyboard.press('e');
  await expect(first).toBeHidden();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(first).toBeVisible();
  await first.focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/app\/settings/);
});

test('what was dismissed is found again, in the dark too', async ({ signedIn: page, program }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  const row = await alert(program, { title: 'Old news' });
  await program.cli('inbox', 'dismiss', row.id);
  await page.goto(`${program.url}/app/inbox`);
  await page.getByRole('button', { name: 'View dismissed' }).click();
  const shown = page.getByRole('row', { name: /Old news/ });
  await expect(shown).toBeVisible();
  await expectAccessible(page, 'dismissed rows, dark');
  await shown.getByRole('button', { name: /^Restore / }).click();
  await expect(page.getByText('No dismissed rows')).toBeVisible();
  await page.getByRole('button', { name: 'View open' }).click();
  await expect(shown).toBeVisible();
});

test('while alerts are off a script is told which setting decides', async ({ program }) => {
  await setSetting(program, 'agentAlertsEnabled', false);
  const refused = await rawCall(program, 'POST', '/alert', JSON.stringify({ title: 'x' }));
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ code: 'alerts-disabled', setting: 'agentAlertsEnabled' });
  expect((await call(program, 'GET', '/inbox')).items).toEqual([]);
});
