import type { Page } from '@playwright/test';
import {
  call,
  cell,
  expect,
  expectAccessible,
  login,
  shared as test,
  test as alone,
  type Program,
} from '../../../e2e/helpers';

const post = async (program: Program, path: string, body: object) => call(program, 'POST', path, JSON.stringify(body));
const patch = async (program: Program, path: string, body: object) =>
  call(program, 'PATCH', path, JSON.stringify(body));
async function blank(program: Program, name: string): Promise<string> {
  const workspaceId = (await call(program, 'GET', '/workspaces')).items[0].id;
  return (await post(program, '/boards', { workspaceId, name, preset: 'blank' })).id;
}

/** A board with an item and a column of most kinds. */
async function filled(page: Page, program: Program) {
  await page.clock.setFixedTime(new Date('2026-03-05T10:00:00'));
  const board = await blank(program, 'Fields');
  const column = async (body: object): Promise<string> => (await post(program, `/boards/${board}/columns`, body)).id;
  const points = await column({ title: 'Points', type: 'number' });
  const state = await column({
    title: 'State',
    type: 'status',
    settings: { labels: [{ text: 'Open' }, { text: 'Done', done: true }] },
  });
  await column({ title: 'Paid', type: 'checkbox' });
  const due = await column({ title: 'Due', type: 'date' });
  await column({ title: 'Span', type: 'timeline' });
  await column({ title: 'Twice', type: 'formula', settings: { formula: '{Points} * 2' } });
  await column({ title: 'Made by', type: 'createdBy' });
  await post(program, `/boards/${board}/groups`, { name: 'Later' });
  const item: string = (
    await post(program, `/boards/${board}/items`, {
      name: 'Mend the sails',
      cells: { [points]: 3, [due]: '2026-03-18' },
    })
  ).id;
  return { board, item, points, state, due };
}
const side = (page: Page) => page.locator('aside.side-panel');

test('the fields of an item are edited at its side, by keyboard', async ({ page, program }) => {
  const { board } = await filled(page, program);
  await login(page, program, `/boards/${board}`);
  await (await cell(page, 'Mend the sails', 'Name')).focus();
  await page.keyboard.press('Space');
  const panel = side(page);
  await expect(panel.getByRole('button', { name: 'Mend the sails', exact: true })).toBeFocused();
  await expectAccessible(page, 'fields');

  await panel.getByRole('button', { name: 'Points: 3' }).focus();
  await page.keyboard.type('5');
  await page.keyboard.press('Tab');
  await expect(await cell(page, 'Mend the sails', 'Points')).toHaveText('5');
  await expect(panel.getByText('10', { exact: true })).toBeVisible();
  await expect(panel.getByRole('button', { name: 'State: empty' })).toBeFocused();
  await page.keyboard.press('Enter');
  await panel.getByRole('combobox', { name: 'State of Mend the sails' }).selectOption('Done');
  await page.keyboard.press('Tab');
  await expect(panel.getByRole('checkbox', { name: 'Paid' })).toBeFocused();
  await page.keyboard.press('Space');
  await expect(panel.getByRole('checkbox', { name: 'Paid' })).toBeChecked();
  await panel.getByRole('button', { name: 'Span: empty' }).press('Enter');
  await panel.getByRole('textbox', { name: 'Span of Mend the sails' }).fill('2026-03-17');
  await expectAccessible(page, 'span at the side');
  await page.keyboard.press('Enter');
  await expect(panel.getByRole('button', { name: 'Span: 17 Mar 2026' })).toBeFocused();
  await expect(await cell(page, 'Mend the sails', 'State')).toHaveText('Done');

  // The group, by its list; Escape closes the list and not the panel.
  const group = panel.getByRole('button', { name: /Group of Mend the sails/ });
  await group.press('Enter');
  await page.keyboard.press('Escape');
  await expect(group).toBeFocused();
  await group.press('Enter');
  await page.getByRole('option', { name: 'Later' }).click();
  await expect(group).toContainText('Later');
  await expect(page.getByText('Moved Mend the sails to Later')).toBeVisible();

  // The name is the panel's title.
  await panel.getByRole('button', { name: 'Mend the sails', exact: true }).press('F2');
  await page.keyboard.type(' now');
  await page.keyboard.press('Enter');
  await expect(panel.getByRole('heading', { name: 'Mend the sails now' })).toBeVisible();
});

