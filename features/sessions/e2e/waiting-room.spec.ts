import { expectAccessible, setSetting } from '../../../e2e/helpers';
import { ask, begin, composer, expect, start, stateOf, test } from './session';

test('after sending, the next session that needs you opens, or else the waiting room', async ({
  signedIn: page,
  program,
  folder,
}) => {
  await setSetting(program, 'postSendNavigation', ['next_in_project', 'waiting_room']);
  const waits = await begin(page, program, folder, 'run echo one; say over', { title: 'Asks first' });
  await expect.poll(() => stateOf(program, waits)).toBe('awaitingPermission');
  await start(page, program, folder, 'say over');
  await composer(page).fill('practice: say again');
  await composer(page).press('Enter');
  await expect(page).toHaveURL(`${program.url}/app/sessions/${waits}`);
  await ask(page).getByRole('button', { name: 'Allow', exact: true }).click();
  await expect.poll(() => stateOf(program, waits)).toBe('idle');
  await composer(page).fill('practice: say again');
  await composer(page).press('Enter');
  await expect(page).toHaveURL(`${program.url}/app/waiting`);
  await expect(page.getByText('Nothing needs you')).toBeVisible();
  await expectAccessible(page, 'the waiting room');
  // What needs you next is announced, and opens.
  const next = await begin(page, program, folder, 'run echo two; say over', { title: 'Asks next' });
  await expect(page.getByRole('status').filter({ hasText: 'Asks next needs you' })).toBeVisible();
  await expect(page).toHaveURL(`${program.url}/app/sessions/${next}`);
  // Escape stays, and lists what needs you.
  await page.goto(`${program.url}/app/waiting`);
  await expect(page.getByRole('button', { name: 'Stay' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Stay' })).toBeHidden();
  await expect(page.getByRole('main').getByRole('region', { name: 'Needs you' })).toContainText('Asks next');
  await expectAccessible(page, 'the waiting room with a request');
  await expect(page).toHaveURL(`${program.url}/app/waiting`);
});
