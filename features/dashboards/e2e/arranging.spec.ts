import type { Locator } from '@playwright/test';
import { call, expect, expectAccessible, leftOf, login, shared as test } from '../../../e2e/helpers';
import { makeDashboard, numbers, tile, titles, twoBoards } from './dashboard';

test('what a narrow widget leaves out is said beside the handle of its size, not under it', async ({
  page,
  program,
}) => {
  const { website } = await twoBoards(program, 'narrow');
  const [parent] = (await call(program, 'GET', `/boards/${website}/items`)).items;
  await call(
    program,
    'POST',
    `/boards/${website}/items`,
    JSON.stringify({
      items: [
        { name: 'Part one', parentId: parent.id },
        { name: 'Part two', parentId: parent.id },
      ],
    }),
  );
  const id = await makeDashboard(program, 'Narrow', [website], [numbers('a', 'Items', 0)]);
  await page.setViewportSize({ width: 720, height: 800 });
  await login(page, program, `/dashboards/${id}`);
  const note = tile(page, 'Items').getByText('2 subitems not counted');
  await expect(note).toBeVisible();
  await tile(page, 'Items').hover();
  const said = await note.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect().right;
  });
  const handle = (await tile(page, 'Items').getByRole('button', { name: 'Resize Items' }).boundingBox())!;
  expect(said).toBeLessThanOrEqual(handle.x);
});

test('a widget is pulled by the outermost pixels of its corner', async ({ page, program }) => {
  const { website } = await twoBoards(program, 'corner');
  const id = await makeDashboard(program, 'Corner', [website], [numbers('a', 'Items', 0)]);
  await login(page, program, `/dashboards/${id}`);
  const box = (await tile(page, 'Items').boundingBox())!;
  const corner = { x: box.x + box.width - 1, y: box.y + box.height - 1 };
  await page.mouse.move(corner.x, corner.y);
  await page.mouse.down();
  await page.mouse.move(corner.x + 200, corner.y + 120, { steps: 5 });
  await page.mouse.up();
  await expect.poll(async () => (await tile(page, 'Items').boundingBox())!.width).toBeGreaterThan(box.width + 100);
  await expect.poll(async () => (await tile(page, 'Items').boundingBox())!.height).toBeGreaterThan(box.height + 50);
});

test('the name of a dashboard stands above its widgets, however wide the window is', async ({ page, program }) => {
  const { website } = await twoBoards(program, 'wide');
  const id = await makeDashboard(program, 'In line', [website], [numbers('a', 'Items', 0)]);
  await login(page, program, `/dashboards/${id}`);
  for (const width of [1280, 720]) {
    await page.setViewportSize({ width, height: 800 });
    await expect(tile(page, 'Items')).toBeVisible();
    await expect
      .poll(async () =>
        Math.round(
          (await leftOf(page.getByRole('button', { name: 'In line' }))) - (await tile(page, 'Items').boundingBox())!.x,
        ),
      )
      .toBe(0);
  }
});

test('in a narrow window a widget is in sight beside its settings', async ({ page, program }) => {
  const { website } = await twoBoards(program, 'narrow');
  const id = await makeDashboard(
    program,
    'Narrow',
    [website],
    ['First', 'Second', 'Third', 'Fourth'].map((title, at) => numbers(title, title, at * 3)),
  );
  await login(page, program, `/dashboards/${id}`);
  await page.setViewportSize({ width: 720, height: 700 });
  for (const title of ['First', 'Fourth']) {
    await tile(page, title)
      .getByRole('button', { name: `More for ${title}` })
      .press('Enter');
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const panel = page.getByRole('complementary', { name: 'Edit numbers' });
    await expect(panel.getByLabel('Title')).toBeFocused();
    await expect(tile(page, title)).toBeInViewport({ ratio: 0.99 });
    const [above, below] = [(await tile(page, title).boundingBox())!, (await panel.boundingBox())!];
    expect(above.y + above.height).toBeLessThanOrEqual(below.y);
    await page.keyboard.press('Escape');
    await expect(panel).toHaveCount(0);
  }
});

test('the panel of a widget that closes leaves the focus on the menu that opened it', async ({ page, program }) => {
  const { website } = await twoBoards(program, 'focus');
  const id = await makeDashboard(program, 'Focus', [website], [numbers('a', 'Items', 0)]);
  await login(page, program, `/dashboards/${id}`);
  const more = tile(page, 'Items').getByRole('button', { name: 'More for Items' });
  const panel = page.getByRole('complementary', { name: 'Edit numbers' });
  for (const close of ['Escape', 'Close panel']) {
    await more.press('Enter');
    await page.getByRole('menuitem', { name: 'Edit' }).press('Enter');
    await expect(panel.getByLabel('Title')).toBeFocused();
    if (close === 'Escape') await page.keyboard.press('Escape');
    else await panel.getByRole('button', { name: close }).press('Enter');
    await expect(panel).toHaveCount(0);
    await expect(more).toBeFocused();
  }
});

