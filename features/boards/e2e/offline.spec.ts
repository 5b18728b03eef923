/** Edits made while the program is away wait in the browser and are sent when it is back. */
import { type Page } from '@playwright/test';
import {
  call,
  cell,
  expect,
  expectAccessible,
  grid,
  leftOf,
  login,
  paste,
  test,
  type Program,
} from '../../../e2e/helpers';

const CSV = 'Name,Effort,Note\nPaint the hull,3,soon\nMend the sails,5,later\n';

async function imported(program: Program): Promise<string> {
  const workspace = (await call(program, 'GET', '/workspaces')).items[0].id;
  const query = new URLSearchParams({ workspaceId: workspace, name: 'Ship' });
  return (await call(program, 'POST', `/boards/import?${query}`, CSV, 'text/csv')).board.id;
}

async function type(page: Page, item: string, column: string, value: string) {
  const at = await cell(page, item, column);
  await at.click();
  await at.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: `${column} of ${item}` }).fill(value);
  await page.keyboard.press('Enter');
  await expect(at).toHaveText(value);
}

/** The cells of the board's items by the items' names, as the program has them. */
async function saved(program: Program, board: string): Promise<Record<string, unknown[]>> {
  const items = (await call(program, 'GET', `/boards/${board}/full`)).items as {
    name: string;
    cells: Record<string, unknown>;
  }[];
  return Object.fromEntries(items.map((item) => [item.name, Object.values(item.cells)]));
}

/** How many steps the browser keeps: it has them a moment after the page says that they wait. */
const kept = (page: Page) =>
  page.evaluate(async () => {
    const asked = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) =>
        Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error!) }),
      );
    const database = await asked(indexedDB.open('pilothouse-steps'));
    const count = await asked(database.transaction('steps').objectStore('steps').count());
    database.close();
    return count;
  });

/** A board in the page, of a program that goes away and comes back. */
const away = test.extend<{ board: string }>({
  board: async ({ page, program, console: faults }, run) => {
    const board = await imported(program);
    await login(page, program, `/boards/${board}`);
    await expect(await cell(page, 'Paint the hull', 'Effort')).toHaveText('3');
    await run(board);
    await page.close();
    // While the program was away, the browser said so at each try.
    faults.splice(0, faults.length, ...faults.filter((fault) => !/net::ERR_/.test(fault)));
  },
});

away(
  'edits wait while the program is away and are sent in their order when it is back',
  async ({ page, program, board }) => {
    await program.pause();
    await type(page, 'Paint the hull', 'Effort', '8');
    await type(page, 'Mend the sails', 'Effort', '6');
    await type(page, 'Paint the hull', 'Effort', '9');
    const waiting = page.getByText('3 changes waiting for the connection.');
    await expect(waiting).toBeVisible();
    expect(await leftOf(waiting)).toBeCloseTo(await leftOf(page.getByRole('heading', { level: 1 })), 0);
    await expectAccessible(page, 'waiting');
    await program.resume();
    await expect(page.getByText('wait for the connection')).toHaveCount(0);
    await expect(await cell(page, 'Paint the hull', 'Effort')).toHaveText('9');
    await expect
      .poll(() => saved(program, board))
      .toEqual({ 'Paint the hull': [9, 'soon'], 'Mend the sails': [6, 'later'] });
  },
);

away(
  'what waits survives that the page is left, and what someone else wrote meanwhile is asked about',
  async ({ page, program, board }) => {
    await program.pause();
    await type(page, 'Paint the hull', 'Effort', '8');
    await type(page, 'Mend the sails', 'Note', 'now');
    await expect(page.getByText('2 changes waiting for the connection.')).toBeVisible();
    await expect.poll(() => kept(page)).toBe(2);
    await page.goto('about:blank');
    await program.resume();
    const items = (await call(program, 'GET', `/boards/${board}/items`)).items as { id: string; name: string }[];
    const hull = items.find((item) => item.name === 'Paint the hull')?.id;
    const columns = (await call(program, 'GET', `/boards/${board}`)).columns as { id: string; title: string }[];
    const effort = columns.find((column) => column.title === 'Effort')?.id;
    await call(program, 'PATCH', `/boards/${board}/items/${hull}/cells/${effort}`, JSON.stringify({ value: 4 }));
    await login(page, program, `/boards/${board}`);
    const asked = page.getByRole('dialog', { name: 'Conflicting changes' });
    await expect(asked.getByRole('listitem')).toContainText('Effort of Paint the hull was changed');
    await expect(asked.getByRole('definition')).toHaveText(['8', '4']);
    await expect
      .poll(() => saved(program, board))
      .toEqual({ 'Paint the hull': [4, 'soon'], 'Mend the sails': [5, 'now'] });
    // Put off, it can be looked at again.
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Review changes' }).click();
    await asked.getByRole('button', { name: 'Keep mine, Effort of Paint the hull' }).click();
    await expect(asked).toHaveCount(0);
    await expect(await cell(page, 'Paint the hull', 'Effort')).toHaveText('8');
    await expect
      .poll(() => saved(program, board))
      .toEqual({ 'Paint the hull': [8, 'soon'], 'Mend the sails': [5, 'now'] });
  },
);

