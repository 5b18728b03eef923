import type { Page } from '@playwright/test';
import { call, expect, expectAccessible, login, test, type Program, sessionToken } from '../../../e2e/helpers';
import { tile } from './dashboard';

/** A board, a dashboard over it that counts its items, and what a session of an agent asks with. */
async function start(program: Program) {
  const { items } = await call(program, 'GET', '/workspaces');
  const workspaceId: string = items[0].id;
  const csv = 'Name,Status,Cost\nHome page,Done,1200\nPrices,Stuck,300.5\nContact,Done,80';
  const { board } = await call(
    program,
    'POST',
    `/boards/import?${new URLSearchParams({ workspaceId, name: 'Website of agents' })}`,
    csv,
    'text/csv',
  );
  const widget = {
    id: 'a',
    kind: 'numbers',
    title: 'Items',
    layout: { x: 0, y: 0, w: 3, h: 3 },
    settings: { function: 'count' },
  };
  const config = { version: 1, boardIds: [board.id], widgets: [widget], filters: { v: 1, people: null, all: [] } };
  const { id } = await call(
    program,
    'POST',
    '/dashboards',
    JSON.stringify({ workspaceId, name: 'Built together', config }),
  );
  const token = await sessionToken(program, ['boards:read', 'dashboards:read', 'dashboards:write']);
  const agent = async (method: string, path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${token}`, ...(body ? { 'Content-Type': 'application/json' } : {}) };
    const response = await fetch(`${program.url}/dashboards/${id}${path}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: response.status, answer: await response.json() };
  };
  return { id: id as string, agent };
}

const proposal = (page: Page) => page.getByRole('region', { name: "Agent's proposal" });

test('what an agent adds to an open dashboard waits for its person, and both then read the same values', async ({
  page,
  program,
}) => {
  const { id, agent } = await start(program);
  const held = page.waitForResponse(
    (response) => response.url().includes('/windows/') && response.request().method() === 'PUT',
  );
  await login(page, program, `/dashboards/${id}`);
  await held;
  await expect(tile(page, 'Items')).toBeVisible();

  const added = await agent('POST', '/widgets', { kind: 'numbers', title: 'Costs', settings: { function: 'sum' } });
  expect(added.status).toBe(202);
  await expect(proposal(page)).toContainText('Adds the widget Costs (numbers).');
  await expect(tile(page, 'Costs')).toHaveCount(0);
  await expectAccessible(page, 'a proposal');
  await proposal(page).getByRole('button', { name: 'Accept' }).press('Enter');
  await expect(tile(page, 'Costs')).toContainText('1.6K');
  await expect(proposal(page)).toHaveCount(0);
  const read = await agent('GET', `/proposals/${added.answer.proposal.id}`);
  expect(read.answer.state).toBe('accepted');

  const { answer } = await agent('GET', '/values');
  for (const widget of answer.widgets) await expect(tile(page, widget.title)).toContainText(widget.result.text);
  const told = await program.cli('dashboards', 'show', id);
  expect(told).toContain('Costs\n  1.6K');

  // An accepted proposal is taken back as any other step is.
  await page
    .getByRole('alertdialog')
    .filter({ hasText: 'Proposal accepted' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect(tile(page, 'Costs')).toHaveCount(0);
  await expect.poll(async () => (await agent('GET', '')).answer.config.widgets.length).toBe(1);

  await agent('PATCH', '/widgets/a', { title: 'Everything' });
  await proposal(page).getByRole('button', { name: 'Decline' }).click();
  await expect(proposal(page)).toHaveCount(0);
  await expect(tile(page, 'Items')).toBeVisible();

  // Once nobody looks, it is changed at once.
  const left = page.waitForResponse(
    (response) => response.url().includes('/windows/') && response.request().method() === 'DELETE',
  );
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Dashboards' }).click();
  await left;
  expect((await agent('PATCH', '/widgets/a', { title: 'Everything' })).status).toBe(200);
});

test('a deleted dashboard is brought back from the message and from the list', async ({ page, program }) => {
  const { id } = await start(program);
  const remove = async () => {
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Delete dashboard' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete dashboard' }).click();
    await expect(page).toHaveURL(/\/dashboards$/);
  };
  await login(page, program, `/dashboards/${id}`);
  await remove();
  await page
    .getByRole('alertdialog')
    .filter({ hasText: 'Deleted Built together' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect(page).toHaveURL(new RegExp(`/dashboards/${id}$`));
  await expect(tile(page, 'Items')).toBeVisible();
  await remove();
  await expectAccessible(page, 'deleted dashboards');
  await page.getByRole('button', { name: 'Restore Built together' }).click();
  await expect(tile(page, 'Items')).toContainText('3');
});
