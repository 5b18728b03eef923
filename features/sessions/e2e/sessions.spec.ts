import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { call, expectAccessible } from '../../../e2e/helpers';
import { ask, expect, leaveComposer, said, start, test, transcript } from './session';

test('a newcomer sees a whole session by keyboard alone', async ({ signedIn: page, program }) => {
  await page.goto(`${program.url}/app/sessions`);
  const begin = page.getByRole('button', { name: 'Start practice session' });
  await expect(begin).toBeVisible();
  await expectAccessible(page, 'no session yet');
  await begin.press('Enter');
  await expect(page).toHaveURL(/\/app\/sessions\/[^?]+$/);
  await expect(ask(page)).toBeVisible();
  await expectAccessible(page, 'a session that asks');
  await leaveComposer(page);
  await page.locator('body').press('a');
  await expect(ask(page)).toBeFocused();
  await page.keyboard.press('a');
  await expect(ask(page)).toHaveCount(0);
  await expect(said(page, 'wrote first-look.md')).toBeVisible();
  await expect(transcript(page).getByText('To-do: 3 of 3 done')).toBeVisible();
  const folder = `${program.dataDir}-practice`;
  expect(await readFile(path.join(folder, 'first-look.md'), 'utf8')).toContain('The practice agent wrote this file');
  await expectAccessible(page, 'a session that ended');
  // It stands in the navigation, below its hub.
  await expect(
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /A first look/ }),
  ).toBeVisible();
  await rm(folder, { recursive: true, force: true });
});

test('an approval is a row of the inbox that leads to its card, and is gone once it is answered there', async ({
  signedIn: page,
  program,
  folder,
}) => {
  const id = await start(page, program, folder, 'run echo one; run echo two; say done with both');
  await expect(ask(page)).toContainText('echo one');
  await expect.poll(async () => (await call(program, 'GET', '/inbox/count')).waiting).toBe(1);
  await ask(page).getByRole('button', { name: 'Allow', exact: true }).click();
  await expect(ask(page)).toContainText('echo two');
  await expect(transcript(page).getByText(/allowed by you/)).toBeVisible();
  const { items } = await call(program, 'GET', `/sessions/${id}/asks`);
  const open = items.find((one: { answer: string | null }) => one.answer === null);
  await page.goto(`${program.url}/app/inbox`);
  const rows = page.getByRole('row');
  await expect(rows).toHaveCount(1);
  await rows.first().click();
  await page.getByRole('link', { name: 'View session' }).click();
  await expect(page).toHaveURL(new RegExp(`/sessions/${id}`));
  await ask(page).focus();
  await page.keyboard.press('d');
  await expect(page.locator(`[data-ask="${open.id}"]`)).toHaveCount(0);
  await expect(transcript(page).getByText(/denied by you/)).toBeVisible();
  await expect.poll(async () => (await call(program, 'GET', '/inbox/count')).waiting).toBe(0);
});

test('a long transcript opens at its end with few rows in the document, and is read back to its beginning', async ({
  signedIn: page,
  program,
  folder,
}) => {
  await start(
    page,
    program,
    folder,
    `say the very first; ${Array.from({ length: 400 }, (_, at) => `think of ${at}; say step ${at}`).join('; ')}; think at last; say the very last`,
  );
  await expect(said(page, 'the very last')).toBeVisible();
  expect(await page.locator('.transcript-row').count()).toBeLessThan(80);
  await page.reload();
  await expect(said(page, 'the very last')).toBeVisible();
  await expect(said(page, 'the very first')).toHaveCount(0);
  const box = transcript(page);
  await expect(async () => {
    await box.evaluate((element) => (element.scrollTop = 0));
    await expect(said(page, 'the very first')).toBeVisible({ timeout: 500 });
  }).toPass();
  expect(await page.locator('.transcript-row').count()).toBeLessThan(80);
  await page.getByRole('button', { name: 'Jump to latest' }).click();
  await expect(said(page, 'the very last')).toBeVisible();
});

test('markup in titles, prompts and what tools give is text', async ({ signedIn: page, program, folder }) => {
  const hostile = '<img src=x onerror=window.bad=1>';
  await start(page, program, folder, `title ${hostile}; say ${hostile} **bold**; run echo "${hostile}"; say over`);
  await expect(ask(page)).toContainText(hostile);
  await ask(page).getByRole('button', { name: 'Allow', exact: true }).click();
  await expect(transcript(page).getByText('over', { exact: true })).toBeVisible();
  await transcript(page)
    .getByRole('button', { name: /Running|Ran/ })
    .click();
  await expect(transcript(page).getByLabel('Output')).toContainText(hostile);
  await expect(transcript(page).locator('strong')).toHaveText('bold');
  await page.goto(`${program.url}/app/sessions`);
  await expect(page.getByRole('list', { name: 'Sessions', exact: true }).getByRole('link')).toHaveCount(1);
  expect(await page.evaluate(() => 'bad' in window)).toBe(false);
});

test('a prompt is written, kept over a reload, sent, and leafed back to', async ({
  signedIn: page,
  program,
  folder,
}) => {
  await start(page, program, folder, 'say ready');
  await expect(transcript(page).getByText('ready', { exact: true })).toBeVisible();
  await leaveComposer(page);
  await page.locator('body').press('c');
  const field = page.getByRole('textbox', { name: 'Message', exact: true });
  await expect(field).toBeFocused();
  await page.keyboard.type('practice: ask Which color?; say thanks');
  await page.reload();
  await expect(field).toHaveValue('practice: ask Which color?; say thanks');
  await field.press('Enter');
  await expect(field).toHaveValue('');
  const question = page.getByRole('region', { name: /^Question/ });
  await question.getByRole('textbox', { name: 'Which color?' }).fill('blue');
  await expectAccessible(page, 'a session with a question');
  await question.getByRole('textbox').press('Enter');
  await expect(transcript(page).getByText('You said: blue')).toBeVisible();
  await field.press('ArrowUp');
  await expect(field).toHaveValue('practice: ask Which color?; say thanks');
});

test('everything is within reach in a narrow window', async ({ signedIn: page, program, folder }) => {
  await page.setViewportSize({ width: 520, height: 720 });
  await start(
    page,
    program,
    folder,
    'say ready; run echo a rather long text that does not fit on one line of a narrow window',
  );
  await expect(ask(page)).toBeVisible();
  for (const name of ['Allow', 'Deny', 'Queue']) {
    const button = page.getByRole('button', { name, exact: true });
    await button.scrollIntoViewIfNeeded();
    await expect(button).toBeInViewport();
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await expectAccessible(page, 'narrow');
});
