/**
 * Renders Markdown safely. The `marked` library parses the text and the elements named here are made from its tokens, never
 * from the HTML that it could write: raw HTML stays text, links lead to the web only, and images are links, so that nothing
 * is loaded. Import this file lazily: the library weighs 15 KiB compressed, so it isn't part of `@shell/components`.
 */
import { memo, useMemo, type ReactNode } from 'react';
import { Marked, type Token, type Tokens } from 'marked';
import './markdown.css';

export type { Token };

/** Tokens nested deeper are shown as source text. */
const DEPTH_MAX = 20;

/** A part of Markdown that a syntax can turn off; its source then stays text. */
export type MarkdownPart = 'code' | 'heading' | 'lheading' | 'hr' | 'table' | 'del' | 'task' | 'entity';

/** An inline token of the page's own. It's passed to `renderText` as it was written. */
export interface InlineToken {
  name: string;
  /** Begins every such token. */
  start: string;
  /** Matches the whole token at the start of a text. */
  pattern: RegExp;
}

/** The Markdown that a text may use. */
export interface MarkdownSyntax {
  /** The tokens of a text; null if it's nested too deep to parse. */
  parse: (text: string) => readonly Token[] | null;
  has: (part: MarkdownPart) => boolean;
}

const off = () => undefined;

/** GitHub's Markdown with line breaks, without raw HTML, link definitions, and the parts named in `without`. */
export function markdownSyntax({
  without = [],
  inline = [],
}: { without?: readonly MarkdownPart[]; inline?: readonly InlineToken[] } = {}): MarkdownSyntax {
  const isOff = new Set(without);
  const rules = (['code', 'heading', 'lheading', 'hr', 'table', 'del'] as const).filter((part) => isOff.has(part));
  const marked = new Marked({
    gfm: true,
    breaks: true,
    tokenizer: { html: off, tag: off, def: off, ...Object.fromEntries(rules.map((rule) => [rule, off])) },
    extensions: inline.map(({ name, start, pattern }) => ({
      name,
      level: 'inline',
      start: (text) => {
        const at = text.indexOf(start);
        return at < 0 ? undefined : at;
      },
      tokenizer: (text) => {
        const raw = pattern.exec(text)?.[0];
        return raw === undefined ? undefined : { type: name, raw };
      },
    })),
  });
  return {
    parse: (text) => {
      try {
        return marked.lexer(text);
      } catch {
        return null;
      }
    },
    has: (part) => !isOff.has(part),
  };
}

/** The address of a link to the web; null for every other link. */
export function webAddress(href: string): string | null {
  try {
    const url = new URL(href);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
  } catch {
    return null;
  }
}

interface Look {
  syntax: MarkdownSyntax;
  /** Renders a run of text; without it, the text is shown as it is. */
  renderText?: (text: string) => ReactNode;
  /** Renders a block of code. */
  renderCode?: (text: string, language: string) => ReactNode;
}

interface Within extends Look {
  depth: number;
  /** Links can't contain links. */
  isLink: boolean;
}

/** Shows Markdown. Define `syntax` and the renderers outside the component, or memoize them. */
export const Markdown = memo(function Markdown({
  text,
  className,
  ...look
}: Look & { text: string; className: string }) {
  const { syntax } = look;
  const tokens = useMemo(() => syntax.parse(text), [syntax, text]);
  return (
    <div className={`markdown ${className}`} dir="auto">
      {tokens ? shown(tokens, { ...look, depth: 0, isLink: false }) : <p>{look.renderText?.(text) ?? text}</p>}
    </div>
  );
});

const shown = (tokens: readonly Token[], within: Within): ReactNode[] =>
  tokens.map((token, at) => <One key={at} token={token} within={within} />);

