import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import WaitingRoom from '../waiting/WaitingRoom';
import { useWatching } from '../watching/useWatching';
import { AutoInbox } from './AutoInbox';
import { NEEDS, showNeed, useShownNeed, type Need } from './data';
import { useAfterSend } from './useAfterSend';

type Send = (path: string, ...rest: unknown[]) => Promise<unknown>;
const api = { get: vi.fn<Send>(), post: vi.fn<Send>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: Object.fromEntries(
    (['get', 'post'] as const).map((method) => [method, (...args: Parameters<Send>) => api[method](...args)]),
  ),
}));
const told = vi.hoisted(() => vi.fn());
vi.mock('@shell/components', async (original) => {
  const all = await original<typeof import('@shell/components')>();
  return { ...all, toast: { ...all.toast, done: told } };
});

const need = (id: string, more: Partial<Need> = {}): Need => ({
  id,
  kind: 'session',
  reason: 'Failed',
  since: '2026-01-02T03:04:05Z',
  title: `Session ${id}`,
  sessionId: id,
  askId: null,
  isYesOrNo: false,
  engine: 'practice',
  state: 'failed',
  projectId: 'h1',
  hub: 'shop',
  link: `/sessions/${id}`,
  ...more,
});

let needs: Need[] = [];
let sessions: object[] = [];
let values: Record<string, unknown> = {};
let client: QueryClient;

/** Draws a page; the places that were gone to. */
function draw(content: ReactNode, path = '/sessions/own') {
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const { hook, searchHook, history } = memoryLocation({ path, record: true });
  render(
    <QueryClientProvider client={client}>
      <Router hook={hook} searchHook={searchHook}>
        {content}
      </Router>
    </QueryClientProvider>,
  );
  return history;
}

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
/** What needs you from now on. */
const become = async (next: Need[]) => {
  needs = next;
  await act(() => client.invalidateQueries({ queryKey: NEEDS }));
  await pass(1);
};

