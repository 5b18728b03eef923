import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { call, expectAccessible, setSetting } from '../../../e2e/helpers';
import { composer, expect, said, stands, start, test, transcript } from './session';

const rows = '.transcript-row';

/** Runs the command of the palette that is found first. */
async function run(page: Page, text: string) {
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Search and commands' });
  await expect(palette.getByRole('searchbox')).toBeFocused();
  await page.keyboard.type(text);
  await expect(palette.getByRole('menuitem').first()).toContainText(new RegExp(text, 'i'));
  await page.keyboard.press('Enter');
}

test('only the final message is shown, and its steps are expanded by keyboard', async ({
  signedIn: page,
  program,
  folder,
}) => {
  await writeFile(path.join(folder, 'a.txt'), 'a file');
  const id = await start(
    page,
    program,
    folder,
    'say Looking around; read a.txt; think hm; say <!-- final -->; say It works',
  );
  await expect(stands(page)).toContainText('Ready');
  await expect(said(page, 'Looking around')).toBeVisible();
  await expect(said(page, 'final')).toHaveCount(0);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: /^Show only the final message/ }).click();
  await expect(said(page, 'Looking around')).toHaveCount(0);
  await expect(said(page, 'It works')).toBeVisible();
  const fold = transcript(page).getByRole('button', { name: '3 steps hidden' });
  await expect(fold).toBeVisible();
  await expectAccessible(page, 'only the final message');
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.screenshot({ path: test.info().outputPath(`final-message-${scheme}.png`) });
  }
  await fold.press('Enter');
  await expect(said(page, 'Looking around')).toBeVisible();
  await transcript(page).getByRole('button', { name: '3 steps', exact: true }).press('Enter');
  await expect(said(page, 'Looking around')).toHaveCount(0);
  // Remembered by the browser, and undone from the palette.
  await page.reload();
  await expect(fold).toBeVisible();
  await run(page, 'show all messages');
  await expect(said(page, 'Looking around')).toBeVisible();
  // A turn that goes on is shown whole.
  await run(page, 'only the final message');
  await expect(fold).toBeVisible();
  await composer(page).fill('practice: say Under way; read a.txt; wait 6000');
  await composer(page).press('Enter');
  await expect(said(page, 'Under way')).toBeVisible();
  await expect(page.locator(`${rows}[data-kind="tool"]`)).toHaveCount(1);
  await page.getByRole('button', { name: 'Cancel turn' }).click();
  await expect(transcript(page).getByRole('button', { name: '1 step hidden' })).toBeVisible();
  await expect(said(page, 'Under way')).toBeVisible();
  // A divider instead, for whoever looks for the marker.
  await setSetting(program, 'finalMessageMarkerDebug', true);
  await page.goto(`${program.url}/app/sessions/${id}`);
  await expect(page.locator(`${rows}[data-kind="divider"]`)).toHaveCount(1);
  await expect(said(page, 'Looking around')).toBeVisible();
});

test('switching sessions focuses the message field, or R does', async ({ signedIn: page, program, folder }) => {
  await start(page, program, folder, 'say first', { title: 'First one' });
  await expect(composer(page)).toBeFocused();
  await start(page, program, folder, 'say second', { title: 'Second one' });
  await expect(said(page, 'second')).toBeVisible();
  await page
    .getByRole('link', { name: /First one/ })
    .first()
    .click();
  await expect(said(page, 'first')).toBeVisible();
  await expect(composer(page)).toBeFocused();
  await run(page, 'Second one');
  await expect(said(page, 'second')).toBeVisible();
  await expect(composer(page)).toBeFocused();
  await setSetting(program, 'sessionAutoFocusInput', false);
  await page.reload();
  await expect(said(page, 'second')).toBeVisible();
  await expect(composer(page)).not.toBeFocused();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toContainText('Focus the message field');
  await page.keyboard.press('Escape');
  await page.keyboard.press('r');
  await expect(composer(page)).toBeFocused();
  await page.keyboard.type('rarer');
  await expect(composer(page)).toHaveValue('rarer');
});

test('skills are offered after a slash, on disk before a session exists', async ({
  signedIn: page,
  program,
  folder,
}) => {
  const skill = path.join(folder, '.claude', 'skills', 'code-review');
  await mkdir(skill, { recursive: true });
  await writeFile(path.join(skill, 'SKILL.md'), '---\nname: code-review\ndescription: Reviews a branch\n---\n');
  await start(page, program, folder, 'say ready');
  await expect(stands(page)).toContainText('Ready');
  const offered = page.getByRole('listbox', { name: 'Skills' });
  await composer(page).pressSequentially('please /cp');
  await expect(offered.getByRole('option')).toHaveText(['/compactCompacts the context']);
  await composer(page).press('Enter');
  await expect(composer(page)).toHaveValue('please /compact ');
  await composer(page).fill('');
  const { items } = await call(program, 'GET', '/hubs');
  const hub = (items as { id: string; folder: string }[]).find((one) => one.folder === folder)!;
  await page.goto(`${program.url}/app/sessions?new=${hub.id}`);
  await page.getByRole('button', { name: /Engine/ }).click();
  await page.getByRole('option', { name: /Practice/ }).click();
  const task = page.getByRole('textbox', { name: 'Task' });
  await task.pressSequentially('/crev');
  await expect(offered.getByRole('option')).toHaveText(['/code-reviewReviews a branch']);
  await expectAccessible(page, 'skills are offered');
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.screenshot({ path: test.info().outputPath(`skills-${scheme}.png`) });
  }
  await task.press('Enter');
  await expect(task).toHaveValue('/code-review ');
  await task.pressSequentially('/');
  await task.press('Escape');
  await expect(offered).toHaveCount(0);
});
