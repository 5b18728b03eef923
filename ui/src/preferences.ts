/** Small choices that belong to this browser, not to the account: theme, collapsed navigation, chosen workspace. */
import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
const held = new Map<string, string | null>();

function read(name: string): string | null {
  if (!held.has(name)) {
    let stored: string | null = null;
    try {
      stored = localStorage.getItem(`pilothouse.${name}`);
    } catch {
      // Storage may be switched off; the choice then lives as long as the page.
    }
    held.set(name, stored);
  }
  return held.get(name) ?? null;
}

/** Sets a choice; null forgets it. */
export function setPreference(name: string, value: string | null) {
  held.set(name, value);
  try {
    if (value === null) localStorage.removeItem(`pilothouse.${name}`);
    else localStorage.setItem(`pilothouse.${name}`, value);
  } catch {
    // As above.
  }
  for (const listener of listeners) listener();
}

/** A choice and how to change it. */
export function usePreference(name: string): [string | null, (value: string | null) => void] {
  const value = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => read(name),
  );
  return [value, (next) => setPreference(name, next)];
}

/**
 * The member that "me" stands for: whoever is signed in here is the account's owner and none of its members until one is
 * chosen. The choice belongs to the browser, as the sign-in does.
 */
export const useMe = () => usePreference('me');

/** Whether a media query holds. */
export const useMedia = (query: string) =>
  useSyncExternalStore(
    (listener) => {
      const media = matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );

/** Light, dark, or as the system has it. */
export type Theme = 'system' | 'light' | 'dark';

/** Sets the theme of the page. */
export function applyTheme(theme: Theme = (read('theme') as Theme | null) ?? 'system') {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** Chooses the theme and keeps the choice. */
export function chooseTheme(theme: Theme) {
  setPreference('theme', theme === 'system' ? null : theme);
  applyTheme(theme);
}
