/** The views of a board: their bar, and each kind, by pointer and by keyboard. */
import type { Page } from '@playwright/test';
import {
  call,
  expect,
  expectAccessible,
  login,
  setSetting,
  shared as test,
  test as alone,
  type Program,
} from '../../../e2e/helpers';

const LABELS = ['To do', 'In progress', 'Done'];

interface Made {
  id: string;
  status: string;
  due: string;
  /** Ids of the labels by text. */
  labels: Record<string, string>;
}

const json = (program: Program, method: string, path: string, body: object) =>
  call(program, method, path, JSON.stringify(body));

/** A board with a status, a date, tags, and a few items. */
async function made(program: Program, name: string): Promise<Made> {
  const workspaceId = (await call(program, 'GET', '/workspaces')).items[0].id;
  const { id } = await json(program, 'POST', '/boards', { workspaceId, name, preset: 'blank' });
  const colors = ['#4a7fd4', '#e8a33d', '#00a86b'];
  const settings = { labels: LABELS.map((text, at) => ({ text, color: colors[at], done: text === 'Done' })) };
  const status = await json(program, 'POST', `/boards/${id}/columns`, { title: 'Status', type: 'status', settings });
  const due = await json(program, 'POST', `/boards/${id}/columns`, { title: 'Due', type: 'date' });
  const tags = await json(program, 'POST', `/boards/${id}/columns`, { title: 'Tags', type: 'tags' });
  const labels: Record<string, string> = Object.fromEntries(
    status.settings.labels.map((label: { id: string; text: string }) => [label.text, label.id]),
  );
  const row = (item: string, label: string | null, day: string | null, tag: string) => ({
    name: item,
    cells: { ...(label ? { [status.id]: labels[label] } : {}), ...(day ? { [due.id]: day } : {}), [tags.id]: [tag] },
  });
  const items = [
    row('Paint the hull', 'To do', '2026-03-04', 'deck'),
    row('Mend the sails', 'In progress', '2026-03-09', 'rig'),
    row('Chart the course', 'Done', '2026-03-02', 'maps'),
    row('Ring the bell', 'To do', '2026-03-11', 'deck'),
    row('Stow the cargo', null, null, 'hull'),
  ];
  await json(program, 'POST', `/boards/${id}/items`, { items });
  return { id, status: status.id, due: due.id, labels };
}

const addView = (program: Program, board: Made, name: string, kind: string, settings: object = {}) =>
  json(program, 'POST', `/boards/${board.id}/views`, { name, kind, settings });
const tabs = (page: Page) => page.getByRole('tablist', { name: 'Views of this board' }).getByRole('tab');
const tab = (page: Page, name: string) => tabs(page).filter({ hasText: name });

test('the tab of the open view is in sight in a narrow window', async ({ page, program }) => {
  const board = await made(program, 'Many');
  for (const name of ['First stacks', 'Second stacks', 'Third stacks', 'Fourth stacks'])
    await addView(program, board, name, 'kanban', { byColumn: board.status });
  const { id } = await addView(program, board, 'Last of them', 'kanban', { byColumn: board.status });
  await login(page, program, `/boards/${board.id}?view=${id}`);
  await expect(tab(page, 'Last of them')).toHaveAttribute('aria-selected', 'true');
  await page.setViewportSize({ width: 720, height: 800 });
  await expect(tab(page, 'Last of them')).toBeInViewport({ ratio: 0.99 });
  await page.reload();
  await expect(tab(page, 'Last of them')).toBeInViewport({ ratio: 0.99 });
  await expect(tab(page, 'Table')).not.toBeInViewport();
});

