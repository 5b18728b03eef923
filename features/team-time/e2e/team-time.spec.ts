import { call, expect, expectAccessible, setSetting, test } from '../../../e2e/helpers';

test('local times of a team, and a meeting that suits everybody', async ({ signedIn: page, program }) => {
  await expect(page.getByRole('link', { name: 'Team time' })).toBeHidden();
  await setSetting(program, 'teamTimeEnabled', true);
  const member = (name: string, timeZone: string) =>
    call(program, 'POST', '/members', JSON.stringify({ name, timeZone }));
  await member('Ada', 'Europe/Berlin');
  await member('Cy', '');
  await page.getByRole('link', { name: 'Team time' }).click();
  await expect(page.getByRole('heading', { name: 'Team time', level: 1 })).toBeVisible();
  const people = page.getByRole('list', { name: 'People' }).getByRole('listitem');
  await expect(people).toHaveCount(1);
  await expect(people.first()).toContainText('Europe/Berlin');
  await expect(page.getByText('Without a time zone: Cy')).toBeVisible();

  await page.getByRole('button', { name: 'Add person' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Time zone').fill('America/New_York');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(dialog.getByText('Enter a name.')).toBeVisible();
  await dialog.getByLabel('Name').fill('Bo');
  await dialog.getByLabel('Time zone').fill('Mars/Base');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(page.getByText('Use a time zone name such as Europe/Berlin.')).toBeVisible();
  await dialog.getByLabel('Time zone').fill('America/New_York');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(people).toHaveCount(2);

  // New York has changed its clocks on this day, Berlin not yet.
  const planner = page.getByRole('region', { name: 'Meeting planner' });
  await planner.getByLabel('Date').fill('2026-03-16');
  await expect(planner.getByRole('status')).toContainText('Everyone is working');
  const common = planner.locator('td[data-common]');
  await expect(common).toHaveCount(12);
  await planner.getByLabel('Date').fill('2026-03-30');
  await expect(common).toHaveCount(8);
  await planner.getByLabel('Date').fill('2026-03-28');
  await expect(planner.getByRole('status')).toContainText('Nobody works on this day.');
  await planner.getByLabel('Date').fill('2026-03-30');
  await planner.getByText('Bo', { exact: true }).click();
  await expect(planner.locator('td[data-common]')).toHaveCount(16);
  await expectAccessible(page, 'Team time');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page, 'Team time in the dark');

  await page.getByRole('button', { name: 'Delete Bo' }).click();
  await expect(people).toHaveCount(1);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(people).toHaveCount(2);
  await setSetting(program, 'teamTimeEnabled', false);
  await expect(page.getByRole('link', { name: 'Team time' })).toBeHidden();
});
