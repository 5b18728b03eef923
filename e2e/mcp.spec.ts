/** The official MCP client against the program, over HTTP and over standard input and output. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { call, cliToken, expect, programPath, test, type Program } from './helpers';

/** Tokens of a model for a list of tools. JSON like this takes 3.8 bytes a token with one tokenizer and fewer with others: three leave room. */
const TOOLS_TOKENS_MAX = 6000;
const BYTES_A_TOKEN = 3;

async function overHttp(program: Program, token: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${program.url}/mcp`), { requestInit }) as Parameters<Client['connect']>[0]);
  return client;
}

interface ToolAnswer {
  isError?: boolean;
  content: { type: string; text: string }[];
}
async function use(client: Client, name: string, input: Record<string, unknown>) {
  const answer = (await client.callTool({ name, arguments: input })) as ToolAnswer;
  const text = answer.content[0]?.text ?? '';
  return { isError: answer.isError === true, text, json: (() => { try { return JSON.parse(text); } catch { return null; } })() };
}

test('an agent works on boards through tools', async ({ program }) => {
  const client = await overHttp(program, await cliToken(program));
  const { tools } = await client.listTools();
  expect(Buffer.byteLength(JSON.stringify(tools)) / BYTES_A_TOKEN).toBeLessThan(TOOLS_TOKENS_MAX);
  const names = tools.map((tool) => tool.name);
  expect(names).toEqual(expect.arrayContaining(['find_operation', 'call_operation', 'settings_get', 'boards_items_create']));
  const found = await use(client, 'find_operation', { query: 'create a board' });
  expect(found.text).toContain('boards.create');
  const { json: workspaces } = await use(client, 'workspaces_list', {});
  const made = await use(client, 'call_operation', { name: 'boards.create', input: { workspaceId: workspaces.items[0].id, name: 'By an agent', preset: 'tasks' } });
  const board = made.json.id ?? made.json.board.id;
  const added = await use(client, 'boards_items_create', { boardId: board, items: [{ name: 'One' }, { name: 'Two' }] });
  expect(added.isError, added.text).toBe(false);
  const full = await call(program, 'GET', `/boards/${board}/full`);
  expect(full.items.map((item: { name: string }) => item.name)).toEqual(['One', 'Two']);
  const refused = await use(client, 'settings_set', { key: 'webmailPageSize', value: 0 });
  expect(refused.isError).toBe(true);
  expect(refused.text).toContain('invalid-setting-value');
  await client.close();
});

test('a session is shown and may call only what its scopes let it', async ({ program }) => {
  const { token } = await call(program, 'POST', '/tokens', JSON.stringify({ kind: 'agent', name: 'a', sessionId: 's1', scopes: ['settings:read', 'settings:write'] }));
  const client = await overHttp(program, token);
  const names = (await client.listTools()).tools.map((tool) => tool.name);
  expect(names).toContain('settings_get');
  expect(names).not.toContain('boards_items_create');
  const refused = await use(client, 'settings_set', { key: 'allowAgentTokenSpawn', value: true });
  expect(refused.text).toContain('agent-may-not-write');
  const beyond = await use(client, 'call_operation', { name: 'tokens.list', input: {} });
  expect(beyond.isError).toBe(true);
  await client.close();
});

test('the bridge speaks MCP on standard input and output', async ({ program }) => {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: programPath, args: ['mcp', '--data-dir', program.dataDir] }));
  const setting = await use(client, 'settings_get', { key: 'webmailPageSize' });
  expect(setting.json.default).toBe(50);
  await client.close();
});
