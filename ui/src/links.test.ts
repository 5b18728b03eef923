import { expect, it, vi } from 'vitest';
import { completeAddress, openAddress, pagePath } from './links';

it('completes addresses, and leaves others as they are', () => {
  const typed = [
    'example.com/a',
    ' https://e.com ',
    'localhost:3000',
    '/app/inbox',
    'javascript:alert(1)',
    'notes',
    '',
  ];
  expect(typed.map(completeAddress)).toEqual([
    'https://example.com/a',
    'https://e.com',
    'https://localhost:3000',
    '/app/inbox',
    'javascript:alert(1)',
    'notes',
    '',
  ]);
});

it('opens pages here and web addresses in a tab, and nothing else', () => {
  const navigate = vi.fn();
  const open = vi.spyOn(window, 'open').mockReturnValue(null);
  for (const address of ['/app/inbox', '/app', 'https://e.com', 'javascript:alert(1)', 'file:///etc', '/other'])
    openAddress(address, navigate);
  expect(navigate.mock.calls).toEqual([['/inbox'], ['/']]);
  expect(open.mock.calls).toEqual([['https://e.com', '_blank', 'noopener,noreferrer']]);
  expect(pagePath('/application')).toBeUndefined();
});
