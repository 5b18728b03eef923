/** The content of an artifact, by its kind. Nothing in it runs or loads anything. */
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { ErrorState, Loading } from '@shell/components';
import { useArtifact, type Artifact } from './data';
import { readTable } from './csv';
import { HtmlFrame } from '@shell/components/HtmlFrame';

const Markdown = lazy(() => import('../shown/Markdown'));
const Code = lazy(() => import('../shown/Code'));

/** Maximum characters that are shown of a text. */
const CHARS_MAX = 500_000;

/** An address of a blob, as long as it's shown. */
export function useAddress(blob: Blob | undefined): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (!blob) return;
    const made = URL.createObjectURL(blob);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return address;
}

export function ArtifactContent({ session, artifact }: { session: string; artifact: Artifact }) {
  const { data: blob, error, refetch } = useArtifact(session, artifact);
  if (error) return <ErrorState title="Couldn't load file" error={error} onRetry={() => void refetch()} />;
  if (!blob) return <Loading label={`Loading ${artifact.path}`} />;
  if (artifact.kind === 'image') return <Image blob={blob} name={artifact.path} />;
  if (artifact.kind === 'pdf' || blob.type === 'application/octet-stream')
    return <p className="artifact-none">Preview not available. Download the file to open it.</p>;
  return <Text blob={blob} artifact={artifact} />;
}

/** SVG too is an image here: a browser runs nothing in it and loads nothing for it. */
function Image({ blob, name }: { blob: Blob; name: string }) {
  const address = useAddress(blob);
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return <p className="artifact-none">The file isn't a valid image.</p>;
  return address && <img className="artifact-image" src={address} alt={name} onError={() => setBroken(true)} />;
}

function Text({ blob, artifact: { path, kind } }: { blob: Blob; artifact: Artifact }) {
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    let isGone = false;
    void blob.text().then((read) => !isGone && setText(read));
    return () => {
      isGone = true;
    };
  }, [blob]);
  if (text === null) return <Loading label={`Loading ${path}`} />;
  if (kind === 'html') return <HtmlFrame html={text} title={path} />;
  const shown = text.slice(0, CHARS_MAX);
  const cut = text.length > CHARS_MAX && <p className="artifact-none">Only the start is shown. Download the file.</p>;
  if (kind === 'csv') return <Csv text={text} name={path} />;
  return (
    <Suspense fallback={<Loading label={`Loading ${path}`} />}>
      <div className="artifact-text">
        {kind === 'markdown' ? <Markdown text={shown} /> : <Code text={shown} language={languageOf(path)} />}
      </div>
      {cut}
    </Suspense>
  );
}

const LANGUAGES: Readonly<Record<string, string>> = { rs: 'rust', py: 'python', rb: 'ruby', yml: 'yaml', sh: 'bash' };
const languageOf = (path: string) => {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return LANGUAGES[ending] ?? ending;
};

function Csv({ text, name }: { text: string; name: string }) {
  const { rows, isCut } = useMemo(() => readTable(text), [text]);
  const [head, ...body] = rows;
  return (
    <>
      <div className="artifact-table" tabIndex={0} role="region" aria-label={`Table of ${name}`}>
        <table>
          <thead>
            <tr>
              {head?.map((cell, at) => (
                <th key={at} scope="col">
                  {cell}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {body.map((row, at) => (
              <tr key={at}>
                {row.map((cell, column) => (
                  <td key={column}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isCut && <p className="artifact-none">Only the first rows are shown. Download the file.</p>}
    </>
  );
}
