/**
 * A model for engines, on a loopback port: it speaks the APIs of Anthropic (Messages), OpenAI (Responses and Chat Completions), and
 * Google (Gemini), and answers with the steps of a script. A message names its script (`script-3`); the step is the number of the
 * model's turns with tool calls since that message, so an engine that is killed and resumed continues where it was.
 *
 * Steps: `{ say }`, `{ write: [path, text] }`, `{ run: command }`, `{ todo: [...] }`, `{ tool: name, input }`,
 * `{ hang: true }` (starts a reply and says nothing more), `{ cut: true }` (disconnects within the reply), and
 * `{ fail: { status, type, message, headers } }`. `times` limits the last three; then the rest of the step is answered. A step can be a
 * function of the request's body as text.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { zstdDecompressSync } from 'node:zlib';

const id = (prefix) => prefix + randomUUID().replaceAll('-', '').slice(0, 20);
const MODEL_NAMES = ['claude-sonnet-4-5', 'gpt-5.5', 'gemini-2.5-flash', 'test-model'];
const list = (content) => (typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []));
const texts = (parts) =>
  parts
    .map((part) => part.text ?? '')
    .filter(Boolean)
    .join('\n');

/** A conversation as turns of `user`, `model` (with its number of tool calls), and `tool`. */
const readers = {
  messages: (body) =>
    body.messages.flatMap((message) => {
      const parts = list(message.content);
      const count = (type) => parts.filter((part) => part.type === type).length;
      if (message.role === 'assistant') return [{ by: 'model', calls: count('tool_use') }];
      const results = parts.filter((part) => part.type === 'tool_result');
      const turns = results.map((part) => ({ by: 'tool', text: texts(list(part.content)) }));
      const text = texts(parts.filter((part) => part.type === 'text'));
      return text || count('image') ? [...turns, { by: 'user', text, images: count('image') }] : turns;
    }),
  responses: (body) =>
    list(body.input).flatMap((item) => {
      const type = item.type ?? 'message';
      if (type.endsWith('_call')) return [{ by: 'model', calls: 1 }];
      if (type.endsWith('_output')) return [{ by: 'tool', text: JSON.stringify(item.output ?? '') }];
      if (type !== 'message') return [];
      const parts = list(item.content);
      if (item.role === 'assistant') return [{ by: 'model', calls: 0 }];
      const images = parts.filter((part) => part.type === 'input_image').length;
      return item.role === 'user' ? [{ by: 'user', text: texts(parts), images }] : [];
    }),
  chat: (body) =>
    body.messages.flatMap((message) => {
      const parts = list(message.content);
      if (message.role === 'assistant') return [{ by: 'model', calls: message.tool_calls?.length ?? 0 }];
      if (message.role === 'tool') return [{ by: 'tool', text: texts(parts) }];
      const images = parts.filter((part) => part.type === 'image_url').length;
      return message.role === 'user' ? [{ by: 'user', text: texts(parts), images }] : [];
    }),
  gemini: (body) =>
    body.contents.flatMap((content) => {
      const parts = content.parts ?? [];
      if (content.role === 'model') return [{ by: 'model', calls: parts.filter((part) => part.functionCall).length }];
      const results = parts.filter((part) => part.functionResponse);
      const turns = results.map((part) => ({ by: 'tool', text: JSON.stringify(part.functionResponse.response) }));
      const images = parts.filter((part) => part.inlineData).length;
      return texts(parts) || images ? [...turns, { by: 'user', text: texts(parts), images }] : turns;
    }),
};

const toolNames = {
  messages: (body) => (body.tools ?? []).map((tool) => tool.name),
  responses: (body) => (body.tools ?? []).flatMap((tool) => [tool.name ?? tool.type, ...inNamespace(tool)]),
  chat: (body) => (body.tools ?? []).map((tool) => tool.function.name),
  gemini: (body) =>
    (body.tools ?? []).flatMap((tool) => (tool.functionDeclarations ?? []).map((declared) => declared.name)),
};
const inNamespace = (tool) => (tool.type === 'namespace' ? tool.tools.map((own) => `${tool.name}.${own.name}`) : []);

