/** A tool's output: texts, terminals, diffs, and images. */
import { lazy, Suspense } from 'react';
import { Picture } from './Picture';
import './outputs.css';

const Diff = lazy(() => import('./Diff'));
const Terminal = lazy(() => import('./Terminal'));

type Bag = Record<string, unknown>;
const bag = (value: unknown): Bag => (typeof value === 'object' && value !== null ? (value as Bag) : {});
const text = (value: unknown) => (typeof value === 'string' ? value : '');

export function Outputs({ output }: { output: readonly unknown[] }) {
  return output.map((one, at) => <Output key={at} value={bag(one)} />);
}

function Output({ value }: { value: Bag }) {
  if (value.type === 'diff') {
    const shown = text(value.path);
    return (
      <Suspense fallback={<pre>{shown}</pre>}>
        <Diff path={shown} before={text(value.oldText)} after={text(value.newText)} />
      </Suspense>
    );
  }
  const content = bag(value.content);
  switch (content.type) {
    case 'text': {
      const shown = text(content.text);
      if (shown.trim() === '') return null;
      return (
        <Suspense fallback={<pre>{shown.slice(-2_000)}</pre>}>
          <Terminal text={shown} label="Output" />
        </Suspense>
      );
    }
    case 'image':
      return <Picture mime={text(content.mimeType)} data={text(content.data)} label="Image from the tool" />;
    case 'resource_link':
      return <p className="output-link">{`${text(content.name)} ${text(content.uri)}`}</p>;
    case 'resource':
      return <pre tabIndex={0}>{text(bag(content.resource).text) || text(bag(content.resource).uri)}</pre>;
    default:
      return null;
  }
}
