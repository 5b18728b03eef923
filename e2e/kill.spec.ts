/** Nothing that was typed into a dashboard is lost, whenever the program or the page ends. */
import type { Page } from '@playwright/test';
import { call, expect, login, test } from './helpers';

const ROUNDS = 16;
/** Frames that may pass before something ends: up to twice as long as the draft waits before it is sent. */
const FRAMES_MAX = 100;

/** The same numbers in every run. */
function randomNumbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const frames = (page: Page, count: number) =>
  page.evaluate(async (left) => {
    for (let i = 0; i < left; i++) await new Promise((resolve) => requestAnimationFrame(resolve));
  }, count);

async function crash(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const crashed = page.waitForEvent('crash');
  // It never answers.
  void session.send('Page.crash').catch(() => undefined);
  await crashed;
  await page.close();
}

test('the program and the page end at random, and all that was typed is there', async ({ program, context }) => {
  test.slow();
  const workspace = (await call(program, 'GET', '/workspaces')).items[0].id;
  const { id } = await call(
    program,
    'POST',
    '/dashboards',
    JSON.stringify({ workspaceId: workspace, name: 'Start', config: {} }),
  );
  const random = randomNumbers(20);
  let [name, widgets] = ['Start', 0];
  let page: Page | null = null;
  for (let round = 0; round < ROUNDS; round++) {
    if (!page) {
      page = await context.newPage();
      await login(page, program, `/dashboards/${id}`);
    }
    const field = page.getByRole('textbox', { name: 'Dashboard name' });
    if (await field.isVisible()) await field.press('Enter');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
    if (random(2)) {
      await page.getByRole('button', { name, exact: true }).click();
      name = `Name ${round}`;
      // Whether it is entered or not.
      await field.fill(name);
      if (random(2)) await page.keyboard.press('Enter');
    } else {
      await page.getByRole('button', { name: 'Add widget' }).first().click();
      await page.getByRole('menuitem', { name: 'Numbers' }).click();
      widgets++;
    }
    await frames(page, random(FRAMES_MAX));
    const fate = random(4);
    if (fate & 1) await program.kill();
    if (fate & 2) {
      await crash(page);
      page = null;
    }
    if (fate & 1) await program.resume();
  }
  page ??= await context.newPage();
  await login(page, program, `/dashboards/${id}`);
  await expect(page.getByRole('status').filter({ hasText: /^Saved/ })).toBeVisible();
  const stored = await call(program, 'GET', `/dashboards/${id}`);
  expect([stored.name, stored.config.widgets.length]).toEqual([name, widgets]);
});
