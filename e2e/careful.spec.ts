/** What the page does where a view holds what it cannot read. */
import { call, expect, login, test } from './helpers';

test('a view whose filter cannot be read shows every item, says so, and lets the filter go', async ({
  page,
  program,
}) => {
  const workspaceId = (await call(program, 'GET', '/workspaces')).items[0].id;
  const { id } = await call(
    program,
    'POST',
    '/boards',
    JSON.stringify({ workspaceId, name: 'Sheet', preset: 'blank' }),
  );
  await call(program, 'POST', `/boards/${id}/items`, JSON.stringify({ items: [{ name: 'Hull' }, { name: 'Deck' }] }));
  const filter = { all: [], people: null, v: 1 };
  await call(
    program,
    'POST',
    `/boards/${id}/views`,
    JSON.stringify({ name: 'Mine', kind: 'table', settings: { filter, foldedGroups: 7 } }),
  );
  // The program takes no such filter any more; the page reads it as from one that did.
  await page.addInitScript((stored) => {
    const parse = JSON.parse;
    JSON.parse = (text: string, reviver?: (this: unknown, key: string, value: unknown) => unknown) =>
      parse(text.replaceAll(stored, '{"all":5}'), reviver) as unknown;
  }, JSON.stringify(filter));
  await login(page, program, `/boards/${id}`);
  await expect(page.getByRole('grid').locator('.grid-item')).toHaveCount(2);
  await expect(page.getByRole('alert')).toContainText("This view's saved filter is invalid and hides nothing.");
  await page.getByRole('button', { name: 'Remove filter' }).click();
  await expect(page.getByRole('button', { name: 'Remove filter' })).toHaveCount(0);
  await expect
    .poll(async () => (await call(program, 'GET', `/boards/${id}/views`)).items.at(-1).settings)
    .toEqual({ foldedGroups: 7 });
});
