import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expectAccessible } from '../../../e2e/helpers';
import { ask, begin, composer, expect, leaveComposer, said, start, stateOf, test, transcript } from './session';
import type { Page } from '@playwright/test';

/** So many words, each a row of its own. */
const many = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `think of ${from + at}; say step ${from + at}`).join('; ');
const bar = (page: Page) => page.getByRole('search', { name: 'Find in transcript' });
const count = (page: Page) => bar(page).getByRole('status');
const current = (page: Page) => transcript(page).locator('[data-found]');
/** The texts that are highlighted, as the browser has them. */
const highlighted = (page: Page, name: string) =>
  page.evaluate((name) => [...(CSS.highlights.get(name) ?? [])].map(String), name);

test('words are found in all of a transcript: folded, far away, and never loaded', async ({
  signedIn: page,
  program,
  folder,
}) => {
  await writeFile(path.join(folder, 'long.txt'), ['a walrus', ...Array(400).fill('nothing')].join('\n'));
  const id = await begin(
    page,
    program,
    folder,
    `say the **wal**rus sings; ${many(0, 400)}; read long.txt; think about it; say end`,
  );
  await expect.poll(() => stateOf(program, id), { timeout: 60_000 }).toBe('idle');
  await page.goto(`${program.url}/app/sessions/${id}`);
  await expect(said(page, 'end')).toBeInViewport();
  await composer(page).focus();
  await page.keyboard.press('Control+f');
  await expect(bar(page).getByRole('textbox')).toBeFocused();
  await page.keyboard.type('walrus');
  // In the file that was read. The first lines of a long output are shown too.
  await expect(count(page)).toHaveText('2 of 2');
  await expect(current(page).getByLabel('Output')).toContainText('a walrus');
  await expect(current(page)).toBeInViewport();
  await expect.poll(() => highlighted(page, 'transcript-current')).toEqual(['walrus']);
  await page.keyboard.press('Shift+Enter');
  await expect(count(page)).toHaveText('1 of 2');
  await expect(current(page)).toContainText('the walrus sings');
  await expect(current(page)).toBeInViewport();
  await expect.poll(() => highlighted(page, 'transcript-current')).toEqual(['walrus']);
  await expectAccessible(page, 'something was found');
  await page.keyboard.press('F3');
  await expect(count(page)).toHaveText('2 of 2');
  await page.keyboard.type('es');
  await expect(count(page)).toHaveText('No matches');
  await page.keyboard.press('Escape');
  await expect(bar(page)).toHaveCount(0);
  await expect(composer(page)).toBeFocused();
  expect(await highlighted(page, 'transcript-found')).toEqual([]);
  await page.getByRole('button', { name: 'Find in transcript' }).press('Enter');
  await expect(bar(page).getByRole('textbox')).toBeFocused();
});

test('messages, code, and commands are copied by keyboard and pointer', async ({ signedIn: page, program, folder }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  const script = 'say See **this**: `x`; run echo hello; say over';
  await start(page, program, folder, script);
  await ask(page).getByRole('button', { name: 'Copy command' }).press('Enter');
  await expect.poll(copied).toBe('echo hello');
  await ask(page).getByRole('button', { name: 'Allow', exact: true }).click();
  await expect(said(page, 'over')).toBeVisible();
  const message = transcript(page).locator('.transcript-row').filter({ hasText: 'See this' });
  const copy = message.getByRole('button', { name: 'Copy message' });
  const spot = message.locator('.copy-button');
  await expect(spot).toHaveCSS('opacity', '0');
  await message.hover();
  await expect(spot).toHaveCSS('opacity', '1');
  await copy.click();
  await expect(page.getByText('Copied', { exact: true })).toBeVisible();
  await expect.poll(copied).toMatch(/^See \*\*this\*\*: `x`\s*$/);
  await transcript(page).getByRole('button', { name: 'Copy message' }).first().press('Enter');
  await expect.poll(copied).toBe(`practice: ${script}`);
  await transcript(page).getByRole('button', { name: 'Copy command' }).press('Enter');
  await expect.poll(copied).toBe('echo hello');
});

test('a turn has one to-do list, which changes where it is, and rules are marks on the lines', async ({
  signedIn: page,
  program,
  folder,
}) => {
  await start(
    page,
    program,
    folder,
    'todo ~Look|Change|Test; write a.txt one; todo +Look|~Change|Test; write b.txt two; todo +Look|+Change|~Test; say over',
  );
  await expect(said(page, 'over')).toBeVisible();
  await expect(transcript(page).getByText(/^To-do:/)).toHaveText(['To-do: 2 of 3 done']);
  const kinds = await transcript(page)
    .locator('.transcript-row')
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-kind')));
  expect(kinds.slice(kinds.indexOf('prompt'))).toEqual(['prompt', 'plan', 'tool', 'tool', 'text']);
  const edit = transcript(page).getByRole('button', { name: /(Editing|Edited).*a\.txt/ });
  await expect(edit.getByTitle(/^Allowed automatically/)).toBeVisible();
  await edit.press('Enter');
  await expect(transcript(page).locator('.row-note').filter({ hasText: 'Allowed automatically' })).toBeVisible();
  await composer(page).fill('practice: todo +Look|+Change|+Test; say next');
  await composer(page).press('Enter');
  await expect(said(page, 'next')).toBeVisible();
  await expect(transcript(page).getByText(/^To-do:/)).toHaveText(['To-do: 2 of 3 done', 'To-do: 3 of 3 done']);
  await expectAccessible(page, 'two to-do lists and a reason');
});

test('in a short session the last line is beside the card, and the composer says that a question is open', async ({
  signedIn: page,
  program,
  folder,
}) => {
  await start(page, program, folder, 'say hello; ask Which color?; say over');
  const card = page.getByRole('region', { name: /^Question/ });
  await expect(card).toBeVisible();
  const gap = async () => {
    const last = await transcript(page).locator('.transcript-row').last().boundingBox();
    return (await card.boundingBox())!.y - (last!.y + last!.height);
  };
  await expect.poll(gap).toBeLessThan(60);
  await expect(composer(page)).toHaveAccessibleDescription(
    'A question is open above. Answer there, or send a message.',
  );
  await expect(card.getByRole('textbox')).not.toBeFocused();
  await expectAccessible(page, 'an open question');
  await leaveComposer(page);
  await page.locator('body').press('a');
  await page.keyboard.press('Tab');
  await page.keyboard.type('green');
  await page.keyboard.press('Enter');
  await expect(said(page, 'You said: green')).toBeVisible();
  await expect(composer(page)).toHaveAccessibleDescription('');
});
