/** Saved addresses: web addresses, and pages of Pilothouse as paths such as `/app/inbox`. */

const BASE = '/app';

/** The address of a typed text: `example.com` becomes `https://example.com`. Others stay, for the server to judge. */
export function completeAddress(text: string): string {
  const typed = text.trim();
  const isPage = typed === BASE || typed.startsWith(`${BASE}/`);
  if (typed === '' || isPage || /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(typed)) return typed;
  return /^[^\s/]+(\.|:\d)[^\s]*$|^localhost(\/|$)/i.test(typed) ? `https://${typed}` : typed;
}

/** The path below /app of a page of Pilothouse; undefined for web addresses. */
export const pagePath = (address: string) =>
  address === BASE || address.startsWith(`${BASE}/`) || address.startsWith(`${BASE}?`)
    ? address.slice(BASE.length) || '/'
    : undefined;

/** Opens a page here, and a web address in a new tab. Nothing else is opened. */
export function openAddress(address: string, navigate: (path: string) => void): void {
  const path = pagePath(address);
  if (path !== undefined) navigate(path);
  else if (/^https?:\/\//i.test(address)) window.open(address, '_blank', 'noopener,noreferrer');
}
