/** A hub's instruction preset is edited and reset, and a session shows what it started with, by keyboard. */
import { expectAccessible } from '../../../e2e/helpers';
import { expect, hubOf, start, test } from './session';

const OWN = 'Be careful in the cloud.';

test('a hub edits an instruction preset, and its new sessions show what they got', async ({
  signedIn: page,
  program,
  folder,
}) => {
  await hubOf(program, folder);
  await page.goto(`${program.url}/app/hubs`);
  const hub = page.getByRole('listitem').filter({ hasText: folder });
  await hub.getByRole('button', { name: /^Instructions of/ }).press('Enter');
  const presets = page.getByRole('dialog', { name: /^Instructions of/ });
  await expect(presets.getByRole('listitem')).toHaveCount(9);
  await expectAccessible(page, 'instruction presets');
  await presets.getByRole('button', { name: 'Edit Cloud safety' }).press('Enter');
  const form = page.getByRole('dialog', { name: /^Cloud safety in/ });
  await expect(form.getByLabel('Text')).toBeFocused();
  await form.getByLabel('Text').fill('x'.repeat(10_001));
  await form.getByRole('button', { name: 'Save preset' }).press('Enter');
  await expect(form.getByText('text has 10001 characters')).toBeVisible();
  await expect(form.getByLabel('Text')).toHaveValue('x'.repeat(10_001));
  await expectAccessible(page, 'a preset with an error');
  await form.getByLabel('Text').fill(OWN);
  await form.getByRole('button', { name: 'Save preset' }).press('Enter');
  await expect(presets.getByRole('listitem').filter({ hasText: 'Cloud safety' })).toContainText('Edited');
  await start(page, program, folder, 'say Hello');
  await page.getByRole('button', { name: 'More', exact: true }).press('Enter');
  await page.getByRole('menuitem', { name: 'Instructions' }).press('Enter');
  const shown = page.getByRole('dialog', { name: 'Instructions of this session' });
  await expect(shown.getByRole('region', { name: 'Cloud safety' })).toContainText(OWN);
  await expect(shown.getByRole('region', { name: 'Pilothouse' })).toContainText(program.url);
  await expect(shown.getByText(/about \d+ tokens\./)).toBeVisible();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page, `instructions of a session, ${colorScheme}`);
  }
  await page.keyboard.press('Escape');
  await page.goto(`${program.url}/app/hubs`);
  await hub.getByRole('button', { name: /^Instructions of/ }).click();
  await presets.getByRole('button', { name: 'Edit Cloud safety' }).click();
  await form.getByRole('button', { name: 'Reset to default' }).press('Enter');
  const line = presets.getByRole('listitem').filter({ hasText: 'Cloud safety' });
  await expect(line).toBeVisible();
  await expect(line).not.toContainText('Edited');
});
