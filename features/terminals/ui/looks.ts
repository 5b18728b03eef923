/** Colors and font of terminals: the page's own, and the sixteen of programs in both themes. */
import type { ITheme } from '@xterm/xterm';

const LIGHT: ITheme = {
  black: '#1d1e23',
  red: '#b3261e',
  green: '#16734a',
  yellow: '#85530b',
  blue: '#3a52bd',
  magenta: '#8b3a9e',
  cyan: '#0e6e7c',
  white: '#656a77',
  brightBlack: '#4d515d',
  brightRed: '#c93a31',
  brightGreen: '#1d8758',
  brightYellow: '#9a6412',
  brightBlue: '#4c66dd',
  brightMagenta: '#a24fb5',
  brightCyan: '#178394',
  brightWhite: '#878c99',
};

const DARK: ITheme = {
  black: '#3d414b',
  red: '#f49a92',
  green: '#68c996',
  yellow: '#e3b565',
  blue: '#9dadf8',
  magenta: '#dba3ea',
  cyan: '#74c9d8',
  white: '#b9bdc8',
  brightBlack: '#969ba8',
  brightRed: '#f9b4ae',
  brightGreen: '#8bd9b0',
  brightYellow: '#eccb8f',
  brightBlue: '#bcc8fb',
  brightMagenta: '#e8c0f2',
  brightCyan: '#9bdae5',
  brightWhite: '#eceef2',
};

/** The value of a color of the page where the element is. */
function resolved(element: HTMLElement, color: string): string {
  const probe = element.appendChild(document.createElement('span'));
  probe.style.color = `var(${color})`;
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

export function themeAt(element: HTMLElement, isDark: boolean): ITheme {
  const ink = resolved(element, '--ink');
  return {
    ...(isDark ? DARK : LIGHT),
    background: resolved(element, '--bg-sunken'),
    foreground: ink,
    cursor: resolved(element, '--accent-ink'),
    cursorAccent: resolved(element, '--bg-sunken'),
    selectionBackground: resolved(element, '--bg-active'),
    selectionForeground: ink,
  };
}

export const fontAt = (element: HTMLElement) => getComputedStyle(element).getPropertyValue('--mono').trim();