test('views are added, renamed, duplicated, reordered and deleted, and the address says which one is open', async ({
  page,
  program,
}) => {
  const board = await made(program, 'Views');
  await login(page, program, `/boards/${board.id}`);
  await expect(tabs(page)).toHaveText(['Table']);
  await page.getByRole('button', { name: 'Add a view' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Items on the days of a month or week').click();
  await expectAccessible(page, 'a new view');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('When');
  await dialog.getByRole('button', { name: 'Add view' }).click();
  await expect(tabs(page)).toHaveText(['Table', 'When']);
  await expect(tab(page, 'When')).toHaveAttribute('aria-selected', 'true');
  await expect(page).toHaveURL(/\?view=/);

  await tab(page, 'Table').click();
  await expect(page.getByRole('grid', { name: 'Items of Views' })).toBeVisible();
  await page.goBack();
  await expect(tab(page, 'When')).toHaveAttribute('aria-selected', 'true');
  // The keyboard: to another tab, to another place, and a new name.
  await tab(page, 'When').focus();
  await page.keyboard.press('ArrowLeft');
  await expect(tab(page, 'Table')).toBeFocused();
  await expect(tab(page, 'Table')).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Control+Shift+ArrowRight');
  await expect(tabs(page)).toHaveText(['When', 'Table']);
  await expect(page.getByText('Table is now view 2 of 2.')).toBeAttached();
  await expect(tab(page, 'Table')).toBeFocused();
  await page.keyboard.press('F2');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Lines');
  await dialog.getByRole('button', { name: 'Rename view' }).click();
  await expect(tabs(page)).toHaveText(['When', 'Lines']);
  await page.getByRole('button', { name: 'More actions for view Lines' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate view' }).click();
  await expect(tabs(page)).toHaveText(['When', 'Lines', 'Copy of Lines']);
  // It is opened a moment later.
  await expect(tab(page, 'Copy of Lines')).toHaveAttribute('aria-selected', 'true');
  // By pointer.
  const [from, to] = [await tab(page, 'Copy of Lines').boundingBox(), await tab(page, 'When').boundingBox()];
  await page.mouse.move(from!.x + 20, from!.y + 10);
  await page.mouse.down();
  await page.mouse.move(to!.x + 4, to!.y + 10, { steps: 5 });
  await page.mouse.up();
  await expect(tabs(page)).toHaveText(['Copy of Lines', 'When', 'Lines']);
  await page.getByRole('button', { name: 'More actions for view Copy of Lines' }).click();
  await page.getByRole('menuitem', { name: 'Delete view' }).click();
  await expect(tabs(page)).toHaveText(['When', 'Lines']);
  await page
    .getByRole('alertdialog', { name: 'Deleted view Copy of Lines' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect(tabs(page)).toHaveText(['Copy of Lines', 'When', 'Lines']);
  await expect(tab(page, 'Copy of Lines')).toHaveAttribute('aria-selected', 'true');
  // The choice is remembered where the address names none, and another window's change arrives.
  await tab(page, 'When').click();
  await page.goto(`${program.url}/app/boards/${board.id}`);
  await expect(tab(page, 'When')).toHaveAttribute('aria-selected', 'true');
  await addView(program, board, 'From elsewhere', 'kanban');
  await expect(tab(page, 'From elsewhere')).toBeVisible();
});

const stack = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const card = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const cellOf = async (program: Program, board: Made, name: string, column: string) => {
  const { items } = await call(program, 'GET', `/boards/${board.id}/items`);
  return items.find((item: { name: string }) => item.name === name)?.cells[column] ?? null;
};

test('kanban: cards are carried by pointer, by keyboard and by menu, undone, limited, folded and added', async ({
  page,
  program,
}) => {
  const board = await made(program, 'Kanban');
  const view = await addView(program, board, 'Stages', 'kanban', { byColumn: board.status });
  await login(page, program, `/boards/${board.id}?view=${view.id}`);
  await expect(stack(page, 'To do').getByRole('listitem')).toHaveCount(2);
  await expect(stack(page, 'No value').getByRole('listitem')).toHaveCount(1);
  await expectAccessible(page, 'kanban');

  // By pointer, and back by the toast.
  const [from, to] = [
    await card(page, 'Paint the hull').boundingBox(),
    await card(page, 'Chart the course').boundingBox(),
  ];
  await page.mouse.move(from!.x + 20, from!.y + 8);
  await page.mouse.down();
  await page.mouse.move(to!.x + 60, to!.y + 2, { steps: 8 });
  await expect(stack(page, 'Done')).toHaveAttribute('data-target', 'true');
  await page.mouse.up();
  await expect(stack(page, 'Done').getByRole('listitem')).toHaveText([/Paint the hull/, /Chart the course/]);
  await expect(page.getByText('Moved Paint the hull to Done')).toBeVisible();
  await expect.poll(() => cellOf(program, board, 'Paint the hull', board.status)).toBe(board.labels.Done);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(stack(page, 'To do').getByRole('listitem')).toHaveCount(2);

  // By keyboard: taken back, then dropped; the focus goes with the card.
  await card(page, 'Mend the sails').focus();
  await page.keyboard.press('Space');
  await expect(page.getByText('Lifted Mend the sails, in In progress, 1 of 1.')).toBeAttached();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByText('Mend the sails is over Done, 1 of 2.')).toBeAttached();
  await page.keyboard.press('Escape');
  await expect(stack(page, 'In progress').getByRole('listitem')).toHaveCount(1);
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowRight');
  await expectAccessible(page, 'a lifted card');
  await page.keyboard.press('Enter');
  await expect(stack(page, 'Done').getByRole('listitem')).toHaveCount(2);
  await expect(card(page, 'Mend the sails')).toBeFocused();
  await expect.poll(() => cellOf(program, board, 'Mend the sails', board.status)).toBe(board.labels.Done);

  // Without dragging.
  await card(page, 'Move Stow the cargo').click();
  await page.getByRole('menuitem', { name: 'In progress' }).click();
  await expect(stack(page, 'In progress').getByRole('listitem')).toHaveText([/Stow the cargo/]);

  // A limit warns and blocks nothing.
  await page.getByRole('button', { name: 'More actions for Done' }).click();
  await page.getByRole('menuitem', { name: 'Set limit' }).click();
  await page.getByRole('spinbutton', { name: 'Maximum items' }).fill('1');
  await page.getByRole('dialog').getByRole('button', { name: 'Set limit' }).click();
  await expect(stack(page, 'Done').getByRole('heading')).toContainText('2 of 1, over the limit');
  await stack(page, 'Done').getByRole('textbox', { name: 'Add an item in Done' }).fill('Weigh anchor');
  await page.keyboard.press('Enter');
  await expect(stack(page, 'Done').getByRole('heading')).toContainText('3 of 1');
  await expect.poll(() => cellOf(program, board, 'Weigh anchor', board.status)).toBe(board.labels.Done);
  await page.getByRole('button', { name: 'Collapse No value' }).click();
  await expect(page.getByRole('button', { name: 'Expand No value' })).toBeVisible();
  await expectAccessible(page, 'kanban with a limit and a folded stack');
  await expect
    .poll(async () => (await call(program, 'GET', `/boards/${board.id}/views`)).items.at(-1).settings)
    .toMatchObject({ limits: { [board.labels.Done!]: 1 }, folded: [''] });

  // A card opens at the side and gets the focus back.
  await card(page, 'Chart the course').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('complementary', { name: 'Chart the course' })).toBeVisible();
  await page.getByRole('button', { name: 'Close panel' }).click();
  await expect(card(page, 'Chart the course')).toBeFocused();
});

test('kanban: cards are put in order by pointer, by keyboard and by menu, over all groups, and the sort of a view wins', async ({
  page,
  program,
}) => {
  const board = await made(program, 'In order');
  const { id: later } = await json(program, 'POST', `/boards/${board.id}/groups`, { name: 'Later' });
  const { items } = await call(program, 'GET', `/boards/${board.id}/items`);
  const bell = items.find((item: { name: string }) => item.name === 'Ring the bell');
  await json(program, 'PATCH', `/boards/${board.id}/items/${bell.id}`, { groupId: later });
  const view = await addView(program, board, 'Stages', 'kanban', { byColumn: board.status });
  const sorted = await addView(program, board, 'Sorted', 'kanban', {
    byColumn: board.status,
    sort: [{ columnId: board.due }],
  });
  await login(page, program, `/boards/${board.id}?view=${view.id}`);
  const names = async () =>
    (await call(program, 'GET', `/boards/${board.id}/items`)).items.map((item: { name: string }) => item.name);
  const inStack = (name: string) => stack(page, name).getByRole('listitem');
  await expect(inStack('To do')).toHaveText([/Paint the hull/, /Ring the bell/]);

  // By pointer, within the stack: a line says where it lands. The order is that of all groups.
  const drag = async (name: string, before: string, below = 2) => {
    const [from, to] = [await card(page, name).boundingBox(), await card(page, before).boundingBox()];
    await page.mouse.move(from!.x + 20, from!.y + 8);
    await page.mouse.down();
    await page.mouse.move(to!.x + 60, to!.y + below, { steps: 8 });
  };
  await drag('Ring the bell', 'Paint the hull');
  await expect(stack(page, 'To do').locator('.stack-line')).toBeVisible();
  await page.mouse.up();
  await expect(inStack('To do')).toHaveText([/Ring the bell/, /Paint the hull/]);
  await expect
    .poll(names)
    .toEqual(['Ring the bell', 'Paint the hull', 'Mend the sails', 'Chart the course', 'Stow the cargo']);
  await page
    .getByRole('alertdialog', { name: 'Moved Ring the bell to position 1 in To do' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect(inStack('To do')).toHaveText([/Paint the hull/, /Ring the bell/]);

  // By keyboard, into another stack above its first card, as one step.
  await card(page, 'Ring the bell').focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowUp');
  await expect(page.getByText('Ring the bell is over To do, 1 of 2.')).toBeAttached();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByText('Ring the bell is over In progress, 1 of 2.')).toBeAttached();
  await page.keyboard.press('Space');
  await expect(inStack('In progress')).toHaveText([/Ring the bell/, /Mend the sails/]);
  await expect(card(page, 'Ring the bell')).toBeFocused();
  await expect.poll(() => cellOf(program, board, 'Ring the bell', board.status)).toBe(board.labels['In progress']);
  expect(await names()).toEqual([
    'Paint the hull',
    'Ring the bell',
    'Mend the sails',
    'Chart the course',
    'Stow the cargo',
  ]);
  await page.keyboard.press('Control+z');
  await expect(inStack('To do')).toHaveText([/Paint the hull/, /Ring the bell/]);
  await expect
    .poll(names)
    .toEqual(['Paint the hull', 'Mend the sails', 'Chart the course', 'Ring the bell', 'Stow the cargo']);

  // Taken back before it is dropped, and by the menu.
  await card(page, 'Ring the bell').focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Home');
  await page.keyboard.press('Escape');
  await expect(page.getByText('Ring the bell is back in To do, 2 of 2.')).toBeAttached();
  await card(page, 'Move Ring the bell').click();
  await page.getByRole('menuitem', { name: 'Move up' }).click();
  await expect(inStack('To do')).toHaveText([/Ring the bell/, /Paint the hull/]);
  await expect
    .poll(names)
    .toEqual(['Ring the bell', 'Paint the hull', 'Mend the sails', 'Chart the course', 'Stow the cargo']);

  // Where the view is sorted, that is said, and only the stack changes.
  await page.goto(`${program.url}/app/boards/${board.id}?view=${sorted.id}`);
  await expect(inStack('To do')).toHaveText([/Paint the hull/, /Ring the bell/]);
  await drag('Ring the bell', 'Mend the sails');
  await expect(page.locator('.kanban-note')).toBeVisible();
  await page.mouse.up();
  await expect(inStack('In progress')).toHaveText([/Mend the sails/, /Ring the bell/]);
});

test('kanban by group moves an item to another group; a column that is gone is explained', async ({
  page,
  program,
}) => {
  const board = await made(program, 'By group');
  await json(program, 'POST', `/boards/${board.id}/groups`, { name: 'Later' });
  const view = await addView(program, board, 'Stages', 'kanban', { byColumn: board.status });
  await call(program, 'DELETE', `/boards/${board.id}/columns/${board.status}`);
  await login(page, program, `/boards/${board.id}?view=${view.id}`);
  await expect(page.getByText("This view's column no longer exists")).toBeVisible();
  await expectAccessible(page, 'a view without its column');
  await page.getByRole('button', { name: 'Use groups' }).click();
  await expect(stack(page, 'Later')).toBeVisible();
  await card(page, 'Ring the bell').focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(stack(page, 'Later').getByRole('listitem')).toHaveText([/Ring the bell/]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(stack(page, 'Later').getByText('No items')).toBeVisible();
});

test('a stack of many thousand cards draws only those in view', async ({ page, program }) => {
  const workspaceId = (await call(program, 'GET', '/workspaces')).items[0].id;
  const rows = [
    'Name,Stage',
    ...Array.from({ length: 20_000 }, (_, at) => `Item ${at + 1},${at % 4 === 0 ? 'Open' : 'Done'}`),
  ].join('\n');
  const query = new URLSearchParams({ workspaceId, name: 'Many', mapping: '' });
  query.delete('mapping');
  const { board } = await call(program, 'POST', `/boards/import?${query}`, rows, 'text/csv');
  const { columns } = await call(program, 'GET', `/boards/${board.id}`);
  const view = await json(program, 'POST', `/boards/${board.id}/views`, {
    name: 'Stages',
    kind: 'kanban',
    settings: { byColumn: columns[0].id },
  });
  await login(page, program, `/boards/${board.id}?view=${view.id}`);
  await expect(stack(page, 'Done').getByRole('heading')).toContainText('15,000');
  await card(page, 'Item 2').focus();
  await page.keyboard.press('End');
  await expect(card(page, 'Item 20000')).toBeFocused();
  expect(await page.getByRole('listitem').count()).toBeLessThan(120);
});

/** Browsers differ in whether a comma follows the weekday. */
const dayName = (name: string) => new RegExp(name.replace(' ', ',? '));
const day = (page: Page, name: string) => page.getByRole('gridcell', { name: dayName(name) });
const bar = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(`^${name},`) });

alone(
  'calendar: days are walked, items carried by pointer and keyboard, in from the side and back',
  async ({ page, program }) => {
    await page.clock.setFixedTime(new Date('2026-03-05T10:00:00'));
    const board = await made(program, 'Calendar');
    const view = await addView(program, board, 'When', 'calendar', { dateColumn: board.due });
    await setSetting(program, 'calendarWeekStartDay', 'monday');
    await login(page, program, `/boards/${board.id}?view=${view.id}`);
    await expect(page.getByRole('grid', { name: 'March 2026' })).toBeVisible();
    await expect(page.getByRole('columnheader').first()).toHaveText('Mon');
    await expect(day(page, 'Thursday 5 March 2026')).toHaveAttribute('aria-current', 'date');
    await expect(day(page, 'Wednesday 4 March 2026').getByRole('button', { name: /^Paint the hull, / })).toBeVisible();
    await expectAccessible(page, 'calendar');

    // By keyboard: to a day, into its items, and one of them on by a week.
    await day(page, 'Thursday 5 March 2026').focus();
    await page.keyboard.press('ArrowLeft');
    await expect(day(page, 'Wednesday 4 March 2026')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(bar(page, 'Paint the hull')).toBeFocused();
    await page.keyboard.press('Space');
    await expect(page.getByText(/^Lifted Paint the hull/)).toBeAttached();
    await page.keyboard.press('ArrowDown');
    await expect(day(page, 'Wednesday 11 March 2026')).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(bar(page, 'Paint the hull')).toBeFocused();
    await expect(day(page, 'Wednesday 4 March 2026').getByRole('button', { name: /^Paint the hull, / })).toBeVisible();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await expectAccessible(page, 'an item lifted off a day');
    await page.keyboard.press('Enter');
    await expect(bar(page, 'Paint the hull')).toBeFocused();
    await expect.poll(() => cellOf(program, board, 'Paint the hull', board.due)).toBe('2026-03-12');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(day(page, 'Wednesday 4 March 2026').getByRole('button', { name: /^Paint the hull, / })).toBeVisible();

    // By pointer, in from the side.
    const [from, to] = [
      await page.getByRole('complementary', { name: 'No date' }).getByRole('button').boundingBox(),
      await day(page, 'Friday 20 March 2026').boundingBox(),
    ];
    await page.mouse.move(from!.x + 20, from!.y + 8);
    await page.mouse.down();
    await page.mouse.move(to!.x + 30, to!.y + 50, { steps: 8 });
    await page.mouse.up();
    await expect(day(page, 'Friday 20 March 2026').getByRole('button', { name: /^Stow the cargo, / })).toBeVisible();
    await expect.poll(() => cellOf(program, board, 'Stow the cargo', board.due)).toBe('2026-03-20');
    await expect(page.getByText('Every item has a date.')).toBeVisible();

    // More than fits opens as a list, a day takes a new item, and an item opens at the side.
    const items = Array.from({ length: 12 }, (_, at) => ({
      name: `Watch ${at + 1}`,
      cells: { [board.due]: '2026-03-18' },
    }));
    await json(program, 'POST', `/boards/${board.id}/items`, { items });
    await day(page, 'Wednesday 18 March 2026')
      .getByRole('button', { name: /^\+ \d+ more$/ })
      .click();
    const dialog = page.getByRole('dialog', { name: dayName('Wednesday 18 March 2026') });
    await expect(dialog.getByRole('listitem')).toHaveCount(12);
    await dialog.getByRole('button', { name: 'Watch 12' }).click();
    await expect(page.getByRole('complementary', { name: 'Watch 12' })).toBeVisible();
    await page.getByRole('button', { name: 'Close panel' }).click();
    await day(page, 'Tuesday 24 March 2026').focus();
    await page.keyboard.press('n');
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Sail');
    await page.getByRole('dialog').getByRole('button', { name: 'Add item' }).click();
    await expect(bar(page, 'Sail')).toBeVisible();

    await page.getByRole('button', { name: 'Week' }).click();
    await expect(page.getByRole('gridcell')).toHaveCount(7);
    await page.getByRole('button', { name: 'Next week' }).click();
    await expect(day(page, 'Monday 9 March 2026')).toBeVisible();
    await expectAccessible(page, 'a week');
    await page.getByRole('button', { name: 'Today' }).click();
    await expect(day(page, 'Thursday 5 March 2026')).toBeVisible();
  },
);

test('a view that needs a column offers to add one', async ({ page, program }) => {
  const workspaceId = (await call(program, 'GET', '/workspaces')).items[0].id;
  const { id } = await json(program, 'POST', '/boards', { workspaceId, name: 'Bare', preset: 'blank' });
  const view = await json(program, 'POST', `/boards/${id}/views`, { name: 'When', kind: 'calendar' });
  await login(page, program, `/boards/${id}?view=${view.id}`);
  await expect(page.getByText('This view needs a date column')).toBeVisible();
  await expectAccessible(page, 'a view that needs a column');
  await page.getByRole('button', { name: 'Add a date column' }).click();
  await expect(page.getByRole('gridcell').first()).toBeVisible();
});

const item = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(`^${name},`) });

test('timeline: a bar whose end is before its beginning says so', async ({ page, program }) => {
  await page.clock.setFixedTime(new Date('2026-03-05T10:00:00'));
  const board = await made(program, 'Timeline');
  const until = await json(program, 'POST', `/boards/${board.id}/columns`, { title: 'Until', type: 'date' });
  const view = await addView(program, board, 'Plan', 'timeline', {
    dateColumn: board.due,
    endColumn: until.id,
    zoom: 'day',
  });
  const { items } = await call(program, 'GET', `/boards/${board.id}/items`);
  const hull = items.find((one: { name: string }) => one.name === 'Paint the hull');
  await json(program, 'PATCH', `/boards/${board.id}/items/${hull.id}/cells/${until.id}`, { value: '2026-03-01' });
  await login(page, program, `/boards/${board.id}?view=${view.id}`);
  await expect(item(page, 'Paint the hull')).toHaveAccessibleName(/^Paint the hull, ends before it starts/);
  await expect(item(page, 'Paint the hull')).toContainText('ends before it starts');
  await expectAccessible(page, 'a timeline with a bar that ends before it starts');
});

test('timeline: bars are moved and stretched by pointer and keyboard', async ({ page, program }) => {
  await page.clock.setFixedTime(new Date('2026-03-05T10:00:00'));
  const board = await made(program, 'Timeline');
  const until = await json(program, 'POST', `/boards/${board.id}/columns`, { title: 'Until', type: 'date' });
  const view = await addView(program, board, 'Plan', 'timeline', {
    dateColumn: board.due,
    endColumn: until.id,
    zoom: 'day',
  });
  await login(page, program, `/boards/${board.id}?view=${view.id}`);
  await expect(item(page, 'Paint the hull')).toHaveAccessibleName(/4 Mar 2026/);

  // By keyboard: moved by a day, stretched by two.
  await page.getByRole('button', { name: 'Paint the hull', exact: true }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(item(page, 'Paint the hull')).toBeFocused();
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Shift+ArrowRight');
  await expect(page.getByText('Paint the hull is over 5 Mar 2026 to 7 Mar 2026.')).toBeAttached();
  await expectAccessible(page, 'a lifted bar');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Moved Paint the hull to 5 Mar 2026 to 7 Mar 2026')).toBeVisible();
  await expect.poll(() => cellOf(program, board, 'Paint the hull', board.due)).toBe('2026-03-05');
  await expect.poll(() => cellOf(program, board, 'Paint the hull', until.id)).toBe('2026-03-07');
  await expect(item(page, 'Paint the hull')).toBeFocused();
  await page.keyboard.press('Space');
  await page.keyboard.press('PageDown');
  await page.keyboard.press('Escape');
  await expect(item(page, 'Paint the hull')).toHaveAccessibleName(/5 Mar 2026 to 7 Mar 2026/);

  // By pointer: its end two days on, then the whole four days back. A day is 40 pixels wide.
  const box = (await item(page, 'Paint the hull').boundingBox())!;
  await page.mouse.move(box.x + box.width - 2, box.y + 8);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width + 78, box.y + 8, { steps: 6 });
  await page.mouse.up();
  await expect(item(page, 'Paint the hull')).toHaveAccessibleName(/5 Mar 2026 to 9 Mar 2026/);
  await page.mouse.move(box.x + 60, box.y + 8);
  await page.mouse.down();
  await page.mouse.move(box.x - 100, box.y + 8, { steps: 6 });
  await page.mouse.up();
  await expect(item(page, 'Paint the hull')).toHaveAccessibleName(/1 Mar 2026 to 5 Mar 2026/);
  await page
    .getByRole('alertdialog', { name: 'Moved Paint the hull to 1 Mar 2026 to 5 Mar 2026' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect(item(page, 'Paint the hull')).toHaveAccessibleName(/5 Mar 2026 to 9 Mar 2026/);

  // An item without a date gets one; groups fold; the zoom is kept in the view.
  await page.getByRole('button', { name: 'Stow the cargo', exact: true }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(item(page, 'Stow the cargo')).toHaveAccessibleName(/5 Mar 2026/);
  await page.getByRole('button', { name: 'Months' }).click();
  await page.getByRole('button', { name: /^Items/ }).click();
  await expect(item(page, 'Paint the hull')).toHaveCount(0);
  await expect
    .poll(async () => (await call(program, 'GET', `/boards/${board.id}/views`)).items.at(-1).settings)
    .toMatchObject({ zoom: 'month', foldedGroups: ['g1'] });
  await expectAccessible(page, 'a folded timeline');
  await page.getByRole('button', { name: /^Items/ }).click();
  await page.getByRole('button', { name: 'Chart the course', exact: true }).click();
  await expect(page.getByRole('complementary', { name: 'Chart the course' })).toBeVisible();
});

test('a calendar and a timeline that show nothing lead to where something stands', async ({ page, program }) => {
  await page.clock.setFixedTime('2026-09-04T10:00:00');
  const board = await made(program, 'Long ago');
  const calendar = await addView(program, board, 'When', 'calendar', { dateColumn: board.due });
  await addView(program, board, 'Plan', 'timeline', { dateColumn: board.due, zoom: 'day' });
  await login(page, program, `/boards/${board.id}?view=${calendar.id}`);
  await expect(page.getByText('Nothing this month')).toBeVisible();
  await page.getByRole('button', { name: /^Go to March 2026/ }).press('Enter');
  await expect(page.getByRole('heading', { name: 'March 2026' })).toBeVisible();
  // The focus is on the day, and the way on.
  await expect(page.locator(':focus')).toHaveAttribute('role', 'gridcell');
  await expect(page.getByRole('button', { name: /^Ring the bell/ })).toBeVisible();
  await expect(page.getByText('Nothing this month')).toHaveCount(0);

  await tab(page, 'Plan').click();
  await page.getByRole('button', { name: 'Go to 11 Mar 2026' }).click();
  await expect(page.getByRole('button', { name: /^Ring the bell, / })).toBeFocused();
  await expect(page.getByRole('button', { name: /^Ring the bell, / })).toBeInViewport();
  await expect(page.getByText('No items on these days')).toHaveCount(0);
});

test('a timeline column gives bars in the calendar and on the timeline', async ({ page, program }) => {
  await page.clock.setFixedTime(new Date('2026-03-05T10:00:00'));
  const board = await made(program, 'Spans');
  const span = await json(program, 'POST', `/boards/${board.id}/columns`, { title: 'When', type: 'timeline' });
  const { items } = await call(program, 'GET', `/boards/${board.id}/items`);
  const first = items.find((one: { name: string }) => one.name === 'Paint the hull');
  await json(program, 'PATCH', `/boards/${board.id}/items/${first.id}`, {
    cells: { [span.id]: { from: '2026-03-06', to: '2026-03-10' } },
  });
  const calendar = await addView(program, board, 'Spans', 'calendar', { dateColumn: span.id });
  await addView(program, board, 'Plan', 'timeline', { dateColumn: span.id, zoom: 'day' });
  await login(page, program, `/boards/${board.id}?view=${calendar.id}`);
  await expect(bar(page, 'Paint the hull')).toHaveCount(2);
  await expect(bar(page, 'Paint the hull').first()).toHaveAccessibleName(/6 Mar 2026 to 10 Mar 2026/);

  await tab(page, 'Plan').click();
  await item(page, 'Paint the hull').focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Control+ArrowLeft');
  await page.keyboard.press('Enter');
  await expect(item(page, 'Paint the hull')).toHaveAccessibleName(/5 Mar 2026 to 10 Mar 2026/);
  await expect
    .poll(() => cellOf(program, board, 'Paint the hull', span.id))
    .toEqual({ from: '2026-03-05', to: '2026-03-10' });
});

test('the filter of a view chooses its cards, and can be cleared', async ({ page, program }) => {
  const board = await made(program, 'Chosen');
  const rule = {
    id: 'r1',
    col: { by: 'ids', ids: { [board.id]: [board.status] } },
    op: 'anyOf',
    value: [board.labels['To do']],
  };
  const filter = { v: 1, people: null, all: [rule] };
  const view = await addView(program, board, 'To do only', 'kanban', { byColumn: board.status, filter });
  await login(page, program, `/boards/${board.id}?view=${view.id}`);
  await expect(page.getByText('2 of 5 items match')).toBeVisible();
  await expect(stack(page, 'Done').getByText('No items')).toBeVisible();
  await expectAccessible(page, 'a view with a filter');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(stack(page, 'Done').getByRole('listitem')).toHaveCount(1);
});
