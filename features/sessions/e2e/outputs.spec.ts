import { expectAccessible } from '../../../e2e/helpers';
import { ask, composer, expect, said, start, test, transcript } from './session';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

test('changes of files, terminals, a to-do list, context and cost are shown', async ({
  signedIn: page,
  folder,
  program,
}) => {
  await writeFile(path.join(folder, 'a.txt'), 'one two');
  await start(
    page,
    program,
    folder,
    'write a.txt one three; todo +Look|~Change|Test; usage 50000 200000 0.42; run printf "\\033[31mred\\033[0m\\nplain\\n"; say ready',
  );
  // What a command is asked for shows all that is needed to decide.
  await expect(ask(page).getByLabel('Command', { exact: true })).toContainText('printf');
  await ask(page).getByRole('button', { name: 'Allow', exact: true }).click();
  await expect(said(page, 'ready')).toBeVisible();
  await transcript(page)
    .getByRole('button', { name: /Edited.*a\.txt.*Done/ })
    .click();
  const changes = transcript(page).getByRole('group', { name: /Changes to .*a\.txt/ });
  await expect(changes.locator('[data-sign="-"]')).toHaveText(/one two/);
  await expect(changes.locator('[data-sign="+"]')).toHaveText(/one three/);
  await transcript(page)
    .getByRole('button', { name: /Ran.*printf.*Done/ })
    .click();
  const gave = transcript(page).getByLabel('Output').last();
  await expect(gave).toHaveText(/red\s*plain/);
  await expect(gave.locator('.ansi-red')).toHaveText('red');
  await expect(transcript(page).getByText('To-do: 1 of 3 done')).toBeVisible();
  const facts = page.locator('.session-facts');
  for (const fact of ['1 of 3 done', '25% of 200k', 'US$0.42']) await expect(facts).toContainText(fact);
  await expectAccessible(page, 'what tools gave');
  await composer(page).fill('practice: todo +Look|+Change|+Test; usage 190000 200000 1.5; say over');
  await composer(page).press('Enter');
  await expect(said(page, 'over')).toBeVisible();
  for (const fact of ['3 of 3 done', '95% of 200k', 'US$1.50']) await expect(facts).toContainText(fact);
});

test('who reads the end stays there when a card takes room', async ({ signedIn: page, folder, program }) => {
  await start(
    page,
    program,
    folder,
    `${Array.from({ length: 40 }, (_, at) => `think of ${at}; say step ${at}`).join('; ')}; ask ${'A rather long question. '.repeat(40)}; say over`,
  );
  await expect(page.getByRole('region', { name: /^Question/ })).toBeVisible();
  await expect(said(page, 'step 39')).toBeInViewport();
  await expect(page.getByRole('button', { name: 'Jump to latest' })).toHaveCount(0);
});
