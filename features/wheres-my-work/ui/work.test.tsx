import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { ToastRegion } from '@shell/components';
import type { BranchMerge, Merge, WorkBranch, WorkPage as Work, WorkRepository } from './data';
import WorkPage from './WorkPage';

type Send = (path: string, ...rest: unknown[]) => Promise<unknown>;
const api = { get: vi.fn<Send>(), post: vi.fn<Send>(), delete: vi.fn<Send>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: {
    get: (...args: Parameters<Send>) => api.get(...args),
    post: (...args: Parameters<Send>) => api.post(...args),
    delete: (...args: Parameters<Send>) => api.delete(...args),
  },
}));

const BRANCH: WorkBranch = {
  id: 'b1',
  repositoryId: 'r1',
  repository: 'site',
  branch: 'fix-login',
  group: 'stranded',
  reason: 'Not in main. No session, and it was never pushed for review',
  base: 'main',
  ahead: 3,
  behind: 1,
  commit: 'a'.repeat(40),
  subject: 'Fix the login',
  committedAt: '2026-03-01T12:00:00.000Z',
  sessionId: null,
  sessionTitle: null,
  pullRequest: null,
  worktree: null,
  hubId: 'h1',
  isDeletable: false,
};
const REPOSITORY: WorkRepository = {
  id: 'r1',
  name: 'site',
  folder: '/site',
  hubId: 'h1',
  base: 'main',
  hasPullRequests: true,
  notes: [],
};
const MERGED: BranchMerge = {
  sessionId: 's1',
  title: 'Fix it',
  branch: 'pilothouse/fix-it',
  state: 'ready',
  into: 'main',
  commit: null,
  files: [],
  detail: '',
};
let branches: WorkBranch[] = [];
let repositories: WorkRepository[] = [];
let isDone = true;
let latest: Merge[] = [];
let preview: BranchMerge[] = [];
let merge: Merge;

function work({ query }: { query: { repositoryId?: string | null; group?: string } }): Work {
  const of = branches.filter(({ repositoryId }) => !query.repositoryId || repositoryId === query.repositoryId);
  const count = (group: string) => of.filter((one) => one.group === group).length;
  return {
    items: of.filter(({ group }) => !query.group || group === query.group),
    nextCursor: null,
    counts: {
      stranded: count('stranded'),
      inWork: count('inWork'),
      review: count('review'),
      turnedDown: count('turnedDown'),
      landed: count('landed'),
    },
    progress: { isDone, checked: of.length, total: 10 },
    repositories,
  };
}

function draw(address = '/work') {
  history.replaceState(null, '', address);
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={cache}>
      <WorkPage />
      <ToastRegion />
    </QueryClientProvider>,
  );
}

beforeEach(() => {
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
  [branches, repositories, isDone, latest, preview] = [[BRANCH], [REPOSITORY], true, [], []];
  merge = { id: 'm1', startedAt: BRANCH.committedAt, endedAt: null, branches: [] };
  api.get.mockImplementation((path, options) => {
    if (path.startsWith('/work/merges/preview')) return Promise.resolve({ items: preview, nextCursor: null });
    if (path.startsWith('/work/merges/')) return Promise.resolve(merge);
    if (path.startsWith('/work/merges')) return Promise.resolve({ items: latest, nextCursor: null });
    return Promise.resolve(work(options as Parameters<typeof work>[0]));
  });
});

it('shows each group in its order, with counts and the reasons', async () => {
  const session = { sessionId: 's1', sessionTitle: 'Fix it' };
  const review = { id: 'b3', branch: 'c', group: 'review', pullRequest: 'https://example.org/1' } as const;
  branches = [
    BRANCH,
    { ...BRANCH, ...session, id: 'b2', branch: 'b', group: 'inWork', ahead: null, behind: null },
    { ...BRANCH, ...review },
    { ...BRANCH, id: 'b4', branch: 'd', group: 'turnedDown' },
  ];
  draw();
  const stranded = await screen.findByRole('row', { name: 'fix-login, site' });
  expect(stranded.textContent).toContain('3 ahead, 1 behind main');
  expect(stranded.textContent).toContain('Not in main. No session');
  expect(screen.getAllByRole('heading', { level: 2 }).map((one) => one.textContent)).toEqual([
    'In work 1',
    'Waiting on review 1',
    'Stranded 1',
    'Turned down 1',
    'Landed 0',
  ]);
  expect(screen.getByRole('link', { name: 'Fix it' }).getAttribute('href')).toBe('/sessions/s1');
  expect(screen.getByRole('link', { name: 'Pull request of c' }).getAttribute('href')).toBe('https://example.org/1');
  expect(screen.getByText('Distance unknown')).toBeTruthy();
});

