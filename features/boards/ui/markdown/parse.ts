/**
 * The part of Markdown that comments have: emphasis, code, links, pictures as links, lists, quotes and line breaks. What
 * else Markdown knows, above all HTML, stays the text that it is. The library weighs 15 KiB compressed, has no dependencies
 * and is read with the first comment; only what it takes apart is used, never the HTML that it could make of it.
 */
import { Marked, type Token, type TokensList } from 'marked';

/** A mention is one whatever follows it; `@[id](address)` is no link. */
const MENTION = /^@\[[A-Za-z0-9_-]{1,64}\]/;

const off = () => undefined;
const marked = new Marked({
  gfm: true,
  breaks: true,
  tokenizer: { code: off, heading: off, lheading: off, hr: off, html: off, tag: off, def: off, table: off, del: off },
  extensions: [
    {
      name: 'mention',
      level: 'inline',
      start: (text) => {
        const at = text.indexOf('@[');
        return at < 0 ? undefined : at;
      },
      tokenizer: (text) => {
        const raw = MENTION.exec(text)?.[0];
        return raw === undefined ? undefined : { type: 'mention', raw };
      },
    },
  ],
});

/** The text taken apart; `null` where it is nested so deep that nobody could have meant it. */
export function parse(text: string): TokensList | null {
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

export type { Token };
