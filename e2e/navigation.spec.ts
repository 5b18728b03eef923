import { call, expect, login, setSetting, test } from './helpers';

const ask = (program: Parameters<typeof call>[0], to: object) => call(program, 'POST', '/navigate', JSON.stringify(to));

test('what a script wants to show is a note to click, and with the setting on the view moves', async ({
  signedIn: page,
  program,
}) => {
  await page.goto(`${program.url}/app/boards`);
  await expect(page.getByRole('heading', { name: 'Project boards', level: 1 })).toBeVisible();
  expect((await ask(program, { place: 'inbox' })).outcome).toBe('toast');
  await expect(page.getByText('A script wants to show you the inbox')).toBeVisible();
  await expect(page).toHaveURL(/\/app\/boards$/);
  expect((await call(program, 'GET', '/inbox')).items).toEqual([]);
  await page.getByRole('button', { name: 'Go there' }).click();
  await expect(page).toHaveURL(/\/app\/inbox$/);
  await setSetting(program, 'allowAgentDirectNavigation', true);
  expect((await ask(program, { place: 'settings', id: 'agentPermissionLevel' })).outcome).toBe('navigate');
  await expect(page).toHaveURL(/\/app\/settings\?key=agentPermissionLevel/);
});

test('windows without the focus stay where they are, and the inbox has one note', async ({
  page,
  context,
  program,
}) => {
  const other = await context.newPage();
  for (const one of [page, other]) {
    await one.addInitScript(() => (document.hasFocus = () => false));
    await login(one, program, '/boards');
    await expect(one.getByRole('heading', { name: 'Project boards', level: 1 })).toBeVisible();
  }
  await setSetting(program, 'allowAgentDirectNavigation', true);
  const { rowId } = await ask(program, { place: 'inbox' });
  await expect(page.getByRole('link', { name: /Inbox/ })).toContainText('1');
  await expect(other).toHaveURL(/\/app\/boards$/);
  expect((await call(program, 'GET', '/inbox')).items).toHaveLength(1);
  await call(program, 'POST', `/inbox/${rowId}/dismiss`, '{}');
  expect((await call(program, 'GET', '/inbox')).items).toEqual([]);
});
