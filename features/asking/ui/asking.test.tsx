import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { Route, Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import { ApiError } from '@shell/api';
import AskPage from './AskPage';
import { type Ask, type Kept } from './data';
import SecretsPage from './SecretsPage';

type Send = (path: string, ...rest: unknown[]) => Promise<unknown>;
const api = { get: vi.fn<Send>(), post: vi.fn<Send>(), delete: vi.fn<Send>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: Object.fromEntries(
    (['get', 'post', 'delete'] as const).map((method) => [method, (...args: Parameters<Send>) => api[method](...args)]),
  ),
}));

const INPUT: Ask = {
  id: 'a1',
  kind: 'input',
  name: 'Mail key',
  note: 'Sends the <b>report</b>',
  target: { env: 'MAIL_KEY' },
  replaces: false,
  sessionId: 's7',
  status: 'waiting',
  createdAt: '2026-01-02T03:04:05Z',
  decidedAt: null,
};
const KEY: Ask = { ...INPUT, kind: 'key', name: 'MAIL', target: { secret: 'MAIL' } };
let ask: Ask = INPUT;
let offered = 'sk-offered';
let kept: Kept[] = [];

function draw(path: string) {
  const { hook, searchHook } = memoryLocation({ path });
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={cache}>
      <Router hook={hook} searchHook={searchHook}>
        <Route path="/asks/:id">
          <AskPage />
        </Route>
        <Route path="/secrets">
          <SecretsPage />
        </Route>
      </Router>
    </QueryClientProvider>,
  );
  return cache;
}

/** What the page keeps in its memory of queries. */
const cached = (cache: QueryClient) =>
  JSON.stringify(
    cache
      .getQueryCache()
      .getAll()
      .map((query) => query.state.data),
  );

beforeEach(() => {
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
  [ask, offered, kept] = [INPUT, 'sk-offered', []];
  api.get.mockImplementation((path) => {
    if (path.endsWith('/value')) return Promise.resolve({ value: offered });
    return Promise.resolve(path.startsWith('/secrets') ? { items: kept, nextCursor: null } : ask);
  });
  api.post.mockImplementation((path) => {
    ask = { ...ask, status: path.endsWith('/answer') ? 'provided' : path.endsWith('/save') ? 'saved' : 'declined' };
    return Promise.resolve(ask);
  });
});

it('takes a value in a masked field that has the focus, and gives it by Enter', async () => {
  const cache = draw('/asks/a1');
  const field = await screen.findByLabelText('Mail key', { selector: 'input' });
  expect([field.getAttribute('type'), field.getAttribute('autocomplete'), document.activeElement === field]).toEqual([
    'password',
    'off',
    true,
  ]);
  await userEvent.type(field, 'sk-typed{Enter}');
  await waitFor(() => expect(api.post).toHaveBeenCalledWith('/input-requests/a1/answer', { value: 'sk-typed' }));
  expect(await screen.findByText(/Value provided/)).toBeTruthy();
  expect(cached(cache)).not.toContain('sk-typed');
  expect(document.body.innerHTML).not.toContain('sk-typed');
});

it('says who asks, what for and where the value goes, with what agents write as text', async () => {
  ask = { ...INPUT, replaces: true };
  draw('/asks/a1');
  expect(await screen.findByText('Sends the <b>report</b>')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Session s7' }).getAttribute('href')).toBe('/sessions/s7');
  expect(screen.getByText('MAIL_KEY').parentElement?.textContent).toMatch(
    /environment variable.*Replaces the current value/,
  );
});

it('shows what is typed only when it is asked to', async () => {
  draw('/asks/a1');
  const field = await screen.findByLabelText('Mail key', { selector: 'input' });
  await userEvent.click(screen.getByRole('button', { name: 'Show Mail key' }));
  expect(field.getAttribute('type')).toBe('text');
  await userEvent.click(screen.getByRole('button', { name: 'Hide Mail key' }));
  expect(field.getAttribute('type')).toBe('password');
});

it('takes several lines, and gives nothing where nothing is typed', async () => {
  draw('/asks/a1');
  await userEvent.click(await screen.findByRole('button', { name: 'Submit' }));
  expect(await screen.findByText('Enter a value.')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Multiple lines' }));
  await userEvent.type(screen.getByLabelText('Mail key', { selector: 'textarea' }), 'one{Enter}two');
  expect(api.post).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole('button', { name: 'Submit' }));
  await waitFor(() => expect(api.post).toHaveBeenCalledWith('/input-requests/a1/answer', { value: 'one\ntwo' }));
});

it('declines without a value', async () => {
  draw('/asks/a1');
  await userEvent.click(await screen.findByRole('button', { name: 'Decline' }));
  await waitFor(() => expect(api.post.mock.calls.map(([path]) => path)).toEqual(['/input-requests/a1/decline']));
  expect(await screen.findByText('You declined.')).toBeTruthy();
});

it('says when somebody else was quicker, and shows how it ended', async () => {
  api.post.mockImplementation(() => {
    ask = { ...ask, status: 'provided' };
    return Promise.reject(
      new ApiError(409, { code: 'already-decided', title: 'Already decided', detail: 'Already provided.' }),
    );
  });
  draw('/asks/a1');
  await userEvent.type(await screen.findByLabelText('Mail key', { selector: 'input' }), 'late{Enter}');
  expect(await screen.findByText(/Value provided/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Submit' })).toBeNull();
});

it('lets a person look an offered key through, correct it and its name, and save that', async () => {
  ask = KEY;
  draw('/asks/a1');
  const field = await screen.findByLabelText('Key', { selector: 'input' });
  expect([field.getAttribute('type'), (field as HTMLInputElement).value]).toEqual(['password', 'sk-offered']);
  expect(api.post).not.toHaveBeenCalled();
  await userEvent.type(field, '-2');
  const name = screen.getByRole('textbox', { name: 'Name' });
  await userEvent.clear(name);
  await userEvent.type(name, 'MAIL_2');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(api.post).toHaveBeenCalledWith('/key-proposals/a1/save', { name: 'MAIL_2', value: 'sk-offered-2' }),
  );
});

it('keeps the lines of an offered key, and dismisses one', async () => {
  [ask, offered] = [KEY, 'one\ntwo'];
  draw('/asks/a1');
  const field = await screen.findByLabelText('Key', { selector: 'textarea' });
  expect((field as HTMLTextAreaElement).value).toBe('one\ntwo');
  expect(field.closest('[data-masked]')).not.toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
  await waitFor(() => expect(api.post.mock.calls.map(([path]) => path)).toEqual(['/key-proposals/a1/dismiss']));
});

it('lists what is kept by names, and forgets one after a question', async () => {
  kept = [
    {
      id: 'k1',
      name: 'MAIL',
      kind: 'secret',
      sessionId: null,
      place: 'keychain',
      createdAt: INPUT.createdAt,
      changedAt: INPUT.createdAt,
    },
  ];
  draw('/secrets');
  expect((await screen.findByText('MAIL')).closest('li')?.textContent).toMatch(
    /account secret, in this computer's keychain/,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Delete MAIL' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Delete secret' }));
  await waitFor(() => expect(api.delete.mock.calls.map(([path]) => path)).toEqual(['/secrets/k1']));
});