test('a widget hangs at the pointer, the outline shows where it lands, and others keep their width', async ({
  page,
  program,
}) => {
  const { website } = await twoBoards(program, 'carry');
  const id = await makeDashboard(
    program,
    'Carry',
    [website],
    [numbers('a', 'One', 0), numbers('b', 'Two', 3), numbers('c', 'Low', 0, 3)],
  );
  await page.setViewportSize({ width: 1280, height: 480 });
  await login(page, program, `/dashboards/${id}`);
  for (const title of ['One', 'Two', 'Low'])
    await expect(tile(page, title).locator('.figure-value')).toHaveAttribute('title', '4');
  const box = async (of: Locator) => {
    const { x, y, width, height } = (await of.boundingBox())!;
    return { x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.round(height) };
  };
  const [one, two, low] = [await box(tile(page, 'One')), await box(tile(page, 'Two')), await box(tile(page, 'Low'))];
  const outline = page.locator('.dash-ghost');
  const [left, top] = [one.x + 40, one.y + 14];
  await page.mouse.move(left, top);
  await page.mouse.down();
  await page.mouse.move(left + 17, top + 230, { steps: 6 });
  // Below all others: the one under it has moved up, and what is below the page takes no width.
  await expect.poll(() => box(tile(page, 'One'))).toEqual({ ...one, x: one.x + 17, y: one.y + 230 });
  await expect.poll(() => box(outline)).toEqual({ ...one, y: low.y });
  await expect.poll(() => box(tile(page, 'Low'))).toEqual(one);
  expect(await box(tile(page, 'Two'))).toEqual(two);
  // What is told to tiles and their grid at each step is not handed on to all that stands in them, which would be styled anew.
  const handedOn = await tile(page, 'One')
    .locator('.figure-value')
    .evaluate((figure) => {
      const places = [
        '--rows',
        ...['x', 'y', 'w', 'h'].flatMap((name) => [`--${name}`, `--at-${name}`]),
        '--by-x',
        '--by-y',
      ];
      const of = (element: Element) => places.map((name) => getComputedStyle(element).getPropertyValue(name));
      const outside = of(document.body);
      return places.filter((_, at) => of(figure)[at] !== outside[at]);
    });
  expect(handedOn).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(outline).toBeHidden();
  await expect.poll(() => box(tile(page, 'One'))).toEqual(one);
  await page.mouse.up();

  // Dropped, it lies where the outline was.
  await page.mouse.move(left, top);
  await page.mouse.down();
  await page.mouse.move(left - 9, top + 160, { steps: 6 });
  await expect.poll(() => box(outline)).toEqual({ ...one, y: low.y });
  await page.mouse.up();
  await expect.poll(() => box(tile(page, 'One'))).toEqual({ ...one, y: low.y });

  // An edge follows too.
  const [edge, middle] = [two.x + two.width, two.y + two.height / 2];
  await page.mouse.move(edge, middle);
  await page.mouse.down();
  await page.mouse.move(edge + 30, middle, { steps: 4 });
  await expect.poll(() => box(tile(page, 'Two'))).toEqual({ ...two, width: two.width + 30 });
  await expect.poll(() => box(outline)).toEqual(two);
  await page.mouse.up();
  await expect.poll(() => box(tile(page, 'Two'))).toEqual(two);
});

test('a widget moves and grows without dragging, and a dashboard is deleted after a question', async ({
  page,
  program,
}) => {
  const id = await makeDashboard(program, 'Short-lived', [], [numbers('a', 'First', 0), numbers('b', 'Second', 3)]);
  await login(page, program, `/dashboards/${id}`);
  const choose = async (entry: string) => {
    await tile(page, 'First').hover();
    await tile(page, 'First').getByRole('button', { name: 'More for First' }).click();
    await page.getByRole('menuitem', { name: entry }).click();
  };
  await choose('Full width');
  const width = async (name: string) => (await tile(page, name).boundingBox())!.width;
  await expect.poll(async () => (await width('First')) / (await width('Second'))).toBeGreaterThan(3);
  await choose('Small');
  await choose('Move to…');
  await page.getByRole('dialog').getByRole('spinbutton', { name: 'Column' }).fill('10');
  await expectAccessible(page, 'move a widget');
  await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click();
  await expect(titles(page)).toHaveText(['Second', 'First']);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Delete dashboard' }).click();
  await page
    .getByRole('alertdialog')
    .or(page.getByRole('dialog'))
    .getByRole('button', { name: 'Delete dashboard' })
    .click();
  await expect(page).toHaveURL(/\/dashboards$/);
  await expect(page.getByRole('link', { name: /Short-lived/ })).toHaveCount(0);
});
