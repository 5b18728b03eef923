import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '@shell/api';
import type { Terminal } from './data';
import TerminalPanel from './TerminalPanel';

type Send = (path: string, ...rest: unknown[]) => Promise<unknown>;
const api = { get: vi.fn<Send>(), post: vi.fn<Send>(), patch: vi.fn<Send>(), delete: vi.fn<Send>() };
/** Ends of the streams that the page reads, by terminal. */
const streams = new Map<string, ReadableStreamDefaultController<Uint8Array>>();
const addresses: string[] = [];
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: Object.fromEntries(
    (['get', 'post', 'patch', 'delete'] as const).map((method) => [
      method,
      (...args: Parameters<Send>) => api[method](...args),
    ]),
  ),
  authFetch: (address: string) => {
    addresses.push(address);
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void streams.set(/terminals\/(\w+)\//.exec(address)![1]!, controller),
    });
    return Promise.resolve(new Response(body));
  },
}));

/** The parts of xterm.js that the page uses. */
const { Fake } = vi.hoisted(() => {
  class Fake {
    static last: Fake;
    options: Record<string, unknown> = {};
    text = '';
    selection = false;
    focused = 0;
    type: (data: string) => void = () => {};
    resize: (size: { cols: number; rows: number }) => void = () => {};
    key: (event: KeyboardEvent) => boolean = () => true;
    constructor() {
      Fake.last = this;
    }
    isIgnored = () => false;
    parser = {
      registerCsiHandler: ({ prefix, final }: { prefix?: string; final: string }, handler: () => boolean) => {
        if (final === 'c' && prefix === undefined) this.isIgnored = handler;
      },
      registerDcsHandler() {},
      registerOscHandler() {},
    };
    loadAddon() {}
    open() {}
    dispose() {}
    write(bytes: Uint8Array, done: () => void) {
      this.text += new TextDecoder().decode(bytes);
      if (this.text.includes('!')) this.type('key');
      // As xterm.js answers queries while it reads them.
      if (this.text.endsWith('?') && !this.isIgnored()) this.type('answer');
      done();
    }
    reset() {
      this.text = '';
    }
    focus() {
      this.focused++;
    }
    hasSelection() {
      return this.selection;
    }
    onData(listener: (data: string) => void) {
      this.type = listener;
    }
    onResize(listener: (size: { cols: number; rows: number }) => void) {
      this.resize = listener;
    }
    attachCustomKeyEventHandler(handler: (event: KeyboardEvent) => boolean) {
      this.key = handler;
    }
  }
  return { Fake };
});
vi.mock('@xterm/xterm', () => ({ Terminal: Fake }));
vi.mock('@xterm/addon-fit', () => ({
  FitAddon: class {
    fit() {}
  },
}));

vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));

let terminals: Terminal[] = [];
/** Number of terminals that were ever opened. */
let opened = 0;
const terminal = (id: string): Terminal => ({
  id,
  sessionId: 's1',
  hubId: 'h1',
  folder: '/home/ada/shop',
  shell: 'bash',
  columns: 80,
  rows: 24,
  isRunning: true,
  exitCode: null,
  createdAt: '2026-01-02T03:04:05Z',
});
const leave = vi.fn();
const close = vi.fn();

beforeEach(() => {
  terminals = [];
  opened = 0;
  streams.clear();
  addresses.length = 0;
  vi.clearAllMocks();
  api.get.mockImplementation(() => Promise.resolve({ items: terminals, nextCursor: null }));
  api.post.mockImplementation((path) => {
    if (path !== '/terminals') return Promise.resolve(undefined);
    const made = terminal(`t${++opened}`);
    terminals = [...terminals, made];
    return Promise.resolve(made);
  });
  api.patch.mockResolvedValue({});
  api.delete.mockImplementation((path) => {
    terminals = terminals.filter(({ id }) => !path.endsWith(`/${id}`));
    return Promise.resolve(undefined);
  });
});

function draw(focusCount = 1) {
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <TerminalPanel sessionId="s1" focusCount={focusCount} onLeave={leave} onClose={close} />
    </QueryClientProvider>,
  );
}

const tell = (id: string, name: string, data: string, at?: number) =>
  act(async () => {
    const line = at === undefined ? '' : `id: ${at}\n`;
    streams.get(id)!.enqueue(new TextEncoder().encode(`${line}event: ${name}\ndata: ${data}\n\n`));
    await new Promise((resolve) => setTimeout(resolve));
  });
const inputs = () =>
  api.post.mock.calls.filter(([path]) => path.endsWith('/input')).map(([, body]) => (body as { data: string }).data);
