import { expectAccessible, setSetting } from '../../../e2e/helpers';
import { begin, expect, said, stands, start, startFrom, stateOf, test } from './session';

test('who started whom is shown and led to from both sides', async ({ signedIn: page, program, folder }) => {
  await setSetting(program, 'cliSpawnSpacingSeconds', 0);
  const parent = await start(page, program, folder, 'say ready; wait 6000', { title: 'The parent' });
  await expect(said(page, 'ready')).toBeVisible();
  const child = await startFrom(program, parent, folder, 'say here; wait 6000', { title: 'The child' });
  // The open page of the parent hears of it.
  await page.getByRole('button', { name: '1 child session' }).click();
  await page.getByRole('menuitem', { name: /The child/ }).click();
  await expect(page).toHaveURL(new RegExp(`/sessions/${child}$`));
  await expect(said(page, 'here')).toBeVisible();
  await expectAccessible(page, 'a session that another one started');
  await page.getByRole('link', { name: 'Started by The parent' }).click();
  await expect(page).toHaveURL(new RegExp(`/sessions/${parent}$`));
  await page.goto(`${program.url}/app/sessions`);
  await expect(
    page
      .getByRole('list', { name: 'Sessions', exact: true })
      .getByRole('link', { name: /The child.*Started by another session/ }),
  ).toBeVisible();
});

test('one session is stopped alone, and a whole tree together', async ({ signedIn: page, program, folder }) => {
  await setSetting(program, 'cliSpawnSpacingSeconds', 0);
  const root = await begin(page, program, folder, 'wait 6000', { title: 'The root' });
  const child = await startFrom(program, root, folder, 'wait 6000', { title: 'The child' });
  const grandchild = await startFrom(program, child, folder, 'wait 6000', { title: 'The grandchild' });
  const other = await begin(page, program, folder, 'wait 6000', { title: 'Another one' });
  const states = () => Promise.all([root, child, grandchild, other].map((id) => stateOf(program, id)));
  await expect.poll(states).toEqual(['running', 'running', 'running', 'running']);
  await page.goto(`${program.url}/app/sessions/${grandchild}`);
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(stands(page)).toContainText('Stopped');
  expect(await states()).toEqual(['running', 'running', 'stopped', 'running']);
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await expect(stands(page)).toContainText('Ready');
  await page.goto(`${program.url}/app/sessions/${root}`);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: /Stop with child sessions/ }).click();
  await expect(stands(page)).toContainText('Stopped');
  await expect.poll(states).toEqual(['stopped', 'stopped', 'stopped', 'running']);
});
