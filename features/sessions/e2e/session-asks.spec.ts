import { asSession, call, expectAccessible, isInFiles, login, rawCall, startProgram } from '../../../e2e/helpers';
import { ask, composer, expect, said, stands, start, test, transcript } from './session';
import type { Page } from '@playwright/test';

const VALUE = 'sk-live-Zq8xWv7Tn6Rb5Yc4';
const valueCard = (page: Page, name = 'Mail key') => page.getByRole('region', { name: `Input request: ${name}` });

test('a value is typed on the page of the session, and is nowhere but where it was meant to be', async ({
  page,
  folder,
}) => {
  // This program says everything that it ever says.
  process.env.PILOTHOUSE_LOG = 'trace';
  const program = await startProgram();
  delete process.env.PILOTHOUSE_LOG;
  await login(page, program, '/settings');
  const id = await start(page, program, folder, 'say ready');
  await expect(stands(page)).toContainText('Ready');
  const asks = await asSession(program, id);
  await composer(page).focus();
  const { id: request } = await asks('POST', '/input-requests', {
    name: 'Mail key',
    purpose: 'Sends the <b>report</b>',
    target: { env: 'MAIL_KEY' },
  });
  await expect(valueCard(page)).toContainText('Sends the <b>report</b>');
  await expect(composer(page)).toBeFocused();
  await expectAccessible(page, 'a value is asked for on the page of the session');
  await page.getByRole('log', { name: 'Transcript' }).focus();
  await page.keyboard.press('a');
  await expect(valueCard(page)).toBeFocused();
  await page.keyboard.press('Tab');
  const field = valueCard(page).getByLabel('Mail key', { exact: true });
  await expect(field).toBeFocused();
  await expect(field).toHaveAttribute('type', 'password');
  await page.keyboard.type(VALUE);
  await page.keyboard.press('Enter');
  await expect(page.getByText("Value provided. The agent can't see it.")).toBeVisible();
  await expect(valueCard(page)).toHaveCount(0);
  expect(await asks('GET', `/input-requests/${request}`)).toEqual({ status: 'provided' });
  expect(
    (await call(program, 'GET', '/inbox')).items.filter(({ title }: { title: string }) => title.includes('Mail key')),
  ).toEqual([]);
  // From its next start on the session has it; what its commands print of it is taken out.
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(stands(page)).toContainText('Stopped');
  await composer(page).fill('practice: run echo "[$MAIL_KEY]"; say printed');
  await composer(page).press('Enter');
  await ask(page).getByRole('button', { name: 'Allow', exact: true }).click();
  await expect(said(page, 'printed')).toBeVisible();
  await transcript(page)
    .getByRole('button', { name: /Running|Ran/ })
    .click();
  await expect(transcript(page).getByLabel('Output')).toHaveText(/^\[.+\]$/);
  const seen = await page.evaluate(
    () =>
      document.documentElement.outerHTML +
      [...document.querySelectorAll('input, textarea')].map((one) => (one as HTMLInputElement).value).join() +
      JSON.stringify({ ...localStorage, ...sessionStorage }),
  );
  const exports = await Promise.all(
    ['markdown', 'html', 'jsonl'].map(async (as) =>
      (await rawCall(program, 'GET', `/sessions/${id}/export?as=${as}`)).text(),
    ),
  );
  const read = JSON.stringify([
    await call(program, 'GET', `/sessions/${id}/transcript`),
    await call(program, 'GET', `/sessions/${id}`),
    await call(program, 'GET', '/asks'),
  ]);
  for (const text of [seen, ...exports, read, program.log()]) {
    expect(text.length).toBeGreaterThan(100);
    expect(text.includes(VALUE)).toBe(false);
  }
  expect(await isInFiles(program, VALUE)).toBe(false);
  await page.close();
  await program.stop();
});

test('an offered key is looked through and saved on the page of the session', async ({
  signedIn: page,
  program,
  folder,
}) => {
  const id = await start(page, program, folder, 'say ready');
  const asks = await asSession(program, id);
  const kept = await asks('POST', '/key-proposals', { name: 'MAIL', value: VALUE, note: 'From the console' });
  const dropped = await asks('POST', '/key-proposals', { name: 'DROPPED', value: VALUE });
  const card = page.getByRole('region', { name: 'Key proposal: MAIL' });
  await expect(card.getByLabel('Key', { exact: true })).toHaveValue(VALUE);
  await expectAccessible(page, 'keys are offered on the page of the session');
  await card.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('region', { name: 'Key proposal: DROPPED' }).getByRole('button', { name: 'Dismiss' }).click();
  await expect(page.getByRole('region', { name: /Key proposal/ })).toHaveCount(0);
  await expect(page.getByText('MAIL: Key saved.')).toBeVisible();
  expect([await asks('GET', `/key-proposals/${kept.id}`), await asks('GET', `/key-proposals/${dropped.id}`)]).toEqual([
    { status: 'saved' },
    { status: 'dismissed' },
  ]);
  await page.reload();
  await expect(said(page, 'ready')).toBeVisible();
  await expect(page.getByText('Key saved')).toHaveCount(0);
  expect(await page.evaluate(() => document.documentElement.outerHTML)).not.toContain(VALUE);
});

test('what was decided in the inbox goes from the session, and who comes second is told so', async ({
  signedIn: page,
  context,
  program,
  folder,
}) => {
  const id = await start(page, program, folder, 'say ready');
  const asks = await asSession(program, id);
  await asks('POST', '/input-requests', { name: 'Mail key', target: { secret: 'MAIL' } });
  const inbox = await context.newPage();
  await login(inbox, program, '/inbox');
  await inbox
    .getByRole('article', { name: /Mail key/ })
    .getByRole('button', { name: 'Open', exact: true })
    .click();
  await expect(valueCard(page)).toBeVisible();
  await inbox.getByRole('button', { name: 'Decline' }).click();
  await expect(page.getByText('Mail key: You declined.')).toBeVisible();
  await expect(valueCard(page)).toHaveCount(0);
  // A page that has not heard of it yet.
  await asks('POST', '/input-requests', { name: 'Other key', target: { secret: 'OTHER' } });
  await expect(valueCard(page, 'Other key')).toBeVisible();
  const stale = await (await rawCall(program, 'GET', `/asks?session=${id}`)).text();
  await page.route('**/asks?*', (route) => route.fulfill({ contentType: 'application/json', body: stale }));
  const { items } = await call(program, 'GET', '/asks?status=waiting');
  await call(program, 'POST', `/input-requests/${items[0].id}/answer`, JSON.stringify({ value: 'the first one' }));
  await valueCard(page, 'Other key').getByLabel('Other key', { exact: true }).fill(VALUE);
  await valueCard(page, 'Other key').getByRole('button', { name: 'Submit' }).click();
  await expect(valueCard(page, 'Other key').getByRole('alert')).toContainText(/decided|already/i);
  expect(await isInFiles(program, VALUE)).toBe(false);
});
