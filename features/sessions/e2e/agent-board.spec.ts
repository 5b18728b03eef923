import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { call, expect, setSetting, test } from '../../../e2e/helpers';

test('a line of the Agent Board follows its agent and opens it; off, icon and page are gone', async ({
  signedIn: page,
  program,
}) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'pilothouse-hub-'));
  const hub = await call(program, 'POST', '/hubs', JSON.stringify({ folder }));
  await setSetting(program, 'requireSpawnSourceSession', false);
  const prompt = 'practice: todo +Look|~Change|Test; run echo hello; todo +Look|+Change|+Test';
  const session = await call(
    program,
    'POST',
    '/sessions',
    JSON.stringify({ projectId: hub.id, engine: 'practice', prompt, title: 'Mend it' }),
  );
  await page.getByRole('link', { name: 'Agent Board' }).click();
  const line = page.getByRole('row', { name: /Mend it/ });
  await expect(line).toContainText('To-do 1/3');
  await expect(line).toContainText('Change');
  const [ask] = (await call(program, 'GET', `/sessions/${session.id}/asks`)).items;
  await call(program, 'POST', `/sessions/${session.id}/asks/${ask.id}/answer`, JSON.stringify({ allow: true }));
  await expect(line).toContainText('To-do 3/3', { timeout: 2_000 });
  await line.click();
  await expect(page).toHaveURL(new RegExp(`/sessions/${session.id}$`));
  await setSetting(program, 'agentStatusBoardEnabled', false);
  await expect(page.getByRole('link', { name: 'Agent Board' })).toBeHidden();
  await page.goto(`${program.url}/app/agent-board`);
  await expect(page.getByText('Page not found')).toBeVisible();
  await rm(folder, { recursive: true, force: true });
});
