import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { PullRequestView } from './PullRequestView';

type Get = (path: string, ...rest: unknown[]) => Promise<unknown>;
const api = { get: vi.fn<Get>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: { get: (...args: Parameters<Get>) => api.get(...args) },
}));

const pull = {
  number: 12,
  title: 'Fix it',
  url: 'https://example.org/o/r/pull/12',
  state: 'open',
  isDraft: false,
  decision: 'changesRequested',
  checks: [
    { name: 'CI / test', state: 'failed', url: 'https://example.org/job/77', jobId: '77' },
    { name: 'deploy', state: 'passed', url: null, jobId: null },
  ],
  comments: [
    { author: 'bob', body: 'Off by one\n\nhere', path: 'new.txt', line: 3, url: null, at: '2026-01-01T00:00:00Z' },
  ],
};

let answers: Record<string, unknown>;
beforeEach(() => {
  answers = {
    '/sessions/s1/changes/pull': { pullRequest: pull, trouble: null },
    '/sessions/s1/changes/pull/log': { text: 'assertion ``` failed\n' },
  };
  api.get.mockImplementation((path) =>
    path in answers ? Promise.resolve(answers[path]) : Promise.reject(new Error(`no ${path}`)),
  );
});

const show = (onSend = vi.fn((_: string) => Promise.resolve(true))) => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <PullRequestView session={{ id: 's1', state: 'idle', turns: 1 }} onSend={onSend} />
    </QueryClientProvider>,
  );
  return onSend;
};

it('shows checks and comments, and sends failed checks with their logs to the agent', async () => {
  const onSend = show();
  const region = await screen.findByRole('region', { name: 'Pull request 12' });
  expect(region.textContent).toContain('Changes requested');
  const checks = within(region).getByRole('list', { name: 'Checks' });
  expect(within(checks).getAllByRole('listitem')[0]!.textContent).toBe('FailedCI / test');
  await userEvent.click(within(region).getByRole('button', { name: 'Send 1 failed check to agent' }));
  const message = onSend.mock.calls[0]![0];
  expect(message).toContain('Checks of pull request #12 failed.');
  // The log can't close its fence.
  expect(message).toContain('CI / test failed (https://example.org/job/77).\n````\nassertion ``` failed\n````');
});

it('sends comments quoted, with their place', async () => {
  const onSend = show();
  await userEvent.click(await screen.findByRole('button', { name: 'Send 1 comment to agent' }));
  expect(onSend.mock.calls[0]![0]).toContain('new.txt:3, bob:\n> Off by one\n> \n> here');
});

it('says how to see a pull request here, and nothing where there is none', async () => {
  answers['/sessions/s1/changes/pull'] = { pullRequest: null, trouble: 'Install gh.' };
  show();
  await screen.findByText('Install gh.');
});
