import { render } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import Markdown from './CommentText';

const members = [
  { id: 'm_1', name: 'Ada Lane' },
  { id: 'm-2', name: 'Grace_Hop' },
];
const html = (text: string) => {
  const { container, unmount } = render(<Markdown text={text} members={members} />);
  const shown = container.firstElementChild!.innerHTML;
  unmount();
  return shown;
};
const link = (href: string, text: string) =>
  `<a href="${href}" target="_blank" rel="noopener noreferrer" title="${href}">${text}</a>`;
const chip = (name: string) => `<span class="mention">@<bdi>${name}</bdi></span>`;

describe('a comment', () => {
  it('shows emphasis, code, lists, quotes and line breaks', () => {
    expect(html('**Bold** and *slanted*, `a <b>`\nnext\n\nnew')).toBe(
      '<p><strong>Bold</strong> and <em>slanted</em>, <code>a &lt;b&gt;</code><br>next</p><p>new</p>',
    );
    expect(html('- one\n- two\n  1. three')).toBe('<ul><li>one</li><li>two<ol start="1"><li>three</li></ol></li></ul>');
    expect(html('3. three\n4. four')).toBe('<ol start="3"><li>three</li><li>four</li></ol>');
    expect(html('> said\n> so')).toBe('<blockquote><p>said<br>so</p></blockquote>');
    expect(html('```js\nlet a = "<i>";\n```')).toBe('<pre><code>let a = "&lt;i&gt;";</code></pre>');
  });

  it('leaves everything else as it was written', () => {
    for (const text of [
      '# Head',
      '---',
      'a\n===',
      '| a | b |\n|---|---|',
      '~~gone~~',
      '    indented',
      '[a]: /there\n[a]',
      '&amp; &lt;',
      '2 * 3 * 4',
      'snake_case_name',
      'C:\\dir\\file',
      '[ ] open',
    ]) {
      expect(
        html(text)
          .replace(/<br>/g, '\n')
          .replace(/<\/?p>/g, '')
          .replaceAll('&lt;', '<')
          .replaceAll('&amp;', '&')
          .trim(),
      ).toBe(text.trim());
    }
    expect(html('- [x] done')).toBe('<ul><li>[x] done</li></ul>');
  });

  it('links to the web only, to another tab that learns nothing', () => {
    expect(html('[here](https://example.org/a?b=1)')).toBe(`<p>${link('https://example.org/a?b=1', 'here')}</p>`);
    expect(html('see https://example.org/x.')).toBe(
      `<p>see ${link('https://example.org/x', 'https://example.org/x')}.</p>`,
    );
    expect(html('mail a@example.org')).toBe('<p>mail a@example.org</p>');
    for (const text of ['[x](/boards)', '[x](//evil.example)', '[x](mailto:a@example.org)', '[x](file:///etc/passwd)'])
      expect(html(text)).toBe(`<p>${text}</p>`);
  });

  it('shows a picture as a link, so that nothing is loaded', () => {
    expect(html('![a plan](https://example.org/plan.png)')).toBe(
      `<p>${link('https://example.org/plan.png', 'a plan')}</p>`,
    );
    expect(html('![](https://example.org/plan.png)')).toBe(
      `<p>${link('https://example.org/plan.png', 'https://example.org/plan.png')}</p>`,
    );
    expect(html('[![a](https://example.org/a.png)](https://example.org/)')).toBe(
      `<p>${link('https://example.org/', 'a')}</p>`,
    );
  });

  it('keeps mentions, wherever they stand', () => {
    expect(html('@[m_1] and **@[m-2]**, `@[m-2]`')).toBe(
      `<p>${chip('Ada Lane')} and <strong>${chip('Grace_Hop')}</strong>, <code>${chip('Grace_Hop')}</code></p>`,
    );
    expect(html('@[m_1](https://evil.example)')).toBe(
      `<p>${chip('Ada Lane')}(${link('https://evil.example/', 'https://evil.example')})</p>`,
    );
    expect(html('- @[m_1]\n- @[nobody]')).toBe(`<ul><li>${chip('Ada Lane')}</li><li>@[nobody]</li></ul>`);
  });
});

