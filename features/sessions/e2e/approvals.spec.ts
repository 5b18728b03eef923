import { call, expectAccessible, login } from '../../../e2e/helpers';
import { ask, byPerson, composer, expect, said, stands, start, test, transcript } from './session';

test('a plan is read and accepted, refused, or accepted with its edits', async ({
  signedIn: page,
  program,
  folder,
}) => {
  await start(page, program, folder, 'plan Read **all** of it|Change it; say decided');
  const plan = page.getByRole('region', { name: /Plan needs approval/ });
  await expect(plan.locator('strong').filter({ hasText: /^all$/ })).toBeVisible();
  await expectAccessible(page, 'a plan waits');
  await plan.getByRole('button', { name: 'Reject' }).click();
  await expect(transcript(page).getByText(/denied by you/)).toBeVisible();
  await expect(said(page, 'decided')).toBeVisible();
  await composer(page).fill('practice: plan Once more; say and now');
  await composer(page).press('Enter');
  await plan.getByRole('button', { name: /Allow edits/ }).click();
  await expect(said(page, 'and now')).toBeVisible();
  await expect(page.getByRole('button', { name: /(?<!Focus )Mode$/ })).toContainText('Accept edits');
});

test('what is allowed from now on is asked no more', async ({ signedIn: page, program, folder }) => {
  await start(page, program, folder, 'run echo one; run echo one; say done');
  await expect(ask(page).getByText('Commands that start with echo one')).toBeVisible();
  await ask(page).getByRole('button', { name: 'Always allow', exact: true }).click();
  await expect(said(page, 'done')).toBeVisible();
  await expect(transcript(page).getByRole('button', { name: /Ran.*Done/ })).toHaveCount(2);
});

test('a card goes when its row of the inbox is answered, and a question is answered on its card', async ({
  signedIn: page,
  context,
  program,
  folder,
}) => {
  const id = await start(page, program, folder, 'run echo hello; ask Which color?; say over');
  await expect(ask(page)).toBeVisible();
  await ask(page).focus();
  const inbox = await context.newPage();
  await login(inbox, program, '/inbox');
  await inbox.getByRole('article').getByRole('button', { name: 'Allow', exact: true }).click();
  const question = page.getByRole('region', { name: /^Question/ });
  await expect(question).toBeVisible();
  await expect(ask(page)).toHaveCount(0);
  // Where the card went that had the focus, keys go on in the transcript: A and D answer nothing unread.
  await expect(transcript(page)).toBeFocused();
  await expect(transcript(page).getByText(/allowed by you/)).toBeVisible();
  await expect(inbox.getByRole('row', { name: /has a question/ })).toBeVisible();
  await question.getByRole('textbox', { name: 'Which color?' }).fill('green');
  await question.getByRole('button', { name: 'Submit' }).click();
  await expect(said(page, 'You said: green')).toBeVisible();
  await expect(inbox.getByText("You're all caught up")).toBeVisible();
  const { items } = await call(program, 'GET', `/sessions/${id}/asks`);
  expect(items.map(({ answer }: { answer: string }) => answer)).toEqual(['allowed', 'allowed']);
});

test('of two answers at once the first counts, and the second one is told so', async ({
  signedIn: page,
  program,
  folder,
}) => {
  const id = await start(page, program, folder, 'run echo hello; say over');
  await expect(ask(page)).toBeVisible();
  // Between the click and its arrival somebody else refuses.
  await page.route('**/asks/*/answer', async (route) => {
    const { items } = await call(program, 'GET', `/sessions/${id}/asks`);
    await call(program, 'POST', `/sessions/${id}/asks/${items[0].id}/answer`, JSON.stringify({ allow: false }));
    await route.continue();
  });
  await ask(page).getByRole('button', { name: 'Allow', exact: true }).click();
  await expect(page.getByText("Couldn't submit answer")).toBeVisible();
  await expect(page.getByText(/already answered|was answered/)).toBeVisible();
  await expect(ask(page)).toHaveCount(0);
  await expect(transcript(page).getByText(/denied by your script/)).toBeVisible();
  await expect(transcript(page).getByRole('button', { name: /Run.*Failed/ })).toBeVisible();
});

test('a request that was withdrawn takes its card and its row along', async ({ signedIn: page, program, folder }) => {
  const id = await start(page, program, folder, 'run echo hello; say never');
  await expect(ask(page)).toBeVisible();
  await byPerson(page, 'POST', `/sessions/${id}/stop`);
  await expect(stands(page)).toContainText('Stopped');
  await expect(ask(page)).toHaveCount(0);
  await expect(transcript(page).getByText(/Permission requested .*canceled/)).toBeVisible();
  await expect.poll(async () => (await call(program, 'GET', '/inbox/count')).waiting).toBe(0);
});
