import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { call, expect, expectAccessible, setSetting, test } from '../../../e2e/helpers';

test('tasks are added, nested, moved, and undone by keyboard alone; a day in words is understood', async ({
  signedIn: page,
}) => {
  const rows = page.getByRole('row');
  await page.getByRole('link', { name: 'Tasks', exact: true }).click();
  await expect(page.getByText('No tasks')).toBeVisible();
  await expectAccessible(page, 'no tasks');
  await page.keyboard.press('n');
  await page.keyboard.type('plan the trip\n');
  await page.keyboard.type('call anna may 12 2031 at 9');
  await expect(page.getByText('12 May 2031 09:00')).toBeVisible();
  await expectAccessible(page, 'a task that is typed');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('row', { name: 'Call anna' })).toContainText('12 May 2031 09:00');
  await page.keyboard.press('Escape');
  await expect(page.locator('.tasks-row[data-active]')).toBeFocused();
  await page.keyboard.press('End');
  await expect(page.getByRole('row', { name: 'Call anna' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('row', { name: 'Call anna' })).toHaveAttribute('aria-level', '2');
  await expect(page.getByRole('row', { name: 'Plan the trip' })).toContainText('0/1');
  await expect(page.getByRole('row', { name: 'Call anna' })).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.type('book a hotel\n');
  await page.keyboard.press('Escape');
  await expect(rows).toHaveCount(4);
  await expect(page.getByRole('row', { name: 'Book a hotel' })).toBeFocused();
  await page.keyboard.press('Alt+ArrowUp');
  await expect(rows.nth(2)).toHaveAttribute('aria-label', 'Book a hotel');
  await page.keyboard.press('Control+z');
  await expect(rows.nth(3)).toHaveAttribute('aria-label', 'Book a hotel');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page, `tasks, ${colorScheme}`);
  }
  // Finishing the parent finishes all; one undo reopens all.
  await page.getByRole('row', { name: 'Plan the trip' }).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Space');
  await expect(page.locator('.tasks-row[data-state="done"]')).toHaveCount(3);
  await page.keyboard.press('Control+z');
  await expect(page.locator('.tasks-row[data-state="open"]')).toHaveCount(3);
  await page.keyboard.press('Delete');
  await expect(page.getByText('No tasks')).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(rows).toHaveCount(4);
  // What was done is saved.
  await page.reload();
  await expect(rows).toHaveCount(4);
  await page.getByRole('button', { name: 'Upcoming' }).click();
  await expect(page.getByRole('row', { name: 'Call anna' })).toBeVisible();
  await expect(rows).toHaveCount(2);
});

test('a task is dragged below another', async ({ signedIn: page }) => {
  await page.getByRole('link', { name: 'Tasks', exact: true }).click();
  await page.getByRole('textbox', { name: 'Add task' }).pressSequentially('one\ntwo\n');
  await page.getByRole('row', { name: 'Two' }).dragTo(page.getByRole('row', { name: 'One' }));
  await expect(page.getByRole('row', { name: 'Two' })).toHaveAttribute('aria-level', '2');
});

test('tasks.md has the tasks of a hub, both ways, and asks before it deletes many', async ({
  signedIn: page,
  program,
}) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-tasks-'));
  try {
    const file = path.join(folder, 'tasks.md');
    writeFileSync(file, ['a', 'b', 'c', 'd', 'e'].map((text) => `- [ ] ${text}\n`).join(''));
    await call(program, 'POST', '/hubs', JSON.stringify({ folder }));
    await page.goto(`${program.url}/app/tasks`);
    await expect(page.getByText('a', { exact: true })).toBeVisible();
    const has = (text: string) => expect.poll(() => readFileSync(file, 'utf8')).toContain(text);
    await has('🆔');
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, whole.replace('- [ ] a ', '- [ ] a from the editor '));
    await expect(page.getByText('a from the editor')).toBeVisible();

    writeFileSync(file, '# Nothing left\n');
    const notice = page.getByRole('list', { name: 'tasks.md files' });
    await expect(notice).toContainText('5 tasks would be deleted');
    await expectAccessible(page, 'a held tasks.md');
    await notice.getByRole('button', { name: 'Keep tasks' }).click();
    await has('a from the editor');
    await expect(notice).toBeHidden();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('follow-ups of an ended session are caught, and become tasks once accepted', async ({
  signedIn: page,
  program,
}) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-caught-'));
  const content = JSON.stringify({ tasks: ['Update the docs', 'Ask Anna about the price', 'Remove the flag'] });
  let calls = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const isTasks = body.includes('to-do list');
      if (isTasks) calls += 1;
      response.setHeader('content-type', 'application/json');
      const said = isTasks ? content : '{"title": "Price page"}';
      response.end(JSON.stringify({ choices: [{ message: { content: said } }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await page.goto(`${program.url}/app/tasks?view=caught`);
    await expect(page.getByText('Choose a model')).toBeVisible();
    await expectAccessible(page, 'caught, without a model');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const post = (address: string, body: object) => call(program, 'POST', address, JSON.stringify(body));
    const { id: providerId } = await post('/models/providers', { kind: 'compatible', name: 'Mine', url });
    await call(program, 'PATCH', '/models', JSON.stringify({ utility: { providerId, model: 'small' } }));
    const { id: projectId } = await post('/hubs', { folder });
    await setSetting(program, 'requireSpawnSourceSession', false);
    const start = { engine: 'practice', prompt: 'practice: say The docs are next.', title: 'Price page', projectId };
    const { id: sessionId } = await post('/sessions', start);
    const get = () => call(program, 'GET', `/sessions/${sessionId}`);
    await expect.poll(async () => (await get()).state).toMatch(/idle|finished/);
    // A session that a script started has ended by now; archived without another turn, it isn't read again.
    await post(`/sessions/${sessionId}/archive`, {});
    await expect.poll(async () => (await get()).state).toBe('archived');
    await expect(page.getByRole('button', { name: 'Caught (3)' })).toBeVisible();
    await expectAccessible(page, 'caught tasks');

    const list = page.getByRole('list', { name: 'Caught tasks' });
    await expect(list.getByRole('link', { name: 'Price page' }).first()).toHaveAttribute(
      'href',
      new RegExp(`/sessions/${sessionId}$`),
    );
    await list.getByRole('button', { name: 'Accept Update the docs' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Delete');
    await expect(list.getByRole('listitem')).toHaveCount(2);
    await page.keyboard.press('e');
    await page.keyboard.type(' may 12 2031');
    await expectAccessible(page, 'a caught task that is edited');
    await page.keyboard.press('Enter');
    await expect(list.getByRole('listitem')).toHaveCount(1);
    await page.getByRole('button', { name: 'Accept all' }).click();
    await expect(page.getByText('Nothing caught')).toBeVisible();
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await expect(page.getByRole('row', { name: 'Remove the flag' })).toContainText('12 May 2031');
    await expect(page.getByRole('row', { name: 'Update the docs' })).toBeVisible();
    await expect(page.getByRole('row', { name: 'Ask Anna' })).toBeHidden();
    expect(calls).toBe(1);
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
