import { expect, expectAccessible, setSetting, test } from '../../../e2e/helpers';

test('notes are written, colored, shown alone, deleted, and hidden with their setting', async ({
  signedIn: page,
  program,
}) => {
  await setSetting(program, 'stickyNotesEnabled', true);
  await page.getByRole('link', { name: 'Sticky notes' }).click();
  await expect(page.getByText('No sticky notes')).toBeVisible();
  await page.getByRole('button', { name: 'New sticky note' }).click();
  const text = page.getByRole('textbox', { name: 'Text of the note' });
  await expect(text).toBeFocused();
  await page.keyboard.type('Call Ada');
  const note = page.getByRole('list', { name: 'Sticky notes' }).getByRole('listitem');
  await note.getByRole('button', { name: 'blue' }).click();
  await expect(note).toHaveAttribute('data-color', 'blue');
  await expectAccessible(page, 'Sticky notes');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page, 'Sticky notes in the dark');

  // What the desktop window shows of it: the note and nothing else.
  await page.reload();
  await expect(text).toHaveValue('Call Ada');
  const id = await page.evaluate(async () => {
    const headers = { Authorization: `Bearer ${sessionStorage.getItem('pilothouse.token')}` };
    const list: { items: { id: string }[] } = await (await fetch('/notes', { headers })).json();
    return list.items[0]?.id;
  });
  await page.goto(`${program.url}/app/note/${id}`);
  await expect(page.getByRole('article', { name: 'Sticky note' })).toBeVisible();
  await expect(page.getByRole('navigation')).toHaveCount(0);
  await text.fill('Call Ada at 9');
  await expectAccessible(page, 'a note alone');
  await page.getByRole('button', { name: 'Close note' }).click();
  await page.goto(`${program.url}/app/notes`);
  await expect(text).toHaveValue('Call Ada at 9');
  await expect(note.getByRole('button', { name: 'Show window' })).toBeVisible();

  await note.getByRole('button', { name: 'Delete note' }).click();
  await expect(page.getByText('No sticky notes')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(text).toHaveValue('Call Ada at 9');
  await setSetting(program, 'stickyNotesEnabled', false);
  await expect(page.getByRole('link', { name: 'Sticky notes' })).toBeHidden();
});
