import { call, expectAccessible } from '../../../e2e/helpers';
import { ask, composer, expect, said, stands, start, test, transcript } from './session';

/** A picture of one blue point, as a screenshot that was copied is pasted. */
const POINT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const pastePicture = (into: ReturnType<typeof composer>, type = 'image/png') =>
  into.evaluate(
    (element, [data, type]) => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(
        new File([Uint8Array.from(atob(data!), (letter) => letter.charCodeAt(0))], 'point', { type: type! }),
      );
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    },
    [POINT, type],
  );

test('prompts wait for the turn in order, are taken back, and what is left is sent', async ({
  signedIn: page,
  program,
  folder,
}) => {
  await start(page, program, folder, 'run echo hold; say first is over');
  await expect(ask(page)).toBeVisible();
  const waiting = page.getByRole('list', { name: 'Queued messages' }).getByRole('listitem');
  for (const prompt of ['practice: say second', 'practice: say taken back', 'practice: say third']) {
    await composer(page).fill(prompt);
    await composer(page).press('Enter');
    await expect(composer(page)).toHaveValue('');
  }
  await expect(waiting).toContainText(['say second', 'say taken back', 'say third']);
  await expectAccessible(page, 'prompts wait');
  await page.getByRole('button', { name: 'Remove: practice: say taken back' }).click();
  await expect(waiting).toContainText(['say second', 'say third']);
  // They wait in the program, not in the page.
  await page.reload();
  await expect(waiting).toContainText(['say second', 'say third']);
  await ask(page).getByRole('button', { name: 'Allow', exact: true }).click();
  await expect(said(page, 'third')).toBeVisible();
  await expect(waiting).toHaveCount(0);
  await expect(transcript(page).locator('.said')).toContainText(['first is over', 'second', 'third']);
  await expect(said(page, 'taken back')).toHaveCount(0);
});

test('a message goes into the turn that runs', async ({ signedIn: page, program, folder }) => {
  await start(page, program, folder, 'run echo hold; say the turn goes on');
  await expect(ask(page)).toBeVisible();
  await page.getByRole('switch', { name: 'Send to current turn' }).press('Space');
  await composer(page).fill('mind the tests');
  await page.getByRole('button', { name: 'Send now' }).click();
  await expect(transcript(page).getByText('sent to the current turn')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Queued messages' })).toHaveCount(0);
  await ask(page).getByRole('button', { name: 'Allow', exact: true }).click();
  await expect(transcript(page).locator('.said')).toContainText([
    /Heard in between: mind the tests\s*the turn goes on/,
  ]);
});

test('a pasted picture stands in the prompt, is sent, and is seen in the transcript', async ({
  signedIn: page,
  program,
  folder,
}) => {
  const id = await start(page, program, folder, 'say ready');
  await expect(stands(page)).toContainText('Ready');
  const pasted = page.getByRole('list', { name: 'Attached images' }).getByRole('img');
  await pastePicture(composer(page));
  await pastePicture(composer(page));
  await expect(pasted).toHaveCount(2);
  await expectAccessible(page, 'pasted pictures');
  await page.getByRole('button', { name: 'Remove image 2' }).click();
  await expect(pasted).toHaveCount(1);
  await composer(page).fill('practice: say seen');
  await composer(page).press('Enter');
  await expect(said(page, 'seen')).toBeVisible();
  await expect(pasted).toHaveCount(0);
  await page.goto(`${program.url}/app/sessions/${id}`);
  const shown = transcript(page).getByRole('img', { name: 'Attachment 1' });
  await expect(shown).toBeVisible();
  expect(await shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
  await pastePicture(composer(page), 'image/svg+xml');
  await expect(page.getByText("Couldn't attach image")).toBeVisible();
  await expect(pasted).toHaveCount(0);
});

test('earlier prompts are leafed through, and a draft is not overwritten', async ({
  signedIn: page,
  program,
  folder,
}) => {
  await start(page, program, folder, 'say one');
  for (const word of ['two', 'three']) {
    await composer(page).fill(`practice: say ${word}`);
    await composer(page).press('Enter');
    await expect(said(page, word)).toBeVisible();
  }
  for (const [key, value] of [
    ['ArrowUp', 'three'],
    ['ArrowUp', 'two'],
    ['ArrowUp', 'one'],
    ['ArrowUp', 'one'],
    ['ArrowDown', 'two'],
    ['ArrowDown', 'three'],
  ] as const) {
    await composer(page).press(key);
    await expect(composer(page)).toHaveValue(`practice: say ${value}`);
  }
  await composer(page).press('ArrowDown');
  await expect(composer(page)).toHaveValue('');
  await composer(page).fill('half a thought');
  await composer(page).press('ArrowUp');
  await expect(composer(page)).toHaveValue('half a thought');
});

test('a turn is cancelled by button and by keyboard', async ({ signedIn: page, program, folder }) => {
  await start(page, program, folder, 'say begun; wait 6000; say never');
  await expect(said(page, 'begun')).toBeVisible();
  await page.getByRole('button', { name: 'Cancel turn' }).click();
  await expect(transcript(page).getByText('Turn canceled')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Cancel turn' })).toHaveCount(0);
  await composer(page).fill('practice: say once more; wait 6000; say never');
  await composer(page).press('Enter');
  await expect(said(page, 'once more')).toBeVisible();
  await composer(page).press('Escape');
  await composer(page).press('Escape');
  await expect(transcript(page).getByText('Turn canceled')).toHaveCount(2);
  await expect(said(page, 'never')).toHaveCount(0);
});

test('model and mode are chosen, and hold over a restart of the program', async ({
  signedIn: page,
  program,
  folder,
}) => {
  const id = await start(page, program, folder, 'say ready');
  await expect(stands(page)).toContainText('Ready');
  const model = page.getByRole('button', { name: /Model$/ });
  await model.click();
  await page.getByRole('option', { name: 'Practice mini' }).click();
  await expect(model).toContainText('Practice mini');
  const mode = page.getByRole('button', { name: /(?<!Focus )Mode$/ });
  await mode.press('Enter');
  await page.getByRole('option', { name: 'Accept edits' }).click();
  await expect(mode).toContainText('Accept edits');
  await expect(page.locator('.session-facts')).toContainText('practice-mini');
  await page.close();
  await program.pause();
  await program.resume();
  const { choices } = await call(program, 'GET', `/sessions/${id}`);
  expect(choices.map(({ current }: { current: string }) => current)).toEqual(['acceptEdits', 'practice-mini']);
});

test('commands of the engine are offered behind a slash', async ({ signedIn: page, program, folder }) => {
  await start(page, program, folder, 'say ready');
  await expect(stands(page)).toContainText('Ready');
  const offered = page.getByRole('listbox', { name: 'Skills' });
  await composer(page).fill('/');
  await expect(offered.getByRole('option')).toContainText(['/compact', '/help']);
  await expectAccessible(page, 'commands are offered');
  await composer(page).press('Escape');
  await expect(offered).toHaveCount(0);
  await composer(page).press('Backspace');
  await composer(page).press('/');
  await composer(page).press('ArrowDown');
  await composer(page).press('Tab');
  await expect(composer(page)).toHaveValue('/help ');
  await expect(composer(page)).toBeFocused();
  await composer(page).press('Enter');
  await expect(said(page, 'This is the practice agent')).toBeVisible();
  await composer(page).fill('/com');
  await composer(page).press('Enter');
  await composer(page).press('Enter');
  await expect(transcript(page).getByText('Context compacted')).toBeVisible();
});
