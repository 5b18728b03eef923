/** Daily snapshots of a dashboard, and agent sessions among the boards that it connects. */
import { call, expect, expectAccessible, login, test } from '../../../e2e/helpers';

test('daily snapshots are switched on in the menu and say what they keep', async ({ page, program }) => {
  const { items } = await call(program, 'GET', '/workspaces');
  const { id } = await call(
    program,
    'POST',
    '/dashboards',
    JSON.stringify({ workspaceId: items[0].id, name: 'Sprints' }),
  );
  await login(page, program, `/dashboards/${id}`);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Daily snapshots…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Daily snapshots' });
  const toggle = dialog.getByRole('switch', { name: 'Take daily sprint snapshots' });
  await expect(toggle).not.toBeChecked();
  await expectAccessible(page, 'daily snapshots');
  await toggle.focus();
  await page.keyboard.press('Space');
  await expect(dialog.getByRole('status')).toHaveText("No snapshots yet. Today's is taken at the end of the day.");
  await expect.poll(async () => (await call(program, 'GET', `/dashboards/${id}/snapshots`)).on).toBe(true);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
});

test('agent sessions are connected as a board, apart from the others', async ({ page, program }) => {
  const { items } = await call(program, 'GET', '/workspaces');
  const layout = { x: 0, y: 0, w: 4, h: 4 };
  const widgets = [{ id: 'n', kind: 'numbers', title: 'Sessions', layout, settings: { function: 'count' } }];
  const config = { version: 1, boardIds: [], widgets, filters: { v: 1, people: null, all: [] } };
  const { id } = await call(
    program,
    'POST',
    '/dashboards',
    JSON.stringify({ workspaceId: items[0].id, name: 'Agents', config }),
  );
  await login(page, program, `/dashboards/${id}`);
  await page.locator('.page-actions').getByRole('button', { name: 'Connect boards' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect boards' });
  await expect(dialog.getByText('No sessions yet.', { exact: false })).toBeVisible();
  await expectAccessible(page, 'boards to connect');
  await dialog.getByRole('checkbox', { name: 'Agent sessions' }).focus();
  await page.keyboard.press('Space');
  await dialog.getByRole('button', { name: 'Connect 1 board' }).click();
  await expect
    .poll(async () => (await call(program, 'GET', `/dashboards/${id}`)).config.boardIds)
    .toEqual(['agent-sessions']);
  // There are none yet: the widget says so, and nothing is broken.
  await expect(page.getByRole('region', { name: 'Sessions', exact: true })).toContainText(
    'No sessions yet. They appear here automatically.',
  );
});
