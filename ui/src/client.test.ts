import { beforeEach, expect, it, vi } from 'vitest';
import { client, type Exact, type Schemas } from './client';

const { get, post, patch, remove } = vi.hoisted(() => ({
  get: vi.fn(),
  post: vi.fn(),
  patch: vi.fn(),
  remove: vi.fn(),
}));
vi.mock('./api', () => ({ api: { get, patch, post, delete: remove } }));
beforeEach(() => {
  for (const send of [get, post, patch, remove]) send.mockReset().mockResolvedValue({});
});

it('puts ids into the path, each as one part of it, and sends the rest as it is', async () => {
  const { signal } = new AbortController();
  await client.get('/settings/{key}', { path: { key: 'a/b?c' }, signal });
  expect(get).toHaveBeenLastCalledWith('/settings/a%2Fb%3Fc', { signal });
  await client.patch('/members/{memberId}', { path: { memberId: 'm1' }, body: { name: 'Ada' } });
  expect(patch).toHaveBeenLastCalledWith('/members/m1', { name: 'Ada' });
  await client.get('/settings/history', { query: { key: null, limit: 5 } });
  expect(get).toHaveBeenLastCalledWith('/settings/history', { query: { key: null, limit: 5 } });
  await client.delete('/members/{memberId}', { path: { memberId: 'm1' } });
  expect(remove).toHaveBeenLastCalledWith('/members/m1');
  await client.patch('/dashboards/{dashboardId}', {
    path: { dashboardId: 'd1' },
    body: { name: 'Costs' },
    ifMatch: '"7"',
    keepalive: true,
  });
  expect(patch).toHaveBeenLastCalledWith('/dashboards/d1', { name: 'Costs' }, { ifMatch: '"7"', keepalive: true });
});

it('sends JSON where something is changed, also where nothing is to be said', async () => {
  await client.post('/boards/{boardId}/restore', { path: { boardId: 'b1' } });
  expect(post).toHaveBeenLastCalledWith('/boards/b1/restore', {});
});

it('what no operation has does not compile', async () => {
  const answer = await client.get('/settings');
  const revision: number | undefined = answer.revision;
  expect(revision).toBeUndefined();
  // @ts-expect-error There is no such member in the answer.
  expect(answer.settingz).toBeUndefined();
  // @ts-expect-error There is no such path.
  await client.get('/setting');
  // @ts-expect-error Nothing is posted there.
  await client.post('/settings/{key}', { path: { key: 'a' } });
  // @ts-expect-error The path needs its id.
  await client.delete('/members/{memberId}');
  // @ts-expect-error A member has a name.
  await client.post('/members', { body: { email: 'ada@example.org' } });
  // @ts-expect-error There is no such member in the body.
  await client.patch('/members/{memberId}', { path: { memberId: 'm1' }, body: { nick: 'A' } });
  // @ts-expect-error Members have no revision that could be asked for.
  await client.patch('/members/{memberId}', { path: { memberId: 'm1' }, body: { name: 'Ada' }, ifMatch: '"7"' });
  // @ts-expect-error Nothing is sent along with it.
  await client.post('/boards/{boardId}/restore', { path: { boardId: 'b1' }, body: { name: 'Ada' } });
  // @ts-expect-error One setting is asked for, not a page of them.
  await client.get('/settings/{key}', { path: { key: 'a' }, query: { limit: 5 } });
  type Loose = Schemas['SettingRecord'];
  const exact: Exact<Loose, { value: number }>['value'] = 1;
  // @ts-expect-error The program says that it is text.
  const wrong: Exact<Loose, { title: number }>['title'] = 1;
  expect(exact).toBe(wrong);
});
