/** A comment with its Markdown shown. Everything is made of elements named here: no HTML passes, and nothing is loaded. */
import { useMemo, type ReactNode } from 'react';
import type { Tokens } from 'marked';
import type { Member } from '@shell/members';
import { Words } from './Words';
import { address, parse, type Token } from './parse';
import './markdown.css';

/** Deeper, what is left is shown as text. */
const DEPTH_MAX = 20;

interface Within {
  members: readonly Member[];
  depth: number;
  /** A link holds no other. */
  isLink: boolean;
}

export default function Markdown({ text, members }: { text: string; members: readonly Member[] }) {
  const tokens = useMemo(() => parse(text), [text]);
  return (
    <div className="comment-text" dir="auto">
      {tokens ? shown(tokens, { members, depth: 0, isLink: false }) : <Words text={text} members={members} />}
    </div>
  );
}

const shown = (tokens: readonly Token[], within: Within): ReactNode[] =>
  tokens.map((token, at) => <One key={at} token={token} within={within} />);

function One({ token, within }: { token: Token; within: Within }): ReactNode {
  const words = (text: string) => <Words text={text} members={within.members} />;
  if (within.depth >= DEPTH_MAX) return words(token.raw);
  const below = (tokens: readonly Token[] | undefined, isLink = within.isLink) =>
    shown(tokens ?? [], { ...within, depth: within.depth + 1, isLink });
  switch (token.type) {
    case 'space':
      return null;
    case 'paragraph':
      return <p>{below(token.tokens)}</p>;
    case 'strong':
      return <strong>{below(token.tokens)}</strong>;
    case 'em':
      return <em>{below(token.tokens)}</em>;
    case 'br':
      return <br />;
    case 'blockquote':
      return <blockquote>{below(token.tokens)}</blockquote>;
    case 'codespan':
      return <code>{words((token as Tokens.Codespan).text)}</code>;
    case 'code':
      return (
        <pre>
          <code>{words((token as Tokens.Code).text)}</code>
        </pre>
      );
    case 'list': {
      const { ordered, start, items } = token as Tokens.List;
      const lines = items.map((item, at) => <li key={at}>{below(item.tokens)}</li>);
      return ordered ? <ol start={start === '' ? 1 : start}>{lines}</ol> : <ul>{lines}</ul>;
    }
    case 'link': {
      const href = address((token as Tokens.Link).href);
      if (href === null) return words(token.raw);
      return within.isLink ? below(token.tokens) : <Away href={href}>{below(token.tokens, true)}</Away>;
    }
    case 'image': {
      const { href, text } = token as Tokens.Image;
      const to = address(href);
      if (to === null) return words(token.raw);
      return within.isLink ? words(text || to) : <Away href={to}>{words(text || to)}</Away>;
    }
    case 'text':
      return token.tokens ? below(token.tokens) : words((token as Tokens.Text).text);
    case 'escape':
      return words((token as Tokens.Escape).text);
    default:
      return words(token.raw);
  }
}

/** A link out of the program: it says on hover where it leads, and tells nobody where it was followed from. */
const Away = ({ href, children }: { href: string; children: ReactNode }) => (
  <a href={href} target="_blank" rel="noopener noreferrer" title={href}>
    {children}
  </a>
);
