/** The content of an item. HTML is in a frame that runs and loads nothing, if the setting shows it. */
import { Badge } from '@shell/components';
import { HtmlFrame } from '@shell/components/HtmlFrame';
import { Markdown, markdownSyntax } from '@shell/components/Markdown';
import { useSetting } from '@shell/settings';
import type { DripItem } from './data';
import './drip.css';

const SYNTAX = markdownSyntax();

export default function Content({ title, kind, content }: Pick<DripItem, 'title' | 'kind' | 'content'>) {
  const showsHtml = useSetting('dripHtmlPreviewEnabled');
  if (kind === 'text') return <p className="drip-plain">{content}</p>;
  if (kind === 'markdown') return <Markdown text={content} className="drip-markdown" syntax={SYNTAX} />;
  if (showsHtml === undefined) return null;
  if (!showsHtml) return <Badge icon="file">{`HTML: ${title}`}</Badge>;
  return (
    <div className="drip-frame">
      <HtmlFrame html={content} title={title} />
    </div>
  );
}