describe('a hostile comment', () => {
  const SCRIPTS = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<svg/onload=alert(1)>',
    '<iframe src="javascript:alert(1)"></iframe>',
    '<a href="javascript:alert(1)">x</a>',
    '<style>*{display:none}</style>',
    '<math><mtext></mtext><img src onerror=alert(1)></math>',
    '<!-- <img src=x onerror=alert(1)> -->',
    '<div style="position:fixed;inset:0">',
    '<form action="https://evil.example"><button>',
    '<javascript:alert(1)>',
    '<details open ontoggle=alert(1)>',
    '- <b>x</b>\n  <img src=x onerror=alert(1)>',
    '> <object data=x>',
    '```"><img src=x onerror=alert(1)>\nx\n```',
    '`<img src=x onerror=alert(1)>`',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x]( javascript:alert(1))',
    '[x](java\tscript:alert(1))',
    '[x](<java\nscript:alert(1)>)',
    '[x](&#106;avascript:alert(1))',
    '[x](javascript&colon;alert(1))',
    '[x](\u0001javascript:alert(1))',
    '[x](vbscript:msgbox(1))',
    '[x](data:text/html;base64,PHNjcmlwdD4=)',
    '[x](blob:https://example.org/1)',
    '![x](javascript:alert(1))',
    '![x](data:image/svg+xml,<svg onload=alert(1)>)',
    '![x](https://evil.example/pixel.gif "t" onerror=alert(1))',
    '[x](https://evil.example" onmouseover="alert(1))',
    '[x](https://evil.example "x" onclick=alert(1))',
    '[<img src=x onerror=alert(1)>](https://example.org)',
    '![<img src=x onerror=alert(1)>](https://example.org/a.png)',
    '[a]: javascript:alert(1)\n\n[a]',
    '@[m_1](javascript:alert(1))',
    '<https://example.org/"onmouseover="alert(1)>',
    'https://example.org/<script>alert(1)</script>',
    '**<img src=x onerror=alert(1)>**',
  ];
  const TAGS = new Set(['P', 'STRONG', 'EM', 'BR', 'BLOCKQUOTE', 'CODE', 'PRE', 'UL', 'OL', 'LI', 'A', 'SPAN', 'BDI']);
  const ATTRIBUTES = new Set(['href', 'target', 'rel', 'title', 'class', 'start']);

  it.each(SCRIPTS)('%s is text, or a link to the web', (text) => {
    const { container } = render(<Markdown text={text} members={members} />);
    for (const element of container.firstElementChild!.querySelectorAll('*')) {
      expect(TAGS).toContain(element.tagName);
      for (const { name } of element.attributes) expect(ATTRIBUTES).toContain(name);
      if (element instanceof HTMLAnchorElement) {
        expect(['http:', 'https:']).toContain(element.protocol);
        expect([element.target, element.rel]).toEqual(['_blank', 'noopener noreferrer']);
      }
    }
  });

  it('may nest as deep as it wants', () => {
    for (const text of [
      '>'.repeat(9_999),
      '> '.repeat(4_999),
      `${'*'.repeat(4_999)}a${'*'.repeat(4_999)}`,
      '1. '.repeat(3_333),
      Array.from({ length: 100 }, (_, at) => `${' '.repeat(2 * at)}- a`)
        .join('\n')
        .slice(0, 10_000),
      '['.repeat(10_000),
      '![a](b'.repeat(1_500),
      'a`'.repeat(5_000),
    ]) {
      const { container, unmount } = render(<Markdown text={text} members={members} />);
      expect(container.textContent).toMatch(/\S/);
      unmount();
    }
  });
});
