/** The official MCP client against the program, over HTTP and over standard input and output. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { call, cliToken, expect, programPath, test, type Program, sessionToken } from './helpers';

/** Tokens of a model for a list of tools. JSON like this takes 3.8 bytes a token with one tokenizer and fewer with others: three leave room. */
const TOOLS_TOKENS_MAX = 6000;
const BYTES_A_TOKEN = 3;

async function overHttp(program: Program, token: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${program.url}/mcp`), { requestInit }) as Parameters<
      Client['connect']
    >[0],
  );
  return client;
}

interface ToolAnswer {
  isError?: boolean;
  content: { type: string; text: string }[];
}
async function ask(client: Client, name: string, input: Record<string, unknown>) {
  const answer = (await client.callTool({ name, arguments: input })) as ToolAnswer;
  const text = answer.content[0]?.text ?? '';
  return {
    isError: answer.isError === true,
    text,
    json: (() => {
      try {
        return JSON.parse(text);
      } catch {
        return null;
      }
    })(),
  };
}

test('an agent works on boards through tools', async ({ program }) => {
  const client = await overHttp(program, await cliToken(program));
  const { tools } = await client.listTools();
  expect(Buffer.byteLength(JSON.stringify(tools)) / BYTES_A_TOKEN).toBeLessThan(TOOLS_TOKENS_MAX);
  const names = tools.map((tool) => tool.name);
  expect(names).toEqual(
    expect.arrayContaining(['find_operation', 'call_operation', 'settings_get', 'boards_items_create']),
  );
  const found = await ask(client, 'find_operation', { query: 'create a board' });
  expect(found.text).toContain('boards.create');
  const { json: workspaces } = await ask(client, 'workspaces_list', {});
  const made = await ask(client, 'call_operation', {
    name: 'boards.create',
    input: { workspaceId: workspaces.items[0].id, name: 'By an agent', preset: 'tasks' },
  });
  const board = made.json.id ?? made.json.board.id;
  const added = await ask(client, 'boards_items_create', { boardId: board, items: [{ name: 'One' }, { name: 'Two' }] });
  expect(added.isError, added.text).toBe(false);
  const full = await call(program, 'GET', `/boards/${board}/full`);
  expect(full.items.map((item: { name: string }) => item.name)).toEqual(['One', 'Two']);
  // An agent speaks, whatever token it shows.
  const setting = await ask(client, 'settings_set', { key: 'webmailPageSize', value: 10 });
  const token = await ask(client, 'call_operation', { name: 'tokens.create', input: { kind: 'owner', name: 'mine' } });
  expect([setting.json.code, token.json.code]).toEqual(['agent-may-not-write', 'forbidden-caller']);
  await client.close();
});

/** Bytes of an answer that fit a model beside what it does: a quarter of what 1,000 items take as records. */
const ANSWER_BYTES_MAX = 64 * 1024;

test('an agent makes a board, fills it, asks it, and is told what it did wrong', async ({ program }) => {
  const member = await call(
    program,
    'POST',
    '/members',
    JSON.stringify({ name: 'Anna Berg', email: 'anna@example.com' }),
  );
  const token = await sessionToken(program, ['boards:read', 'boards:write', 'directory:read']);
  const client = await overHttp(program, token);
  const run = async (name: string, input: Record<string, unknown>) => {
    const isTool = [
      'workspaces_list',
      'boards_items_create',
      'boards_items_update',
      'boards_query',
      'boards_comments_create',
      'boards_get',
    ].includes(name);
    const { isError, text, json } = isTool
      ? await ask(client, name, input)
      : await ask(client, 'call_operation', { name, input });
    expect(text.length, name).toBeLessThan(ANSWER_BYTES_MAX);
    return { isError, text, json };
  };
  const done = async (name: string, input: Record<string, unknown>) => {
    const { isError, text, json } = await run(name, input);
    expect(isError, text).toBe(false);
    return json;
  };
  /** The one clear error: its code, and words of its detail. */
  const refused = async (name: string, input: Record<string, unknown>, code: string, words: string) => {
    const { isError, json } = await run(name, input);
    expect([isError, json.code]).toEqual([true, code]);
    expect(json.detail).toContain(words);
  };
  const workspaceId = (await done('workspaces_list', {})).items[0].id;
  const { id: boardId } = await done('boards.create', { workspaceId, name: 'By an agent', preset: 'tasks' });
  await refused('boards.create', { workspaceId, name: 'Other', preset: 'no-such' }, 'unknown-preset', 'no-such');

  const { id: amount } = await done('boards.columns.create', { boardId, title: 'Amount', type: 'number' });
  await refused('boards.columns.create', { boardId, title: 'Other', type: 'money' }, 'invalid-input', "doesn't match");

  const { columns, groups } = await done('boards_get', { boardId });
  const column = (title: string): string => columns.find((one: { title: string }) => one.title === title).id;
  const items = Array.from({ length: 1000 }, (_, n) => ({
    name: `Item ${n}`,
    cells: { [amount]: n, [column('Status')]: 'Stuck' },
  }));
  const added = await done('boards_items_create', { boardId, items });
  expect(Object.keys(added).sort()).toEqual(['boardRevision', 'ids']);
  expect([added.ids.length, new Set(added.ids).size]).toEqual([1000, 1000]);
  await refused(
    'boards_items_create',
    { boardId, items: [{ name: 'Wrong', cells: { [amount]: 'many' } }] },
    'invalid-cell',
    'Amount',
  );

  const found = await done('boards_query', {
    boardId,
    where: ['Amount between 10..12', 'Status anyOf Stuck'],
    columns: ['Amount'],
  });
  expect(found.items.map((item: { id: string }) => item.id)).toEqual(added.ids.slice(10, 13));
  await refused('boards_query', { boardId, where: ['Amount is many'] }, 'invalid-filter', 'Amount');

  const itemId = added.ids[10];
  const moved = await done('boards_items_update', { boardId, itemId, groupId: groups[1].id });
  expect(moved.groupId).toBe(groups[1].id);
  await refused('boards_items_update', { boardId, itemId, groupId: 'g99' }, 'named-not-found', 'No group has this ID');

  await done('boards_items_update', { boardId, itemId, cells: { [column('Owner')]: ['Anna Berg'] } });
  const hers = await done('boards_query', { boardId, where: ['Owner anyOf "Anna Berg"'] });
  expect(hers.items.map((item: { id: string }) => item.id)).toEqual([itemId]);
  await refused(
    'boards_items_update',
    { boardId, itemId, cells: { [column('Owner')]: ['Anna'] } },
    'named-not-found',
    'Owner',
  );
  await refused('boards_query', { boardId, where: ['Owner anyOf Anna'] }, 'invalid-filter', 'Member not found');

  const comment = await done('boards_comments_create', { boardId, itemId, text: 'Yours, @[Anna Berg]' });
  expect([comment.mentions, comment.text]).toEqual([[member.id], `Yours, @[${member.id}]`]);
  await refused(
    'boards_comments_create',
    { boardId, itemId, text: 'Yours, @[Anna Bergh]' },
    'named-not-found',
    'Member not found',
  );
  await client.close();
});

test('a session is shown and may call only what its scopes let it', async ({ program }) => {
  const token = await sessionToken(program, ['settings:read', 'settings:write']);
  const client = await overHttp(program, token);
  const names = (await client.listTools()).tools.map((tool) => tool.name);
  expect(names).toContain('settings_get');
  expect(names).not.toContain('boards_items_create');
  const refused = await ask(client, 'settings_set', { key: 'allowAgentTokenSpawn', value: true });
  expect(refused.text).toContain('agent-may-not-write');
  const beyond = await ask(client, 'call_operation', { name: 'tokens.list', input: {} });
  expect(beyond.isError).toBe(true);
  await client.close();
});

test('the bridge speaks MCP on standard input and output', async ({ program }) => {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({ command: programPath, args: ['mcp', '--data-dir', program.dataDir] }),
  );
  const setting = await ask(client, 'settings_get', { key: 'webmailPageSize' });
  expect(setting.json.default).toBe(50);
  await client.close();
});
