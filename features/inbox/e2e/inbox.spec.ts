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
  await first.click();
  const detail = page.getByRole('article', { name: /Nightly build/ });
  await expect(detail).toContainText('<script>window.bad = 1</script>');
  expect(await page.evaluate(() => 'bad' in window)).toBe(false);
  // A click reads a row.
  await expect(page.getByRole('link', { name: /Inbox/ })).toContainText('1');
  await expectAccessible(page, 'inbox with rows');

  await page.keyboard.press('u');
  await expect(page.getByRole('link', { name: /Inbox/ })).toContainText('2');
  await page.keyboard.press('e');
  await expect(first).toBeHidden();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(first).toBeVisible();
  await first.click();
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
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await expect(page.getByText('No dismissed rows')).toBeVisible();
  await page.getByRole('button', { name: 'View open' }).click();
  await expect(shown).toBeVisible();
});

test('the whole inbox is worked through by keyboard', async ({ signedIn: page, program }) => {
  for (const title of ['One', 'Two', 'Three', 'Four']) await alert(program, { title, body: `Text of ${title}` });
  await page.goto(`${program.url}/app/inbox`);
  const row = (name: string) => page.getByRole('row', { name });
  await expect(page.getByRole('article', { name: 'Four' })).toBeVisible();
  await page.keyboard.press('j');
  await expect(row('Three')).toBeFocused();
  await expect(page.getByRole('article')).toContainText('Text of Three');
  await page.keyboard.press('s');
  await page.getByRole('textbox', { name: 'Time' }).fill('in a while');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/Use `in 2 hours`/)).toBeVisible();
  await expectAccessible(page, 'snooze dialog');
  await page.getByRole('textbox', { name: 'Time' }).fill('in 2 hours');
  await page.keyboard.press('Enter');
  await expect(row('Three')).toHaveCount(0);
  await expect(page.getByText(/Snoozed until/)).toBeVisible();
  await page.keyboard.press('z');
  await expect(row('Three')).toBeVisible();
  await page.keyboard.press('Home');
  await page.keyboard.press('x');
  await page.keyboard.press('End');
  await page.keyboard.press('x');
  await expect(page.getByText('2 selected')).toBeVisible();
  await page.keyboard.press('e');
  await expect(page.getByText('Dismissed 2 rows')).toBeVisible();
  await expect(page.getByRole('grid').getByRole('row')).toHaveCount(2);
  await page.keyboard.press('z');
  await expect(page.getByRole('grid').getByRole('row')).toHaveCount(4);
  await page.keyboard.press('/');
  await page.keyboard.type('text of tw');
  await expect(page.getByRole('grid').getByRole('row')).toHaveCount(1);
  await expectAccessible(page, 'filtered inbox');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('grid').getByRole('row')).toHaveCount(4);
  await page.keyboard.press('Tab');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog').getByText('Snooze row')).toBeVisible();
});

test('scripts settle their alerts, and follow the inbox', async ({ program }) => {
  await alert(program, { title: 'Red', key: 'build', attachments: [{ label: 'Log', url: 'https://example.org/1' }] });
  await program.cli('inbox', 'settle', '--key', 'build', '--outcome', 'green again');
  expect((await call(program, 'GET', '/inbox?state=settled')).items).toMatchObject([
    { title: 'Red', outcome: 'green again', attachments: [{ label: 'Log' }] },
  ]);
});

test('while alerts are off a script is told which setting decides', async ({ program }) => {
  await setSetting(program, 'agentAlertsEnabled', false);
  const refused = await rawCall(program, 'POST', '/alert', JSON.stringify({ title: 'x' }));
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ code: 'alerts-disabled', setting: 'agentAlertsEnabled' });
  expect((await call(program, 'GET', '/inbox')).items).toEqual([]);
});
