import { MutationObserver, onlineManager, QueryObserver } from '@tanstack/react-query';
import { waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { ApiError } from './api';
import { makeQueryClient } from './query';

it('asks again when something happened while the first answer was on its way, and once however much happened', async () => {
  const client = makeQueryClient();
  const answers: ((value: string) => void)[] = [];
  const ask = vi.fn(() => new Promise<string>((resolve) => answers.push(resolve)));
  const seen: (string | undefined)[] = [];
  const stop = new QueryObserver(client, { queryKey: ['views'], queryFn: ask }).subscribe(({ data }) =>
    seen.push(data),
  );
  const told = [client.invalidateQueries({ queryKey: ['views'] }), client.invalidateQueries()];
  expect(ask).toHaveBeenCalledOnce();
  answers[0]?.('old');
  await waitFor(() => expect(ask).toHaveBeenCalledTimes(2));
  answers[1]?.('new');
  await Promise.all(told);
  expect(seen.at(-1)).toBe('new');
  expect(ask).toHaveBeenCalledTimes(2);
  stop();
});

it('tries at once, when news comes, what got no answer and would be tried later', async () => {
  const client = makeQueryClient();
  const ask = vi.fn<() => Promise<string>>().mockResolvedValueOnce('old');
  const observer = new QueryObserver(client, { queryKey: ['views'], queryFn: ask });
  const stop = observer.subscribe(() => {});
  await waitFor(() => expect(observer.getCurrentResult().data).toBe('old'));
  ask.mockRejectedValueOnce(new ApiError(0, {})).mockResolvedValue('new');
  void client.invalidateQueries();
  await waitFor(() => expect(observer.getCurrentResult().failureCount).toBe(1));
  void client.invalidateQueries();
  expect(ask).toHaveBeenCalledTimes(3);
  await waitFor(() => expect(observer.getCurrentResult().data).toBe('new'));
  stop();
});

it('tries at once, when news comes, a first reading that got no answer, and shows what is said after the news', async () => {
  const client = makeQueryClient();
  const answers: { resolve: (value: string) => void; reject: (reason: unknown) => void }[] = [];
  const ask = vi.fn(() => new Promise<string>((resolve, reject) => answers.push({ resolve, reject })));
  const observer = new QueryObserver(client, { queryKey: ['views'], queryFn: ask });
  const stop = observer.subscribe(() => {});
  answers[0]?.reject(new ApiError(0, {}));
  await waitFor(() => expect(observer.getCurrentResult().failureCount).toBe(1));
  // While it waits to be tried again.
  void client.invalidateQueries();
  expect(ask).toHaveBeenCalledTimes(2);
  answers[1]?.reject(new ApiError(0, {}));
  await waitFor(() => expect(ask).toHaveBeenCalledTimes(3));
  // While the second try is under way, whose answer may be older than the news.
  void client.invalidateQueries();
  expect(ask).toHaveBeenCalledTimes(4);
  answers[2]?.resolve('old');
  answers[3]?.resolve('new');
  await waitFor(() => expect(observer.getCurrentResult().data).toBe('new'));
  expect(observer.getCurrentResult().fetchStatus).toBe('idle');
  stop();
});

it('leaves a reading alone when news comes, shows its answer, and asks once more; news after that asks again', async () => {
  const client = makeQueryClient();
  const answers: ((value: string) => void)[] = [];
  const aborted = vi.fn();
  const ask = vi.fn(({ signal }: { signal: AbortSignal }) => {
    signal.addEventListener('abort', aborted);
    return new Promise<string>((resolve) => answers.push(resolve));
  });
  const observer = new QueryObserver(client, { queryKey: ['views'], queryFn: ask });
  const stop = observer.subscribe(() => {});
  const data = () => observer.getCurrentResult().data;
  answers[0]?.('first');
  await waitFor(() => expect(data()).toBe('first'));
  for (let round = 1; round < 6; round += 2) {
    void client.invalidateQueries({ queryKey: ['views'] });
    expect(ask).toHaveBeenCalledTimes(round + 1);
    const told = [client.invalidateQueries(), client.invalidateQueries({ queryKey: ['views'] })];
    answers[round]?.(`old ${round}`);
    await waitFor(() => expect(data()).toBe(`old ${round}`));
    await waitFor(() => expect(ask).toHaveBeenCalledTimes(round + 2));
    answers[round + 1]?.(`new ${round}`);
    await Promise.all(told);
    expect(data()).toBe(`new ${round}`);
    expect(ask).toHaveBeenCalledTimes(round + 2);
  }
  expect(aborted).not.toHaveBeenCalled();
  stop();
});

it('asks again where the answer that was on its way when something happened is a failure', async () => {
  const client = makeQueryClient();
  let fail = (_: unknown) => {};
  const ask = vi.fn(() => new Promise<string>((_, reject) => (fail = reject)));
  const stop = new QueryObserver(client, { queryKey: ['views'], queryFn: ask }).subscribe(() => {});
  const told = client.invalidateQueries();
  fail(new ApiError(403, {}));
  await waitFor(() => expect(ask).toHaveBeenCalledTimes(2));
  fail(new ApiError(403, {}));
  await expect(told).resolves.toBeUndefined();
  stop();
});

it('asks and changes without a network too: the program is on this machine', async () => {
  onlineManager.setOnline(false);
  const client = makeQueryClient();
  const ask = vi.fn(() => 'read');
  const change = vi.fn(() => Promise.resolve('changed'));
  void client.fetchQuery({ queryKey: ['views'], queryFn: ask });
  void new MutationObserver(client, { mutationFn: change }).mutate();
  await waitFor(() => expect([ask.mock.calls.length, change.mock.calls.length]).toEqual([1, 1]));
  onlineManager.setOnline(true);
});
