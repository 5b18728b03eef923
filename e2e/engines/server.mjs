/** A tool server (MCP) on standard input and output with one tool, `greet`, which says the server's name. */
import { createInterface } from 'node:readline';

const [name] = process.argv.slice(2);
const greet = { name: 'greet', description: 'Greet', inputSchema: { type: 'object', properties: {} } };
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name, version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [greet] }),
  'tools/call': () => ({ content: [{ type: 'text', text: `Greetings of ${name}` }] }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params);
  const error = { code: -32601, message: 'Unknown method' };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }));
});
