/** An agent's message. Its code blocks are highlighted and can be copied. */
import { lazy, Suspense } from 'react';
import { Markdown as Shown, markdownSyntax, markdownText } from '@shell/components/Markdown';
import './markdown.css';

const Code = lazy(() => import('./Code'));
const SYNTAX = markdownSyntax();

const renderCode = (text: string, language: string) => (
  <Suspense fallback={<pre tabIndex={0}>{text}</pre>}>
    <Code text={text} language={language} />
  </Suspense>
);

/** The text of a message, as it's shown. */
export const messageText = (text: string) => markdownText(SYNTAX, text);

export default function Markdown({ text }: { text: string }) {
  return <Shown text={text} className="said" syntax={SYNTAX} renderCode={renderCode} />;
}
