/** A comment's text: emphasis, code, links, images as links, lists, quotes, line breaks, and mentions. */
import { useCallback } from 'react';
import { Markdown, markdownSyntax } from '@shell/components/Markdown';
import type { Member } from '@shell/members';
import { Words } from './Words';
import './markdown.css';

const SYNTAX = markdownSyntax({
  without: ['code', 'heading', 'lheading', 'hr', 'table', 'del', 'task', 'entity'],
  // Without this, `@[id](address)` would be a link.
  inline: [{ name: 'mention', start: '@[', pattern: /^@\[[A-Za-z0-9_-]{1,64}\]/ }],
});

export default function CommentText({ text, members }: { text: string; members: readonly Member[] }) {
  const renderText = useCallback((run: string) => <Words text={run} members={members} />, [members]);
  return <Markdown text={text} className="comment-text" syntax={SYNTAX} renderText={renderText} />;
}
