#!/usr/bin/env node
/**
 * A stand-in for the program, so that the pages and the test harness can be worked on without it: the same command
 * line, ready line and routes as far as the shell and the settings page need them. It keeps nothing on disk but its
 * address. Tests that pass here must pass against the real program; what differs is a fault of this file.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import path from 'node:path';
import { parseArgs } from 'node:util';

const root = path.resolve(import.meta.dirname, '../..');
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    port: { type: 'string', default: '0' },
    'data-dir': { type: 'string' },
    print: { type: 'boolean', default: false },
    /** Repeats the records until there are this many, to see how a long list feels. */
    settings: { type: 'string', default: '0' },
  },
});
const instanceFile = path.join(options['data-dir'] ?? '.', 'instance.json');
if (positionals[0] === 'open') open();
else serve();

function open() {
  const { url } = JSON.parse(readFileSync(instanceFile, 'utf8'));
  request(`${url}/stand-in/code`, { method: 'POST' }, (response) => {
    response.setEncoding('utf8').on('data', (code) => console.log(`${url}/app/#c=${code}`));
  }).end();
}

function serve() {
  const csp =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  const types = { html: 'text/html; charset=utf-8', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml', woff2: 'font/woff2', wasm: 'application/wasm' };
  const settings = readSettings();
  const workspaces = [
    { id: 'wsp_1', name: 'Home' },
    { id: 'wsp_2', name: 'Client work' },
  ];
  const codes = new Set();
  const tokens = new Set();
  const streams = new Set();
  let revision = 1;
  let history = [];

  function readSettings() {
    const records = JSON.parse(readFileSync(path.join(root, 'ui/src/testing/settings.json'), 'utf8'));
    const count = Math.max(records.length, Number(options.settings));
    return Array.from({ length: count }, (_, i) => {
      const record = records[i % records.length];
      const copy = Math.floor(i / records.length);
      return copy ? { ...record, key: `${record.key}${copy + 1}`, section: `${record.section} ${copy + 1}` } : { ...record };
    });
  }

  const problem = (status, code, detail, more = {}) => ({
    status,
    type: 'application/problem+json',
    body: { type: `urn:pilothouse:error:${code}`, title: code, status, detail, code, ...more },
  });
  const find = (key) => settings.find((s) => s.key === key);

  /** What is wrong with a value, or null. */
  function refusal(schema, value) {
    const allowed = schema.enum ?? schema.oneOf?.map((c) => c.const);
    if (allowed) return allowed.includes(value) ? null : `One of ${allowed.join(', ')}.`;
    const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
    if (type === 'boolean') return typeof value === 'boolean' ? null : 'True or false.';
    if (type === 'string') {
      if (typeof value !== 'string') return 'Text.';
      if ([...value].length > schema.maxLength) return `At most ${schema.maxLength} characters.`;
      return schema.pattern && !new RegExp(schema.pattern).test(value) ? 'Not of the accepted form.' : null;
    }
    if (type === 'integer' || type === 'number') {
      const ok =
        typeof value === 'number' &&
        (type === 'number' || Number.isInteger(value)) &&
        value >= (schema.minimum ?? -Infinity) &&
        value <= (schema.maximum ?? Infinity) &&
        (!schema.multipleOf || value % schema.multipleOf === 0);
      return ok ? null : 'Not in the accepted range.';
    }
    if (type === 'array') return Array.isArray(value) ? (value.map((v) => refusal(schema.items, v)).find(Boolean) ?? null) : 'A list.';
    if (typeof value !== 'object' || value === null) return 'An object.';
    for (const [name, member] of Object.entries(value)) {
      const rule = schema.properties?.[name] ?? schema.additionalProperties;
      if (!rule) return `No member ${name}.`;
      const wrong = refusal(rule, member);
      if (wrong) return wrong;
    }
    return null;
  }

  function change(record, value, actor = { kind: 'owner', id: 'own_1' }) {
    const from = record.value;
    const to = value === null ? record.default : value;
    if (JSON.stringify(from) === JSON.stringify(to)) return { ...record, previous: from, changed: false, change: null };
    Object.assign(record, { value: to, modified: JSON.stringify(to) !== JSON.stringify(record.default) });
    if (record.applies === 'next-start') record.pendingRestart = !record.pendingRestart;
    revision += 1;
    const id = `chg_${revision}`;
    history.unshift({ change: id, key: record.key, at: new Date().toISOString(), actor, from, to });
    publish('setting-changed', { key: record.key, value: to, revision });
    return { ...record, previous: from, changed: true, change: id };
  }

  function publish(name, data) {
    for (const stream of streams) stream.write(`id: 1-${revision}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  function importDocument({ document, dryRun }) {
    const wanted = document?.settings;
    if (document?.format !== 'pilothouse-settings' || !wanted) return problem(422, 'invalid-input', 'A document of format pilothouse-settings, version 1, is accepted.');
    const changes = [];
    const errors = [];
    for (const [key, value] of Object.entries(wanted)) {
      const record = find(key);
      const wrong = record ? refusal(record.schema, value) : 'There is no such setting.';
      if (wrong) errors.push({ pointer: `/document/settings/${key}`, code: 'invalid-value', detail: wrong });
      else if (JSON.stringify(record.value) !== JSON.stringify(value)) changes.push({ key, from: record.value, to: value });
    }
    if (errors.length) return problem(422, 'invalid-value', 'Some values are not accepted; nothing was changed.', { errors });
    if (!dryRun) for (const { key, to } of changes) change(find(key), to);
    return { body: { dryRun: !!dryRun, revision, changes } };
  }

  /** Answers a request of the API: `{status, body}`. */
  function answer(method, url, body) {
    const [, first, second] = url.pathname.split('/');
    const key = second && decodeURIComponent(second);
    const at = `${method} ${url.pathname}`;
    if (at === 'GET /workspaces') return { body: { items: workspaces, nextCursor: null } };
    if (at === 'GET /settings') return { body: { revision, settings } };
    if (at === 'POST /app/restart') {
      for (const record of settings) record.pendingRestart = false;
      return { status: 202, body: {} };
    }
    if (at === 'GET /settings/history') {
      const wanted = url.searchParams.get('key');
      return { body: { items: history.filter((h) => !wanted || h.key === wanted), nextCursor: null } };
    }
    if (at === 'GET /settings/export') {
      return { body: { format: 'pilothouse-settings', version: 1, settings: Object.fromEntries(settings.filter((s) => s.modified).map((s) => [s.key, s.value])) } };
    }
    if (at === 'POST /settings/import') return importDocument(body);
    if (at === 'POST /settings/undo') {
      const entry = history.find((h) => h.change === body.change);
      if (!entry) return problem(404, 'not-found', 'There is no such change.');
      const last = history.find((h) => h.key === entry.key);
      if (last !== entry && !body.force) return problem(409, 'changed-since', `${entry.key} was changed again after that.`);
      return { body: change(find(entry.key), entry.from) };
    }
    if (first !== 'settings' || !key) return problem(404, 'not-found', 'There is nothing at this address.');
    const record = find(key);
    if (!record) return problem(404, 'unknown-setting', `There is no setting ${key}.`);
    if (method === 'GET') return { body: record };
    if (method === 'DELETE') return { body: change(record, null) };
    if (method !== 'PATCH') return problem(405, 'method-not-allowed', 'Not that way.');
    const wrong = body.value === null ? null : refusal(record.schema, body.value);
    if (wrong) {
      const detail = `${key} accepts: ${record.accepted}.`;
      return problem(422, 'invalid-value', detail, { errors: [{ pointer: '/value', code: 'invalid-value', detail }] });
    }
    return { body: change(record, body.value) };
  }

  const server = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url, 'http://127.0.0.1');
    const send = ({ status = 200, body, type = 'application/json' }) => {
      outgoing.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(JSON.stringify(body));
    };
    if (incoming.method === 'GET' && url.pathname === '/') return outgoing.writeHead(302, { Location: '/app/' }).end();
    if (url.pathname.startsWith('/app/')) return page(url.pathname.slice(5), outgoing);
    let text = '';
    incoming.setEncoding('utf8');
    incoming.on('data', (part) => (text += part));
    incoming.on('end', () => {
      if (url.pathname === '/stand-in/code') {
        const code = randomUUID();
        codes.add(code);
        return outgoing.end(code);
      }
      // For tests that need a change made by someone else.
      if (url.pathname === '/stand-in/change') {
        const { key, value } = JSON.parse(text);
        return send({ body: change(find(key), value, { kind: 'cli', id: 'cli_1' }) });
      }
      const body = text ? JSON.parse(text) : undefined;
      if (url.pathname === '/login') {
        if (!codes.delete(body.code)) return send(problem(401, 'login-code', 'This code was used or is too old.'));
        const token = `ph_own_${randomUUID()}`;
        tokens.add(token);
        return send({ body: { token } });
      }
      if (!tokens.has(incoming.headers.authorization?.replace(/^Bearer /, ''))) return send(problem(401, 'unauthorized', 'A token is needed.'));
      if (url.pathname === '/events') {
        outgoing.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' }).write(': hello\n\n');
        streams.add(outgoing);
        return outgoing.on('close', () => streams.delete(outgoing));
      }
      send(answer(incoming.method, url, body));
    });
  });

  function page(name, outgoing) {
    let file = path.join(root, 'ui/dist', path.normalize(`/${name}`));
    if (!path.extname(file) || !existsSync(file)) file = path.join(root, 'ui/dist/index.html');
    outgoing
      .writeHead(200, { 'Content-Type': types[path.extname(file).slice(1)] ?? 'application/octet-stream', 'Content-Security-Policy': csp, 'X-Content-Type-Options': 'nosniff' })
      .end(readFileSync(file));
  }

  server.listen(Number(options.port), '127.0.0.1', () => {
    const url = `http://127.0.0.1:${server.address().port}`;
    mkdirSync(path.dirname(instanceFile), { recursive: true });
    writeFileSync(instanceFile, JSON.stringify({ url }));
    console.log(`Pilothouse is ready at ${url}`);
  });
  const stop = () => {
    for (const stream of streams) stream.destroy();
    server.close(() => process.exit(0));
    server.closeAllConnections();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