/** The patch language of Codex. */
const patch = (path, text) =>
  ['*** Begin Patch', `*** Add File: ${path}`, ...text.split('\n').map((line) => `+${line}`), '*** End Patch'].join(
    '\n',
  );

/** How each engine's tools are called. The first that the engine has is used. */
const RUN = {
  Bash: (command) => ({ command, description: 'Run a command' }),
  bash: (command) => ({ command, description: 'Run a command' }),
  run_shell_command: (command) => ({ command, description: 'Run a command' }),
  exec_command: (cmd) => ({ cmd }),
  shell_command: (command) => ({ command }),
  shell: (command) => ({ command: ['bash', '-c', command] }),
};
const WRITE = {
  Write: ([path, content]) => ({ file_path: path, content }),
  write: ([path, content]) => ({ filePath: path, content }),
  write_file: ([path, content]) => ({ file_path: path, content }),
  apply_patch: ([path, content]) => patch(path, content),
};
const TODO = {
  TodoWrite: (items) => ({
    todos: items.map((content) => ({ content, status: 'pending', activeForm: content })),
  }),
  todowrite: (items) => ({
    todos: items.map((content, at) => ({ id: String(at), content, status: 'pending', priority: 'medium' })),
  }),
  update_plan: (items) => ({ plan: items.map((step) => ({ step, status: 'pending' })) }),
  write_todos: (items) => ({ todos: items.map((description) => ({ description, status: 'pending' })) }),
};

function call(step, tools) {
  const known = (forms, value) => {
    const name = Object.keys(forms).find((form) => tools.includes(form));
    return name && { name, input: forms[name](value) };
  };
  if (step.tool) return { name: step.tool, input: step.input ?? {}, namespace: step.namespace };
  if (step.run) return known(RUN, step.run) ?? orExec(tools, 'exec_command', { cmd: step.run });
  if (step.write) return known(WRITE, step.write) ?? orExec(tools, 'apply_patch', patch(...step.write));
  return step.todo && known(TODO, step.todo);
}

/** Some models of Codex have one tool, whose input is a program that calls the others. */
const orExec = (tools, name, input) =>
  tools.includes('exec')
    ? { name: 'exec', input: `text(JSON.stringify(await tools.${name}(${JSON.stringify(input)})))` }
    : undefined;