/** The entities that tokens can still contain: the library decodes all others. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};
const decoded = (text: string) => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);

function One({ token, within }: { token: Token; within: Within }): ReactNode {
  const { syntax, renderCode, renderText = (text: string) => text } = within;
  if (within.depth >= DEPTH_MAX) return renderText(token.raw);
  const below = (tokens: readonly Token[] | undefined, isLink = within.isLink) =>
    shown(tokens ?? [], { ...within, depth: within.depth + 1, isLink });
  const words = (text: string) => renderText(syntax.has('entity') ? decoded(text) : text);
  switch (token.type) {
    case 'space':
      return null;
    case 'paragraph':
      return <p>{below(token.tokens)}</p>;
    case 'heading':
      // Not a heading element: the page has its own headings, and the text isn't one of its sections.
      return (
        <p className="markdown-head" data-depth={Math.min(4, (token as Tokens.Heading).depth)}>
          {below(token.tokens)}
        </p>
      );
    case 'hr':
      return <hr />;
    case 'strong':
      return <strong>{below(token.tokens)}</strong>;
    case 'em':
      return <em>{below(token.tokens)}</em>;
    case 'del':
      return <s>{below(token.tokens)}</s>;
    case 'br':
      return <br />;
    case 'blockquote':
      return <blockquote>{below(token.tokens)}</blockquote>;
    case 'codespan':
      return <code>{renderText((token as Tokens.Codespan).text)}</code>;
    case 'code': {
      const { text, lang } = token as Tokens.Code;
      if (renderCode) return renderCode(text, lang ?? '');
      return (
        <pre>
          <code>{renderText(text)}</code>
        </pre>
      );
    }
    case 'list': {
      const { ordered, start, items } = token as Tokens.List;
      const lines = items.map((item, at) => (
        <li key={at}>
          {item.task && syntax.has('task') && (item.checked ? '☑ ' : '☐ ')}
          {below(item.tokens)}
        </li>
      ));
      return ordered ? <ol start={start === '' ? 1 : start}>{lines}</ol> : <ul>{lines}</ul>;
    }
    case 'checkbox':
      return syntax.has('task') ? null : renderText(token.raw);
    case 'table':
      return <Table table={token as Tokens.Table} below={below} />;
    case 'link': {
      const href = webAddress((token as Tokens.Link).href);
      if (href === null) return renderText(token.raw);
      return within.isLink ? below(token.tokens) : <WebLink href={href}>{below(token.tokens, true)}</WebLink>;
    }
    case 'image': {
      const { href, text } = token as Tokens.Image;
      const to = webAddress(href);
      if (to === null) return renderText(token.raw);
      return within.isLink ? renderText(text || to) : <WebLink href={to}>{renderText(text || to)}</WebLink>;
    }
    case 'text':
      return token.tokens ? below(token.tokens) : words((token as Tokens.Text).text);
    case 'escape':
      return words((token as Tokens.Escape).text);
    default:
      return renderText(token.raw);
  }
}

/** The text that Markdown shows, each block on a line of its own. */
export function markdownText(syntax: MarkdownSyntax, text: string): string {
  const tokens = syntax.parse(text);
  return tokens ? textOf(tokens, syntax, 0) : text;
}

const textOf = (tokens: readonly Token[] | undefined, syntax: MarkdownSyntax, depth: number): string =>
  (tokens ?? []).map((token) => textOfOne(token, syntax, depth)).join('');

/** The text of what `One` shows. */
function textOfOne(token: Token, syntax: MarkdownSyntax, depth: number): string {
  if (depth >= DEPTH_MAX) return token.raw;
  const below = (tokens: readonly Token[] | undefined) => textOf(tokens, syntax, depth + 1);
  const words = (text: string) => (syntax.has('entity') ? decoded(text) : text);
  switch (token.type) {
    case 'space':
    case 'hr':
      return '';
    case 'br':
      return '\n';
    case 'paragraph':
    case 'heading':
    case 'blockquote':
      return `\n${below(token.tokens)}\n`;
    case 'strong':
    case 'em':
    case 'del':
      return below(token.tokens);
    case 'codespan':
      return (token as Tokens.Codespan).text;
    case 'code':
      return `\n${(token as Tokens.Code).text}\n`;
    case 'list': {
      const mark = (item: Tokens.ListItem) => (item.task && syntax.has('task') ? (item.checked ? '☑ ' : '☐ ') : '');
      return (token as Tokens.List).items.map((item) => `\n${mark(item)}${below(item.tokens)}\n`).join('');
    }
    case 'checkbox':
      return syntax.has('task') ? '' : token.raw;
    case 'table': {
      const { header, rows } = token as Tokens.Table;
      return [header, ...rows].flatMap((row) => row.map((cell) => `\n${below(cell.tokens)}\n`)).join('');
    }
    case 'link':
      return webAddress((token as Tokens.Link).href) === null ? token.raw : below(token.tokens);
    case 'image': {
      const { href, text } = token as Tokens.Image;
      const to = webAddress(href);
      return to === null ? token.raw : text || to;
    }
    case 'text':
      return token.tokens ? below(token.tokens) : words((token as Tokens.Text).text);
    case 'escape':
      return words((token as Tokens.Escape).text);
    default:
      return token.raw;
  }
}

function Table({
  table: { header, rows },
  below,
}: {
  table: Tokens.Table;
  below: (tokens: readonly Token[]) => ReactNode;
}) {
  return (
    <div className="markdown-table">
      <table>
        <thead>
          <tr>
            {header.map((cell, at) => (
              <th key={at} scope="col">
                {below(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, n) => (
                <td key={n}>{below(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A link out of the program. Its address shows on hover, and the other site learns nothing of where it was followed. */
const WebLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <a href={href} target="_blank" rel="noopener noreferrer" title={href}>
    {children}
  </a>
);