beforeEach(() => {
  vi.useFakeTimers();
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
  told.mockReset();
  localStorage.clear();
  [needs, sessions, values] = [[], [], {}];
  api.get.mockImplementation((path) =>
    Promise.resolve(
      path.startsWith('/settings')
        ? { revision: 1, settings: Object.entries(values).map(([key, value]) => ({ key, value })) }
        : path.startsWith('/sessions/needs')
          ? { items: needs, nextCursor: null }
          : { items: path.startsWith('/hubs') ? [] : sessions, nextCursor: null },
    ),
  );
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

describe('autoSwitchToInbox', () => {
  /** Draws a page on which nothing was pressed for a time. */
  async function idle(ms: number, content: ReactNode = null, path = '/sessions/own') {
    const history = draw(
      <>
        <AutoInbox />
        {content}
      </>,
      path,
    );
    await pass(10_000);
    fireEvent.keyDown(document.body, { key: 'x' });
    await pass(ms);
    return history;
  }
  beforeEach(() => {
    values = { autoSwitchToInbox: true };
  });

  it.each([
    [4_900, '/sessions/own'],
    [5_000, '/inbox'],
  ])('goes to the inbox after %i ms without input: %s', async (ms, place) => {
    const history = await idle(ms);
    needs = [need('other')];
    void client.invalidateQueries({ queryKey: NEEDS });
    await pass(1);
    expect(history.at(-1)).toBe(place);
    await pass(10_000);
    expect(history.at(-1)).toBe(place);
  });

  it('stays while the composer has text', async () => {
    const history = await idle(60_000, <textarea id="composer" defaultValue="half a sen" />);
    await become([need('other')]);
    expect(history.at(-1)).toBe('/sessions/own');
  });

  it('stays while a dialog is open', async () => {
    const history = await idle(60_000, <div role="dialog" />);
    await become([need('other')]);
    expect(history.at(-1)).toBe('/sessions/own');
  });

  it('stays for the session that you look at, and for what needed you before', async () => {
    needs = [need('before')];
    const history = await idle(60_000);
    await become([need('before'), need('own')]);
    expect(history.at(-1)).toBe('/sessions/own');
  });

  it('stays while it is off', async () => {
    values = { autoSwitchToInbox: false };
    const history = await idle(60_000);
    await become([need('other')]);
    expect(history.at(-1)).toBe('/sessions/own');
  });
});

describe('postSendNavigation', () => {
  function Sender() {
    const goOn = useAfterSend();
    const shown = useShownNeed();
    return <button onClick={() => void goOn({ id: 'own', projectId: 'h1' })}>Send {shown}</button>;
  }
  async function send(places: string[]) {
    values = { postSendNavigation: places };
    const history = draw(<Sender />);
    await pass(1);
    fireEvent.click(screen.getByRole('button'));
    await pass(1);
    return history.at(-1);
  }
  const elsewhere = need('elsewhere', { projectId: 'h2' });

  it.each([
    [[], '/sessions/own'],
    [['stay'], '/sessions/own'],
    [['stay', 'waiting_room'], '/sessions/own'],
    [['next_in_project'], '/sessions/same'],
    [['next_in_inbox', 'next_in_project'], '/sessions/elsewhere'],
    [['waiting_room', 'next_in_inbox'], '/waiting'],
  ])('%j leads to %s', async (places, place) => {
    needs = [need('own'), elsewhere, need('same')];
    expect(await send(places)).toBe(place);
  });

  it('goes to the first place that there is', async () => {
    needs = [need('own'), elsewhere];
    expect(await send(['next_in_project', 'next_in_inbox', 'waiting_room'])).toBe('/sessions/elsewhere');
    cleanup();
    needs = [need('own')];
    expect(await send(['next_in_project', 'next_in_inbox', 'waiting_room'])).toBe('/waiting');
    cleanup();
    expect(await send(['next_in_project', 'next_in_inbox'])).toBe('/sessions/own');
  });

  it("shows a script's request, which has no page, in the dialog", async () => {
    needs = [need('script', { sessionId: null, link: null, projectId: null })];
    expect(await send(['next_in_project', 'next_in_inbox'])).toBe('/sessions/own');
    expect(screen.getByRole('button', { name: 'Send script' })).toBeTruthy();
    act(() => showNeed(null));
  });
});

describe('the waiting room', () => {
  const running = { id: 'r1', title: 'Builds it', state: 'running', needsYou: false, since: '2026-01-02T03:04:05Z' };

  it('says that nothing needs you, and lists what runs', async () => {
    sessions = [running, { ...running, id: 'r2', title: 'Idle one', state: 'idle' }];
    draw(<WaitingRoom />, '/waiting');
    await pass(1);
    expect(screen.getByText('Nothing needs you')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Builds it' }).getAttribute('href')).toBe('/sessions/r1');
    expect(screen.queryByText('Idle one')).toBeNull();
  });

  it('announces what needs you, and opens it after 3 seconds', async () => {
    const history = draw(<WaitingRoom />, '/waiting');
    await pass(1);
    await become([need('a')]);
    expect(screen.getByRole('status').textContent).toContain('Session a needs you');
    await pass(2_900);
    expect(history.at(-1)).toBe('/waiting');
    await pass(100);
    expect(history.at(-1)).toBe('/sessions/a');
  });

  it('stays on Escape, until something else needs you', async () => {
    const history = draw(<WaitingRoom />, '/waiting');
    await pass(1);
    await become([need('a')]);
    fireEvent.keyDown(document.body, { key: 'Escape' });
    await pass(10_000);
    expect(history.at(-1)).toBe('/waiting');
    expect(screen.getByRole('region', { name: 'Needs you' })).toBeTruthy();
    await become([need('a'), need('b')]);
    await pass(3_000);
    expect(history.at(-1)).toBe('/sessions/b');
  });

  it('goes nowhere if the request is answered while it is announced', async () => {
    const history = draw(<WaitingRoom />, '/waiting');
    await pass(1);
    await become([need('a')]);
    await pass(1_000);
    await become([]);
    await pass(10_000);
    expect(history.at(-1)).toBe('/waiting');
  });

  it('leaves a dialog open', async () => {
    const history = draw(
      <>
        <WaitingRoom />
        <div role="dialog" />
      </>,
      '/waiting',
    );
    await pass(1);
    await become([need('a')]);
    await pass(10_000);
    expect(history.at(-1)).toBe('/waiting');
  });
});

describe('watching a running session', () => {
  const on = { helpfulHintsEnabled: true, watchingRunningAgentNudgeEnabled: true, watchingTimeRecapCardEnabled: true };
  let focused = true;
  function Watched({ state }: { state: string }) {
    useWatching('own', state);
    return null;
  }
  const reported = () => api.post.mock.calls.filter(([path]) => path === '/analytics/watching').map(([, body]) => body);
  beforeEach(() => {
    focused = true;
    vi.spyOn(document, 'hasFocus').mockImplementation(() => focused);
    values = on;
  });
  afterEach(() => void vi.mocked(document.hasFocus).mockRestore());
  const focus = (is: boolean) => {
    focused = is;
    act(() => void window.dispatchEvent(new Event(is ? 'focus' : 'blur')));
  };
  const watch = async (state = 'running') => {
    draw(<Watched state={state} />);
    await pass(1);
  };

  it('hints after 10 minutes, once a day', async () => {
    await watch();
    await pass(10 * 60_000 - 2);
    expect(told).not.toHaveBeenCalled();
    await pass(2);
    expect(told).toHaveBeenCalledTimes(1);
    cleanup();
    await watch();
    await pass(11 * 60_000);
    expect(told).toHaveBeenCalledTimes(1);
    await pass(24 * 3_600_000);
    cleanup();
    await watch();
    await pass(11 * 60_000);
    expect(told).toHaveBeenCalledTimes(2);
  });

  it('begins again when you looked away', async () => {
    await watch();
    await pass(9 * 60_000);
    focus(false);
    await pass(9 * 60_000);
    focus(true);
    await pass(9 * 60_000);
    expect(told).not.toHaveBeenCalled();
    await pass(60_000);
    expect(told).toHaveBeenCalledTimes(1);
  });

  it.each([
    [{ ...on, helpfulHintsEnabled: false }, 'running', 0],
    [{ ...on, watchingRunningAgentNudgeEnabled: false }, 'running', 11],
    [on, 'idle', 0],
    [on, 'awaitingPermission', 0],
  ])('shows no hint with %j of an %s session', async (settings, state, reports) => {
    values = settings;
    await watch(state);
    await pass(11 * 60_000);
    expect(told).not.toHaveBeenCalled();
    expect(reported()).toHaveLength(reports);
  });

  it('reports the seconds, and only those in front', async () => {
    await watch();
    await pass(90_000);
    focus(false);
    await pass(600_000);
    focus(true);
    await pass(20_000);
    cleanup();
    expect(reported()).toEqual([{ seconds: 60 }, { seconds: 30 }, { seconds: 20 }]);
  });

  it('reports nothing while the recap is off', async () => {
    values = { ...on, watchingTimeRecapCardEnabled: false };
    await watch();
    await pass(5 * 60_000);
    expect(reported()).toEqual([]);
  });
});
