import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { call, expect, expectAccessible, login, sessionToken, setSetting, test } from './helpers';

/** The address of every page, as the features declare them. */
const ROUTES = readdirSync('features').flatMap((feature) => {
  const file = `features/${feature}/ui/index.tsx`;
  // One that is being built may have no pages yet.
  if (!existsSync(file)) return [];
  return [...readFileSync(file, 'utf8').matchAll(/path: '([^']+)', component:/g)].map(([, route]) => route!);
});

/** Settings that show pages, and are off by default. */
const OFF = [
  'calendarEnabled',
  'dripEnabled',
  'meetingRoomsEnabled',
  'showBookmarksInToolbar',
  'stickyNotesEnabled',
  'teamTimeEnabled',
] as const;

test('every page that a feature declares is accessible', async ({ page, program }) => {
  // Each is loaded, and checked in light and dark.
  test.slow();
  for (const key of OFF) await setSetting(program, key, true);
  const { items } = await call(program, 'GET', '/workspaces');
  const make = async (kind: string, more = {}) =>
    (await call(program, 'POST', kind, JSON.stringify({ workspaceId: items[0].id, name: 'Ship', ...more }))).id;
  const token = await sessionToken(program, ['asks:write']);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const asked = await fetch(`${program.url}/input-requests`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name: 'Mail key', purpose: 'Sends the report', target: { env: 'MAIL_KEY' } }),
  });
  /** What `:id` stands for, by what stands before it. */
  const ids: Record<string, string> = {
    boards: await make('/boards', { preset: 'tasks' }),
    dashboards: await make('/dashboards'),
    asks: (await asked.json()).id,
    digests: (await call(program, 'POST', '/digests', JSON.stringify({ kind: 'daily' }))).id,
  };
  expect(ROUTES).toEqual(
    expect.arrayContaining([
      '/settings',
      '/boards',
      '/boards/:id',
      '/dashboards',
      '/dashboards/:id',
      '/members',
      '/asks/:id',
      '/sessions/:id',
    ]),
  );
  await login(page, program);
  // A person starts it: from a script, the session that asks would have to be named.
  ids.sessions = await page.evaluate(async () => {
    const headers = {
      Authorization: `Bearer ${sessionStorage.getItem('pilothouse.token')}`,
      'Content-Type': 'application/json',
    };
    const answer = await fetch('/sessions/practice', { method: 'POST', headers, body: '{}' });
    return ((await answer.json()) as { id: string }).id;
  });
  ids.note = await page.evaluate(async () => {
    const headers = {
      Authorization: `Bearer ${sessionStorage.getItem('pilothouse.token')}`,
      'Content-Type': 'application/json',
    };
    const answer = await fetch('/notes', { method: 'POST', headers, body: '{"text": "Call Ada"}' });
    return ((await answer.json()) as { id: string }).id;
  });
  for (const route of ROUTES) {
    const address = route.replace(/(\w+)\/:id/g, (_, kind: string) => `${kind}/${ids[kind]}`);
    expect(address, `an id for ${route}`).not.toMatch(/:|undefined/);
    await page.goto(`${program.url}/app${address}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.locator('.loading')).toHaveCount(0);
    await expect(page.getByText('It was deleted')).toHaveCount(0);
    await expect(page.getByText('Page not found')).toHaveCount(0);
    await expectAccessible(page, route);
  }
  await rm(`${program.dataDir}-practice`, { recursive: true, force: true });
});
