import type { Page } from '@playwright/test';
import { call, cell, expect, expectAccessible, grid, login, shared as test, type Program } from '../../../e2e/helpers';

const workspace = async (program: Program): Promise<string> => (await call(program, 'GET', '/workspaces')).items[0].id;
const post = async (program: Program, path: string, body: object) =>
  call(program, 'POST', path, JSON.stringify(body), 'application/json');
const blank = async (program: Program, name: string): Promise<string> =>
  (await post(program, '/boards', { workspaceId: await workspace(program), name, preset: 'blank' })).id;

async function choose(page: Page, field: RegExp, option: string) {
  await page.getByRole('dialog').getByRole('button', { name: field }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}
async function addColumn(page: Page, title: string, type: string, settle?: () => Promise<void>) {
  await page.getByRole('button', { name: 'Add column', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Title' }).fill(title);
  await choose(page, /Type$/, type);
  await settle?.();
  await dialog.getByRole('button', { name: 'Add column' }).click();
  await expect(dialog).toBeHidden();
  // It arrives with the focus, which would be taken from what comes next.
  await expect(grid(page).getByRole('columnheader', { name: title, exact: true })).toBeFocused();
}

test('a span of days, a sprint, a mirror and who made an item, by keyboard and live', async ({ page, program }) => {
  const sprints = await blank(program, 'Sprints');
  const when = (await post(program, `/boards/${sprints}/columns`, { title: 'When', type: 'timeline' })).id;
  const goal = (
    await post(program, `/boards/${sprints}/columns`, { title: 'Goal', type: 'number', settings: { unit: 'pt' } })
  ).id;
  const first = (
    await post(program, `/boards/${sprints}/items`, {
      name: 'Sprint 1',
      cells: { [when]: { from: '2026-01-05', to: '2026-01-16' }, [goal]: 20 },
    })
  ).id;
  await post(program, `/boards/${sprints}/items`, { name: 'Sprint 2', cells: { [goal]: 7 } });
  const work = await blank(program, 'Work');
  await post(program, `/boards/${work}/items`, { name: 'Mend the sails' });
  await login(page, program, `/boards/${work}`);

  await addColumn(page, 'Plan', 'Timeline');
  await addColumn(page, 'Sprint', 'Sprint', async () => {
    await choose(page, /Sprint board/, 'Sprints');
    await expect(page.getByRole('dialog').getByRole('button', { name: /Sprint dates/ })).toBeVisible();
    await expectAccessible(page, 'sprint settings');
  });
  await addColumn(page, 'Goal', 'Mirror', async () => {
    await choose(page, /Link column/, 'Sprint');
    await choose(page, /Column of Sprints/, 'Goal');
  });
  await addColumn(page, 'Made by', 'Created by');

  const plan = await cell(page, 'Mend the sails', 'Plan');
  await plan.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Plan of Mend the sails' }).fill('2026-01-05 to 2026-01-16');
  await expectAccessible(page, 'span editor');
  await page.keyboard.press('Enter');
  await expect(plan).toHaveText('5 – 16 Jan 2026');

  const sprint = await cell(page, 'Mend the sails', 'Sprint');
  await sprint.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('combobox', { name: 'Sprint of Mend the sails' }).fill('sprint 1');
  await expect(page.getByRole('option', { name: 'Sprint 1' })).toBeVisible();
  await expectAccessible(page, 'link editor');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('option', { name: 'Sprint 1' })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Tab');
  await expect(sprint).toHaveText('Sprint 1');
  const mirror = await cell(page, 'Mend the sails', 'Goal');
  await expect(mirror).toHaveText('20 pt');
  await expect(await cell(page, 'Mend the sails', 'Made by')).toHaveText('Command line');

  // What is written to a mirror is nothing, and what the linked board says arrives by itself.
  await mirror.focus();
  await page.keyboard.press('Enter');
  await expect(mirror).toBeFocused();
  await call(
    program,
    'PATCH',
    `/boards/${sprints}/items/${first}`,
    JSON.stringify({ name: 'The first', cells: { [goal]: 21 } }),
    'application/json',
  );
  await expect(sprint).toHaveText('The first');
  await expect(mirror).toHaveText('21 pt');
  await call(program, 'DELETE', `/boards/${sprints}/items/${first}`);
  await expect(sprint).toHaveText('');
  await expectAccessible(page, 'board');
});

test('a column that was added is gone to, wherever it is added from', async ({ page, program }) => {
  const board = await blank(program, 'Wide');
  for (let at = 1; at <= 9; at++)
    await post(program, `/boards/${board}/columns`, { title: `Column ${at}`, type: 'link' });
  await login(page, program, `/boards/${board}`);
  const head = (title: string) => grid(page).getByRole('columnheader', { name: title, exact: true });
  await addColumn(page, 'Last', 'Number');
  await expect(head('Last')).toBeFocused();
  await expect(head('Last')).toBeInViewport({ ratio: 0.9 });

  await head('Column 1').focus();
  await expect(head('Last')).not.toBeInViewport();
  await head('Column 1').getByRole('button', { name: 'Options for Column 1' }).click();
  await page.getByRole('menuitem', { name: 'Change column' }).click();
  await choose(page, /Column$/, 'New column');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Title' }).fill('Another');
  await page.getByRole('dialog').getByRole('button', { name: 'Add column' }).click();
  await expect(head('Another')).toBeFocused();
  await expect(head('Another')).toBeInViewport({ ratio: 0.9 });
});

test('labels of a column are set and changed', async ({ page, program }) => {
  const work = await blank(program, 'Labels');
  await post(program, `/boards/${work}/items`, { name: 'One' });
  await login(page, program, `/boards/${work}`);
  await addColumn(page, 'State', 'Status', async () => {
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByRole('textbox', { name: 'Text of label 3' })).toHaveValue('Done');
    await dialog.getByRole('button', { name: 'Add label' }).click();
    await dialog.getByRole('textbox', { name: 'Text of label 4' }).fill('Dropped');
    await expectAccessible(page, 'labels');
  });
  await page.getByRole('button', { name: 'Add column', exact: true }).click();
  await choose(page, /^New column/, 'State Status');
  const dialog = page.getByRole('dialog', { name: 'Change State' });
  await dialog.getByRole('textbox', { name: 'Text of label 4' }).fill('Not to do');
  await dialog.getByRole('button', { name: 'Save column' }).click();
  await expect(dialog).toBeHidden();
  const state = await cell(page, 'One', 'State');
  await state.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('combobox', { name: 'State of One' }).selectOption('Not to do');
  await page.keyboard.press('Enter');
  await expect(state).toHaveText('Not to do');
});
