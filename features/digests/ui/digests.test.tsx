import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { Route } from 'wouter';
import DigestPage from './DigestPage';
import type { Digest } from './data';

let digest: Digest;
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: { get: () => Promise.resolve(digest) },
}));

const DIGEST: Digest = {
  id: 'd',
  kind: 'daily',
  label: 'Daily briefing',
  from: '2026-02-28T12:00:00.000Z',
  to: '2026-03-01T12:00:00.000Z',
  createdAt: '2026-03-01T12:00:00.000Z',
  paused: false,
  content: {
    sessions: [],
    hasMore: false,
    statements: [],
    model: '',
    note: '',
    skipped: [],
    omitsSessions: false,
    sections: [],
  },
};

function draw(content: Partial<Digest['content']>) {
  digest = { ...DIGEST, content: { ...DIGEST.content, ...content } };
  history.replaceState(null, '', '/digests/d');
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <Route path="/digests/:id" component={DigestPage} />
    </QueryClientProvider>,
  );
}

it('has a section for each chosen source, with links, and names skipped ones', async () => {
  draw({
    omitsSessions: true,
    sections: [
      {
        source: 'calendar',
        label: "Today's events",
        hasMore: false,
        entries: [
          { title: 'Holiday', about: '', at: null, link: '/calendar' },
          { title: 'Standup', about: '', at: '2026-03-01T09:00:00.000Z', link: '/calendar' },
        ],
      },
      { source: 'pm-events', label: 'Due today', hasMore: false, entries: [] },
    ],
    skipped: ['rss: not available yet'],
  });
  const events = within(await screen.findByRole('region', { name: "Today's events" }));
  expect(events.getByRole('link', { name: 'Standup' }).getAttribute('href')).toBe('/calendar');
  expect(events.getAllByRole('listitem')[1]!.textContent).toContain('2026');
  within(screen.getByRole('region', { name: 'Due today' })).getByText('Nothing today');
  screen.getByText('Skipped sources: rss: not available yet');
  expect(screen.queryByText('No sessions')).toBeNull();
});

it('shows words of a model and of agents as text only', async () => {
  const hostile = '<img src="https://evil.example/?s=1"> ![x](https://evil.example) [go](javascript:alert(1))';
  draw({
    statements: [{ text: hostile, sessionIds: ['s1'] }],
    model: 'small',
    sessions: [{ id: 's1', title: hostile, hub: 'Shop', state: 'Ready', needsYou: false, turns: 1, costUsd: null }],
  });
  expect(await screen.findAllByText(/evil\.example/)).not.toHaveLength(0);
  expect(document.querySelector('img')).toBeNull();
  const links = screen.getAllByRole('link').map((link) => link.getAttribute('href'));
  expect(new Set(links)).toEqual(new Set(['/sessions/s1']));
});

it('says once that it needs a model for a summary, unless it says why one failed', async () => {
  const session = { id: 's1', title: 'Login', hub: 'Shop', state: 'Ready', needsYou: false, turns: 1, costUsd: null };
  draw({ sessions: [session] });
  const link = await screen.findByRole('link', { name: 'Choose a utility model' });
  expect(link.getAttribute('href')).toBe('/models');
  cleanup();
  draw({ sessions: [session], note: "The key wasn't accepted. Check the key." });
  await screen.findByText("Facts only. The key wasn't accepted. Check the key.");
  expect(screen.queryByRole('link', { name: 'Choose a utility model' })).toBeNull();
});
