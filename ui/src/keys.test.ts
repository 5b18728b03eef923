import { renderHook } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import type { FeatureUi } from './feature';
import { isShown, useSetting } from './settings';
import records from './testing/settings.json';

vi.mock('@tanstack/react-query', async (original) => ({
  ...(await original<object>()),
  useQuery: ({ select }: { select: (all: unknown) => unknown }) => ({ data: select({ settings: records }) }),
}));

it('a key that no setting has does not compile, and a value has the type of its setting', () => {
  const week: 'sunday' | 'monday' | undefined = renderHook(() => useSetting('calendarWeekStartDay')).result.current;
  expect(week).toBe('sunday');
  const seconds: number | undefined = renderHook(() => useSetting('toastDisplayDurationSeconds')).result.current;
  expect(seconds).toBe(8);
  // @ts-expect-error No setting has this key.
  expect(renderHook(() => useSetting('calendarWeekStart')).result.current).toBeUndefined();
  const nav: FeatureUi['nav'] = [
    // @ts-expect-error Not on or off: it shows nothing.
    { order: 1, label: 'Weeks', icon: 'board', path: '/weeks', shownBy: 'calendarWeekStartDay' },
  ];
  expect(isShown(nav![0]!, undefined)).toBe(true);
});
