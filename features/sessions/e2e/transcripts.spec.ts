import { call, expectAccessible, rawCall, setSetting } from '../../../e2e/helpers';
import {
  begin,
  byPerson,
  composer,
  expect,
  leaveComposer,
  said,
  stands,
  start,
  stateOf,
  test,
  transcript,
} from './session';
import type { Page } from '@playwright/test';

/** So many words, each a row of its own. */
const many = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `think of ${from + at}; say step ${from + at}`).join('; ');
const found = (page: Page) => page.getByRole('list', { name: 'Results' }).getByRole('link');

test('what is found leads to its place, which is in view and marked, and back', async ({
  signedIn: page,
  program,
  folder,
}) => {
  const long = await begin(page, program, folder, `${many(0, 150)}; say the walrus sings; ${many(150, 400)}`, {
    title: 'A long one',
  });
  await begin(page, program, folder, 'say no animals here', { title: 'Another one' });
  await expect.poll(() => stateOf(program, long)).toBe('idle');
  await page.goto(`${program.url}/app/sessions/search`);
  await page.getByRole('searchbox', { name: 'Search transcripts' }).fill('WALRUS sing');
  // The prompt has the words too, and so does what was said.
  await expect(found(page)).toHaveCount(2);
  const hit = found(page).filter({ hasText: 'Agent' });
  await expect(hit.locator('mark').first()).toHaveText(/walrus/i);
  await page.keyboard.press('ArrowDown');
  await expect(found(page).first()).toBeFocused();
  await hit.click();
  await expect(page).toHaveURL(new RegExp(`/sessions/${long}\\?at=\\d+$`));
  const marked = transcript(page).locator('[aria-current="true"]');
  await expect(marked).toContainText('the walrus sings');
  await expect(marked).toBeInViewport();
  await expect(said(page, 'step 399')).toHaveCount(0);
  await expectAccessible(page, 'a transcript at what was found');
  await page.getByRole('button', { name: 'Jump to latest' }).click();
  await expect(said(page, 'step 399')).toBeInViewport();
  await page.goBack();
  await expect(page.getByRole('searchbox')).toHaveValue('WALRUS sing');
  await expect(found(page)).toHaveCount(2);
});

test('an entry that never was opens the end, and what is no word is not searched for', async ({
  signedIn: page,
  program,
  folder,
}) => {
  const id = await start(page, program, folder, 'say the end');
  for (const at of ['999999', '-3', 'walrus', '1e400']) {
    await page.goto(`${program.url}/app/sessions/${id}?at=${at}`);
    await expect(said(page, 'the end')).toBeVisible();
    await expect(transcript(page).locator('[aria-current="true"]')).toHaveCount(0);
  }
  await page.goto(`${program.url}/app/sessions/search?q=${encodeURIComponent('"; drop* NEAR(')}`);
  await expect(page.getByText('No results')).toBeVisible();
  await page.goto(`${program.url}/app/sessions/search?q=${encodeURIComponent('-- *"')}`);
  await expect(page.getByText('Search all transcripts')).toBeVisible();
  for (const q of ['', '%20', '%22*%22', 'a'.repeat(501), 'a&skip=-1', 'a&limit=0', 'a&limit=x'])
    expect((await rawCall(program, 'GET', `/sessions/search?q=${q}`)).status, q).toBe(422);
  await page.goto(`${program.url}/app/sessions/search?q=unheard-of`);
  await expect(page.getByText('No transcript matches “unheard-of”. Archived sessions are excluded.')).toBeVisible();
  await expectAccessible(page, 'nothing was found');
});

