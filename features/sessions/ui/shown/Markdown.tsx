/**
 * What an agent says, with its Markdown shown. Everything is made of elements named here: no HTML passes, nothing is loaded, and
 * links lead to the web only.
 */
import { lazy, memo, Suspense, useMemo, type ReactNode } from 'react';
import { Marked, type Token, type Tokens } from 'marked';
import './markdown.css';

/** Deeper, what is left is shown as text. */
const DEPTH_MAX = 20;
const Code = lazy(() => import('./Code'));

const off = () => undefined;
// Agents are no typists: raw HTML and definitions of links stay the text that they are.
const marked = new Marked({ gfm: true, breaks: true, tokenizer: { html: off, tag: off, def: off } });

/** The text taken apart; null where it is nested so deep that nobody could have meant it. */
function parse(text: string): readonly Token[] | null {
  try {
    return marked.lexer(text);
  } catch {
    return null;
  }
}

/** Where a link leads: to the web, or nowhere. */
export function address(href: string): string | null {
  try {
    const url = new URL(href);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
  } catch {
    return null;
  }
}

export default memo(function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => parse(text), [text]);
  return (
    <div className="said" dir="auto">
      {tokens ? shown(tokens, { depth: 0, isLink: false }) : <p>{text}</p>}
    </div>
  );
});

interface Within {
  depth: number;
  /** A link holds no other. */
  isLink: boolean;
}

const shown = (tokens: readonly Token[], within: Within): ReactNode[] =>
  tokens.map((token, at) => <One key={at} token={token} within={within} />);

/** Entities that Markdown writes characters with; what it takes apart is text already, but for these. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};
const plain = (text: string) => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);

function One({ token, within }: { token: Token; within: Within }): ReactNode {
  if (within.depth >= DEPTH_MAX) return token.raw;
  const below = (tokens: readonly Token[] | undefined, isLink = within.isLink) =>
    shown(tokens ?? [], { depth: within.depth + 1, isLink });
  switch (token.type) {
    case 'space':
      return null;
    case 'paragraph':
      return <p>{below(token.tokens)}</p>;
    case 'heading':
      // The page has headings of its own: an agent's are not among them.
      return (
        <p className="said-head" data-depth={Math.min(4, (token as Tokens.Heading).depth)}>
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
      return <code>{(token as Tokens.Codespan).text}</code>;
    case 'code': {
      const { text, lang } = token as Tokens.Code;
      return (
        <Suspense fallback={<pre tabIndex={0}>{text}</pre>}>
          <Code text={text} language={lang ?? ''} />
        </Suspense>
      );
    }
    case 'list': {
      const { ordered, start, items } = token as Tokens.List;
      const lines = items.map((item, at) => (
        <li key={at}>
          {item.task && (item.checked ? '☑ ' : '☐ ')}
          {below(item.tokens)}
        </li>
      ));
      return ordered ? <ol start={start === '' ? 1 : start}>{lines}</ol> : <ul>{lines}</ul>;
    }
    case 'checkbox':
      return null;
    case 'table': {
      const { header, rows } = token as Tokens.Table;
      return (
        <div className="said-table">
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
    case 'link': {
      const href = address((token as Tokens.Link).href);
      if (href === null) return token.raw;
      return within.isLink ? below(token.tokens) : <Away href={href}>{below(token.tokens, true)}</Away>;
    }
    case 'image': {
      const { href, text } = token as Tokens.Image;
      const to = address(href);
      if (to === null || within.isLink) return to === null ? token.raw : text || to;
      return <Away href={to}>{text || to}</Away>;
    }
    case 'text':
      return token.tokens ? below(token.tokens) : plain((token as Tokens.Text).text);
    case 'escape':
      return plain((token as Tokens.Escape).text);
    default:
      return token.raw;
  }
}

/** A link out of the program: it says on hover where it leads, and tells nobody where it was followed from. */
const Away = ({ href, children }: { href: string; children: ReactNode }) => (
  <a href={href} target="_blank" rel="noopener noreferrer" title={href}>
    {children}
  </a>
);
