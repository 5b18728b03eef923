/** Edits are sent one behind the other, and again once the program is back. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '../api';
import { RETRY_FIRST_MS, RETRY_LONGEST_MS, Sender } from './sender';

const connection = vi.hoisted(() => ({ now: 'live', watchers: new Set<() => void>() }));
vi.mock('../live', () => ({
  connectionNow: () => connection.now,
  onConnection: (watcher: () => void) => {
    connection.watchers.add(watcher);
    return () => connection.watchers.delete(watcher);
  },
}));
const become = (now: string) => {
  connection.now = now;
  for (const watcher of [...connection.watchers]) watcher();
};

type Came = { saved: string } | { away: unknown };
/** What waits, what was sent of it, and how that is answered. */
let waiting: string[] = [];
let sent: string[] = [];
let answer: (came: Came) => Promise<unknown>;
const heard: string[] = [];
let sender: Sender<string, { saved: string }>;

beforeEach(() => {
  vi.useFakeTimers();
  connection.now = 'live';
  waiting = ['one', 'two'];
  sent = [];
  heard.length = 0;
  sender = new Sender<string, { saved: string }>({
    next: () => waiting[0],
    send: (job) => {
      sent.push(job);
      return new Promise<Came>((resolve) => {
        answer = (came) => (resolve(came), vi.advanceTimersByTimeAsync(0));
      });
    },
    answered: (job, { saved }) => {
      waiting = waiting.filter((one) => one !== job);
      heard.push(saved);
    },
    waits: (job) => heard.push(`${job} waits`),
  });
});
afterEach(() => {
  sender.stop();
  expect([vi.getTimerCount(), connection.watchers.size]).toEqual([0, 0]);
  vi.useRealTimers();
});
const unreachable = () => answer({ away: new ApiError(0, {}) });
const busy = (seconds: number | null) => answer({ away: new ApiError(503, { detail: 'The disk is full.' }, seconds) });

it('sends one behind the other, however often it is asked to', async () => {
  void sender.run();
  void sender.run();
  expect([sent, sender.sending]).toEqual([['one'], 'one']);
  await answer({ saved: 'first' });
  void sender.run();
  expect(sent).toEqual(['one', 'two']);
  await answer({ saved: 'second' });
  expect([heard, sender.sending]).toEqual([['first', 'second'], null]);
});

it('tries again after longer and longer gaps, and after the first one once there was an answer', async () => {
  void sender.run();
  for (const gap_ms of [2_000, 4_000, 8_000, 16_000, RETRY_LONGEST_MS, RETRY_LONGEST_MS]) {
    const before = sent.length;
    await unreachable();
    expect([sender.isAway, sender.why]).toEqual([true, null]);
    await vi.advanceTimersByTimeAsync(gap_ms - 1);
    expect(sent).toHaveLength(before);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toHaveLength(before + 1);
  }
  await answer({ saved: 'first' });
  expect([sender.isAway, sent.at(-1)]).toEqual([false, 'two']);
  const before = sent.length;
  await unreachable();
  await vi.advanceTimersByTimeAsync(RETRY_FIRST_MS);
  expect(sent).toHaveLength(before + 1);
});

it('sends nothing before the program says, and knows why', async () => {
  void sender.run();
  await busy(20);
  expect([sender.isAway, sender.why, heard]).toEqual([true, 'The disk is full.', ['one waits']]);
  await vi.advanceTimersByTimeAsync(19_999);
  void sender.run();
  become('live');
  expect(sent).toEqual(['one']);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toEqual(['one', 'one']);
  await unreachable();
  expect(sender.why).toBeNull();
});

it('tries again at once when the connection is back, and for a new edit only where it is there', async () => {
  void sender.run();
  connection.now = 'lost';
  await unreachable();
  void sender.run();
  expect(sent).toEqual(['one']);
  become('live');
  expect(sent).toEqual(['one', 'one']);
  await busy(null);
  void sender.run();
  expect(sent).toEqual(['one', 'one', 'one']);
});

it('tries in time where the connection stays away: only the answer tells', async () => {
  connection.now = 'lost';
  void sender.run();
  expect(sent).toEqual(['one']);
  await unreachable();
  await vi.advanceTimersByTimeAsync(RETRY_FIRST_MS);
  expect(sent).toEqual(['one', 'one']);
});

it('waits for the connection with what an earlier page left, and no longer than the first gap', async () => {
  connection.now = 'connecting';
  sender.wait();
  void sender.run();
  expect([sent, sender.isAway]).toEqual([[], true]);
  await vi.advanceTimersByTimeAsync(RETRY_FIRST_MS);
  expect(sent).toEqual(['one']);
});

it('waits for nothing once all that waited is given up', async () => {
  void sender.run();
  connection.now = 'lost';
  await unreachable();
  waiting = [];
  void sender.run();
  expect([sender.isAway, vi.getTimerCount()]).toEqual([false, 0]);
});

it('keeps to the time that the program named where what waited is given up before it', async () => {
  void sender.run();
  await busy(20);
  waiting = [];
  void sender.run();
  waiting = ['three'];
  void sender.run();
  expect(sent).toEqual(['one']);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(sent).toEqual(['one', 'three']);
});

it('takes in no answer after it was stopped', async () => {
  void sender.run();
  sender.stop();
  await answer({ saved: 'first' });
  void sender.run();
  expect([sent, heard]).toEqual([['one'], []]);
});

it('ends with what can be sent, and tries nothing again then', async () => {
  void sender.run();
  sender.end();
  await answer({ saved: 'first' });
  expect(sent).toEqual(['one', 'two']);
  await unreachable();
  expect([heard, sender.isStopped]).toEqual([['first'], true]);
});
