import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { makeQueryClient } from '../query';
import { patchCachedSetting, SETTINGS_QUERY } from '../settings';
import Palette from './Palette';

const post = vi.fn<(path: string, body: unknown) => Promise<unknown>>();
vi.mock('../api', async (original) => ({
  ...(await original<object>()),
  api: {
    post: (path: string, body: unknown) => post(path, body),
    get: (path: string) => {
      if (path === '/boards') return Promise.resolve({ items: [{ id: 'b', name: 'Roadmap', itemCount: 3 }] });
      if (path === '/dashboards') return Promise.resolve({ items: [{ id: 'd', name: 'Figures' }] });
      if (path === '/workspaces') return Promise.resolve({ items: [{ id: 'w', name: 'Main' }] });
      return Promise.reject(new Error(`nobody answers ${path}`));
    },
  },
}));

const entries = () => [...document.querySelectorAll('[role=menuitem]')].map((item) => item.textContent ?? '');
const OF_BOARDS = [
  /^Project boards/,
  /^Import a file as a board/,
  /^Roadmap/,
  /^Dashboards/,
  /^Create dashboard/,
  /^Figures/,
];

describe('the palette', () => {
  it('lists what a setting shows, and leaves it out once the setting is off', async () => {
    const client = makeQueryClient();
    client.setQueryData(SETTINGS_QUERY, {
      revision: 1,
      settings: [{ key: 'projectBoardsEnabled', value: true, effect: { active: true, reasons: [] } }],
    });
    render(
      <QueryClientProvider client={client}>
        <Palette onClose={() => {}} />
      </QueryClientProvider>,
    );
    await screen.findByText('Roadmap');
    await screen.findByText('Figures');
    for (const entry of OF_BOARDS) expect(entries().filter((text) => entry.test(text))).toHaveLength(1);
    patchCachedSetting(client, 'projectBoardsEnabled', { value: false });
    await waitFor(() => expect(screen.queryByText('Roadmap')).toBeNull());
    for (const entry of OF_BOARDS) expect(entries().filter((text) => entry.test(text))).toEqual([]);
    expect(screen.getByText('Use the dark theme')).toBeTruthy();
  });

  it('finds items of the open board, asked for once typing rests', async () => {
    history.replaceState(null, '', '/boards/b?view=v');
    post.mockResolvedValue({ items: [{ id: 'i1', name: 'Mend the sails' }] });
    const client = makeQueryClient();
    client.setQueryData(SETTINGS_QUERY, {
      revision: 1,
      settings: [
        {
          key: 'projectBoardsEnabled',
          title: 'Boards',
          description: '',
          value: true,
          effect: { active: true, reasons: [] },
        },
      ],
    });
    render(
      <QueryClientProvider client={client}>
        <Palette onClose={() => {}} />
      </QueryClientProvider>,
    );
    await userEvent.type(await screen.findByRole('searchbox'), 'sails');
    await userEvent.click(await screen.findByRole('menuitem', { name: /Mend the sails/ }));
    expect(post.mock.calls.at(-1)).toEqual([
      '/boards/b/query',
      {
        filters: { v: 1, all: [{ col: { by: 'builtin', name: 'name' }, op: 'contains', value: 'sails' }] },
        columns: [],
        limit: 20,
      },
    ]);
    expect(location.pathname + location.search).toBe('/boards/b?view=v&item=i1');
  });
});
