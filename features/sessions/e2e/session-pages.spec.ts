import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expectAccessible, login, setSetting, startProgram } from '../../../e2e/helpers';
import {
  ask,
  begin,
  byPerson,
  expect,
  hubOf,
  said,
  stands,
  start,
  startFrom,
  stateOf,
  test,
  transcript,
} from './session';

test('every page of sessions is accessible in light and dark, wide and narrow', async ({
  signedIn: page,
  program,
  folder,
}) => {
  await setSetting(program, 'cliSpawnSpacingSeconds', 0);
  const running = await begin(
    page,
    program,
    folder,
    'think first; say *running* `now`; todo +a|~b|c; usage 180000 200000 0.42; write a.txt one; read a.txt; wait 6000',
    { title: 'One that runs' },
  );
  const waiting = await begin(page, program, folder, 'say waits; run echo hello', { title: 'One that waits' });
  const failed = await begin(page, program, folder, 'say fails; fail request', { title: 'One that failed' });
  const child = await startFrom(program, running, folder, 'wait 6000', { title: 'A child' });
  await expect
    .poll(() => Promise.all([running, waiting, failed, child].map((id) => stateOf(program, id))))
    .toEqual(['running', 'awaitingPermission', 'failed', 'running']);
  const pages: [string, () => Promise<void>][] = [
    [
      '/sessions',
      () => expect(page.getByRole('list', { name: 'Sessions', exact: true }).getByRole('link')).toHaveCount(4),
    ],
    ['/sessions?new=', () => expect(page.getByRole('dialog', { name: 'Start a session' })).toBeVisible()],
    [`/sessions/${running}`, () => expect(said(page, 'running now')).toBeVisible()],
    [`/sessions/${waiting}`, () => expect(ask(page)).toBeVisible()],
    [`/sessions/${failed}`, () => expect(stands(page)).toContainText('Failed')],
    ['/engines', () => expect(page.getByRole('region', { name: 'Practice' })).toContainText('Ready')],
    ['/sessions/search?q=waits', () => expect(page.getByRole('list', { name: 'Results' })).toBeVisible()],
    ['/agent-board', () => expect(page.getByRole('row', { name: /One that waits/ })).toBeVisible()],
  ];
  for (const [path, isThere] of pages) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${program.url}/app${path}`);
    await isThere();
    await expectAccessible(page, path);
    await page.setViewportSize({ width: 420, height: 720 });
    await isThere();
    // The page lays itself out anew after the window changed.
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth), {
        message: `${path} is wider than a narrow window`,
      })
      .toBeLessThanOrEqual(0);
  }
});

test('by Tab alone one comes into the page of a session, through it and out of it', async ({
  signedIn: page,
  program,
  folder,
}) => {
  await start(page, program, folder, 'think first; write a.txt one; run echo hello');
  await expect(ask(page)).toBeVisible();
  for (const row of await transcript(page)
    .getByRole('button', { name: /Thinking|Edit(ed|ing)|Running|Ran/ })
    .all())
    await row.click();
  await page.locator('body').focus();
  const seen: string[] = [];
  for (let at = 0; at < 60; at += 1) {
    await page.keyboard.press('Tab');
    const where = await page.evaluate(() => {
      const element = document.activeElement;
      const part = element?.closest('[role="log"], .session-ask, .composer, header, nav');
      return element === document.body || !element
        ? 'out'
        : (part?.getAttribute('role') ?? part?.className ?? part?.tagName ?? element.tagName);
    });
    seen.push(where);
    if (where === 'out' && at > 10) break;
  }
  for (const part of ['log', 'session-ask', 'composer', 'out']) expect(seen.join(' ')).toContain(part);
});

test('where no engine is named the one that is there is started, and the page says which', async ({ page, folder }) => {
  const [bin, home] = [path.join(folder, 'bin'), path.join(folder, 'home')];
  await mkdir(bin);
  await mkdir(home);
  await writeFile(path.join(bin, 'opencode'), '#!/bin/sh\necho 1.99.0\n', { mode: 0o755 });
  const { PATH, HOME } = process.env;
  Object.assign(process.env, { PATH: `${bin}:/usr/bin:/bin`, HOME: home });
  const program = await startProgram();
  Object.assign(process.env, { PATH, HOME });
  await login(page, program, '/engines');
  await expect(page.getByRole('region', { name: 'OpenCode' })).toContainText('Default');
  await expect(page.getByRole('region', { name: 'Practice' })).not.toContainText('Default');
  await expectAccessible(page, 'engines with a default');
  await page.goto(`${program.url}/app/sessions?new=`);
  const engine = page.getByRole('dialog', { name: 'Start a session' }).getByRole('button', { name: /Engine$/ });
  await expect(engine).toContainText('OpenCode');
  await engine.click();
  await expect(page.getByRole('option', { name: /OpenCode/ })).toContainText('Version 1.99.0, default');
  await page.getByRole('option', { name: /Practice/ }).click();
  await expect(engine).toContainText('Practice');
  const created = (await byPerson(page, 'POST', '/sessions', {
    projectId: await hubOf(program, folder),
    prompt: 'go',
  })) as { engine: string };
  expect(created.engine).toBe('opencode');
  await page.close();
  await program.stop();
});