away(
  'items are added, edited, deleted and pasted while the program is away, and all of it follows in its order',
  async ({ page, program, board }) => {
    await program.pause();
    const name = page.getByRole('textbox', { name: 'Add an item' });
    await name.fill('Ring the bell');
    await name.press('Enter');
    await expect(grid(page).getByText('Ring the bell')).toBeVisible();
    // What was just added is edited as any other.
    await type(page, 'Ring the bell', 'Effort', '7');
    await paste(await cell(page, 'Mend the sails', 'Effort'), '1\tone\n2\ttwo\n3\tthree\n');
    await expect(await cell(page, 'Mend the sails', 'Note')).toHaveText('one');
    await grid(page).getByRole('button', { name: 'Delete Paint the hull' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete item' }).click();
    await expect(grid(page).getByText('Paint the hull')).toHaveCount(0);
    await expect(page.getByText('4 changes waiting for the connection.')).toBeVisible();
    // What has not left yet is taken back without anybody hearing of it.
    await (await cell(page, 'Mend the sails', 'Effort')).click();
    await page.keyboard.press('Control+z');
    await expect(grid(page).getByText('Paint the hull')).toBeVisible();
    await expect.poll(() => kept(page)).toBe(3);
    await page.keyboard.press('Control+Shift+z');
    await expect(grid(page).getByText('Paint the hull')).toHaveCount(0);
    await expect.poll(() => kept(page)).toBe(4);
    await page.goto('about:blank');
    await program.resume();
    await login(page, program, `/boards/${board}`);
    await expect
      .poll(() => saved(program, board))
      .toEqual({ 'Mend the sails': [1, 'one'], 'Ring the bell': [2, 'two'], 'New item': [3, 'three'] });
    await expect(page.getByText('wait for the connection')).toHaveCount(0);
  },
);

away(
  'subitems are added while the program is away, also below an item that was, and follow in their order',
  async ({ page, program, board }) => {
    await program.pause();
    const listed = page.locator('.subitem-name');
    const addBelow = async (item: string, names: readonly string[]) => {
      await (await cell(page, item, 'Name')).click();
      await page.keyboard.press('Space');
      const field = page.getByRole('complementary', { name: item }).getByRole('textbox', { name: 'Add a subitem' });
      for (const name of names) {
        await field.fill(name);
        await field.press('Enter');
      }
      await expect(listed).toHaveText([...names]);
      await page.keyboard.press('Escape');
      await expect(listed).toHaveCount(0);
    };
    await addBelow('Paint the hull', ['Scrape', 'Prime']);
    // They can be put in another order too.
    await (await cell(page, 'Paint the hull', 'Name')).click();
    await page.keyboard.press('Space');
    await listed.filter({ hasText: 'Prime' }).press('Alt+ArrowUp');
    await expect(listed).toHaveText(['Prime', 'Scrape']);
    await expect(listed.filter({ hasText: 'Prime' })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(listed).toHaveCount(0);
    const name = page.getByRole('textbox', { name: 'Add an item' });
    await name.fill('Ring the bell');
    await name.press('Enter');
    await addBelow('Ring the bell', ['Climb']);
    // In the table as well, where what was added is renamed like any other.
    await (await cell(page, 'Mend the sails', 'Name')).click();
    await page.keyboard.press('Alt+ArrowDown');
    const below = page.getByRole('textbox', { name: 'Add a subitem to Mend the sails' });
    await expect(below).toBeFocused();
    await below.fill('Patch');
    await below.press('Enter');
    await expect(grid(page).getByText('Patch')).toBeVisible();
    await type(page, 'Patch', 'Effort', '2');
    await expect(page.getByText('7 changes waiting for the connection.')).toBeVisible();
    await expect.poll(() => kept(page)).toBe(7);
    await page.goto('about:blank');
    await program.resume();
    await login(page, program, `/boards/${board}`);
    const items = async () =>
      (await call(program, 'GET', `/boards/${board}/full`)).items as { id: string; name: string; parentId?: string }[];
    const called = async () => {
      const all = await items();
      return all.map(({ name: own, parentId }) => [own, all.find(({ id }) => id === parentId)?.name]);
    };
    await expect.poll(called).toEqual([
      ['Paint the hull', undefined],
      ['Mend the sails', undefined],
      ['Prime', 'Paint the hull'],
      ['Scrape', 'Paint the hull'],
      ['Ring the bell', undefined],
      ['Climb', 'Ring the bell'],
      ['Patch', 'Mend the sails'],
    ]);
    await expect.poll(() => saved(program, board)).toMatchObject({ Patch: [2] });
    await expect(page.getByText('wait for the connection')).toHaveCount(0);
  },
);

away(
  'comments are written, edited and deleted while the program is away, and are there once',
  async ({ page, program, board }) => {
    const items = (await call(program, 'GET', `/boards/${board}/items`)).items as { id: string; name: string }[];
    const comments = `/boards/${board}/items/${items.find(({ name }) => name === 'Paint the hull')!.id}/comments`;
    const texts = async () =>
      ((await call(program, 'GET', comments)).items as { text: string }[]).map(({ text }) => text);
    for (const text of ['Older', 'Old']) await call(program, 'POST', comments, JSON.stringify({ text }));
    await (await cell(page, 'Paint the hull', 'Name')).click();
    await page.keyboard.press('Space');
    const panel = page.getByRole('complementary', { name: 'Paint the hull' });
    const field = panel.getByRole('textbox', { name: 'Comment', exact: true });
    const entry = (text: string | RegExp) => panel.getByRole('listitem').filter({ hasText: text });
    await expect(entry('Older')).toBeVisible();
    // The answer to this one gets lost.
    let isLost = false;
    await page.route(`**${comments}`, async (route) => {
      if (isLost || route.request().method() !== 'POST') return route.continue();
      isLost = true;
      await route.fetch();
      await route.abort();
    });
    await field.fill('Once');
    await field.press('Control+Enter');
    await expect.poll(texts).toEqual(['Older', 'Old', 'Once']);
    await expect(field).toHaveValue('');
    await expect(entry('Once')).toBeVisible();
    await expect.poll(() => kept(page)).toBe(0);
    await page.unroute(`**${comments}`);
    await program.pause();
    await field.fill('While away');
    await field.press('Control+Enter');
    await expect(entry('While away')).toContainText('waiting to be sent');
    await expect(page.getByText('1 change waiting for the connection.')).toBeVisible();
    await expectAccessible(page, 'a comment that waits');
    await entry('Once').getByRole('button', { name: 'Edit comment' }).click();
    await panel.getByRole('textbox', { name: 'Edit comment' }).fill('Once more');
    await panel.getByRole('button', { name: 'Save comment' }).click();
    await expect(entry('Once more')).toContainText('waiting to be sent');
    await entry('Older').getByRole('button', { name: 'Delete comment' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete comment' }).click();
    await expect(entry('This comment was deleted')).toBeVisible();
    await expect(entry(/Old$/)).toBeFocused();
    await expect(page.getByText('3 changes waiting for the connection.')).toBeVisible();
    await expect.poll(() => kept(page)).toBe(3);
    await page.goto('about:blank');
    await program.resume();
    await login(page, program, `/boards/${board}`);
    await expect.poll(texts).toEqual(['', 'Old', 'Once more', 'While away']);
    await expect(page.getByText('wait for the connection')).toHaveCount(0);
    // With the program there the focus goes on as well.
    await (await cell(page, 'Paint the hull', 'Name')).click();
    await page.keyboard.press('Space');
    await entry('While away').getByRole('button', { name: 'Delete comment' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete comment' }).click();
    await expect(panel.getByText('This comment was deleted')).toHaveCount(2);
    await expect(field).toBeFocused();
  },
);

away(
  'what does not wait says that it was not saved and keeps what was typed; what is read says that it goes on by itself',
  async ({ page, program, board }) => {
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add column' }).click();
    await dialog.getByRole('textbox', { name: 'Title' }).fill('Weight');
    await program.pause();
    await expect(page.getByText('Not connected')).toBeVisible();
    await dialog.getByRole('button', { name: 'Add column' }).click();
    await expect(dialog.getByRole('alert')).toContainText('Not saved.');
    await expect(dialog.getByRole('textbox', { name: 'Title' })).toHaveValue('Weight');
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await page.getByRole('button', { name: 'Add column' }).click();
    await expect(dialog.getByText("Can't reach Pilothouse. Reconnecting...")).toBeVisible();
    await expectAccessible(page, 'a dialog that waits');
    await program.resume();
    await expect(dialog.getByRole('textbox', { name: 'Title' })).toBeVisible();
    await dialog.getByRole('textbox', { name: 'Title' }).fill('Weight');
    await dialog.getByRole('button', { name: 'Add column' }).click();
    await expect(grid(page).getByRole('columnheader', { name: 'Weight' })).toBeVisible();
    expect(
      ((await call(program, 'GET', `/boards/${board}`)).columns as { title: string }[]).filter(
        ({ title }) => title === 'Weight',
      ),
    ).toHaveLength(1);
  },
);

away('what cannot follow is listed with its reason until one decides', async ({ page, program, board }) => {
  const items = (await call(program, 'GET', `/boards/${board}/items`)).items as { id: string; name: string }[];
  const hull = items.find((item) => item.name === 'Paint the hull')?.id;
  await program.pause();
  await type(page, 'Paint the hull', 'Effort', '8');
  await type(page, 'Mend the sails', 'Effort', '6');
  await expect(page.getByText('2 changes waiting for the connection.')).toBeVisible();
  await expect.poll(() => kept(page)).toBe(2);
  await page.goto('about:blank');
  await program.resume();
  await call(program, 'DELETE', `/boards/${board}/items/${hull}`);
  await login(page, program, `/boards/${board}`);
  const asked = page.getByRole('dialog', { name: 'Conflicting changes' });
  await expect(asked.getByRole('listitem')).toContainText('Paint the hull was deleted by the command line');
  // What follows it is not held up.
  await expect.poll(() => saved(program, board)).toEqual({ 'Mend the sails': [6, 'later'] });
  await expect.poll(() => kept(page)).toBe(1);
  await page.reload();
  await asked.getByRole('button', { name: 'Discard, Paint the hull' }).click();
  await expect(page.getByRole('region', { name: 'Unsaved changes' })).toHaveCount(0);
  await expect.poll(() => kept(page)).toBe(0);
  await page.reload();
  await expect(await cell(page, 'Mend the sails', 'Effort')).toHaveText('6');
  await expect(asked).toHaveCount(0);
});

away(
  'another board that is opened while the program is away says that it does not answer, and comes with it',
  async ({ page, program, board }) => {
    const workspace = (await call(program, 'GET', '/workspaces')).items[0].id;
    await call(
      program,
      'POST',
      '/boards',
      JSON.stringify({ workspaceId: workspace, name: 'Harbour', preset: 'blank' }),
    );
    const link = page.getByRole('navigation').getByRole('link', { name: 'Harbour' });
    await expect(link).toBeVisible();
    await program.pause();
    await link.click();
    await expect(page).not.toHaveURL(new RegExp(board));
    await expect(page.getByText("Can't reach Pilothouse", { exact: true })).toBeVisible();
    await program.resume();
    await expect(page.getByRole('heading', { name: 'Harbour' })).toBeVisible();
  },
);

test('a change by a script appears on the open board without a reload', async ({ page, program }) => {
  const board = await imported(program);
  await login(page, program, `/boards/${board}`);
  await expect(await cell(page, 'Paint the hull', 'Effort')).toHaveText('3');
  await page.evaluate(() => Object.assign(window, { isSamePage: true }));
  await call(program, 'POST', `/boards/${board}/items`, JSON.stringify({ name: 'Ring the bell' }));
  await expect(grid(page).getByText('Ring the bell')).toBeVisible();
  expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true);
});
