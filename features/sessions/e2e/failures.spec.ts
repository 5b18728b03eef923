import { call, expectAccessible, setSetting } from '../../../e2e/helpers';
import { begin, composer, expect, said, stands, start, stateOf, test, transcript } from './session';
import type { Page } from '@playwright/test';

const trouble = (page: Page) => page.getByRole('group', { name: 'Session problem' });

test('each class of failure says its cause and the next step, with a button for it', async ({
  signedIn: page,
  program,
  folder,
}) => {
  const cases: [string, string, RegExp, string][] = [
    ['auth', 'failed', /Not logged in to Practice/, 'Check and retry'],
    ['request', 'failed', /Request rejected/, 'Edit message'],
    ['limit', 'parked', /Usage limit reached.*Resumes automatically at .*\d/, 'Retry now'],
    ['overload', 'retrying', /Service overloaded.*Retrying automatically at .*\d/, 'Retry now'],
  ];
  for (const [fail, state, says, button] of cases) {
    const id = await begin(page, program, folder, `say begun; fail ${fail}`);
    await expect.poll(() => stateOf(program, id), { message: fail }).toBe(state);
    await page.goto(`${program.url}/app/sessions/${id}`);
    await expect(trouble(page)).toContainText(says);
    await expect(trouble(page).getByRole('button', { name: button })).toBeVisible();
    await expectAccessible(page, fail);
  }
});

test('a failed session tries again by its button', async ({ signedIn: page, program, folder }) => {
  const id = await start(page, program, folder, 'say begun; fail auth');
  await expect(trouble(page)).toContainText('Not logged in');
  const { turns } = await call(program, 'GET', `/sessions/${id}`);
  await trouble(page).getByRole('button', { name: 'Check and retry' }).press('Enter');
  await expect.poll(async () => (await call(program, 'GET', `/sessions/${id}`)).turns).toBeGreaterThan(turns);
  await expect(trouble(page).getByRole('button', { name: 'View engines' })).toHaveCount(0);
});

test('what the service did not take is said in another way', async ({ signedIn: page, program, folder }) => {
  await start(page, program, folder, 'fail request');
  await trouble(page).getByRole('button', { name: 'Edit message' }).press('Enter');
  await expect(composer(page)).toBeFocused();
  await page.keyboard.type('practice: say in another way');
  await page.keyboard.press('Enter');
  await expect(said(page, 'in another way')).toBeVisible();
  await expect(trouble(page)).toHaveCount(0);
  await expect(stands(page)).toContainText('Ready');
});

test('a crash that repeats ends as a failure with its cause, and is started again by its button', async ({
  signedIn: page,
  program,
  folder,
}) => {
  await setSetting(program, 'autoResumeOnCrash', false);
  await start(page, program, folder, 'say begun; fail crash');
  await expect(trouble(page)).toContainText(/interrupted|crashed/);
  await expectAccessible(page, 'a crash');
  await trouble(page).getByRole('button', { name: 'Resume' }).click();
  await expect(stands(page)).not.toContainText(/Interrupted|Failed/);
});

test('room is made in a full context by a button', async ({ signedIn: page, program, folder }) => {
  await setSetting(program, 'contextStallAutoRecoverEnabled', false);
  await start(page, program, folder, 'say begun; fail context');
  await expect(trouble(page)).toContainText('Context window full');
  await expectAccessible(page, 'a full context');
  await trouble(page).getByRole('button', { name: 'Compact' }).click();
  await expect(transcript(page).getByText('Context compacted')).toBeVisible();
  await expect(trouble(page)).toHaveCount(0);
});