test('thousands of entries open with one page of them, and are gone through by keyboard', async ({
  signedIn: page,
  program,
  folder,
}) => {
  await setSetting(program, 'readLoopBreakerEnabled', false);
  const id = await begin(page, program, folder, `say the very first; ${'loop 1000 .; '.repeat(8)}say the very last`);
  await expect.poll(() => stateOf(program, id), { timeout: 90_000 }).toBe('idle');
  const { last } = await call(program, 'GET', `/sessions/${id}/transcript?limit=1`);
  expect(last).toBeGreaterThan(6_000);
  const read: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/transcript')) read.push(request.url());
  });
  await page.goto(`${program.url}/app/sessions/${id}`);
  await expect(said(page, 'the very last')).toBeInViewport();
  // What is ahead of the reader is read as well, but no more.
  expect(read.length).toBeLessThanOrEqual(2);
  expect(await page.locator('.transcript-row').count()).toBeLessThan(80);
  await leaveComposer(page);
  await page.locator('body').press('t');
  await expect(transcript(page)).toBeFocused();
  const top = () => transcript(page).evaluate((element) => element.scrollTop);
  const before = await top();
  await page.keyboard.press('PageUp');
  await expect.poll(top).toBeLessThan(before);
  await page.keyboard.press('Home');
  await expect(said(page, 'the very first')).toBeInViewport();
  await expect(transcript(page)).toBeFocused();
  await page.keyboard.press('PageDown');
  await expect.poll(top).toBeGreaterThan(0);
  await page.keyboard.press('Home');
  await expect(said(page, 'the very first')).toBeInViewport();
  await page.keyboard.press('End');
  await expect(said(page, 'the very last')).toBeInViewport();
  await expect(page.getByRole('button', { name: 'Jump to latest' })).toHaveCount(0);
  expect(read.length).toBeLessThan(12);
  // Folded rows are reached by Tab, opened by Enter, and Tab leads on to the field.
  const row = transcript(page).getByRole('button', { name: /Read/ }).last();
  await row.focus();
  await page.keyboard.press('Enter');
  await expect(row).toHaveAttribute('aria-expanded', 'true');
  await expect(async () => {
    await page.keyboard.press('Tab');
    await expect(composer(page)).toBeFocused({ timeout: 50 });
  }).toPass();
});

test('what comes is followed at the end, and counted further up', async ({ signedIn: page, program, folder }) => {
  const id = await start(page, program, folder, many(0, 60));
  await expect(said(page, 'step 59')).toBeInViewport();
  await expect(stands(page)).toContainText('Ready');
  const say = (steps: string) => byPerson(page, 'POST', `/sessions/${id}/messages`, { prompt: `practice: ${steps}` });
  await say(`${many(60, 90)}; say followed`);
  await expect(said(page, 'followed')).toBeInViewport();
  await transcript(page).press('Home');
  await expect(said(page, 'step 0')).toBeInViewport();
  await say('say not followed');
  await expect(page.getByRole('button', { name: '2 new' })).toBeVisible();
  await expect(said(page, 'step 0')).toBeInViewport();
  await expectAccessible(page, 'something new further down');
  await page.getByRole('button', { name: '2 new' }).press('Enter');
  await expect(said(page, 'not followed')).toBeInViewport();
  await expect(page.getByRole('button', { name: /new|Jump to latest/ })).toHaveCount(0);
});

test('what happened elsewhere stands as unread until it is looked at', async ({ signedIn: page, program, folder }) => {
  const id = await begin(page, program, folder, 'say unread', { title: 'Unread one' });
  await expect.poll(() => stateOf(program, id)).toBe('idle');
  await page.goto(`${program.url}/app/sessions`);
  const line = page.getByRole('list', { name: 'Sessions', exact: true }).getByRole('link');
  await expect(line).toHaveAccessibleName(/Unread: Unread one/);
  await expect(
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /Unread one.*unread/ }),
  ).toBeVisible();
  await expectAccessible(page, 'an unread session');
  await line.press('Enter');
  await expect(said(page, 'unread')).toBeVisible();
  await expect.poll(async () => (await call(program, 'GET', `/sessions/${id}`)).unread).toBe(0);
  await page.goBack();
  await expect(line).not.toHaveAccessibleName(/Unread:/);
});