/** Streams a reply; `send(data, event)` writes one event. */
const writers = {
  messages: {
    open({ send, model }) {
      const usage = { input_tokens: 1200, output_tokens: 1 };
      const message = { id: id('msg_'), type: 'message', role: 'assistant', model, content: [] };
      send({ type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null, usage } });
    },
    reply({ send, text, calls }) {
      const block = (index, content_block, delta) => {
        send({ type: 'content_block_start', index, content_block });
        send({ type: 'content_block_delta', index, delta });
        send({ type: 'content_block_stop', index });
      };
      if (text) block(0, { type: 'text', text: '' }, { type: 'text_delta', text });
      calls.forEach(({ name, input }, at) =>
        block(
          at + (text ? 1 : 0),
          { type: 'tool_use', id: id('toolu_'), name, input: {} },
          { type: 'input_json_delta', partial_json: JSON.stringify(input) },
        ),
      );
      const delta = { stop_reason: calls.length ? 'tool_use' : 'end_turn', stop_sequence: null };
      send({ type: 'message_delta', delta, usage: { output_tokens: 30 } });
      send({ type: 'message_stop' });
    },
  },
  responses: {
    open({ send, model, state }) {
      state.response = { id: id('resp_'), object: 'response', created_at: Math.floor(Date.now() / 1000), model };
      send({ type: 'response.created', response: { ...state.response, status: 'in_progress', output: [] } });
    },
    reply({ send, text, calls, state }) {
      const output = [];
      const item = (one, parts = []) => {
        const output_index = output.length;
        send({
          type: 'response.output_item.added',
          output_index,
          item: { ...one, ...(one.content && { content: [] }) },
        });
        for (const part of parts) send({ ...part, output_index, item_id: one.id });
        send({ type: 'response.output_item.done', output_index, item: one });
        output.push(one);
      };
      if (text) {
        const content = [{ type: 'output_text', text, annotations: [] }];
        const message = { id: id('msg_'), type: 'message', role: 'assistant', status: 'completed', content };
        item(message, [
          { type: 'response.content_part.added', content_index: 0, part: { ...content[0], text: '' } },
          { type: 'response.output_text.delta', content_index: 0, delta: text },
        ]);
      }
      for (const { name, input, namespace } of calls) {
        const common = { status: 'completed', call_id: id('call_'), name, ...(namespace && { namespace }) };
        if (typeof input === 'string') item({ id: id('ctc_'), type: 'custom_tool_call', ...common, input });
        else item({ id: id('fc_'), type: 'function_call', ...common, arguments: JSON.stringify(input) });
      }
      const usage = {
        input_tokens: 1200,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 30,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 1230,
      };
      send({ type: 'response.completed', response: { ...state.response, status: 'completed', output, usage } });
    },
  },
  chat: {
    open(context) {
      writers.chat.chunk(context, { role: 'assistant', content: '' });
    },
    reply({ text, calls, ...context }) {
      if (text) writers.chat.chunk(context, { content: text });
      calls.forEach(({ name, input }, index) => {
        const called = { name, arguments: JSON.stringify(input) };
        writers.chat.chunk(context, { tool_calls: [{ index, id: id('call_'), type: 'function', function: called }] });
      });
      const usage = { prompt_tokens: 1200, completion_tokens: 30, total_tokens: 1230 };
      writers.chat.chunk(context, {}, calls.length ? 'tool_calls' : 'stop', usage);
      context.send('[DONE]');
    },
    chunk({ send, model, state }, delta, finish_reason = null, usage = undefined) {
      state.id ??= id('chatcmpl-');
      const choices = [{ index: 0, delta, finish_reason }];
      send({ id: state.id, object: 'chat.completion.chunk', created: 0, model, choices, usage });
    },
  },
  gemini: {
    open() {},
    reply({ send, text, calls }) {
      const parts = calls.map(({ name, input }) => ({ functionCall: { name, args: input } }));
      if (text) parts.unshift({ text });
      const usageMetadata = { promptTokenCount: 1200, candidatesTokenCount: 30, totalTokenCount: 1230 };
      const content = { role: 'model', parts };
      const candidates = [{ content, index: 0, finishReason: 'STOP' }];
      send({ candidates, usageMetadata, modelVersion: 'test', responseId: id('r') });
    },
  },
};

/** A reply in one piece, for requests that don't stream: titles, summaries, and the choice of a model. */
const whole = {
  messages: (model, text) => ({
    id: id('msg_'),
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 10 },
  }),
  responses: (model, text) => ({
    id: id('resp_'),
    object: 'response',
    model,
    status: 'completed',
    output: [
      {
        type: 'message',
        id: id('msg_'),
        role: 'assistant',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ],
    usage: { input_tokens: 10, output_tokens: 10, total_tokens: 20 },
  }),
  chat: (model, content) => ({
    id: id('chatcmpl-'),
    object: 'chat.completion',
    model,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  }),
  gemini: (_, text) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
  }),
};

/** What engines ask in the background, in JSON: a title, whether the topic is new, and which model to use. */
const SIDE_ANSWER = JSON.stringify({
  title: 'Test',
  branch: 'test',
  summary: 'Test',
  isNewTopic: false,
  reasoning: '-',
  model_choice: 'flash',
  complexity_reasoning: '-',
  complexity_score: 1,
});
const wantsJson = (body) =>
  JSON.stringify(body.output_config?.format ?? body.response_format ?? body.text?.format ?? '').includes('json') ||
  body.generationConfig?.responseMimeType === 'application/json';

const apiOf = (path) => {
  if (path.endsWith('/messages')) return 'messages';
  if (path.endsWith('/responses')) return 'responses';
  if (path.endsWith('/chat/completions')) return 'chat';
  return /:(streamG|g)enerateContent$/.test(path) ? 'gemini' : undefined;
};

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  let bytes = Buffer.concat(chunks);
  if (request.headers['content-encoding'] === 'zstd') bytes = zstdDecompressSync(bytes);
  return bytes.length ? JSON.parse(bytes) : {};
}

