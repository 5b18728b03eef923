import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { webAddress } from '@shell/components/Markdown';
import Code from './Code';
import Diff, { linesOf } from './Diff';
import Markdown from './Markdown';
import { pictureAddress } from './Picture';
import Terminal, { settled } from './Terminal';

const ESC = '\u001b';
const html = (text: string) => {
  const { container, unmount } = render(<Markdown text={text} />);
  const shown = container.firstElementChild!.innerHTML;
  unmount();
  return shown;
};

describe('what an agent says', () => {
  it('shows headings, lists, tables and emphasis', () => {
    expect(html('# Head\n\n- **one**\n- ~~two~~')).toBe(
      '<p class="markdown-head" data-depth="1">Head</p><ul><li><strong>one</strong></li><li><s>two</s></li></ul>',
    );
    expect(html('| a | b |\n|---|---|\n| 1 | 2 |')).toContain('<td>2</td>');
    expect(html('`a <b>` &amp; c')).toBe('<p><code>a &lt;b&gt;</code> &amp; c</p>');
  });

  it('leads to the web only, and tells nobody from where', () => {
    expect(html('[x](https://example.org/)')).toBe(
      '<p><a href="https://example.org/" target="_blank" rel="noopener noreferrer" title="https://example.org/">x</a></p>',
    );
    for (const href of ['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', '//x', 'vbscript:x'])
      expect(webAddress(href)).toBeNull();
  });

  const HOSTILE = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<iframe srcdoc="x">',
    '<style>*{display:none}</style>',
    '<details open ontoggle=alert(1)>',
    '![x](https://evil.example/pixel.png)',
    '![x](javascript:alert(1))',
    '[x](javascript:alert(1))',
    '[x](&#106;avascript:alert(1))',
    '| <img src=x onerror=alert(1)> |\n|---|\n| <b>x</b> |',
    '# <svg onload=alert(1)>',
    '- [x] <img src=x onerror=alert(1)>',
    '[a]: javascript:alert(1)\n\n[a]',
    '<a href="javascript:alert(1)">x</a>',
    '```html\n<script>alert(1)</script>\n```',
    '```"><img src=x onerror=alert(1)>\nx\n```',
  ];
  const TAGS = new Set([
    'P',
    'STRONG',
    'EM',
    'S',
    'BR',
    'BLOCKQUOTE',
    'CODE',
    'PRE',
    'UL',
    'OL',
    'LI',
    'A',
    'SPAN',
    'DIV',
    'TABLE',
    'THEAD',
    'TBODY',
    'TR',
    'TH',
    'TD',
    'HR',
    'BUTTON',
    'SVG',
    'PATH',
    'RECT',
  ]);
  it.each(HOSTILE)('%s is text, or a link to the web', (text) => {
    const { container } = render(<Markdown text={text} />);
    for (const element of container.querySelectorAll('*')) {
      expect(TAGS).toContain(element.tagName.toUpperCase());
      for (const { name } of element.attributes) expect(name).not.toMatch(/^on/);
      if (element instanceof HTMLAnchorElement) expect(['http:', 'https:']).toContain(element.protocol);
    }
  });

  it('may nest as deep as it wants', () => {
    for (const text of [
      '>'.repeat(5_000),
      '- '.repeat(2_000),
      `${'*'.repeat(3_000)}a${'*'.repeat(3_000)}`,
      '['.repeat(5_000),
    ])
      expect(html(text)).toMatch(/\S/);
  });

  it('colors code of a language that it knows, and shows any other as it is', async () => {
    const { container } = render(<Code text={'let a = "<i>";'} language="rust" />);
    await waitFor(() => expect(container.querySelector('.hljs-keyword')?.textContent).toBe('let'));
    expect(container.querySelector('pre')?.textContent).toBe('let a = "<i>";');
    const other = render(<Code text="<b>" language="nothing" />);
    expect(other.container.querySelector('pre')?.textContent).toBe('<b>');
  });
});

describe('what a command wrote', () => {
  it('shows its colors and nothing else of what drives a terminal', () => {
    const { container } = render(
      <Terminal label="Output" text={`${ESC}]0;title\u0007${ESC}[2J${ESC}[31mred${ESC}[0m <b>plain</b>`} />,
    );
    expect(container.querySelector('.ansi-red')?.textContent).toBe('red');
    expect(container.querySelector('pre')?.textContent).toBe('red <b>plain</b>');
    expect(container.querySelector('b')).toBeNull();
  });

  it('shows a line as it stood at the end', () => {
    expect(settled('10%\r50%\r100%\ndone\r\n')).toBe('100%\ndone\n');
    expect(settled(`a${ESC}]8;;https://x\u0007link${ESC}]8;;\u0007`)).toBe('alink');
    expect(settled(`x${ESC}]0;never ended`)).toBe('x');
  });

  it('shows the end of much, and all of it when asked', async () => {
    render(<Terminal label="Output" text={Array.from({ length: 1_000 }, (_, at) => `line ${at}`).join('\n')} />);
    expect(screen.getByLabelText('Output').textContent).not.toContain('line 700');
    await userEvent.click(screen.getByRole('button', { name: /Show 800 earlier lines/ }));
    expect(screen.getByLabelText('Output').textContent).toContain('line 0\n');
  });
});

describe('what a tool changes', () => {
  it('shows lines that go and come, with their numbers', () => {
    expect(linesOf('a\nb\nc\n', 'a\nB\nc\n')).toEqual([
      { sign: ' ', text: 'a', number: 1 },
      { sign: '-', text: 'b', number: 2 },
      { sign: '+', text: 'B', number: 2 },
      { sign: ' ', text: 'c', number: 3 },
    ]);
    expect(linesOf('', 'new\n')).toEqual([{ sign: '+', text: 'new', number: 1 }]);
  });

  it('says by words what it says by color, and shows markup as text', () => {
    const { container } = render(<Diff path="a.html" before="<p>" after="<img src=x>" />);
    expect(container.textContent).toContain('Added: <img src=x>');
    expect(container.querySelector('img')).toBeNull();
  });

  it('does not compare what takes too long', () => {
    expect(linesOf('x'.repeat(600_000), 'y'.repeat(600_000))).toBeNull();
  });
});

it('shows only pictures that are nothing but pictures', () => {
  expect(pictureAddress('image/png', 'iVBORw0KGgo=')).toBe('data:image/png;base64,iVBORw0KGgo=');
  for (const [mime, data] of [
    ['image/svg+xml', 'PHN2Zz4='],
    ['text/html', 'PGI+'],
    ['image/png', '"><script>'],
    ['image/png', ''],
  ] as const)
    expect(pictureAddress(mime, data)).toBeNull();
});
