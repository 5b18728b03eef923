import { call, expect, expectAccessible, setSetting, test } from '../../../e2e/helpers';

type Program = Parameters<typeof call>[0];
const alert = (program: Program, title: string, more: object = {}) =>
  call(program, 'POST', '/alert', JSON.stringify({ title, ...more }));
const reasons = async (program: Program) => {
  const { items } = await call(program, 'GET', '/notifications/history');
  return (items as { title: string; reason: string }[]).map(({ title, reason }) => `${title}: ${reason}`);
};

for (const scheme of ['light', 'dark'] as const)
  test(`Focus Mode collects notifications, and the history says why, in ${scheme}`, async ({
    signedIn: page,
    program,
  }) => {
    await page.emulateMedia({ colorScheme: scheme });
    await setSetting(program, 'notificationBehavior', 'always');
    await page.goto(`${program.url}/app/boards`);
    const button = page.getByRole('button', { name: 'Focus Mode' });
    await button.focus();
    await page.keyboard.press('Enter');
    await expectAccessible(page, `Focus Mode, ${scheme}`);
    await page.getByRole('button', { name: '25 min' }).click();
    await expect(page.getByRole('timer')).toHaveText(/^2[45]:\d\d$/);
    await alert(program, 'First');
    await alert(program, 'Second');
    await button.click();
    await expect(page.getByText('2 notifications held. You see them together at the end.')).toBeVisible();
    await page.getByRole('button', { name: 'End Focus Mode' }).click();
    await expect(page.getByRole('timer')).toBeHidden();
    await page.goto(`${program.url}/app/notifications`);
    const first = page.getByRole('row', { name: 'First' });
    await expect(first.filter({ hasText: 'Held until Focus Mode ends.' })).toBeVisible();
    await expect(first.filter({ hasText: 'Shown.' })).toBeVisible();
    await expectAccessible(page, `notification history, ${scheme}`);
  });

test('the window in front shows a notification itself, and only it', async ({ signedIn: page, program }) => {
  await page.goto(`${program.url}/app/boards`);
  await page.bringToFront();
  const front = page.waitForRequest((request) => request.url().endsWith('/presence'));
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await front;
  await expect
    .poll(async () => {
      await alert(program, 'In front', { key: 'k' });
      return (await reasons(program))[0];
    })
    .toBe('In front: Not shown: Pilothouse was in front.');
  await setSetting(program, 'notificationBehavior', 'always');
  await alert(program, 'Look here', { link: '/app/settings' });
  const toast = page.getByRole('alertdialog').filter({ hasText: 'Look here' });
  await toast.getByRole('button', { name: 'Open' }).click();
  await expect(page).toHaveURL(/\/app\/settings/);
});

for (const scheme of ['light', 'dark'] as const)
  test(`a kind of notification gets another sound, and all are muted, in ${scheme}`, async ({
    signedIn: page,
    program,
  }) => {
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto(`${program.url}/app/notifications`);
    const open = page.getByRole('button', { name: 'Sounds' });
    await open.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Notification sounds' });
    await expect(dialog.getByText('Turn done', { exact: true })).toBeVisible();
    await dialog.getByRole('button', { name: /Turn done$/, expanded: false }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: /^Marimba/ }).click();
    await expect(dialog.getByRole('button', { name: 'Use default for Turn done' })).toBeEnabled();
    await page.screenshot({ path: test.info().outputPath(`sounds-${scheme}.png`) });
    await expectAccessible(page, `notification sounds, ${scheme}`);
    await dialog.getByText('Mute all notification sounds').click();
    const sounds = async () => call(program, 'GET', '/notifications/sounds');
    await expect.poll(async () => (await sounds()).muted).toBe(true);
    const { kinds } = await sounds();
    expect(kinds.find(({ kind }: { kind: string }) => kind === 'done').sound).toBe('marimba');
  });

test('while the setting is off there is no Focus Mode', async ({ signedIn: page, program }) => {
  await program.cli('focus', 'start');
  await setSetting(program, 'focusModeFeatureEnabled', false);
  await page.goto(`${program.url}/app/inbox`);
  await expect(page.getByRole('heading', { name: 'Inbox' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Focus Mode' })).toBeHidden();
  await alert(program, 'Alone');
  expect((await reasons(program))[0]).toMatch(/^Alone: (Shown|Not shown: Pilothouse was in front)\.$/);
});

test('an assignment of a script reaches the inbox of the member who is me', async ({ signedIn: page, program }) => {
  const ada = await call(program, 'POST', '/members', JSON.stringify({ name: 'Ada' }));
  await call(program, 'POST', '/members', JSON.stringify({ name: 'Ben' }));
  await page.goto(`${program.url}/app/members`);
  await page.getByRole('button', { name: 'Change Ada' }).click();
  await page.getByText('This is me').click();
  await page.getByRole('button', { name: 'Save member' }).click();
  await expect(page.getByText('You', { exact: true })).toBeVisible();
  const board = JSON.parse(await program.cli('boards', 'create', '--name', 'Launch', '--json'));
  await program.cli('boards', 'columns', 'create', board.id, '--title', 'Owner', '--type', 'people');
  const item = JSON.parse(await program.cli('boards', 'items', 'create', board.id, '--name', 'Fix login', '--json'));
  await program.cli('boards', 'cell', board.id, item.id, 'Owner', JSON.stringify([ada.id]));
  await page.goto(`${program.url}/app/inbox`);
  const row = page.getByRole('row', { name: /Fix login: assigned to you/ });
  await expect(row).toBeVisible();
  await row.click();
  await page.getByRole('button', { name: /^Open/ }).click();
  await expect(page).toHaveURL(new RegExp(`/app/boards/${board.id}`));
  await expect(page.getByRole('complementary', { name: /Fix login/ })).toBeVisible();
});