const key = (init: KeyboardEventInit) => {
  const event = new KeyboardEvent('keydown', { ...init, cancelable: true });
  return { goesToShell: Fake.last.key(event), event };
};

it('opens the first terminal with the panel, shows its output, and sends what is typed in order', async () => {
  draw();
  await screen.findByRole('tab', { name: '1: bash' });
  await waitFor(() => expect(streams.has('t1')).toBe(true));
  expect(Fake.last.focused).toBeGreaterThan(0);
  await tell('t1', 'output', btoa('$ hi'), 4);
  expect(Fake.last.text).toBe('$ hi');
  let answer: (() => void) | undefined;
  api.post.mockImplementationOnce(() => new Promise((resolve) => (answer = () => resolve(undefined))));
  Fake.last.type('a');
  Fake.last.type('b');
  Fake.last.type('c');
  expect(inputs()).toEqual(['a']);
  answer!();
  await waitFor(() => expect(inputs()).toEqual(['a', 'bc']));
  const long = `${'x'.repeat(4_095)}😀${'y'.repeat(10)}`;
  Fake.last.type(long);
  await waitFor(() => expect(inputs().slice(2).join('')).toBe(long));
  expect(
    inputs()
      .slice(2)
      .map((part) => part.length),
  ).toEqual([4_095, 12]);
});

it('answers no query of a replay, and continues where it was after a disconnect', async () => {
  terminals = [terminal('t1')];
  draw(0);
  await waitFor(() => expect(streams.has('t1')).toBe(true));
  expect(Fake.last.focused).toBe(0);
  await tell('t1', 'replay', btoa('old?'), 4);
  expect(inputs()).toEqual([]);
  await tell('t1', 'replay', btoa('typed!'), 6);
  await waitFor(() => expect(inputs()).toEqual(['key']));
  await tell('t1', 'reset', '{}');
  await tell('t1', 'output', btoa('new?'), 8);
  await waitFor(() => expect(inputs()).toEqual(['key', 'answer']));
  const first = streams.get('t1')!;
  await act(async () => first.error(new Error('gone')));
  expect(await screen.findByText(/Reconnecting/)).toBeTruthy();
  await waitFor(() => expect(addresses).toEqual(['/terminals/t1/output', '/terminals/t1/output?after=8']));
  await waitFor(() => expect(screen.queryByText(/Reconnecting/)).toBeNull());
  await tell('t1', 'reset', '{}');
  expect(Fake.last.text).toBe('');
});

it('offers a restart after the shell ended, and closes the panel with the last terminal', async () => {
  const user = userEvent.setup();
  draw();
  await waitFor(() => expect(streams.has('t1')).toBe(true));
  terminals = [{ ...terminals[0]!, isRunning: false, exitCode: 7 }];
  await tell('t1', 'exit', '{"exitCode":7}');
  expect(await screen.findByText('Shell ended with exit code 7')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Restart' }));
  await waitFor(() => expect(terminals.map(({ id }) => id)).toEqual(['t2']));
  await waitFor(() => expect(screen.queryByText(/Shell ended/)).toBeNull());
  expect(close).not.toHaveBeenCalled();
  await user.click(screen.getByRole('button', { name: 'Close terminal' }));
  await waitFor(() => expect(close).toHaveBeenCalledOnce());
});

it('leaves by its key, copies a selection, and pastes; everything else goes to the shell', async () => {
  terminals = [terminal('t1')];
  draw();
  await waitFor(() => expect(streams.has('t1')).toBe(true));
  expect(screen.getByText(/leaves the terminal/)).toBeTruthy();
  expect(key({ key: 'Escape' }).goesToShell).toBe(true);
  expect(key({ key: 'c', code: 'KeyC', ctrlKey: true }).goesToShell).toBe(true);
  Fake.last.selection = true;
  expect(key({ key: 'c', code: 'KeyC', ctrlKey: true }).goesToShell).toBe(false);
  expect(key({ key: 'v', code: 'KeyV', ctrlKey: true }).goesToShell).toBe(false);
  const left = key({ key: '`', code: 'Backquote', ctrlKey: true });
  expect([left.goesToShell, left.event.defaultPrevented]).toEqual([false, true]);
  expect(leave).toHaveBeenCalledOnce();
});

it('says why no terminal opens, and tries again', async () => {
  const user = userEvent.setup();
  api.post.mockRejectedValueOnce(new ApiError(409, { title: 'Folder not found', detail: '/gone doesn’t exist.' }));
  draw();
  expect(await screen.findByText("Couldn't open terminal")).toBeTruthy();
  expect(screen.getByText(/gone doesn’t exist/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: /Retry|Try again/ }));
  expect(await screen.findByRole('tab', { name: '1: bash' })).toBeTruthy();
});
