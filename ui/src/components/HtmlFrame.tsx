/**
 * HTML of an agent or of another source. It's shown in a frame of its own origin that runs nothing, inside a page that loads nothing.
 * Elements that could reach the network or lead elsewhere are left out as well.
 */
import { useEffect, useMemo, useRef } from 'react';

/** The page that takes the document. */
const FRAME = `${import.meta.env.BASE_URL}frames/document.html`;
const LEFT_OUT =
  'script, link, base, meta[http-equiv], iframe, frame, frameset, object, embed, portal, template[shadowrootmode]';

/** The document without elements that load, run, or lead elsewhere. */
export function inert(html: string): string {
  const { documentElement } = new DOMParser().parseFromString(html, 'text/html');
  documentElement.querySelectorAll(LEFT_OUT).forEach((element) => element.remove());
  return `<!doctype html>\n${documentElement.outerHTML}`;
}

export function HtmlFrame({ html, title }: { html: string; title: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const shown = useMemo(() => inert(html), [html]);
  useEffect(() => {
    const send = () => frame.current?.contentWindow?.postMessage(shown, '*');
    const onMessage = ({ source, data }: MessageEvent) => {
      if (source === frame.current?.contentWindow && data === 'ready') send();
    };
    addEventListener('message', onMessage);
    send();
    return () => removeEventListener('message', onMessage);
  }, [shown]);
  return (
    <iframe
      ref={frame}
      className="html-frame"
      src={FRAME}
      title={title}
      sandbox="allow-scripts"
      allow=""
      referrerPolicy="no-referrer"
    />
  );
}
