import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(status === 204 || status === 304 ? null : JSON.stringify(body), {
    status,
    headers: { 'Content-Type': status >= 400 ? 'application/problem+json' : 'application/json', ...headers },
  });

describe('api', () => {
  const fetch = vi.fn<typeof globalThis.fetch>();
  let api: typeof import('./api');

  beforeEach(async () => {
    vi.resetModules();
    vi.stubGlobal('fetch', fetch.mockReset());
    sessionStorage.setItem('pilothouse.token', 'ph_own_secret');
    api = await import('./api');
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    sessionStorage.clear();
  });

  const sent = () => {
    const [input, init] = fetch.mock.calls[0] ?? [];
    return { url: String(input), headers: new Headers(init?.headers), init };
  };

  it('sends the token in the header and never in the address', async () => {
    fetch.mockResolvedValue(answer(200, { items: [] }));
    await api.api.get('/boards', { query: { workspaceId: 'w 1', cursor: null } });
    expect(sent().url).toBe('/boards?workspaceId=w+1');
    expect(sent().headers.get('Authorization')).toBe('Bearer ph_own_secret');
    expect(sent().init?.credentials).toBe('omit');
  });

  it('makes a problem document an error with its words', async () => {
    const errors = [{ pointer: '/value', code: 'invalid-value', detail: '25 to 90, in steps of 5.' }];
    fetch.mockResolvedValue(
      answer(422, {
        code: 'invalid-value',
        title: 'Not accepted',
        detail: 'sessionCpuCapPercent is not accepted.',
        errors,
      }),
    );
    const error = await api.api.patch('/settings/sessionCpuCapPercent', { value: 52 }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(api.ApiError);
    expect(error).toMatchObject({
      status: 422,
      code: 'invalid-value',
      title: 'Not accepted',
      message: 'sessionCpuCapPercent is not accepted.',
      errors,
    });
    expect((error as InstanceType<typeof api.ApiError>).reasonAt('/value')).toBe('25 to 90, in steps of 5.');
    expect((error as InstanceType<typeof api.ApiError>).reasonAt('/other')).toBe(
      'sessionCpuCapPercent is not accepted.',
    );
  });

  it('takes an answer that breaks off for none', async () => {
    fetch.mockResolvedValue(
      new Response(new ReadableStream({ start: (stream) => stream.error(new TypeError('Failed to fetch')) })),
    );
    await expect(api.api.get('/boards')).rejects.toMatchObject({ status: 0, code: 'unreachable' });
  });

  it('hands on the bytes that were read, without another copy', async () => {
    const response = new Response('bytes', { status: 200, headers: { ETag: '"7"' } });
    const bytes = new ArrayBuffer(8);
    response.arrayBuffer = () => Promise.resolve(bytes);
    fetch.mockResolvedValue(response);
    const { status, headers, body } = await api.request('GET', '/boards/1/full');
    expect([status, headers.get('ETag')]).toEqual([200, '"7"']);
    expect(body).toBe(bytes);
  });

  it('sends a file as it is', async () => {
    fetch.mockResolvedValue(answer(200, {}));
    const file = new File(['Name\n'], 'a.csv');
    await api.api.post('/boards/import', file);
    expect(sent().headers.get('Content-Type')).toBe('application/octet-stream');
    expect(sent().init?.body).toBe(file);
  });

  it('keeps members of the problem that only some have, and when to try again', async () => {
    fetch.mockResolvedValue(
      answer(429, { code: 'agent-concurrency', detail: 'Too many.', suggestions: ['a'] }, { 'Retry-After': '7' }),
    );
    await expect(api.api.get('/sessions')).rejects.toMatchObject({ retryAfter: 7, problem: { suggestions: ['a'] } });
  });

  it.each([
    ['no body', new Response(null, { status: 500 })],
    ['HTML', new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'Content-Type': 'text/html' } })],
    ['broken JSON', new Response('{', { status: 500, headers: { 'Content-Type': 'application/problem+json' } })],
  ])('still is an error with a sentence for an answer with %s', async (_, response) => {
    fetch.mockResolvedValue(response);
    await expect(api.api.get('/boards')).rejects.toMatchObject({
      code: 'unknown',
      message: `Pilothouse returned status ${response.status} without a reason.`,
    });
  });

  it('says so when the program does not answer, and passes an abort on', async () => {
    fetch.mockRejectedValue(new TypeError('Failed to fetch'));
    await expect(api.api.get('/boards')).rejects.toMatchObject({ status: 0, code: 'unreachable' });
    const abort = AbortSignal.abort();
    fetch.mockRejectedValue(abort.reason);
    await expect(api.api.get('/boards', { signal: abort })).rejects.toBe(abort.reason);
  });

  it('says that it asks again of readings only; a change was not saved, or may have been where the answer broke off', async () => {
    const saying = (asked: Promise<unknown>) =>
      asked.then(
        () => '',
        (failure: Error) => failure.message,
      );
    fetch.mockRejectedValue(new TypeError('Failed to fetch'));
    expect(await saying(api.api.get('/boards'))).toMatch(/Reconnecting/);
    expect(await saying(api.api.post('/boards/b/query', {}, { isReading: true }))).toMatch(/Reconnecting/);
    for (const asked of [api.api.post('/boards', {}), api.api.patch('/boards/b', {}), api.api.delete('/boards/b')]) {
      const words = await saying(asked);
      expect(words).toMatch(/^Can't reach Pilothouse\. Not saved\.$/);
      expect(words).not.toMatch(/Reconnecting/);
    }
    fetch.mockResolvedValue(
      new Response(new ReadableStream({ start: (stream) => stream.error(new TypeError('Failed to fetch')) })),
    );
    expect(await saying(api.api.post('/boards', {}))).toMatch(/Check whether your change was saved/);
  });

  it('outlives the page only with a body that browsers allow for that', async () => {
    fetch.mockImplementation(() => Promise.resolve(answer(200, {})));
    await api.api.patch('/dashboards/1', { name: 'Small' }, { keepalive: true });
    await api.api.patch('/dashboards/1', { name: '\u00e9'.repeat(40_000) }, { keepalive: true });
    await api.api.patch('/dashboards/1', { name: 'Usual' });
    expect(fetch.mock.calls.map(([, init]) => init?.keepalive)).toEqual([true, false, false]);
  });

  it('forgets a refused token', async () => {
    fetch.mockResolvedValue(answer(401, { code: 'unauthorized', detail: 'A token is needed.' }));
    await expect(api.api.get('/boards')).rejects.toMatchObject({ status: 401 });
    expect(sessionStorage.getItem('pilothouse.token')).toBeNull();
    const { currentToken } = await import('./session');
    expect(currentToken()).toBeNull();
  });

  it('hands ETags over and back', async () => {
    fetch.mockResolvedValueOnce(answer(200, { name: 'Plan' }, { ETag: '"7"' }));
    await expect(api.api.tagged('/boards/1')).resolves.toEqual({ data: { name: 'Plan' }, etag: '"7"' });
    fetch.mockResolvedValueOnce(answer(304, null, { ETag: '"7"' }));
    await expect(api.api.tagged('/boards/1', { ifNoneMatch: '"7"' })).resolves.toEqual({ data: null, etag: '"7"' });
    expect(new Headers(fetch.mock.calls[1]?.[1]?.headers).get('If-None-Match')).toBe('"7"');
    fetch.mockResolvedValueOnce(answer(204, null));
    await expect(api.api.delete('/boards/1', { ifMatch: '"7"' })).resolves.toBeUndefined();
    expect(new Headers(fetch.mock.calls[2]?.[1]?.headers).get('If-Match')).toBe('"7"');
  });
});
