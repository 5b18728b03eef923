/** Ctrl+K: sessions with their actions, and files of hubs. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { call, expectAccessible } from '../../../e2e/helpers';
import { begin, byPerson, expect, stateOf, test } from './session';

const field = (page: Page) => page.getByRole('dialog', { name: 'Search and commands' }).getByRole('searchbox');
const search = async (page: Page, text: string) => {
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(field(page)).toBeFocused();
  await page.keyboard.type(text);
};

test('a session is found by its title, and stopped, renamed, answered, and archived by keyboard alone', async ({
  signedIn: page,
  program,
  folder,
}) => {
  const id = await begin(page, program, folder, 'run echo one; say over', { title: 'Repair the compass' });
  const other = await begin(page, program, folder, 'say over', { title: 'Draw the chart' });
  await expect.poll(() => stateOf(program, id)).toBe('awaitingPermission');
  await expect.poll(() => stateOf(program, other)).toBe('idle');
  await search(page, 'compass repair');
  const found = page.getByRole('menuitem', { name: /Repair the compass/ });
  await expect(found).toContainText('Needs approval');
  await expect(page.getByRole('menuitem')).toHaveCount(1);
  // The best result is taken until another is chosen; the keys for its actions are shown.
  await expect(found.getByText('Actions')).toBeVisible();
  await expectAccessible(page, 'a session in the palette', ['scrollable-region-focusable']);
  await page.keyboard.press('ArrowRight');
  await expect(field(page)).toHaveAccessibleName('Actions for Repair the compass');
  await expect(page.getByRole('menuitem')).toHaveText([
    /Answer/,
    /Open/,
    /Pause/,
    /Stop/,
    /Rename/,
    /Copy folder path/,
  ]);
  await expectAccessible(page, 'the actions of a session', ['scrollable-region-focusable']);
  // Escape leaves one level.
  await page.keyboard.press('Escape');
  await expect(field(page)).toHaveValue('compass repair');
  await page.keyboard.press('Tab');
  await page.keyboard.type('rename');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Rename session' });
  await expect(dialog.getByRole('textbox', { name: 'Title' })).toBeFocused();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Mend the sextant');
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  expect((await call(program, 'GET', `/sessions/${id}`)).title).toBe('Mend the sextant');
  await search(page, 'sextant');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Mend the sextant' })).toBeVisible();
  await page.keyboard.press('Escape');
  await search(page, 'sextant');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.type('stop');
  await page.keyboard.press('Enter');
  await expect.poll(() => stateOf(program, id)).toBe('stopped');
  await search(page, 'sextant');
  await expect(page.getByRole('menuitem', { name: /Mend the sextant/ })).toContainText('Stopped');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.type('archive');
  await page.keyboard.press('Enter');
  await expect.poll(() => stateOf(program, id)).toBe('archived');
  // Enter opens it; nothing else matches, so archived ones are found.
  await search(page, 'sextant');
  await expect(page.getByRole('menuitem', { name: /Mend the sextant/ })).toContainText('Archived');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`/sessions/${id}$`));
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('menuitem').first()).toContainText('Mend the sextant');
});

test('a file of a hub is found by its path, which is copied', async ({ signedIn: page, folder }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await mkdir(path.join(folder, 'charts', 'north'), { recursive: true });
  await writeFile(path.join(folder, 'charts', 'north', 'soundings.csv'), '');
  await byPerson(page, 'POST', '/hubs', { folder });
  await page.reload();
  await search(page, 'north sound');
  const found = page.getByRole('menuitem', { name: /soundings\.csv/ });
  await expect(found).toContainText('charts/north/soundings.csv');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Path copied')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/\/charts\/north\/soundings\.csv$/);
  await search(page, 'north sound');
  await expect(found).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.type('in hub');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('charts/north/soundings.csv');
});
