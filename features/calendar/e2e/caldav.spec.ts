import { expect, expectAccessible, login, setSetting, test } from '../../../e2e/helpers';
import { eventFile, PASSWORD, startRadicale, USER } from '../../../e2e/radicale.mjs';

test('an account at a real CalDAV server: found, read, written both ways, and edited while the server is away', async ({
  page,
  program,
}) => {
  const server = await startRadicale();
  try {
    await setSetting(program, 'calendarEnabled', true);
    await server.ask('PUT', `/${USER}/home/review.ics`, eventFile('review', 'Review', '20260304T090000Z'));
    await login(page, program, '/calendar?view=month&date=2026-03-04');
    await page.getByRole('button', { name: 'Add calendar' }).first().click();
    await page.getByRole('menuitem', { name: 'Add CalDAV account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Server address').fill(server.url);
    await dialog.getByLabel('User name').fill(USER);
    await dialog.getByLabel('App password').fill('wrong');
    await dialog.getByRole('button', { name: 'Add account' }).click();
    await expect(dialog.getByText(/password/i).last()).toBeVisible();
    await dialog.getByLabel('App password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Add account' }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole('checkbox', { name: 'Home' })).toBeChecked();
    const entry = (name: RegExp) => page.locator('.cal-frame').getByRole('button', { name }).first();
    await expect(entry(/^Review/)).toHaveAccessibleName(/10:00 – 11:00/);
    await expectAccessible(page, 'an account');

    // Here to there.
    const file = async () => (await server.ask('GET', `/${USER}/home/review.ics`)).text();
    await entry(/^Review/).focus();
    await page.keyboard.press('Alt+ArrowRight');
    await expect(page.getByText('Event moved')).toBeVisible();
    await expect.poll(file).toMatch(/DTSTART[^\r\n]*20260305T/);

    // There to here, and what was deleted there.
    await server.ask('PUT', `/${USER}/home/lunch.ics`, eventFile('lunch', 'Lunch', '20260306T110000Z'));
    const sync = async () => {
      await page.getByRole('button', { name: `Actions for ${USER}` }).click();
      await page.getByRole('menuitem', { name: 'Sync now' }).click();
    };
    await sync();
    await expect(entry(/^Lunch/)).toBeVisible();
    await server.ask('DELETE', `/${USER}/home/lunch.ics`);
    await sync();
    await expect(entry(/^Lunch/)).toHaveCount(0);

    // Edits wait for a server that is away.
    await server.end();
    await entry(/^Review/).focus();
    await page.keyboard.press('Alt+ArrowRight');
    await expect(page.getByText('Event moved').last()).toBeVisible();
    await server.start();
    await sync();
    await expect.poll(file).toMatch(/DTSTART[^\r\n]*20260306T/);
  } finally {
    await server.stop();
  }
});