export class Model {
  /** Every request of a script: its key, step, images, tools, user texts, tool results, and the body. */
  requests = [];
  #scripts = new Map();
  #server = createServer((request, response) => {
    request.on('error', () => {});
    response.on('error', () => {});
    this.#answer(request, response).catch(() => response.destroy());
  });

  async listen() {
    await new Promise((done) => this.#server.listen(0, '127.0.0.1', done));
    this.url = `http://127.0.0.1:${this.#server.address().port}`;
    return this;
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Adds a script and returns its name, which a message has to contain. */
  script(...steps) {
    const key = `script-${this.#scripts.size + 1}`;
    this.#scripts.set(key, { steps, used: new Map() });
    return key;
  }

  of(key) {
    return this.requests.filter((request) => request.key === key);
  }

  async #answer(request, response) {
    const path = request.url.split('?')[0];
    const json = (status, value, headers = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(value));
    };
    const body = await bodyOf(request);
    if (request.headers.upgrade) return json(404, { error: { message: 'No web socket' } });
    if (path.endsWith('/models')) {
      const data = MODEL_NAMES.map((name) => ({ id: name, object: 'model', type: 'model', display_name: name }));
      return json(200, { object: 'list', data, models: [], has_more: false });
    }
    if (path.endsWith('/count_tokens')) return json(200, { input_tokens: 1200 });
    if (path.endsWith(':countTokens')) return json(200, { totalTokens: 1200 });
    const api = request.method === 'POST' ? apiOf(path) : undefined;
    if (!api) return json(200, {});
    const streams = body.stream ?? path.endsWith(':streamGenerateContent');
    const { step, tools } = this.#next(api, body);
    if (step.fail) return this.#fail(api, step.fail, json);
    const text = wantsJson(body) ? SIDE_ANSWER : step.say;
    if (!streams) return json(200, whole[api](body.model, text ?? 'Test'));
    const called = wantsJson(body) ? undefined : call(step, tools);
    this.#stream(api, response, { model: body.model, step, text, calls: called ? [called] : [] });
  }

  #stream(api, response, { model, step, text, calls }) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (data) => {
      if (data.type) response.write(`event: ${data.type}\n`);
      response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
    };
    const context = { send, model, state: {}, text, calls };
    writers[api].open(context);
    if (step.hang) return response.flushHeaders();
    if (step.cut) return void setTimeout(() => response.destroy(), 50);
    writers[api].reply(context);
    response.end();
  }

  #fail(api, { status, type, message, headers, ...more }, json) {
    const error = { type, message, ...more };
    if (api === 'messages') return json(status, { type: 'error', error }, headers);
    if (api === 'gemini') return json(status, { error: { code: status, status: type, message, ...more } }, headers);
    return json(status, { error: { code: type, ...error } }, headers);
  }

  /** The step that a request is to be answered with, and the tools that it offers. */
  #next(api, body) {
    const turns = readers[api](body);
    const tools = toolNames[api](body);
    const named = (turn) => turn.by === 'user' && [...(turn.text ?? '').matchAll(/\bscript-\d+\b/g)].at(-1)?.[0];
    const at = turns.findLastIndex(named);
    const key = at < 0 ? undefined : named(turns[at]);
    const script = this.#scripts.get(key);
    if (!script || !tools.length) return { step: { say: 'Test' }, tools };
    const after = turns.slice(at + 1);
    // Calls of one turn are items of their own in one of the APIs.
    const done = after.filter((turn, n) => turn.calls > 0 && !(after[n - 1]?.calls > 0)).length;
    const user = turns.filter((turn) => turn.by === 'user');
    this.requests.push({
      key,
      at: done,
      tools,
      body,
      images: user.reduce((sum, turn) => sum + turn.images, 0),
      said: user.map((turn) => turn.text),
      results: turns.filter((turn) => turn.by === 'tool').map((turn) => turn.text),
    });
    const scripted = script.steps[done] ?? { say: 'Done.' };
    const step = typeof scripted === 'function' ? scripted(JSON.stringify(body)) : scripted;
    const used = script.used.get(done) ?? 0;
    script.used.set(done, used + 1);
    const { fail, cut, hang, times, ...rest } = step;
    return { step: times && used >= times ? { say: 'Recovered.', ...rest } : { fail, cut, hang, ...rest }, tools };
  }
}
