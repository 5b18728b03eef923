import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const fetch = vi.fn<typeof globalThis.fetch>();
let session: typeof import('./session');

beforeEach(async () => {
  vi.resetModules();
  vi.stubGlobal('fetch', fetch.mockReset());
  session = await import('./session');
});
afterEach(() => {
  vi.unstubAllGlobals();
  sessionStorage.clear();
  history.replaceState(null, '', '/');
});

it('exchanges the code and takes it out of the address before anything is sent', async () => {
  history.replaceState(null, '', '/app/settings?q=a#c=once');
  fetch.mockImplementation(async () => {
    expect(location.hash).toBe('');
    return new Response(JSON.stringify({ token: 'ph_own_1' }));
  });
  await session.signInFromAddress();
  expect(location.pathname + location.search).toBe('/app/settings?q=a');
  expect(fetch.mock.calls[0]?.[0]).toBe('/login');
  expect(fetch.mock.calls[0]?.[1]?.body).toBe('{"code":"once"}');
  expect(session.currentToken()).toBe('ph_own_1');
  expect(sessionStorage.getItem('pilothouse.token')).toBe('ph_own_1');
});

it('holds no token after a refused code, even if it held one before', async () => {
  sessionStorage.setItem('pilothouse.token', 'ph_own_old');
  history.replaceState(null, '', '/app/#c=used');
  fetch.mockResolvedValue(new Response('{}', { status: 401 }));
  await session.signInFromAddress();
  expect(session.currentToken()).toBeNull();
  expect(sessionStorage.getItem('pilothouse.token')).toBeNull();
});

it('leaves a newer token alone when an older one is refused', async () => {
  history.replaceState(null, '', '/app/#c=once');
  fetch.mockResolvedValue(new Response(JSON.stringify({ token: 'ph_own_new' })));
  await session.signInFromAddress();
  session.tokenRefused('ph_own_old');
  expect(session.currentToken()).toBe('ph_own_new');
});

it('asks nothing without a code', async () => {
  await session.signInFromAddress();
  expect(fetch).not.toHaveBeenCalled();
});
