/** The Markdown of a message: in the inbox, and as a preview. */
import { Markdown, markdownSyntax } from '@shell/components/Markdown';

const SYNTAX = markdownSyntax();

export default function MessageBody({ body }: { body: string }) {
  return <Markdown text={body} className="scheduled-body" syntax={SYNTAX} />;
}
