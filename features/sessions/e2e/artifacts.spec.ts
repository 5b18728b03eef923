import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expectAccessible } from '../../../e2e/helpers';
import { begin, composer, expect, said, start, stateOf, test, transcript } from './session';

/** Tells on what ran or was loaded. The address is one of the program's, which a request would reach. */
const hostile = (url: string) => `<!doctype html><title>T</title>
<meta http-equiv="refresh" content="0;url=${url}/leak-refresh">
<link rel="stylesheet" href="${url}/leak-style"><link rel="preconnect" href="${url}">
<style>p { color: rgb(200, 0, 0) } body { background: url(${url}/leak-background) }</style>
<p>A report</p><img src="${url}/leak-image" onerror="document.querySelector('p').textContent = 'ran'">
<script>document.querySelector('p').textContent = 'ran'; fetch('${url}/leak-script')</script>
<svg onload="document.querySelector('p').textContent = 'ran'"></svg>
<iframe src="${url}/leak-frame"></iframe><a href="${url}/leak-link">Link</a>`;

test('files that the agent made are shown beside the transcript, and nothing in them runs or loads', async ({
  signedIn: page,
  program,
  folder,
  console: faults,
}) => {
  const id = await begin(page, program, folder, 'say Done; wait 0');
  await expect.poll(() => stateOf(program, id)).toBe('idle');
  await mkdir(path.join(folder, 'out'));
  await writeFile(path.join(folder, 'out/table.csv'), 'Name,Age\n"Ada, Countess",36\n');
  await writeFile(path.join(folder, 'report.html'), hostile(program.url));
  await writeFile(path.join(folder, 'notes.md'), '# Findings\n\nAll **good**.');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><script>parent.ran = true</script>
    <image href="${program.url}/leak-svg" width="9" height="9"/><rect width="40" height="40" fill="red"/></svg>`;
  await writeFile(path.join(folder, 'drawing.svg'), svg);
  await writeFile(path.join(folder, '.env'), 'KEY=1');
  const leaks: string[] = [];
  // A blocked request is announced too, but has no response.
  page.on('response', (response) => {
    if (response.url().includes('leak')) leaks.push(response.url());
  });
  await page.goto(`${program.url}/app/sessions/${id}`);
  await expect(page.getByRole('button', { name: 'Artifacts (4)' })).toBeVisible();
  await transcript(page).focus();
  await page.keyboard.press('f');
  const files = page.getByRole('list', { name: 'Artifacts' });
  await expect(files.getByRole('button')).toHaveCount(4);
  await files.getByRole('button', { name: /table\.csv/ }).click();
  await expect(page.getByRole('cell', { name: 'Ada, Countess' })).toBeVisible();
  await expectAccessible(page, 'a table');
  await files.getByRole('button', { name: /notes\.md/ }).click();
  await expect(page.getByText('Findings', { exact: true })).toBeVisible();
  await files.getByRole('button', { name: /drawing\.svg/ }).click();
  await expect(page.getByRole('img', { name: 'drawing.svg' })).toBeVisible();
  await files.getByRole('button', { name: /report\.html/ }).click();
  const shown = page.frameLocator('iframe[title="report.html"]').frameLocator('iframe');
  await expect(shown.getByText('A report')).toBeVisible();
  await expect(shown.getByText('A report')).toHaveCSS('color', 'rgb(200, 0, 0)');
  await shown.getByRole('link', { name: 'Link' }).click();
  await expect(page).toHaveURL(/tab=artifacts/);
  expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
  expect(leaks).toEqual([]);
  // The browser says what it blocked.
  const others = faults.filter((fault) => !/Content Security Policy|Blocked script execution/.test(fault));
  expect(others).toEqual([]);
  faults.length = 0;
});

test('a session is forked from a message', async ({ signedIn: page, program, folder }) => {
  const id = await start(page, program, folder, 'say First answer');
  await expect(said(page, 'First answer')).toBeVisible();
  await expect.poll(() => stateOf(program, id)).toBe('idle');
  await said(page, 'First answer').hover();
  await page.getByRole('button', { name: 'Fork from here' }).last().click();
  const dialog = page.getByRole('dialog', { name: 'Fork session' });
  await expectAccessible(page, 'the dialog');
  await dialog.getByLabel('Message').fill('practice: say Another answer');
  await dialog.getByRole('button', { name: 'Start session' }).click();
  await expect(said(page, 'Another answer')).toBeVisible();
  await page.getByRole('link', { name: /^Forked from .* at message 1$/ }).click();
  await expect(page).toHaveURL(new RegExp(`/sessions/${id}\\?at=`));
});

test('a file is named in a message after @', async ({ signedIn: page, program, folder }) => {
  await writeFile(path.join(folder, 'walrus.txt'), 'x');
  await start(page, program, folder, 'say Hi');
  await expect(said(page, 'Hi')).toBeVisible();
  await composer(page).pressSequentially('Read @walr');
  await expect(page.getByRole('option', { name: 'walrus.txt' })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(composer(page)).toHaveValue('Read @walrus.txt ');
  await composer(page).pressSequentially('and @wal');
  await expect(page.getByRole('option', { name: 'walrus.txt' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('listbox', { name: 'Files' })).toHaveCount(0);
});
