import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { ApiError } from '@shell/api';
import { makeQueryClient } from '@shell/query';
import { ImportDialog } from './ImportDialog';

const post = vi.fn<(path: string, body: unknown) => Promise<unknown>>();
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: { post: (path: string, body: unknown) => post(path, body) },
}));

const MIB = 1024 * 1024;
async function choose(document: object) {
  render(
    <QueryClientProvider client={makeQueryClient()}>
      <ImportDialog settings={[]} onClose={() => {}} />
    </QueryClientProvider>,
  );
  const input = window.document.querySelector<HTMLInputElement>('input[type=file]')!;
  await userEvent.upload(input, new File([JSON.stringify(document)], 'settings.json', { type: 'application/json' }));
}
const reasons = () => screen.getAllByRole('listitem').map((item) => item.textContent);

it('says which setting is wrong, and where in it', async () => {
  const errors = [
    {
      pointer: '/document/settings/agentFiles/1',
      code: 'not-a-choice',
      detail: 'one of AGENTS.md, CLAUDE.md is accepted',
    },
    { pointer: '/document/settings/density', code: 'too-large', detail: 'at most 2 is accepted' },
  ];
  post.mockReset().mockRejectedValue(new ApiError(422, { code: 'invalid-value', detail: 'Two are wrong.', errors }));
  await choose({ settings: { agentFiles: ['AGENTS.md', 'x'], density: 3 } });
  await waitFor(() =>
    expect(reasons()).toEqual([
      'agentFiles, entry 2: one of AGENTS.md, CLAUDE.md is accepted',
      'density: at most 2 is accepted',
    ]),
  );
});

it('takes what the program takes, and says how much that is', async () => {
  post.mockReset().mockResolvedValue({ changes: [], unchanged: [], skipped: [] });
  await choose({ settings: { note: 'x'.repeat(7 * MIB) } });
  await waitFor(() => expect(post).toHaveBeenCalledOnce());
  post.mockReset();
  const input = window.document.querySelector<HTMLInputElement>('input[type=file]')!;
  await userEvent.upload(input, new File(['x'.repeat(8 * MIB + 1)], 'large.json', { type: 'application/json' }));
  await waitFor(() => expect(reasons()).toEqual(['This file is larger than an export can be (8 MiB).']));
  expect(post).not.toHaveBeenCalled();
});

it('takes bare keys and values as the command line does, and says of anything else what it is not', async () => {
  post.mockReset().mockResolvedValue({ changes: [], unchanged: [], skipped: [] });
  await choose({ pmBoardDensity: 'dense' });
  await waitFor(() => expect(post).toHaveBeenCalledOnce());
  expect(post.mock.calls[0]![1]).toMatchObject({
    document: { format: 'pilothouse-settings', version: 1, settings: { pmBoardDensity: 'dense' } },
  });
  const input = window.document.querySelector<HTMLInputElement>('input[type=file]')!;
  for (const other of [{ format: 'pilothouse-board', items: [] }, [1], { settings: 5 }, null]) {
    post.mockReset();
    await userEvent.upload(input, new File([JSON.stringify(other)], 'other.json', { type: 'application/json' }));
    await waitFor(() => expect(reasons()).toEqual(["other.json isn't an exported settings file."]));
    expect(post).not.toHaveBeenCalled();
  }
});
