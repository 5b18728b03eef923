import type { Locator, Page } from '@playwright/test';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { SettingKey } from '../../../ui/src/gen/settings';
import {
  cliToken,
  expect,
  expectAccessible,
  login,
  setSetting,
  settingOf,
  settingRow as row,
  test,
} from '../../../e2e/helpers';

/** Finds a setting by its key, so that its row is drawn. */
async function show(page: Page, key: SettingKey): Promise<Locator> {
  await page.getByRole('searchbox', { name: 'Search settings' }).fill(key);
  await expect(row(page, key)).toBeVisible();
  return row(page, key);
}

/** Shows planned settings as if their feature were built, so that their editors can be used; the program takes the values as it is. */
async function asBuilt(page: Page, ...keys: SettingKey[]) {
  await page.route('**/settings', async (route) => {
    if (route.request().method() !== 'GET' || route.request().resourceType() === 'document') return route.fallback();
    const response = await route.fetch();
    const all = (await response.json()) as {
      settings: { key: SettingKey; effect: { active: boolean; reasons: { code: string }[] } }[];
    };
    for (const setting of all.settings) {
      if (keys.includes(setting.key)) setting.effect = { active: true, reasons: [] };
    }
    await route.fulfill({ response, json: all });
  });
  await page.route('**/settings/*', async (route) => {
    const key = route.request().url().split('/').at(-1);
    if (!['PATCH', 'DELETE'].includes(route.request().method()) || !keys.some((one) => one === key))
      return route.fallback();
    const response = await route.fetch();
    const record = (await response.json()) as object;
    await route.fulfill({
      response,
      json: response.ok() ? { ...record, effect: { active: true, reasons: [] } } : record,
    });
  });
  await page.reload();
}

const saved = (page: Page, key: SettingKey) =>
  page.waitForResponse(
    (answer) => answer.url().endsWith(`/settings/${key}`) && ['PATCH', 'DELETE'].includes(answer.request().method()),
  );

test('signs in once and leaves no trace of the code', async ({ page, program }) => {
  const address = await program.loginAddress();
  await page.goto(address);
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
  expect(page.url()).not.toContain('#');
  await page.reload();
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();

  const other = await page.context().newPage();
  await other.goto(address);
  await expect(other.getByRole('heading', { name: "You're signed out" })).toBeVisible();
  await expect(other.getByText('was used before')).toBeVisible();
});

test('finds settings by key, word and choice, and keeps the search in the address', async ({ signedIn: page }) => {
  const search = page.getByRole('searchbox', { name: 'Search settings' });
  await search.fill('toastdisplay');
  await expect(row(page, 'toastDisplayDurationSeconds')).toBeVisible();
  await expect(page.locator('.row')).toHaveCount(1);
  await search.fill('autonomous');
  await expect(row(page, 'agentPermissionLevel')).toBeVisible();
  await expect(page).toHaveURL(/q=autonomous/);
  await page.reload();
  await expect(row(page, 'agentPermissionLevel')).toBeVisible();
  await search.fill('no setting has these words');
  await expect(page.getByText('No settings match')).toBeVisible();
  await expectAccessible(page, 'nothing found');
  await search.fill('language');
  await expect(page.getByText('Try fewer or different words.')).toBeVisible();
  await page.getByRole('button', { name: 'Show all settings' }).click();
  await expect(page.locator('.row').first()).toBeVisible();
});

test('where the index has no room, a list of areas stands in its place', async ({ signedIn: page }) => {
  const index = page.getByRole('navigation', { name: 'Settings areas' });
  const area = page.getByRole('button', { name: /Area$/ });
  await page.setViewportSize({ width: 1440, height: 800 });
  await expect(index).toBeVisible();
  await expect(area).toBeHidden();
  await page.getByRole('button', { name: 'Settings history' }).click();
  await expect(index).toBeHidden();
  await expect(area).toBeVisible();
  await page.setViewportSize({ width: 1024, height: 800 });
  await page.reload();
  await expect(area).toBeVisible();
  await page.getByRole('button', { name: 'Settings history' }).click();
  await expect(area).toBeVisible();
  await expectAccessible(page, 'settings with a list of areas');
  // By keyboard; what the Tab key comes to in the list is there as well.
  await area.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: /resilience/i }).press('Enter');
  await expect(area).toContainText('Resilience');
  await expect(page.getByRole('heading', { name: /resilience/i, level: 2 })).toBeInViewport();
  await expect(page.locator('.row[tabindex="0"]')).toHaveAttribute('data-key', 'autoRestartUnresponsiveSessions');
});

