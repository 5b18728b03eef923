import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import InstructionFilesPage from './InstructionFilesPage';
import type { Hub, InstructionFile } from './data';

type Send = (path: string, ...rest: unknown[]) => Promise<unknown>;
const api = { get: vi.fn<Send>(), post: vi.fn<Send>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: {
    get: (...args: Parameters<Send>) => api.get(...args),
    post: (...args: Parameters<Send>) => api.post(...args),
  },
}));

const FILE: InstructionFile = {
  name: 'AGENTS.md',
  state: 'inStep',
  source: 'PRIMARY.md',
  reason: null,
  note: null,
  warning: null,
  changedAt: '2026-03-01T12:00:00.000Z',
  originals: [],
};
const HUB: Hub = {
  hubId: 'h1',
  hub: 'Site',
  folder: '/site',
  isThere: true,
  source: 'PRIMARY.md',
  hasSource: true,
  problem: null,
  files: [FILE],
};
let hubs: Hub[] = [];
let isOn = true;

function draw() {
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={cache}>
      <InstructionFilesPage />
    </QueryClientProvider>,
  );
}

beforeEach(() => {
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
  [hubs, isOn] = [[HUB], true];
  history.replaceState(null, '', '/instruction-files');
  api.get.mockImplementation((path) => {
    if (path.startsWith('/settings'))
      return Promise.resolve({ revision: 1, settings: [{ key: 'agentInstructionsSyncEnabled', value: isOn }] });
    if (path.includes('/diff'))
      return Promise.resolve({
        name: 'AGENTS.md',
        source: 'PRIMARY.md',
        version: 'v1',
        lines: [
          { kind: 'removed', text: 'Mine.' },
          { kind: 'added', text: 'Theirs.' },
        ],
        isTruncated: false,
      });
    return Promise.resolve({ items: hubs, nextCursor: null });
  });
});

it('explains an empty list, and that sync is off', async () => {
  [hubs, isOn] = [[], false];
  draw();
  expect(await screen.findByText('No instruction files')).toBeTruthy();
  expect(await screen.findByText(/Sync is off/)).toBeTruthy();
});

it('shows states with their reasons', async () => {
  const skipped: InstructionFile = { ...FILE, name: 'ALT1.md', state: 'skipped', reason: 'ALT1.md is a folder.' };
  hubs = [{ ...HUB, problem: 'PRIMARY.md is missing.', files: [{ ...FILE, warning: 'Loaded twice.' }, skipped] }];
  draw();
  const [first, second] = await screen.findAllByRole('listitem');
  expect(first?.textContent).toContain('Up to date');
  expect(first?.textContent).toContain('Loaded twice.');
  expect(second?.textContent).toContain('ALT1.md is a folder.');
  expect(screen.getByText('PRIMARY.md is missing.')).toBeTruthy();
});

it('compares a file of yours, then replaces the version that was shown', async () => {
  hubs = [{ ...HUB, files: [{ ...FILE, state: 'waiting' }] }];
  draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Compare AGENTS.md' }));
  const dialog = await screen.findByRole('dialog', { name: 'Replace AGENTS.md?' });
  expect((await within(dialog).findByRole('region')).textContent).toContain('Removed: Mine.');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Replace' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.post).toHaveBeenCalledWith('/instruction-files/h1/replace', { name: 'AGENTS.md', version: 'v1' });
});

it('restores a replaced text after a confirmation', async () => {
  const originals = [{ id: 'o1', replacedAt: '2026-03-01T12:00:00.000Z', characters: 5 }];
  hubs = [{ ...HUB, files: [{ ...FILE, originals }] }];
  draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Restore AGENTS.md' }));
  await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Restore' }));
  await waitFor(() =>
    expect(api.post).toHaveBeenCalledWith('/instruction-files/h1/restore', { name: 'AGENTS.md', originalId: 'o1' }),
  );
});
