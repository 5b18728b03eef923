import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { makeQueryClient } from '../query';
import { patchCachedSetting, SETTINGS_QUERY } from '../settings';
import Palette from './Palette';

vi.mock('../api', async (original) => ({
  ...(await original<object>()),
  api: {
    get: (path: string) => {
      if (path === '/boards') return Promise.resolve({ items: [{ id: 'b', name: 'Roadmap', itemCount: 3 }] });
      if (path === '/dashboards') return Promise.resolve({ items: [{ id: 'd', name: 'Figures' }] });
      if (path === '/workspaces') return Promise.resolve({ items: [{ id: 'w', name: 'Main' }] });
      return Promise.reject(new Error(`nobody answers ${path}`));
    },
  },
}));

/** The palette draws its whole list at once, which takes seconds where the machine is busy. */
const SLOW = { timeout: 10_000 };
const entries = () => [...document.querySelectorAll('[role=menuitem]')].map((item) => item.textContent ?? '');
const OF_BOARDS = [/^Project boards/, /^Import a file as a board/, /^Roadmap/, /^Dashboards/, /^Create dashboard/, /^Figures/];

describe('the palette', () => {
  it('lists what a setting shows, and leaves it out once the setting is off', { timeout: 30_000 }, async () => {
    const client = makeQueryClient();
    client.setQueryData(SETTINGS_QUERY, { revision: 1, settings: [{ key: 'projectBoardsEnabled', value: true }] });
    render(
      <QueryClientProvider client={client}>
        <Palette onClose={() => {}} />
      </QueryClientProvider>,
    );
    await screen.findByText('Roadmap', {}, SLOW);
    await screen.findByText('Figures', {}, SLOW);
    for (const entry of OF_BOARDS) expect(entries().filter((text) => entry.test(text))).toHaveLength(1);
    patchCachedSetting(client, 'projectBoardsEnabled', { value: false });
    await waitFor(() => expect(screen.queryByText('Roadmap')).toBeNull(), SLOW);
    for (const entry of OF_BOARDS) expect(entries().filter((text) => entry.test(text))).toEqual([]);
    expect(screen.getByText('Use the dark theme')).toBeTruthy();
  });
});
