import { call, expectAccessible } from '../../../e2e/helpers';
import { begin, byPerson, expect, stateOf, test } from './session';

test('what needs you is answered in the sidebar, in the dialog, and by keyboard alone', async ({
  signedIn: page,
  program,
  folder,
}) => {
  const steps = ['run echo one; say over', 'plan Read it|Change it; say over', 'ask Which color?; say over'];
  const ids: string[] = [];
  for (const one of steps) {
    const id = await begin(page, program, folder, one);
    await expect.poll(() => stateOf(program, id)).toMatch(/^awaiting/);
    ids.push(id);
  }
  const queue = page.getByRole('navigation', { name: 'Main' }).getByRole('group', { name: 'Needs you' });
  await expect(queue.getByRole('listitem')).toHaveCount(3);
  await expect(queue.getByRole('listitem').nth(0)).toContainText('Wants to run echo one');
  await expect(queue.getByRole('listitem').nth(2)).toContainText('Question: Which color?');
  await expect(page).toHaveTitle(/^\(3\) /);
  await expectAccessible(page, 'the queue of what needs you');
  // One click.
  await queue.getByRole('button', { name: 'Allow: Wants to run echo one' }).click();
  await expect(queue.getByRole('listitem')).toHaveCount(2);
  await expect.poll(() => stateOf(program, ids[0]!)).toBe('idle');
  // By keyboard: the queue, the plan, its approval, and the question that follows.
  await page.keyboard.press('g');
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('region', { name: /Plan needs approval/ })).toBeFocused();
  await expect(dialog.getByText('1 of 2')).toBeVisible();
  await page.keyboard.press('j');
  await expect(dialog.getByRole('textbox', { name: 'Which color?' })).toBeFocused();
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('n');
  await expect(dialog.getByRole('region', { name: /Plan needs approval/ })).toBeFocused();
  await expectAccessible(page, 'a request in the dialog');
  await page.keyboard.press('a');
  await expect(dialog.getByRole('textbox', { name: 'Which color?' })).toBeFocused();
  await page.keyboard.type('green');
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(queue).toHaveCount(0);
  await expect(page).not.toHaveTitle(/^\(/);
  for (const id of ids) await expect.poll(() => stateOf(program, id)).toBe('idle');
  const { items } = await call(program, 'GET', `/sessions/${ids[2]}/asks`);
  expect(items[0].said).toContain('green');
});

test('no session that waits is hidden, and every counter says the same', async ({
  signedIn: page,
  program,
  folder,
}) => {
  const waits = await begin(page, program, folder, 'run echo old; say over', { title: 'The old one' });
  await expect.poll(() => stateOf(program, waits)).toBe('awaitingPermission');
  for (let at = 0; at < 6; at += 1) await begin(page, program, folder, 'say over', { title: `Newer ${at}` });
  await page.goto(`${program.url}/app/sessions?state=need`);
  const sidebar = page.getByRole('navigation', { name: 'Main' });
  await expect(sidebar.getByRole('group', { name: 'Needs you' }).getByText('The old one')).toBeVisible();
  await expect(sidebar.getByRole('list', { name: /^Sessions of/ }).getByText('The old one')).toBeVisible();
  await expect(page.getByRole('main').getByRole('list', { name: 'Sessions' }).getByRole('listitem')).toHaveCount(1);
  await expect(sidebar.getByRole('link', { name: /^Inbox/ })).toHaveAccessibleName(/1 needs you/);
  await expect(page).toHaveTitle(/^\(1\) Sessions/);
  const line = page.getByRole('main').getByRole('region', { name: 'Needs you' }).locator('.need-open');
  await line.focus();
  await page.keyboard.press('d');
  await expect(page.getByText('No matching sessions')).toBeVisible();
  await expect(page).toHaveTitle('Sessions - Pilothouse');
  await expect.poll(() => stateOf(program, waits)).toBe('idle');
});

test('a request answered elsewhere leaves the dialog, and a failed session is opened or dismissed', async ({
  signedIn: page,
  program,
  folder,
}) => {
  const asks = await begin(page, program, folder, 'run echo one; say over');
  await expect.poll(() => stateOf(program, asks)).toBe('awaitingPermission');
  const failed = await begin(page, program, folder, 'fail auth', { title: 'Fails' });
  await expect.poll(() => stateOf(program, failed)).toBe('failed');
  const queue = page.getByRole('navigation', { name: 'Main' }).getByRole('group', { name: 'Needs you' });
  await queue.getByRole('listitem').nth(0).locator('.need-open').click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText('1 of 2')).toBeVisible();
  const { items } = await call(program, 'GET', `/sessions/${asks}/asks`);
  await byPerson(page, 'POST', `/sessions/${asks}/asks/${items[0].id}/answer`, { allow: true });
  await expect(dialog.getByRole('heading', { name: 'Fails' })).toBeVisible();
  await dialog.getByRole('button', { name: 'Dismiss' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(queue).toHaveCount(0);
});
