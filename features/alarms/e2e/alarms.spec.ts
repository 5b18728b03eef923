import { expect, expectAccessible, setSetting, settingOf, test } from '../../../e2e/helpers';

test('an alarm in words: understood while typing, listed, rung, snoozed, and dismissed by keyboard', async ({
  signedIn: page,
  program,
}) => {
  await page.getByRole('link', { name: 'Alarms' }).click();
  await expect(page.getByRole('heading', { name: 'Alarms', level: 1 })).toBeVisible();
  const sentence = page.getByRole('textbox', { name: 'Describe an alarm' });
  await sentence.fill('when pigs fly');
  await expect(page.getByText(/fields time, date or days, and timeZone/)).toBeVisible();
  await sentence.fill('every weekday at 9:30 in Tokyo to stand up');
  await expect(page.getByText('stand up: 09:30, Weekdays, Asia/Tokyo')).toBeVisible();
  await expectAccessible(page, 'Alarms');
  await sentence.press('Enter');
  const row = page.getByRole('list', { name: 'Alarms' }).getByRole('listitem');
  await expect(row).toContainText('stand up');
  await expect(sentence).toHaveValue('');

  await row.getByRole('button', { name: 'Ring stand up now' }).click();
  const banner = page.getByRole('alert', { name: 'Ringing alarms' });
  await expect(banner).toContainText('stand up');
  await expectAccessible(page, 'a ringing alarm');
  await page.getByRole('link', { name: 'Inbox' }).click();
  await expect(banner).toBeVisible();
  // Keys that a busy machine delivers too far apart are none of one shortcut.
  await expect(async () => {
    await page.keyboard.press('z');
    await page.keyboard.press('s');
    await expect(banner).toBeHidden({ timeout: 3_000 });
  }).toPass();
  await page.getByRole('link', { name: 'Alarms' }).click();
  await expect(row).toContainText('Snoozed');
  await row.getByRole('button', { name: 'Dismiss stand up' }).click();
  await expect(row).not.toContainText('Snoozed');

  await setSetting(program, 'alarmsAssertiveness', 'modal');
  await expect.poll(() => settingOf(program, 'alarmsAssertiveness')).toBe('modal');
  await row.getByRole('button', { name: 'Ring stand up now' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Alarm' });
  const dismiss = dialog.getByRole('button', { name: 'Dismiss stand up' });
  await expect(dismiss).toBeFocused();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(dismiss).toBeFocused();
  await expectAccessible(page, 'an alarm in a dialog');
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
});

test('an alarm by form: created, changed, turned off, deleted, and hidden with its setting', async ({
  signedIn: page,
  program,
}) => {
  await page.getByRole('link', { name: 'Alarms' }).click();
  await page.getByRole('button', { name: 'New alarm' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await expect(dialog.getByText('Enter a time.')).toBeVisible();
  await dialog.getByLabel('Name', { exact: true }).fill('Lunch');
  await dialog.getByLabel('Time', { exact: true }).fill('12:15');
  await dialog.getByText('Sat', { exact: true }).click();
  await dialog.getByText('Sun', { exact: true }).click();
  await expectAccessible(page, 'the form of an alarm');
  await dialog.getByRole('button', { name: 'Create' }).click();
  const row = page.getByRole('list', { name: 'Alarms' }).getByRole('listitem');
  await expect(row).toContainText('12:15');
  await expect(row).toContainText('Weekends');
  await row.getByRole('button', { name: 'Edit Lunch' }).click();
  await dialog.getByLabel('Time', { exact: true }).fill('13:00');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(row).toContainText('13:00');
  const toggle = row.getByRole('switch', { name: 'Lunch' });
  await row.locator('.switch').click();
  await expect(toggle).not.toBeChecked();
  await row.getByRole('button', { name: 'Delete Lunch' }).click();
  await page.getByRole('button', { name: 'Delete alarm' }).click();
  await expect(page.getByText('No alarms')).toBeVisible();
  await setSetting(program, 'alarmsEnabled', false);
  await expect(page.getByRole('link', { name: 'Alarms' })).toBeHidden();
});
