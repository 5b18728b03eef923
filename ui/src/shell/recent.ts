/** The commands that were chosen last. This browser stores their ids only, since labels are the account's data. */
import type { Command } from '../feature';
import { usePreference } from '../preferences';
import { perSignIn } from '../session';

const RECENT_MAX = 20;
/** Chosen since the page was opened, by id: some are listed only while they're searched for. */
const chosen = new Map<string, Command>();
perSignIn(() => chosen.clear());

/** The ids, newest first, and a function that puts a command on top. */
export function useRecent(): [string[], (command: Command) => void] {
  const [stored, store] = usePreference('recent-commands');
  const ids = stored?.split('\n') ?? [];
  const remember = (command: Command) => {
    chosen.set(command.id, command);
    const others = ids.filter((id) => id !== command.id);
    for (const id of others.slice(RECENT_MAX - 1)) chosen.delete(id);
    store([command.id, ...others].slice(0, RECENT_MAX).join('\n'));
  };
  return [ids, remember];
}

/** The commands with the last chosen ones on top, in a group of their own. */
export function recentFirst(commands: readonly Command[], ids: readonly string[]): Command[] {
  const byId = new Map(commands.map((command) => [command.id, command]));
  const recent = ids.flatMap((id) => byId.get(id) ?? chosen.get(id) ?? []);
  const isRecent = new Set(recent.map(({ id }) => id));
  return [
    ...recent.map((command) => ({ ...command, group: 'Recent' })),
    ...commands.filter(({ id }) => !isRecent.has(id)),
  ];
}
