import { call, expect, expectAccessible, rawCall, setSetting, test } from '../../../e2e/helpers';

test('bookmarks are added, put into folders, opened from the toolbar, and restored', async ({
  signedIn: page,
  program,
}) => {
  const list = page.getByRole('list', { name: 'Bookmarks' });
  const names = () =>
    list
      .getByRole('listitem')
      .evaluateAll((rows) => rows.map((row) => row.querySelector('a, .bookmarks-folder')?.textContent));
  await expect(page.getByRole('button', { name: 'Bookmarks' })).toBeHidden();
  await setSetting(program, 'showBookmarksInToolbar', true);
  const button = page.getByRole('button', { name: 'Bookmarks', exact: true });
  const popover = page.getByRole('dialog', { name: 'Bookmarks' });

  // By keyboard: the page in view, with one press.
  await button.press('Enter');
  await expect(popover.getByText(/No bookmarks/)).toBeVisible();
  await expectAccessible(page, 'an empty popover of bookmarks');
  await popover.getByRole('button', { name: 'Add this page' }).press('Enter');
  await expect(popover.getByRole('menuitem')).toHaveCount(1);
  await popover.getByRole('button', { name: 'Edit bookmarks' }).press('Enter');

  await page.getByLabel('Address').fill('javascript:alert(1)');
  await page.getByLabel('Address').press('Enter');
  await expect(page.getByText(/begins with https:/)).toBeVisible();
  await page.getByLabel('Address').fill('example.com/docs');
  await page.getByLabel('Address').press('Enter');
  await expect(list.getByRole('listitem')).toHaveCount(2);
  await page.getByRole('button', { name: 'New folder' }).press('Enter');
  await page.getByRole('dialog').getByLabel('Name').fill('Work');
  await expectAccessible(page, 'the form of a folder');
  await page.getByRole('dialog').getByLabel('Name').press('Enter');
  await expect(list.getByText('Work')).toBeVisible();
  await expectAccessible(page, 'bookmarks');

  // By keyboard: up, and into the folder.
  const docs = list.getByRole('link', { name: 'https://example.com/docs' });
  const edit = list.getByRole('button', { name: 'Edit Work' });
  await edit.focus();
  await page.keyboard.press('Alt+ArrowUp');
  await expect.poll(names).toEqual([expect.any(String), 'Work', 'https://example.com/docs']);
  await expect(edit).toBeFocused();
  await docs.focus();
  await page.keyboard.press('Alt+ArrowRight');
  await expect.poll(async () => (await call(program, 'GET', '/bookmarks')).items[2].folderId).not.toBeNull();
  // By mouse: the other one, too.
  const rows = list.getByRole('listitem');
  await rows.first().dragTo(rows.filter({ hasText: 'Work' }));
  await expect.poll(async () => (await call(program, 'GET', '/bookmarks')).items[0].name).toBe('Work');

  await list.getByRole('button', { name: 'Delete Work' }).press('Enter');
  await expect(page.getByText('No bookmarks')).toBeVisible();
  await expectAccessible(page, 'no bookmarks');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(rows).toHaveCount(3);

  await button.press('Enter');
  await expect(popover.getByRole('searchbox')).toBeFocused();
  await page.keyboard.type('docs');
  await expect(popover.getByRole('menuitem')).toHaveCount(1);
  await expectAccessible(page, 'filtered bookmarks');
  const opened = page.waitForEvent('popup');
  await page.keyboard.press('Enter');
  expect((await opened).url()).toMatch(/example\.com\/docs|about:blank|chrome-error/);

  // Off for scripts, the page still works.
  const before = await call(program, 'GET', '/bookmarks');
  await setSetting(program, 'bookmarksCliEnabled', false);
  const answer = await rawCall(program, 'GET', '/bookmarks');
  expect([answer.status, (await answer.json()).code]).toEqual([403, 'bookmarks-cli-disabled']);
  await page.reload();
  await expect(rows).toHaveCount(3);
  await setSetting(program, 'showBookmarksInToolbar', false);
  await expect(button).toBeHidden();
  await setSetting(program, 'bookmarksCliEnabled', true);
  expect(await call(program, 'GET', '/bookmarks')).toEqual(before);
});
