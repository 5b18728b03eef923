import type { Page } from '@playwright/test';
import { call, expect, expectAccessible, login, setSetting, settingOf, test, type Program } from '../../../e2e/helpers';

const workspace = async (program: Program): Promise<string> => (await call(program, 'GET', '/workspaces')).items[0].id;
const make = async (program: Program, name: string): Promise<string> =>
  (
    await call(
      program,
      'POST',
      '/boards',
      JSON.stringify({ workspaceId: await workspace(program), name, preset: 'tasks' }),
    )
  ).id;
const boards = async (program: Program): Promise<{ id: string; name: string }[]> =>
  (await call(program, 'GET', '/boards')).items;
const background = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const LIGHT = 'rgb(255, 255, 255)';
const DARK = 'rgb(22, 23, 27)';

test('the first board begins with a preset, and the choice is remembered', async ({ page, program }) => {
  for (const board of await boards(program)) await call(program, 'DELETE', `/boards/${board.id}`);
  await login(page, program, '/boards');
  await expect(page.getByRole('heading', { name: 'Set up your first board' })).toBeVisible();
  await expect(page.getByRole('radio')).toHaveCount(13);
  await expect(page.getByRole('radio', { name: 'Tasks' })).toBeChecked();
  await expectAccessible(page, 'first board');
  // The keyboard alone: into the choice, along it, on to the button.
  await page.getByRole('radio', { name: 'Tasks' }).focus();
  for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('radio', { name: 'Trello' })).toBeChecked();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Use Trello' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Trello', level: 1 })).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Board' })).toHaveAttribute('aria-selected', 'true');
  await page.getByRole('tab', { name: 'Table' }).click();
  await expect(page.getByRole('columnheader', { name: 'Due complete' })).toBeVisible();
  expect(await settingOf(program, 'pmSetupPreset')).toBe('trello');
  const made = await call(program, 'GET', `/boards/${(await boards(program))[0]?.id}`);
  expect(made.views.map((view: { name: string }) => view.name)).toEqual(['Board', 'Table', 'Calendar', 'Timeline']);
});

test('a new board is made from any preset; the usual one is chosen already', async ({ page, program }) => {
  await setSetting(program, 'pmSetupPreset', 'linear');
  await make(program, 'Not the first');
  await login(page, program, '/boards');
  await page.getByRole('button', { name: 'Create board' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('radio', { name: 'Linear', exact: true })).toBeChecked();
  await expect(dialog.getByText('Current cycle, Backlog')).toBeVisible();
  await expectAccessible(page, 'presets');
  await dialog.getByRole('radio', { name: 'Airtable' }).click({ force: true });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('A base');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'A base', level: 1 })).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'Deadline' })).toBeVisible();
  expect(await settingOf(program, 'pmSetupPreset')).toBe('linear');
});

test('sample data stands in a board of its own', async ({ page, program }) => {
  for (const board of await boards(program)) await call(program, 'DELETE', `/boards/${board.id}`);
  await login(page, program, '/boards');
  await page.getByRole('button', { name: 'Explore sample data' }).click();
  await expect(page.getByRole('heading', { name: 'Sample: a newsletter', level: 1 })).toBeVisible();
  await expect(page.getByText('Send the first issue')).toBeVisible();
});

test('density is taken up by an open board at once, each higher than the one before', async ({ page, program }) => {
  const board = await make(program, 'Dense');
  for (let i = 0; i < 3; i++)
    await call(program, 'POST', `/boards/${board}/items`, JSON.stringify({ name: `Item ${i}` }));
  await setSetting(program, 'pmBoardDensity', 'dense');
  await login(page, program, `/boards/${board}`);
  const line = page.getByRole('row').filter({ hasText: 'Item 1' });
  const heights: number[] = [];
  for (const [density, height] of [
    ['dense', 28],
    ['compact', 32],
    ['comfortable', 36],
    ['spacious', 46],
  ] as const) {
    await setSetting(program, 'pmBoardDensity', density);
    await expect.poll(async () => (await line.boundingBox())?.height).toBe(height);
    heights.push(height);
    // Lines stand one below the other, without gaps and without covering each other.
    const next = page.getByRole('row').filter({ hasText: 'Item 2' });
    await expect
      .poll(async () => ((await next.boundingBox())?.y ?? 0) - ((await line.boundingBox())?.y ?? 0))
      .toBe(height);
  }
  expect(heights).toEqual([...heights].sort((a, b) => a - b));
  await page.reload();
  await expect.poll(async () => (await line.boundingBox())?.height).toBe(46);
});

