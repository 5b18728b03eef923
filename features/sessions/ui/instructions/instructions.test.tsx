import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '@shell/api';
import type { Detail, Hub } from '../data';
import type { InstructionPreset, SessionInstructions } from './data';
import { HubInstructions } from './HubInstructions';
import { SessionInstructionsDialog } from './SessionInstructionsDialog';

const api = vi.hoisted(() => ({ get: vi.fn(), post: vi.fn(), patch: vi.fn(), put: vi.fn(), delete: vi.fn() }));
vi.mock('@shell/client', () => ({ client: api }));

const preset = (more: Partial<InstructionPreset> = {}): InstructionPreset => ({
  preset: 'persona',
  name: 'Character',
  setting: 'personaPromptEnabled',
  isEdited: false,
  text: 'Be warm.',
  defaultText: 'Be warm.',
  tokens: 2,
  ...more,
});

let presets: InstructionPreset[] = [];
let told: SessionInstructions;

beforeEach(() => {
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
  presets = [preset(), preset({ preset: 'cloud-safety', name: 'Cloud safety', isEdited: true, text: '' })];
  told = { blocks: [], tokens: 0, eachMessage: null, composedAt: null };
  api.get.mockImplementation((path: string) =>
    Promise.resolve(path.startsWith('/hubs') ? { items: presets, nextCursor: null } : told),
  );
});
afterEach(cleanup);

const draw = (dialog: React.ReactNode) =>
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      {dialog}
    </QueryClientProvider>,
  );
const drawHub = () => draw(<HubInstructions hub={{ id: 'h', name: 'shop' } as Hub} onClose={() => {}} />);
const drawSession = () => draw(<SessionInstructionsDialog session={{ id: 's' } as Detail} onClose={() => {}} />);
const path = { hubId: 'h', preset: 'persona' };

it('a preset is edited, and a rejected text stays in the field', async () => {
  const user = userEvent.setup();
  drawHub();
  await user.click(await screen.findByRole('button', { name: 'Edit Character' }));
  const field = screen.getByLabelText('Text');
  await user.clear(field);
  await user.type(field, 'Mine');
  api.put.mockRejectedValueOnce(new ApiError(422, { code: 'invalid-input', detail: 'text has 10001 characters.' }));
  await user.click(screen.getByRole('button', { name: 'Save preset' }));
  expect(await screen.findByText('text has 10001 characters.')).toBeTruthy();
  expect((field as HTMLTextAreaElement).value).toBe('Mine');
  await user.click(screen.getByRole('button', { name: 'Save preset' }));
  const sent = { path, body: { text: 'Mine' } };
  expect(api.put).toHaveBeenLastCalledWith('/hubs/{hubId}/instructions/{preset}', sent);
  expect(await screen.findByRole('list', { name: 'Instruction presets' })).toBeTruthy();
});

it('only an edited preset can be reset', async () => {
  const user = userEvent.setup();
  drawHub();
  const list = await screen.findByRole('list', { name: 'Instruction presets' });
  expect(within(list).getAllByText('Left out')).toHaveLength(1);
  await user.click(screen.getByRole('button', { name: 'Edit Character' }));
  expect(screen.queryByRole('button', { name: 'Reset to default' })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Back' }));
  await user.click(screen.getByRole('button', { name: 'Edit Cloud safety' }));
  await user.click(screen.getByRole('button', { name: 'Reset to default' }));
  const sent = { path: { ...path, preset: 'cloud-safety' } };
  expect(api.delete).toHaveBeenCalledWith('/hubs/{hubId}/instructions/{preset}', sent);
});

it('a session shows its blocks, their sources and tokens, and what each message ends with', async () => {
  const block = { id: 'persona', name: 'Character', setting: 'personaPromptEnabled', tokens: 1 };
  told = {
    blocks: [
      { ...block, source: 'hub', text: 'Be terse.' },
      { ...block, id: 'custom', name: 'Your text', source: 'custom', text: 'Last.\n  Indented.' },
    ],
    tokens: 1_234,
    eachMessage: '<reminders>',
    composedAt: '2026-03-01T00:00:00Z',
  };
  drawSession();
  const own = await screen.findByRole('region', { name: 'Your text' });
  expect(own.querySelector('pre')?.textContent).toBe('Last.\n  Indented.');
  expect(screen.getByText(/about 1,234 tokens/)).toBeTruthy();
  const hub = screen.getByRole('region', { name: 'Character' });
  expect(within(hub).getByText("Hub's own text")).toBeTruthy();
  expect(within(hub).getByText('about 1 token, personaPromptEnabled')).toBeTruthy();
  expect(screen.getByRole('region', { name: 'Each message' }).textContent).toContain('<reminders>');
});

it('a session without instructions says why', async () => {
  drawSession();
  expect(await screen.findByText(/hasn't started/)).toBeTruthy();
});