test('a toggle is saved, survives a reload, and is reset', async ({ signedIn: page }) => {
  const toggle = (await show(page, 'autoDetectQuestions')).getByRole('switch');
  const before = await toggle.isChecked();
  const answer = saved(page, 'autoDetectQuestions');
  await row(page, 'autoDetectQuestions').locator('.switch').click();
  expect((await answer).status()).toBe(200);
  await page.reload();
  await expect(toggle).toBeChecked({ checked: !before });
  await expect(row(page, 'autoDetectQuestions').getByText('Modified')).toBeVisible();
  const reset = saved(page, 'autoDetectQuestions');
  await row(page, 'autoDetectQuestions')
    .getByRole('button', { name: /^Reset/ })
    .click();
  expect((await reset).request().method()).toBe('DELETE');
  await expect(toggle).toBeChecked({ checked: before });
  await expect(row(page, 'autoDetectQuestions').getByText('Modified')).toBeHidden();
});

test('a number out of range stays in its field with the reason', async ({ signedIn: page }) => {
  const field = (await show(page, 'toastDisplayDurationSeconds')).getByRole('spinbutton');
  await field.fill('99');
  await field.press('Enter');
  await expect(row(page, 'toastDisplayDurationSeconds').getByText('Enter a whole number from 3 to 30.')).toBeVisible();
  await expect(field).toHaveValue('99');
  await expectAccessible(page, 'refused number');
  const answer = saved(page, 'toastDisplayDurationSeconds');
  await field.fill('12');
  await field.press('Enter');
  expect((await answer).status()).toBe(200);
  await expect(page.getByText('Enter a whole number')).toBeHidden();
});