test('the fields of an item follow what others do to it', async ({ page, program }) => {
  const { board, item, points } = await filled(page, program);
  await login(page, program, `/boards/${board}`);
  const panel = side(page);
  await (await cell(page, 'Mend the sails', 'Name')).press('Space');
  await expect(panel.getByRole('button', { name: 'Points: 3' })).toBeVisible();
  await patch(program, `/boards/${board}/items/${item}`, { name: 'Mend all sails', cells: { [points]: 8 } });
  await expect(panel.getByRole('heading', { name: 'Mend all sails' })).toBeVisible();
  await expect(panel.getByRole('button', { name: 'Points: 8' })).toBeVisible();
  // Someone else's value is not written over unseen.
  await panel.getByRole('button', { name: 'Points: 8' }).focus();
  await page.keyboard.type('9');
  await patch(program, `/boards/${board}/items/${item}`, { cells: { [points]: 13 } });
  await expect(await cell(page, 'Mend all sails', 'Points')).toHaveText('13');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Keep mine' }).click();
  await expect(await cell(page, 'Mend all sails', 'Points')).toHaveText('9');
  await expect.poll(async () => (await call(program, 'GET', `/boards/${board}/items/${item}`)).cells[points]).toBe(9);

  await call(program, 'DELETE', `/boards/${board}/items/${item}`);
  await expect(panel.getByRole('alert')).toContainText('Item not found');
  await expectAccessible(page, 'item that is gone');
  await panel.getByRole('button', { name: 'View Trash' }).click();
  await expect(page).toHaveURL(/\/trash$/);
});

test('the fields of an item are edited from every view', async ({ page, program }) => {
  const { board, points, state, due } = await filled(page, program);
  await login(page, program);
  const panel = side(page);
  let count = 20;
  for (const [kind, settings] of [
    ['kanban', { byColumn: state }],
    ['calendar', { dateColumn: due }],
    ['timeline', { dateColumn: due }],
  ] as const) {
    const { id } = await post(program, `/boards/${board}/views`, { name: `As ${kind}`, kind, settings });
    await page.goto(`${program.url}/app/boards/${board}?view=${id}`);
    await page
      .getByRole('tabpanel')
      .getByRole('button', { name: /^Mend the sails/ })
      .first()
      .click();
    count += 1;
    await panel.getByRole('button', { name: /^Points: / }).focus();
    await page.keyboard.type(String(count));
    await page.keyboard.press('Enter');
    await expect(panel.getByRole('button', { name: `Points: ${count}` })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(panel).toHaveCount(0);
    await expect
      .poll(async () => (await call(program, 'GET', `/boards/${board}/items`)).items[0].cells[points])
      .toBe(count);
  }
});

alone('people, days and labels are typed into cells, and a refusal stays in view', async ({ page, program }) => {
  const board = await blank(program, 'Typed');
  await post(program, '/members', { name: 'Nora Lind' });
  await post(program, '/members', { name: 'Otto Kern' });
  await post(program, `/boards/${board}/columns`, {
    title: 'State',
    type: 'status',
    settings: { labels: [{ text: 'Open' }, { text: 'Done', done: true }] },
  });
  await post(program, `/boards/${board}/columns`, { title: 'Who', type: 'people' });
  for (const title of ['A', 'B', 'C', 'D']) await post(program, `/boards/${board}/columns`, { title, type: 'text' });
  await post(program, `/boards/${board}/columns`, { title: 'Due', type: 'date' });
  await post(program, `/boards/${board}/items`, { name: 'Mend the sails' });
  await login(page, program, `/boards/${board}`);
  const who = await cell(page, 'Mend the sails', 'Who');
  await who.focus();
  await page.keyboard.type('nor');
  await expect(page.getByRole('option', { name: 'Nora Lind' })).toBeVisible();
  await expect(page.getByRole('option', { name: 'Otto Kern' })).toHaveCount(0);
  await page.keyboard.press('Enter');
  await page.keyboard.type('zoe');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Member zoe not found/)).toBeVisible();
  await expectAccessible(page, 'people');
  await page.getByRole('combobox', { name: 'Who of Mend the sails' }).fill('otto');
  await page.keyboard.press('Tab');
  await expect(who).toHaveText('Nora Lind, Otto Kern');
  await who.press('Enter');
  await page.getByRole('option', { name: 'Unassigned' }).click();
  await page.keyboard.press('Enter');
  await expect(who).toHaveText('');

  const state = await cell(page, 'Mend the sails', 'State');
  await state.focus();
  await page.keyboard.type('do');
  await page.keyboard.press('Enter');
  await expect(state).toHaveText('Done');

  // The column at the right end: what is said about the day is not cut off.
  const due = await cell(page, 'Mend the sails', 'Due');
  await due.focus();
  await page.keyboard.type('soon');
  await page.keyboard.press('Enter');
  const alert = page.getByRole('alert').filter({ hasText: 'accepts a date' });
  await expect(alert).toBeInViewport({ ratio: 1 });
  await expectAccessible(page, 'a day that is refused');
  await page.getByRole('textbox', { name: 'Due of Mend the sails' }).fill('');
  await page.keyboard.type('2026-12-01');
  await page.keyboard.press('Enter');
  await expect(due).toHaveText('1 Dec 2026');
  await due.focus();
  await page.keyboard.type('2027-01-02');
  await page.keyboard.press('Enter');
  await expect(due).toHaveText('2 Jan 2027');
});

