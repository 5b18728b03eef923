import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { call, expect, expectAccessible, setSetting, test } from '../../../e2e/helpers';

test('saving the source writes the copies; your own file is replaced after a comparison, and restored', async ({
  signedIn: page,
  program,
}) => {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'pilothouse-hub-')));
  const file = (name: string) => path.join(folder, name);
  const text = (name: string) => readFile(file(name), 'utf8').catch(() => '');
  try {
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox', { name: 'Search and commands' }).fill('instruction files');
    await expect(page.getByRole('menuitem', { name: /Instruction files/ }).first()).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Instruction files', level: 1 })).toBeVisible();
    await expect(page.getByText('No instruction files')).toBeVisible();
    await expectAccessible(page, 'no instruction files');

    await call(program, 'POST', '/hubs', JSON.stringify({ folder, name: 'Site' }));
    await writeFile(file('AGENTS.md'), 'My own rules.\n');
    await writeFile(file('PRIMARY.md'), 'Use tabs.\n');
    await setSetting(program, 'agentInstructionsSyncMirrors', ['AGENTS.md', '.altrules3/base.md']);
    await setSetting(program, 'agentInstructionsSyncEnabled', true);
    const rows = page.getByRole('list', { name: 'Copies in Site' }).getByRole('listitem');
    await expect(rows.filter({ hasText: '.altrules3/base.md' })).toContainText('Up to date');
    const mine = rows.filter({ hasText: 'AGENTS.md' }).first();
    await expect(mine).toContainText('Needs you');
    expect(await text('AGENTS.md')).toBe('My own rules.\n');
    await expectAccessible(page, 'instruction files');

    await writeFile(file('PRIMARY.md'), 'Use spaces.\n');
    await expect.poll(() => text('.altrules3/base.md'), { timeout: 2_000 }).toMatch(/^<!-- .* -->\nUse spaces\.\n$/);

    // The inbox row leads to the comparison.
    await page.getByRole('link', { name: /Inbox/ }).click();
    await page.getByRole('row', { name: /Replace AGENTS\.md in Site/ }).click();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Replace AGENTS.md?' });
    await expect(dialog.getByRole('region', { name: 'Differences' })).toContainText('My own rules.');
    await expectAccessible(page, 'a comparison');
    await dialog.getByRole('button', { name: 'Replace' }).press('Enter');
    await expect(dialog).toBeHidden();
    await expect(mine).toContainText('Up to date');
    expect(await text('AGENTS.md')).toContain('Use spaces.');

    await mine.getByRole('button', { name: 'Restore AGENTS.md' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await expect(mine).toContainText('Your file');
    expect(await text('AGENTS.md')).toBe('My own rules.\n');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
