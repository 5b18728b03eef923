import { useEffect, useRef } from 'react';

/**
 * The page that publishing would make, as it is: its elements and its style sheet, apart from those of this page. What is
 * parsed here is inert: it has no script, and none would run.
 */
export function PreviewPage({ html }: { html: string }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    // The style sheet is the first of the page's own; this page's policy refuses it as an element.
    let rules = '';
    const bare = html.replace(/<style>([^]*?)<\/style>/, (_, found: string) => {
      rules = found;
      return '';
    });
    const page = new DOMParser().parseFromString(bare, 'text/html');
    const style = new CSSStyleSheet();
    style.replaceSync(rules);
    root.adoptedStyleSheets = [style];
    const content = page.querySelector('.page');
    root.replaceChildren(...(content ? [document.importNode(content, true)] : []));
  }, [html]);
  return (
    <div className="publish-preview" role="region" aria-label="Preview of the published page" tabIndex={0}>
      <div ref={host} />
    </div>
  );
}
