import { QueryObserver } from '@tanstack/react-query';
import { expect, it, vi } from 'vitest';
import { makeQueryClient } from './query';

it('asks again when something happened while the first answer was on its way, and once however much happened', async () => {
  const client = makeQueryClient();
  const answers: ((value: string) => void)[] = [];
  const ask = vi.fn(() => new Promise<string>((resolve) => answers.push(resolve)));
  const seen: (string | undefined)[] = [];
  const stop = new QueryObserver(client, { queryKey: ['views'], queryFn: ask }).subscribe(({ data }) => seen.push(data));
  const told = [client.invalidateQueries({ queryKey: ['views'] }), client.invalidateQueries()];
  expect(ask).toHaveBeenCalledOnce();
  answers[0]?.('old');
  await vi.waitFor(() => expect(ask).toHaveBeenCalledTimes(2));
  answers[1]?.('new');
  await Promise.all(told);
  expect(seen.at(-1)).toBe('new');
  expect(ask).toHaveBeenCalledTimes(2);
  stop();
});

it('asks without a network too: the program is on this machine', async () => {
  const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  window.dispatchEvent(new Event('offline'));
  await expect(makeQueryClient().fetchQuery({ queryKey: ['views'], queryFn: () => 'read' })).resolves.toBe('read');
  online.mockRestore();
  window.dispatchEvent(new Event('online'));
});
