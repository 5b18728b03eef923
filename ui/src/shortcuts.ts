/** Keyboard shortcuts of the current page. Binding a key also lists it under `?`. */
import { useEffect, useRef, useSyncExternalStore } from 'react';

/** A key and what it does. */
export interface Shortcut {
  /**
   * `/`, `Enter`, `Mod+k` (Ctrl, or Command on macOS), `Mod+Shift+z`, or two letters one after the other: `g s`. Keys with
   * `Mod+Shift+` come before all others, also before those of the focused element.
   */
  keys: string;
  label: string;
  /** Returns `false` if the shortcut doesn't apply now. Without `run`, the key is only listed. */
  run?: (event: KeyboardEvent) => void | false;
}

/** Shortcuts under one heading of the `?` list. */
export interface ShortcutGroup {
  title: string;
  shortcuts: readonly Shortcut[];
}

/** A group with how many modal dialogs were open when it was bound. */
interface Bound extends ShortcutGroup {
  layer: number;
}

const SECOND_KEY_MS = 1200;
const listeners = new Set<() => void>();
let groups: readonly Bound[] = [];
let pending: { key: string; at: number } | null = null;

function update(next: readonly Bound[]) {
  groups = next;
  for (const listener of listeners) listener();
}

/** Whether the focused element takes text, so that single letters aren't shortcuts. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'range'].includes(target.type);
}

/** Number of open modal dialogs. Shortcuts bound before the last one are behind it. */
const modals = () => document.querySelectorAll('.scrim:not([data-exiting])').length;

/** Whether the previous key was the first of two, so that this letter isn't a shortcut of its own. */
function isSecond(event: KeyboardEvent): boolean {
  if (pending === null || event.timeStamp - pending.at >= SECOND_KEY_MS) return false;
  const first = `${pending.key} `;
  return groups.some(({ shortcuts }) => shortcuts.some(({ keys, run }) => run && keys.startsWith(first)));
}

const CHORD = 'Mod+Shift+';

function matches(shortcut: Shortcut, event: KeyboardEvent): boolean {
  if (shortcut.keys.startsWith(CHORD)) return false;
  if (shortcut.keys.startsWith('Mod+')) {
    return (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === shortcut.keys.slice(4);
  }
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return false;
  const [first, second] = shortcut.keys.split(' ');
  if (!second) return event.key === first && !(first.length === 1 && isSecond(event));
  return event.key === second && pending?.key === first && isSecond(event);
}

function onKeyDown(event: KeyboardEvent) {
  if (event.defaultPrevented || event.isComposing) return;
  const layer = modals();
  // The last mounted group is the innermost, so it comes first.
  for (const group of [...groups].reverse()) {
    if (group.layer < layer) continue;
    for (const shortcut of group.shortcuts) {
      if (!shortcut.run || !matches(shortcut, event)) continue;
      if (shortcut.run(event) === false) continue;
      event.preventDefault();
      pending = null;
      return;
    }
  }
  pending = isTyping(event.target) || event.key.length !== 1 ? null : { key: event.key, at: event.timeStamp };
}

/** Runs `Mod+Shift+` keys before the focused element gets them. */
function onChord(event: KeyboardEvent) {
  if (!event.shiftKey || !(event.ctrlKey || event.metaKey) || event.altKey || event.isComposing) return;
  const layer = modals();
  const bound = [...groups].reverse().filter((group) => group.layer >= layer);
  const key = event.key.toLowerCase();
  const chord = bound
    .flatMap(({ shortcuts }) => shortcuts)
    .find(({ keys, run }) => run && keys.startsWith(CHORD) && keys.slice(CHORD.length) === key);
  if (!chord || chord.run?.(event) === false) return;
  event.preventDefault();
  event.stopPropagation();
  pending = null;
}

/** Binds keys while the component is mounted and lists them under `title`. */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]) {
  const newest = useRef(shortcuts);
  useEffect(() => {
    newest.current = shortcuts;
  });
  const listed = shortcuts.map((s) => `${s.keys}\0${s.label}\0${s.run ? 1 : 0}`).join('\n');
  // Set once: a shortcut bound again with another label keeps its position.
  const layer = useRef<number>(null);
  useEffect(() => {
    const group: Bound = {
      title,
      layer: (layer.current ??= modals()),
      shortcuts: newest.current.map((s, i) => ({
        keys: s.keys,
        label: s.label,
        ...(s.run ? { run: (event: KeyboardEvent) => newest.current[i]?.run?.(event) } : {}),
      })),
    };
    if (groups.length === 0) {
      window.addEventListener('keydown', onKeyDown);
      window.addEventListener('keydown', onChord, true);
    }
    update([...groups, group]);
    return () => {
      update(groups.filter((g) => g !== group));
      if (groups.length === 0) {
        window.removeEventListener('keydown', onKeyDown);
        window.removeEventListener('keydown', onChord, true);
      }
    };
  }, [title, listed]);
}

/** All keys bound now, outermost first. */
export const useBoundShortcuts = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => groups,
  );