test("what only the program can refuse shows the program's reason, and the old value comes back", async ({
  signedIn: page,
}) => {
  await page.route('**/settings/heardAboutUs', (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({
          status: 422,
          contentType: 'application/problem+json',
          body: JSON.stringify({
            code: 'invalid-value',
            detail: 'Not accepted.',
            errors: [{ pointer: '/value', code: 'invalid-value', detail: 'Name a place, not a person.' }],
          }),
        })
      : route.fallback(),
  );
  const field = (await show(page, 'heardAboutUs')).getByRole('textbox');
  await field.fill('Ana');
  await field.press('Enter');
  await expect(row(page, 'heardAboutUs').getByText('Name a place, not a person.')).toBeVisible();
  await expect(row(page, 'heardAboutUs').getByText('Modified')).toBeHidden();
});

test('undo from the toast, and the history that shows both changes', async ({ signedIn: page }) => {
  const toggle = (await show(page, 'agentAlertsEnabled')).getByRole('switch');
  const before = await toggle.isChecked();
  await row(page, 'agentAlertsEnabled').locator('.switch').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Undo' }).click();
  await expect(toggle).toBeChecked({ checked: before });
  await row(page, 'agentAlertsEnabled').getByRole('button', { name: /^More/ }).click();
  await page.getByRole('menuitem', { name: 'Show history' }).click();
  const panel = page.getByRole('complementary', { name: /^History of/ });
  await expect(panel.getByRole('listitem')).not.toHaveCount(0);
  await expect(panel.getByText('You').first()).toBeVisible();
  // The undo itself can be undone; what it took back cannot be a second time.
  const [undo, first] = [panel.getByRole('listitem').nth(0), panel.getByRole('listitem').nth(1)];
  await expect(first.getByText('Undone')).toBeVisible();
  await expect(first.getByRole('button')).toHaveCount(0);
  await expect(undo.getByRole('button', { name: /^Undo/ })).toBeVisible();
  // The values that were in force, the default among them.
  await expect(first.locator('.change-values')).toHaveText(/^on\s*became off$/);
  await expect(undo.locator('.change-values')).toHaveText(/^off\s*became on$/);
  await expectAccessible(page, 'history');
  await page.keyboard.press('Escape');
});

test('every kind of value can be edited', async ({ signedIn: page, program }) => {
  await asBuilt(page, 'emailInboundApprovedSenders', 'pmInboxBoardPreferences', 'dailyDigestSources', 'trustedSheets');
  await (
    await show(page, 'agentPermissionLevel')
  )
    .getByRole('button', { name: /Guarded|guarded|read_only|autonomous|full/ })
    .first()
    .click();
  await page.getByRole('option', { name: 'autonomous' }).click();
  await expect(row(page, 'agentPermissionLevel').getByText('Modified')).toBeVisible();

  const senders = await show(page, 'emailInboundApprovedSenders');
  await senders.getByRole('button', { name: /^Edit/ }).click();
  await senders.getByRole('textbox').fill('cy@example.org');
  await senders.getByRole('textbox').press('Enter');
  await expect(senders.getByRole('listitem').filter({ hasText: 'cy@example.org' })).toBeVisible();
  await expectAccessible(page, 'list of text');

  const boards = await show(page, 'pmInboxBoardPreferences');
  await boards.getByRole('button', { name: /^Edit/ }).click();
  await boards.getByRole('textbox').fill('brd_x');
  await boards.getByRole('button', { name: 'Add' }).click();
  await expect(boards.getByText('brd_x', { exact: true })).toBeVisible();

  const sources = await show(page, 'dailyDigestSources');
  await sources.getByRole('button', { name: /^Edit/ }).click();
  await sources.locator('.checkbox').filter({ hasText: 'Rss' }).click();
  await expect(sources.getByRole('checkbox', { name: 'Rss' })).toBeChecked();

  const sheets = await show(page, 'trustedSheets');
  await sheets.getByRole('button', { name: /^Edit/ }).click();
  await sheets.getByRole('button', { name: 'Add entry' }).click();
  await sheets.getByRole('textbox', { name: 'Label' }).fill('Budget');
  await sheets.getByRole('textbox', { name: 'Label' }).press('Enter');
  await expect(sheets.locator('legend')).toContainText('Budget');
  await expect(sheets.getByText('Saved once it has the spreadsheet id.')).toBeVisible();
  await sheets.getByRole('textbox', { name: 'Spreadsheet id' }).fill('1AbC');
  await sheets.getByRole('textbox', { name: 'Spreadsheet id' }).press('Enter');
  await expect(sheets.getByText('Saved once it has the spreadsheet id.')).toBeHidden();
  await expect.poll(() => settingOf(program, 'trustedSheets')).toEqual([{ label: 'Budget', spreadsheetId: '1AbC' }]);
  await expectAccessible(page, 'list of objects');
});

test('works with the keyboard alone', async ({ signedIn: page }) => {
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox', { name: 'Search settings' })).toBeFocused();
  await page.keyboard.type('autoDetectQuestions');
  await expect(row(page, 'autoDetectQuestions')).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expect(row(page, 'autoDetectQuestions')).toBeFocused();
  const toggle = row(page, 'autoDetectQuestions').getByRole('switch');
  const before = await toggle.isChecked();
  await page.keyboard.press('Enter');
  await expect(toggle).toBeFocused();
  await page.keyboard.press('Space');
  await expect(toggle).toBeChecked({ checked: !before });
  await page.keyboard.press('Escape');
  await expect(row(page, 'autoDetectQuestions')).toBeFocused();
  await expect(page).toHaveURL(/key=autoDetectQuestions/);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('searchbox', { name: 'Search settings' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByText(/^\d+ settings$/)).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  await expect(page.locator('[data-key="planned"]')).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(page.locator('.row:focus')).toHaveCount(1);
});

test('planned settings are folded at the end, disabled, and found by words', async ({ signedIn: page }) => {
  const planned = page.getByRole('button', { name: /^Planned \(\d+\)$/ });
  await page.getByRole('searchbox', { name: 'Search settings' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  await expect(planned).toBeFocused();
  await expect(planned).toHaveAttribute('aria-expanded', 'false');
  await page.keyboard.press('Enter');
  await expect(planned).toHaveAttribute('aria-expanded', 'true');
  await page.keyboard.press('ArrowDown');
  await expect(page.locator('.row[data-planned]:focus')).toHaveCount(1);
  await expectAccessible(page, 'planned settings');
  await page.getByRole('searchbox', { name: 'Search settings' }).fill('bugIntakeEnabled');
  await expect(planned).toHaveAttribute('aria-expanded', 'true');
  await expect(row(page, 'bugIntakeEnabled').getByRole('switch')).toBeDisabled();
  // It keeps its menu, and isn't among the commands.
  await expect(row(page, 'bugIntakeEnabled').getByRole('button', { name: /^More/ })).toBeEnabled();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('searchbox').fill('bugIntakeEnabled');
  await expect(page.getByRole('menuitem', { name: /Bug intake/ })).toHaveCount(0);
});

test('common settings are on top, and usable in place', async ({ signedIn: page }) => {
  await expect(page.getByRole('heading', { name: 'Common' })).toBeVisible();
  await expect(page.locator('.row').first()).toHaveAttribute('data-key', 'pmColorMode');
  const answer = saved(page, 'autoApprovePlans');
  await row(page, 'autoApprovePlans').locator('.switch').click();
  expect((await answer).status()).toBe(200);
  await expect(row(page, 'autoApprovePlans')).toHaveCount(1);
  await page.locator('.row-link').filter({ hasText: 'Engines' }).click();
  await expect(page).toHaveURL(/\/engines$/);
});

test('filters', async ({ signedIn: page }) => {
  await page.getByRole('button', { name: 'Agents can change' }).click();
  await expect(page).toHaveURL(/filter=agents/);
  await page.getByRole('button', { name: 'Agents can change' }).click();
  await page.getByRole('button', { name: 'Not in effect' }).click();
  await expect(page.locator('.row').first().getByText('Not in effect.')).toBeVisible();
  await expectAccessible(page, 'no effect');
  // Its counterpart takes its place: no setting passes both.
  await page.getByRole('button', { name: 'In effect', exact: true }).click();
  await expect(page).toHaveURL(/filter=active$/);
  await expect(row(page, 'agentPermissionLevel')).toBeVisible();
  await expect(page.getByText('Not in effect.')).toHaveCount(0);
  // What the filters hide is offered without them.
  await page.getByRole('searchbox', { name: 'Search settings' }).fill('agentDrivenMaxConcurrent');
  await expect(page.getByText('1 setting matches without the filters.')).toBeVisible();
  await page.getByRole('button', { name: 'Search without filters' }).click();
  await expect(row(page, 'agentDrivenMaxConcurrent')).toBeVisible();
});

test('a setting that waits for a restart says so until then', async ({ signedIn: page }) => {
  const bar = page.getByRole('region', { name: 'Restart to apply' });
  await show(page, 'cliServerEnabled');
  await row(page, 'cliServerEnabled').locator('.switch').click();
  await expect(bar).toContainText(/cli server/i);
  await expectAccessible(page, 'restart bar');
  await row(page, 'cliServerEnabled')
    .getByRole('button', { name: /^Reset/ })
    .click();
  await expect(bar.getByText(/cli server/i)).toBeHidden();
});

test('a change made elsewhere appears by itself', async ({ signedIn: page, program }) => {
  const toggle = (await show(page, 'agentAlertsEnabled')).getByRole('switch');
  const before = await toggle.isChecked();
  await expect(page.getByText('Connected', { exact: true })).toBeVisible();
  await program.cli('settings', 'set', 'agentAlertsEnabled', String(!before));
  await expect(toggle).toBeChecked({ checked: !before });
});

test('exports to a file, and shows what an import would change', async ({ signedIn: page }) => {
  await page.getByRole('button', { name: 'More actions' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Export to file' }).click();
  const file = await (await download).path();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Import from file' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import settings' });
  await dialog.locator('input[type=file]').setInputFiles(file);
  await expect(dialog.getByText(/changes nothing/)).toBeVisible();
  await dialog
    .locator('input[type=file]')
    .setInputFiles({ name: 'broken.json', mimeType: 'application/json', buffer: Buffer.from('{') });
  await expect(dialog.getByText(/isn't JSON/)).toBeVisible();
  await expectAccessible(page, 'import');
});

test('the record of a setting as JSON is accessible, and what is copied as curl works when it is pasted', async ({
  signedIn: page,
  program,
}) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await (await show(page, 'webmailPageSize')).getByRole('button', { name: /^More/ }).click();
  await page.getByRole('menuitem', { name: 'Open as JSON' }).click();
  await expect(page.getByRole('dialog', { name: 'webmailPageSize' })).toContainText('"key": "webmailPageSize"');
  await expectAccessible(page, 'record as JSON');
  await page.keyboard.press('Escape');
  await row(page, 'webmailPageSize').getByRole('button', { name: /^More/ }).click();
  await page.getByRole('menuitem', { name: 'Copy as curl' }).click();
  await expect(page.getByRole('alertdialog').filter({ hasText: 'Command copied' })).toContainText(
    'set PILOTHOUSE_DATA_DIR first',
  );
  const command = await page.evaluate(() => navigator.clipboard.readText());
  expect(command).not.toContain(await cliToken(program));
  const before = await settingOf(program, 'webmailPageSize');
  await setSetting(program, 'webmailPageSize', before + 5);
  const { stdout } = await promisify(execFile)('sh', ['-c', command], {
    env: { ...process.env, PILOTHOUSE_DATA_DIR: program.dataDir },
  });
  expect(JSON.parse(stdout)).toMatchObject({ key: 'webmailPageSize', value: before, changed: true });
  expect(await settingOf(program, 'webmailPageSize')).toBe(before);
});

test('the whole page is accessible', async ({ signedIn: page }) => {
  await expect(page.locator('.row').first()).toBeVisible();
  await expectAccessible(page, 'settings');
});

test('an import keeps or resets the rest, and leaves out what is not accepted, as chosen', async ({
  page,
  program,
}) => {
  await setSetting(program, 'tasksV2HideCompleted', true);
  await setSetting(program, 'webmailPageSize', 20);
  await login(page, program, '/settings');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Import from file' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import settings' });
  const document = {
    format: 'pilothouse-settings',
    version: 1,
    settings: { webmailPageSize: 30, toastDisplayDurationSeconds: 99 },
  };
  await dialog
    .locator('input[type=file]')
    .setInputFiles({ name: 'mine.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(document)) });
  await expect(dialog.getByRole('alert')).toContainText('toastDisplayDurationSeconds');
  await expect(dialog.getByRole('button', { name: /^Change/ })).toHaveCount(0);
  await dialog.locator('.switch').click();
  const changes = dialog.getByRole('list', { name: 'Changes' }).getByRole('listitem');
  await expect(changes).toHaveCount(1);
  await expect(dialog.getByText('Skipped:')).toBeVisible();
  await expectAccessible(page, 'report of an import');
  await dialog.getByRole('button', { name: /Settings not in the file/ }).click();
  await page.getByRole('option', { name: 'Reset the rest' }).click();
  await expect(changes.filter({ hasText: 'Hide completed' })).toBeVisible();
  // Nothing changed by looking.
  expect([await settingOf(program, 'webmailPageSize'), await settingOf(program, 'tasksV2HideCompleted')]).toEqual([
    20,
    true,
  ]);
  await dialog.getByRole('button', { name: /^Change \d+ settings$/ }).click();
  await expect(page.getByRole('alertdialog').filter({ hasText: '1 setting skipped' })).toBeVisible();
  expect([await settingOf(program, 'webmailPageSize'), await settingOf(program, 'tasksV2HideCompleted')]).toEqual([
    30,
    false,
  ]);
});

test('the index marks the section in view, also the last ones', async ({ signedIn: page }) => {
  const index = page.getByRole('navigation', { name: 'Settings areas' });
  const marked = index.locator('[aria-current=location]');
  await expect(marked).toHaveCount(1);
  await expect(index.getByRole('button').first()).toHaveAttribute('aria-current', 'location');
  for (const entry of [index.getByRole('button').nth(5), index.getByRole('button').last()]) {
    await entry.click();
    await expect(entry).toHaveAttribute('aria-current', 'location');
    await expect(marked).toHaveCount(1);
  }
  await page.locator('.settings-list').evaluate((list) => list.scrollTo(0, 0));
  await expect(index.getByRole('button').first()).toHaveAttribute('aria-current', 'location');
  await expect(index.getByRole('button').first()).toBeInViewport();
});
