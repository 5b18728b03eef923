import { expect, expectAccessible, setSetting, test } from '../../../e2e/helpers';

test('a run is started, seen in the toolbar, paused, skipped, and stopped; presets and rules are kept', async ({
  signedIn: page,
  program,
}) => {
  await page.getByRole('link', { name: 'Pomodoro', exact: true }).click();
  await expectAccessible(page, 'Pomodoro without a run');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(page.getByText('Focus 1')).toBeVisible();
  await page.getByRole('link', { name: 'Inbox' }).click();
  await page.getByRole('link', { name: 'Pomodoro: Focus' }).click();
  await page.getByRole('button', { name: 'Pause' }).click();
  await expect(page.getByRole('link', { name: 'Pomodoro: Focus, paused' })).toBeVisible();
  await expectAccessible(page, 'a paused run');
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Skip to break' }).click();
  await expect(page.getByText('Time for a break')).toBeVisible();
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(page.getByRole('button', { name: 'Start', exact: true })).toBeVisible();

  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'New preset' }).click();
  await dialog.getByLabel('Name').fill('Deep');
  await dialog.getByLabel('Focus', { exact: true }).fill('90');
  await expectAccessible(page, 'the form of a preset');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await expect(page.getByText('90 / 5 min, 15 min after 4 blocks', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'New rule' }).click();
  await expectAccessible(page, 'the form of a rule');
  await dialog.getByRole('button', { name: 'Create' }).click();
  const rule = page.getByRole('list', { name: 'Rules' }).getByRole('listitem');
  await expect(rule).toContainText('Weekdays 09:00');
  await setSetting(program, 'pomodoroScheduleEnabled', false);
  await expect(page.getByText(/Rules start nothing/)).toBeVisible();
  await expect(rule).toBeVisible();
});

test('a focus block turns Focus Mode on, and a break off, until the bell is rung by hand', async ({
  signedIn: page,
  program,
}) => {
  await setSetting(program, 'pomodoroAutoEnableFocusModeDefault', true);
  await page.getByRole('link', { name: 'Pomodoro', exact: true }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  const bell = page.getByRole('button', { name: 'Focus Mode' });
  await expect(bell).toHaveAttribute('data-active', 'true');
  await page.getByRole('button', { name: 'Skip to break' }).click();
  await expect(bell).not.toHaveAttribute('data-active', 'true');
  await page.getByRole('button', { name: 'Skip break' }).click();
  await expect(bell).toHaveAttribute('data-active', 'true');
  await bell.click();
  await page.getByRole('button', { name: 'End Focus Mode' }).click();
  await page.getByRole('button', { name: 'Skip to break' }).click();
  await page.getByRole('button', { name: 'Skip break' }).click();
  await expect(page.getByText('Focus 3')).toBeVisible();
  await expect(bell).not.toHaveAttribute('data-active', 'true');
});
