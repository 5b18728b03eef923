import type { Locator } from '@playwright/test';
import { call, expect, expectAccessible, login, shared as test, type Program } from '../../../e2e/helpers';
import { english, makeDashboard, numbers, settled, tile, twoBoards } from './dashboard';

test('a widget is of one board and of items that meet its own rules, of which one is enough', async ({
  page,
  program,
}) => {
  const { website, app } = await twoBoards(program, 'own');
  const id = await makeDashboard(program, 'Own', [website, app], [numbers('a', 'Items', 0)]);
  await login(page, program, `/dashboards/${id}`);
  const figure = tile(page, 'Items').getByRole('button', { name: /show items/ });
  await expect(figure).toHaveAccessibleName('6, show items');
  await tile(page, 'Items').getByRole('button', { name: 'More for Items' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Edit' }).press('Enter');
  const panel = page.getByRole('complementary', { name: 'Edit numbers' });
  await panel.getByRole('checkbox', { name: 'App own' }).press('Space');
  await expect(figure).toHaveAccessibleName('4, show items');
  await panel.getByRole('button', { name: 'Add rule' }).press('Enter');
  const rule = (number: number) => panel.getByRole('group', { name: `Rule ${number}`, exact: true });
  const choose = async (number: number, column: string, value: string) => {
    await rule(number)
      .getByRole('button', { name: /Column/ })
      .press('Enter');
    await page.getByRole('option', { name: column, exact: true }).press('Enter');
    await rule(number).getByRole('button', { name: value, exact: true }).press('Enter');
  };
  await choose(1, 'Status', 'Stuck');
  await expect(figure).toHaveAccessibleName('1, show items');
  await panel.getByRole('button', { name: 'Or another rule instead of rule 1' }).press('Enter');
  await rule(2).getByRole('button', { name: 'Done', exact: true }).press('Enter');
  await expect(figure).toHaveAccessibleName('3, show items');
  await expectAccessible(page, 'own rules of a widget');
  await settled(page);
  const { config } = await call(program, 'GET', `/dashboards/${id}`);
  expect(config.widgets[0].settings).toMatchObject({
    boards: [website],
    rules: [{ any: [{ value: ['Stuck'] }, { value: ['Done'] }] }],
  });
});

/** A day so many days from today, as the program has it. */
const dayFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** A board whose items are of two sprints: 8 of 10 points done in the first, 4 of 10 in the second. */
async function sprintBoard(program: Program, name: string): Promise<string> {
  const json = (method: string, path: string, body: object) => call(program, method, path, JSON.stringify(body));
  const { items: workspaces } = await call(program, 'GET', '/workspaces');
  const { id } = await json('POST', '/boards', { workspaceId: workspaces[0].id, name, preset: 'blank' });
  const column = (title: string, type: string, settings: object = {}) =>
    json('POST', `/boards/${id}/columns`, { title, type, settings });
  const color = '#4a7fd4';
  const sprints = await column('Sprint', 'dropdown', {
    labels: [
      { text: 'Sprint 1', color },
      { text: 'Sprint 2', color },
    ],
  });
  const status = await column('Status', 'status', {
    labels: [
      { text: 'Open', color },
      { text: 'Done', color: '#00a86b', done: true },
    ],
  });
  const points = await column('Points', 'number');
  const finished = await column('Finished', 'date');
  const label = (of: { settings: { labels: { id: string; text: string }[] } }, text: string) =>
    of.settings.labels.find((one) => one.text === text)!.id;
  const item = (called: string, sprint: string, effort: number, done: string | null) => ({
    name: called,
    cells: {
      [sprints.id]: label(sprints, sprint),
      [status.id]: label(status, done ? 'Done' : 'Open'),
      [points.id]: effort,
      ...(done ? { [finished.id]: done } : {}),
    },
  });
  await json('POST', `/boards/${id}/items`, {
    items: [
      item('Keel', 'Sprint 1', 5, dayFromNow(-20)),
      item('Mast', 'Sprint 1', 3, dayFromNow(-12)),
      item('Rudder', 'Sprint 1', 2, null),
      item('Sails', 'Sprint 2', 4, dayFromNow(-1)),
      item('Anchor', 'Sprint 2', 6, null),
    ],
  });
  return id;
}

test('every kind of widget is added by keyboard, explains itself, and leads to its items', async ({
  page,
  program,
}) => {
  const board = await sprintBoard(program, 'Boat yard');
  const id = await makeDashboard(program, 'Kinds', [board], []);
  await page.setViewportSize({ width: 1280, height: 900 });
  await login(page, program, `/dashboards/${id}`);
  await expect(page.getByText('over the connected board')).toBeVisible();
  const add = async (kind: string) => {
    await page.locator('.page-actions').getByRole('button', { name: 'Add widget' }).press('Enter');
    await page.getByRole('menuitem', { name: kind }).press('Enter');
  };
  const table = (of: Locator) => of.getByRole('button', { name: 'Show as table' });
  const rows = (of: Locator) => of.getByRole('row').allInnerTexts();

  await add('Velocity');
  const velocity = tile(page, 'Velocity');
  await expect(velocity.getByText('Average 6 over the last 2 closed sprints')).toBeVisible();
  await expect(velocity.getByRole('img')).toHaveAccessibleName(/Velocity/);
  await add('Planned vs. unplanned');
  const planned = tile(page, 'Planned vs. unplanned');
  await expect(planned.getByText('Above each sprint')).toBeVisible();
  await add('Burndown');
  const burndown = tile(page, 'Burndown');
  await expect(burndown.locator('.chart-lead')).toHaveText(/^Sprint 2.*6 points left/);
  await add('Chart');
  await add('Numbers');
  await expect(tile(page, 'Sum of Points').locator('.figure-value')).toHaveAttribute('title', '20');
  await settled(page);

  // Days of a sprint are given in the panel; until then they are guessed from its items, which is said.
  await velocity.getByRole('button', { name: 'Approximate, explain Velocity' }).press('Enter');
  const explained = page.getByRole('dialog', { name: 'How Velocity is calculated' });
  await expect(explained.getByText('Items are weighted by Points. Items without a value count as 0.')).toBeVisible();
  await expect(explained.getByText('5 of 5 items used')).toBeVisible();
  await expect(explained.getByText('Theirs are estimated from their items.')).toBeVisible();
  await expect(explained.getByRole('row', { name: /Boat yard/ })).toHaveText(
    'Boat yardSprintPointsStatusFinishedNoneNone',
  );
  await expectAccessible(page, 'a widget explained');
  await page.keyboard.press('Escape');
  await expect(explained).toHaveCount(0);
  await velocity.getByRole('button', { name: 'More for Velocity' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Edit' }).press('Enter');
  const days: [string, number, number][] = [
    ['Sprint 1', -21, -8],
    ['Sprint 2', -6, 7],
  ];
  for (const [name, from, to] of days) {
    await page.getByLabel(`${name}, first day`).fill(dayFromNow(from));
    await page.getByLabel(`${name}, last day`).fill(dayFromNow(to));
  }
  await expectAccessible(page, 'the settings of a velocity');
  await expect(velocity.getByText('Average 8 over the last closed sprint')).toBeVisible();
  await expect(velocity.getByText('Active sprint')).toBeVisible();
  await expect(velocity.getByText('Approximate')).toHaveCount(0);
  await page.keyboard.press('Escape');

  await table(velocity).press('Enter');
  expect(await rows(velocity)).toEqual([
    'Sprint\tCompleted\tScope (today)',
    'Sprint 1\t8\t10',
    'Sprint 2 (active)\t4\t10',
  ]);
  await velocity.getByRole('button', { name: 'Sprint 1, Completed: 8, show items' }).press('Enter');
  const behind = page.getByRole('dialog', { name: 'Sprint 1, Completed: 8' });
  await expect(behind.getByRole('listitem')).toHaveText([/^Keel/, /^Mast/]);
  await expectAccessible(page, 'the items behind a value');
  await page.keyboard.press('Escape');
  await expect(behind).toHaveCount(0);

  // All was created today, long after the first sprint had begun.
  await table(planned).press('Enter');
  await expect(planned.getByRole('row').nth(1)).toContainText('100%');
  await expect(planned.getByText('Approximate')).toBeVisible();
  await expect(burndown.getByText('Approximate')).toBeVisible();
  await table(burndown).press('Enter');
  await expect(burndown.getByRole('row').first()).toHaveText('DayRemainingScopeIdeal');

  const chart = tile(page, 'Number of items by status');
  await chart.getByRole('button', { name: 'More for Number of items by status' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Edit' }).press('Enter');
  const panel = page.getByRole('complementary', { name: 'Edit chart' });
  for (const variant of ['Donut', 'Line', 'Bars', 'Columns']) {
    await panel.getByRole('button', { name: /Kind/ }).press('Enter');
    await page.getByRole('option', { name: variant, exact: true }).press('Enter');
    await expect(panel.getByRole('button', { name: /Kind/ })).toContainText(variant);
    await expect(chart.getByRole('img')).toHaveAccessibleName(/Largest: (Done|Open)/);
  }
  await panel.getByRole('button', { name: /Stack by/ }).press('Enter');
  await page.getByRole('option', { name: 'Board', exact: true }).press('Enter');
  await expect(chart.locator('.chart-legend')).toContainText('Boat yard');
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);
  await chart.locator('[data-pick]').first().click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('listitem').first()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);

  for (const shown of [velocity, planned, burndown])
    await shown.getByRole('button', { name: 'Show as chart' }).press('Enter');
  await expectAccessible(page, 'all kinds');
  await settled(page);
  await page.reload();
  await expect(velocity.getByText('Average 8 over the last closed sprint')).toBeVisible();
  await velocity.getByRole('button', { name: 'More for Velocity' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Show items' }).press('Enter');
  await page.getByRole('dialog').getByRole('link', { name: 'Keel' }).click();
  await expect(page).toHaveURL(new RegExp(`/boards/${board}`));
});

test('settings of other clients that cannot be computed with are named and can be put back', async ({
  page,
  program,
}) => {
  const { website } = await twoBoards(program, 'wrong');
  const layout = (x: number) => ({ x, y: 0, w: 4, h: 5 });
  const id = await makeDashboard(
    program,
    'Wrong',
    [website],
    [
      {
        id: 'a',
        kind: 'numbers',
        title: 'Wrong type',
        layout: layout(0),
        settings: { function: 3, theirs: { kept: true } },
      },
      {
        id: 'b',
        kind: 'chart',
        title: 'Wrong together',
        layout: layout(4),
        settings: { variant: 'pie', y: { function: 'average' } },
      },
      { id: 'c', kind: 'gantt', title: 'Unknown', layout: layout(8), settings: { bars: [1] } },
    ],
  );
  await login(page, program, `/dashboards/${id}`);
  await expect(tile(page, 'Wrong type').getByText("This widget's settings are invalid")).toBeVisible();
  await expect(tile(page, 'Wrong together').getByText('a pie can show only counts and sums')).toBeVisible();
  await expect(tile(page, 'Unknown').getByText("This version can't show widgets of type “gantt”.")).toBeVisible();
  await expectAccessible(page, 'widgets that cannot be shown');
  await tile(page, 'Wrong type').getByRole('button', { name: 'Reset settings' }).press('Enter');
  await expect(tile(page, 'Wrong type').locator('.figure-value')).toHaveAttribute('title', english(1580.5));
  await settled(page);
  const { config } = await call(program, 'GET', `/dashboards/${id}`);
  expect(config.widgets.map((widget: { settings: object }) => widget.settings)).toEqual([
    { function: 'sum' },
    { variant: 'pie', y: { function: 'average' } },
    { bars: [1] },
  ]);
});
