/** What tests of dashboards share: two boards with known sums, dashboards over them, and the parts of their page. */
import type { Locator, Page } from '@playwright/test';
import { call, expect, type Program } from '../../../e2e/helpers';

export const WEBSITE: [string, string, number | null][] = [
  ['Home page', 'Done', 1200],
  ['Prices', 'Stuck', 300.5],
  ['Contact', 'Done', 80],
  ['Search', 'Working on it', null],
];
const APP: [string, string, number | null][] = [
  ['Sign in', 'Done', 450],
  ['Offline', 'Working on it', 2000],
];
export const all = [...WEBSITE, ...APP];
export const sum = all.reduce((total, [, , cost]) => total + (cost ?? 0), 0);
export const english = (value: number) => value.toLocaleString('en-GB');

async function importBoard(program: Program, name: string, rows: typeof WEBSITE): Promise<string> {
  const { items } = await call(program, 'GET', '/workspaces');
  const csv = ['Name,Status,Cost', ...rows.map(([item, status, cost]) => `${item},${status},${cost ?? ''}`)].join('\n');
  const { board } = await call(
    program,
    'POST',
    `/boards/import?${new URLSearchParams({ workspaceId: items[0].id, name })}`,
    csv,
    'text/csv',
  );
  return board.id;
}

/** Two boards, whose names end in `mark`. */
export async function twoBoards(program: Program, mark: string) {
  return {
    website: await importBoard(program, `Website ${mark}`, WEBSITE),
    app: await importBoard(program, `App ${mark}`, APP),
  };
}

export async function makeDashboard(
  program: Program,
  name: string,
  boardIds: string[],
  widgets: object[],
): Promise<string> {
  const { items } = await call(program, 'GET', '/workspaces');
  const record = await call(
    program,
    'POST',
    '/dashboards',
    JSON.stringify({
      workspaceId: items[0].id,
      name,
      config: { version: 1, boardIds, widgets, filters: { v: 1, people: null, all: [] } },
    }),
  );
  return record.id;
}

export const numbers = (id: string, title: string, x: number, y = 0) => ({
  id,
  kind: 'numbers',
  title,
  layout: { x, y, w: 3, h: 3 },
  settings: { function: 'count' },
});
export const tile = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const saved = (page: Page) => expect(page.getByRole('status').filter({ hasText: /^Saved$/ })).toBeVisible();

/** What was saved by the time that the page says so. */
export async function settled(page: Page) {
  await expect(page.getByRole('status').filter({ hasText: /^Saving$/ })).toBeHidden();
  await saved(page);
}
export const titles = (page: Page) => page.locator('.tile-title');

/** Goes there by keyboard, as far as Tab leads. */
export async function tabTo(page: Page, target: Locator) {
  for (let i = 0; i < 80; i++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('Tab does not lead there.');
}