it('shows what is known while the check is in progress, and explains an empty list', async () => {
  [branches, isDone] = [[], false];
  draw();
  expect(await screen.findByRole('progressbar', { name: 'Checked branches' })).toBeTruthy();
  expect(screen.queryByText('No branches')).toBeNull();
  isDone = true;
  expect(await screen.findByText('No branches')).toBeTruthy();
  expect(screen.queryByRole('progressbar')).toBeNull();
});

it('shows the branches of one repository, and notes once for all that they concern', async () => {
  const note = 'To see pull requests, install the GitHub CLI.';
  repositories = [
    { ...REPOSITORY, notes: [note] },
    { ...REPOSITORY, id: 'r2', name: 'shop', notes: [note] },
  ];
  branches = [BRANCH, { ...BRANCH, id: 'b2', branch: 'cart', repositoryId: 'r2', repository: 'shop' }];
  draw();
  expect((await screen.findByRole('list', { name: 'Notes' })).textContent).toBe(`site, shop: ${note}`);
  await userEvent.click(screen.getByRole('button', { name: /Repository/ }));
  await userEvent.click(await screen.findByRole('option', { name: /shop/ }));
  await waitFor(() => expect(screen.queryByRole('row', { name: 'fix-login, site' })).toBeNull());
  expect(screen.getByRole('row', { name: 'cart, shop' })).toBeTruthy();
  expect(location.search).toBe('?repository=r2');
});

it('deletes a landed branch, and restores it', async () => {
  branches = [{ ...BRANCH, group: 'landed', isDeletable: true }];
  const deleted = { repositoryId: 'r1', branch: 'fix-login', commit: BRANCH.commit };
  api.delete.mockImplementation(() => {
    branches = [];
    return Promise.resolve(deleted);
  });
  draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Delete fix-login' }));
  expect(api.delete.mock.calls[0]?.[0]).toBe('/work/b1');
  await waitFor(() => expect(screen.queryByRole('row')).toBeNull());
  await userEvent.click(await screen.findByRole('button', { name: 'Undo', hidden: true }));
  expect(api.post).toHaveBeenCalledWith('/work/restore', deleted);
});

it('merges the ready branches after a preview, and shows the results', async () => {
  const other: BranchMerge = { ...MERGED, sessionId: 's2', title: 'Other', state: 'skipped', detail: 'Not done.' };
  preview = [MERGED, other];
  draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Merge all ready' }));
  const dialog = await screen.findByRole('dialog', { name: 'Merge all ready branches' });
  expect((await within(dialog).findByRole('list', { name: 'Ready' })).textContent).toContain('Fix it');
  expect(within(dialog).getByRole('list', { name: 'Not ready' }).textContent).toContain('Not done.');
  merge.branches = [{ ...MERGED, state: 'merging' }];
  api.post.mockResolvedValue(merge);
  await userEvent.click(within(dialog).getByRole('button', { name: 'Merge 1 branch' }));
  expect(api.post).toHaveBeenCalledWith('/work/merges', { sessionIds: ['s1'] });
  const again = () => within(screen.getByRole('dialog'));
  await userEvent.click(await again().findByRole('button', { name: 'Cancel merge' }));
  expect(api.post.mock.calls.at(-1)?.[0]).toBe('/work/merges/m1/cancel');
  merge = { ...merge, endedAt: BRANCH.committedAt, branches: [{ ...MERGED, state: 'conflict', files: ['a.txt'] }] };
  const results = await again().findByRole('list', { name: 'Results' });
  expect(results.textContent).toContain('Conflicts in a.txt');
  expect(again().getByText('Merged 0 of 1')).toBeTruthy();
  await userEvent.click(again().getByRole('button', { name: 'Done' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

it('shows a merge that is already running', async () => {
  merge.branches = [
    { ...MERGED, state: 'merged' },
    { ...MERGED, sessionId: 's2', state: 'merging' },
  ];
  latest = [merge];
  draw('/work?merge');
  const bar = await screen.findByRole('progressbar', { name: 'Merged branches' });
  expect([bar.getAttribute('value'), bar.getAttribute('max')]).toEqual(['1', '2']);
  expect(api.get.mock.calls.some(([path]) => path.includes('preview'))).toBe(false);
});
