/** Appearance of boards according to the settings, applied immediately to all boards. */
import { useEffect } from 'react';
import { useSetting } from '@shell/settings';
import './display.css';

/** Height of a line for each density, in pixels. */
export const ROW_PX: Readonly<Record<string, number>> = { dense: 28, compact: 32, comfortable: 36, spacious: 46 };
const DEFAULT_ROW_PX = 36;

/** Height of a line now. */
export function useRowPx(): number {
  const density = useSetting('pmBoardDensity');
  return ROW_PX[density ?? ''] ?? DEFAULT_ROW_PX;
}

/** Height of an entry of the calendar with the gap below it: less than a line, but for its letters never too little. */
export const entryPx = (rowPx: number): number => Math.max(rowPx - 12, (rowPx + 12) / 2);

/** Makes the page light or dark for as long as a board page is shown. With `system` the page stays as it is: it follows the system. */
export function useBoardTheme() {
  const mode = useSetting('pmColorMode');
  useEffect(() => {
    const root = document.documentElement;
    if (mode === 'light' || mode === 'dark') root.dataset.boardTheme = mode;
    return () => delete root.dataset.boardTheme as unknown as void;
  }, [mode]);
}
