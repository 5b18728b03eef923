import { call, expect, expectAccessible, setSetting, test } from '../../../e2e/helpers';

test('a room is saved, joined with the keyboard from any page, and stays while the setting is off', async ({
  signedIn: page,
  program,
}) => {
  const palette = page.getByRole('dialog', { name: 'Join a meeting room' });
  await page.keyboard.press('Control+Shift+z');
  await expect(palette).toBeHidden();
  await setSetting(program, 'meetingRoomsEnabled', true);
  await page.getByRole('link', { name: 'Meeting rooms' }).press('Enter');
  await expect(page.getByText('No meeting rooms')).toBeVisible();
  await expectAccessible(page, 'no meeting rooms');

  const dialog = page.getByRole('dialog');
  const add = async (name: string, link: string) => {
    await page.getByRole('button', { name: 'New room' }).press('Enter');
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('Link').fill(link);
    await dialog.getByLabel('Link').press('Enter');
  };
  await add('Weekly', 'file:///etc/passwd');
  await expect(dialog.getByText(/begins with https:/)).toBeVisible();
  await expectAccessible(page, 'the form of a room');
  await dialog.getByLabel('Link').fill('https://meet.invalid/weekly');
  await dialog.getByLabel('Link').press('Enter');
  await expect(dialog).toBeHidden();
  await add('Stand-up', 'meet.invalid/standup');
  const rows = page.getByRole('list', { name: 'Meeting rooms' }).getByRole('listitem');
  await expect(rows).toHaveCount(2);
  await expectAccessible(page, 'meeting rooms');
  await rows.last().getByRole('link').focus();
  await page.keyboard.press('Alt+ArrowUp');
  await expect(rows.first()).toContainText('Stand-up');
  await expect(rows.first().getByRole('link')).toBeFocused();

  await page.getByRole('link', { name: 'Inbox' }).click();
  await page.keyboard.press('Control+Shift+z');
  await expect(palette.getByRole('menuitem').first()).toContainText('Stand-up');
  await expectAccessible(page, 'the palette of rooms');
  await page.keyboard.type('week');
  const opened = page.waitForEvent('popup');
  await page.keyboard.press('Enter');
  await (await opened).close();
  await expect(palette).toBeHidden();
  await expect.poll(async () => (await call(program, 'GET', '/rooms')).items[1].joinedAt).not.toBeNull();
  await page.keyboard.press('Control+Shift+z');
  await expect(palette.getByRole('menuitem').first()).toContainText('Weekly');
  await page.keyboard.press('Escape');
  await expect(palette).toBeHidden();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText('CtrlShiftZ');
  await page.keyboard.press('Escape');

  const before = await call(program, 'GET', '/rooms');
  await setSetting(program, 'meetingRoomsEnabled', false);
  await expect(page.getByRole('link', { name: 'Meeting rooms' })).toBeHidden();
  await page.keyboard.press('Control+Shift+z');
  await expect(palette).toBeHidden();
  expect(await call(program, 'GET', '/rooms')).toEqual(before);
  await setSetting(program, 'meetingRoomsEnabled', true);
  await page.getByRole('link', { name: 'Meeting rooms' }).click();
  await rows.last().getByRole('button', { name: 'Delete Weekly' }).press('Enter');
  await expect(rows).toHaveCount(1);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(rows).toHaveCount(2);
  expect(await call(program, 'GET', '/rooms')).toEqual(before);
});
