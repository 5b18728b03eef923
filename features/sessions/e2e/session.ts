/** What tests of sessions share: a folder to work in, sessions of the practice agent, and the parts of their page. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { call, cliToken, expect, test as base, type Program } from '../../../e2e/helpers';

/** A folder that sessions work in. */
export const test = base.extend<{ folder: string }>({
  folder: async ({}, run) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'pilothouse-hub-'));
    await run(folder);
    await rm(folder, { recursive: true, force: true });
  },
});

/** The hub of a folder, which is made where there is none. */
export async function hubOf(program: Program, folder: string): Promise<string> {
  const { items } = (await call(program, 'GET', '/hubs')) as { items: { id: string; folder: string }[] };
  const known = items.find((hub) => hub.folder === folder);
  return known?.id ?? (await call(program, 'POST', '/hubs', JSON.stringify({ folder }))).id;
}

/** A call as the person at the page makes it, with the token of its tab. */
export const byPerson = (page: Page, method: string, address: string, body: object = {}): Promise<unknown> =>
  page.evaluate(
    async ({ method, address, body }) => {
      const headers = {
        Authorization: `Bearer ${sessionStorage.getItem('pilothouse.token')}`,
        'Content-Type': 'application/json',
      };
      const answer = await fetch(address, { method, headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${method} ${address}: ${answer.status} ${await answer.text()}`);
      return answer.json() as Promise<unknown>;
    },
    { method, address, body },
  );

/** A session of the practice agent that does what it is told, started by the person of the page. */
export async function begin(
  page: Page,
  program: Program,
  folder: string,
  steps: string,
  more: object = {},
): Promise<string> {
  const body = { projectId: await hubOf(program, folder), engine: 'practice', prompt: `practice: ${steps}`, ...more };
  return ((await byPerson(page, 'POST', '/sessions', body)) as { id: string }).id;
}

/** The same, with its page open. */
export async function start(
  page: Page,
  program: Program,
  folder: string,
  steps: string,
  more: object = {},
): Promise<string> {
  const id = await begin(page, program, folder, steps, more);
  await page.goto(`${program.url}/app/sessions/${id}`);
  return id;
}

/** A session that another one starts, as its scripts do. */
export async function startFrom(
  program: Program,
  parent: string,
  folder: string,
  steps: string,
  more: object = {},
): Promise<string> {
  const headers = {
    Authorization: `Bearer ${await cliToken(program)}`,
    'Content-Type': 'application/json',
    'X-App-Source-Session-Id': parent,
  };
  const body = JSON.stringify({
    projectId: await hubOf(program, folder),
    engine: 'practice',
    prompt: `practice: ${steps}`,
    ...more,
  });
  const answer = await fetch(`${program.url}/sessions`, { method: 'POST', headers, body });
  return ((await answer.json()) as { id: string }).id;
}

/** The state of a session. */
export const stateOf = async (program: Program, id: string): Promise<string> =>
  (await call(program, 'GET', `/sessions/${id}`)).state;

export const transcript = (page: Page) => page.getByRole('log', { name: 'Transcript' });
/** What the agent says, not what was said to it. */
export const said = (page: Page, text: string) => transcript(page).locator('.said').filter({ hasText: text });
/** The card of a request for leave. */
export const ask = (page: Page) => page.getByRole('region', { name: /^Needs approval/ });
/** The field that prompts are written in. */
export const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
/** Leaves that field, which has the focus once a session is shown: single letters are keys of the page only elsewhere. */
export async function leaveComposer(page: Page) {
  await expect(composer(page)).toBeFocused();
  await composer(page).blur();
}
/** How the session stands, as its head says. */
export const stands = (page: Page) => page.locator('.session-stands');

export { expect };
