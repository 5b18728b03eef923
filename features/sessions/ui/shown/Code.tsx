/** A highlighted code block. The highlighting library only names parts of the text; none of it becomes HTML. */
import { createLowlight } from 'lowlight';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import markdown from 'highlight.js/lib/languages/markdown';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { useMemo, type ReactNode } from 'react';
import { CopyButton } from '@shell/components';

const lowlight = createLowlight({
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  markdown,
  php,
  python,
  ruby,
  rust,
  sql,
  swift,
  typescript,
  xml,
  yaml,
});
/** Maximum characters of a highlighted block; longer ones stay plain. */
const CHARS_MAX = 30_000;

type Part = ReturnType<typeof lowlight.highlight>['children'][number];

const drawn = (parts: readonly Part[]): ReactNode[] =>
  parts.map((part, at) => {
    if (part.type === 'text') return part.value;
    if (part.type !== 'element') return null;
    const names = part.properties.className;
    return (
      <span key={at} className={Array.isArray(names) ? names.join(' ') : undefined}>
        {drawn(part.children as Part[])}
      </span>
    );
  });

function colored(text: string, language: string): ReactNode {
  if (text.length > CHARS_MAX || !lowlight.registered(language)) return text;
  try {
    return drawn(lowlight.highlight(language, text).children);
  } catch {
    return text;
  }
}

export default function Code({ text, language }: { text: string; language: string }) {
  const name = /^[\w+#-]{1,30}/.exec(language)?.[0].toLowerCase() ?? '';
  const content = useMemo(() => colored(text, name), [text, name]);
  return (
    <div className="copy-spot">
      <pre tabIndex={0} aria-label={name ? `Code, ${name}` : 'Code'}>
        <code>{content}</code>
      </pre>
      <CopyButton text={text} label="Copy code" />
    </div>
  );
}