test('in every view each density is higher than the one before', async ({ page, program }) => {
  const board = await make(program, 'Dense views');
  const { columns } = await call(program, 'GET', `/boards/${board}`);
  const due = columns.find((column: { type: string }) => column.type === 'date').id;
  const today = new Date().toISOString().slice(0, 10);
  await call(program, 'POST', `/boards/${board}/items`, JSON.stringify({ name: 'Sail', cells: { [due]: today } }));
  const views = {
    kanban: ['.card', { byColumn: columns.find((column: { type: string }) => column.type === 'status').id }],
    calendar: ['.day-item', { dateColumn: due }],
    timeline: ['.timeline-line', { dateColumn: due }],
  } as const;
  await setSetting(program, 'pmBoardDensity', 'dense');
  await login(page, program, `/boards/${board}`);
  for (const [kind, [selector, settings]] of Object.entries(views)) {
    const view = await call(
      program,
      'POST',
      `/boards/${board}/views`,
      JSON.stringify({ name: `As ${kind}`, kind, settings }),
    );
    await page.getByRole('tab', { name: view.name }).click();
    const one = page.locator(selector).filter({ hasText: 'Sail' }).first();
    let before = 0;
    for (const density of ['dense', 'compact', 'comfortable', 'spacious'] as const) {
      await setSetting(program, 'pmBoardDensity', density);
      await expect
        .poll(async () => (await one.boundingBox())?.height ?? 0, `${kind}, ${density}`)
        .toBeGreaterThan(before);
      before = (await one.boundingBox())!.height;
    }
    await setSetting(program, 'pmBoardDensity', 'dense');
    await expect.poll(async () => (await one.boundingBox())?.height ?? 0).toBeLessThan(before);
  }
});

test('boards are light or dark as the setting says, or follow the system', async ({ page, program }) => {
  const board = await make(program, 'Lit');
  await page.emulateMedia({ colorScheme: 'light' });
  await login(page, program, `/boards/${board}`);
  await expect(page.getByRole('heading', { name: 'Lit', level: 1 })).toBeVisible();
  await expect.poll(() => background(page)).toBe(LIGHT);
  await setSetting(program, 'pmColorMode', 'dark');
  await expect.poll(() => background(page)).toBe(DARK);
  await page.getByRole('link', { name: 'Settings' }).first().click();
  await expect.poll(() => background(page), 'other pages keep their theme').toBe(LIGHT);
  await page.goBack();
  await page.emulateMedia({ colorScheme: 'dark' });
  await setSetting(program, 'pmColorMode', 'light');
  await expect.poll(() => background(page)).toBe(LIGHT);
  await setSetting(program, 'pmColorMode', 'system');
  await expect.poll(() => background(page)).toBe(DARK);
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(() => background(page)).toBe(LIGHT);
});

test('switched off, boards leave the navigation and their pages say why; their data stays', async ({
  page,
  program,
}) => {
  const board = await make(program, 'Hidden');
  await login(page, program, `/boards/${board}`);
  const entry = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Project boards' });
  await expect(entry).toBeVisible();
  await setSetting(program, 'projectBoardsEnabled', false);
  await expect(page.getByText('Project boards are off')).toBeVisible();
  await expect(entry).toHaveCount(0);
  await expectAccessible(page, 'switched off');
  await page.goto(`${program.url}/app/boards`);
  await expect(page.getByText('Project boards are off')).toBeVisible();
  expect((await call(program, 'GET', `/boards/${board}/full`)).board.name).toBe('Hidden');
  await setSetting(program, 'projectBoardsEnabled', true);
  await expect(entry).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Project boards', level: 1 })).toBeVisible();
});
