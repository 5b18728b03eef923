/** Where cells lead. */
import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Column, ColumnType } from './data';
import { Follow, leadsTo } from './Follow';

const of = (type: ColumnType): Column => ({ id: 'c1', title: 'Column', type, settings: {} });

it.each<[ColumnType, string | null, string | null]>([
  ['link', 'https://example.com/t/16', 'https://example.com/t/16'],
  ['link', 'http://example.com', 'http://example.com/'],
  ['link', 'mailto:anna@example.com', 'mailto:anna@example.com'],
  ['link', 'javascript:alert(1)', null],
  ['link', ' JavaScript:alert(1)', null],
  ['link', 'data:text/html,x', null],
  ['link', 'file:///etc/passwd', null],
  ['link', 'not an address', null],
  ['link', null, null],
  ['email', 'anna@example.com', 'mailto:anna@example.com'],
  ['email', 'anna+tag@example.com?bcc=x@y.z', null],
  ['email', 'anna@example.com?bcc=all', 'mailto:anna@example.com%3Fbcc%3Dall'],
  ['email', 'anna', null],
  ['phone', '+49 (30) 123-45', 'tel:+493012345'],
  ['phone', 'none', null],
  ['text', 'https://example.com', null],
])('a %s %j leads to %j', (type, value, href) => {
  expect(leadsTo(value, of(type))).toBe(href);
});

it('opens in another tab that knows nothing of this one', () => {
  render(<Follow column={of('link')} value="https://example.com/t/16" />);
  const link = screen.getByRole('link', { name: 'Open https://example.com/t/16' });
  expect(['href', 'target', 'rel', 'tabindex'].map((name) => link.getAttribute(name))).toEqual([
    'https://example.com/t/16',
    '_blank',
    'noopener noreferrer',
    '-1',
  ]);
});