test('what is dropped on a folded stack calls nobody back, and the keys of a view are listed', async ({
  page,
  program,
}) => {
  const board = await blank(program, 'Stacks');
  const state = (
    await post(program, `/boards/${board}/columns`, {
      title: 'State',
      type: 'status',
      settings: { labels: [{ text: 'Open' }, { text: 'Done' }] },
    })
  ).id;
  await post(program, `/boards/${board}/items`, {
    items: [
      { name: 'One', cells: { [state]: 'l1' } },
      { name: 'Two', cells: { [state]: 'l1' } },
    ],
  });
  const view = await post(program, `/boards/${board}/views`, {
    name: 'By state',
    kind: 'kanban',
    settings: { byColumn: state, folded: ['l2'] },
  });
  await login(page, program, `/boards/${board}?view=${view.id}`);
  await page.getByRole('button', { name: 'One', exact: true }).focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  const unfold = page.getByRole('button', { name: 'Expand Done' });
  await expect(unfold).toBeFocused();
  await expect(page.getByText('Moved One to Done')).toBeVisible();
  await page.getByRole('button', { name: 'Two', exact: true }).focus();
  await unfold.dispatchEvent('click');
  await expect(page.locator('[data-stack="l2"]').getByRole('button', { name: 'One', exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Two', exact: true })).toBeFocused();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(dialog.getByRole('heading', { name: 'Kanban' })).toBeVisible();
  await expectAccessible(page, 'keys of the page');
});

test('a long text has its lines in a box over its cell and at the side', async ({ page, program }) => {
  const board = await blank(program, 'Long');
  const notes: string = (await post(program, `/boards/${board}/columns`, { title: 'Notes', type: 'longText' })).id;
  for (const name of ['Mend the sails', 'Paint the hull'])
    await post(program, `/boards/${board}/items`, { name, cells: { [notes]: 'Buy thread' } });
  const saved = async (): Promise<unknown> =>
    (await call(program, 'GET', `/boards/${board}/full`)).items[0].cells[notes];
  await login(page, program, `/boards/${board}`);
  const at = await cell(page, 'Mend the sails', 'Notes');
  await at.focus();
  await page.keyboard.press('Enter');
  const box = page.getByRole('textbox', { name: 'Notes of Mend the sails' });
  const height = (await box.boundingBox())!.height;
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('Ask Anna');
  await page.keyboard.press('Alt+Enter');
  await page.keyboard.type('Begin');
  await expect.poll(async () => (await box.boundingBox())!.height).toBeGreaterThan(height + 20);
  // What stands below is covered, not pushed away.
  const hit = (await box.boundingBox())!;
  expect(
    await page.evaluate(([x, y]) => document.elementFromPoint(x!, y!)?.tagName, [hit.x + 20, hit.y + hit.height - 8]),
  ).toBe('TEXTAREA');
  await expectAccessible(page, 'long text being edited');
  await page.keyboard.press('Enter');
  await expect.poll(saved).toBe('Buy thread\nAsk Anna\nBegin');
  await expect(await cell(page, 'Paint the hull', 'Notes')).toBeFocused();
  expect((await at.boundingBox())!.height).toBeLessThan(48);

  await (await cell(page, 'Mend the sails', 'Name')).focus();
  await page.keyboard.press('Space');
  const field = side(page).getByRole('button', { name: /^Notes:/ });
  expect(await field.innerText()).toBe('Buy thread\nAsk Anna\nBegin');
  await field.press('Enter');
  const area = side(page).getByRole('textbox', { name: 'Notes of Mend the sails' });
  expect((await area.boundingBox())!.height).toBeGreaterThan(80);
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('End');
  await page.keyboard.press('Escape');
  await expect(field).toBeFocused();
  await field.press('Enter');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('End');
  await page.keyboard.press('Enter');
  await expect.poll(saved).toBe('Buy thread\nAsk Anna\nBegin\nEnd');
});
