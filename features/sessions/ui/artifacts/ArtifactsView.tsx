/** The files that a session made, and the selected one. */
import { useRef, useState } from 'react';
import { Button, EmptyState, ErrorState, IconButton, Loading, Time } from '@shell/components';
import { useShortcuts } from '@shell/shortcuts';
import type { Detail } from '../data';
import { formatSize } from '../size';
import { ArtifactContent, useAddress } from './ArtifactContent';
import { useArtifact, useArtifacts, type Artifact } from './data';
import './artifacts.css';

export default function ArtifactsView({ session }: { session: Detail }) {
  const { data: artifacts, error, refetch } = useArtifacts(session);
  const [selected, select] = useState<string | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const shown = artifacts?.find(({ path }) => path === selected) ?? artifacts?.[0];
  const step = (by: number) => {
    const next = artifacts?.[artifacts.indexOf(shown!) + by];
    if (!next) return;
    select(next.path);
    list.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(next.path)}"]`)?.focus();
  };
  useShortcuts('Artifacts', [
    { keys: 'j', label: 'Next file', run: () => step(1) },
    { keys: 'k', label: 'Previous file', run: () => step(-1) },
  ]);
  if (error && !artifacts)
    return <ErrorState title="Couldn't load artifacts" error={error} onRetry={() => void refetch()} />;
  if (!artifacts) return <Loading label="Loading artifacts" />;
  if (!shown)
    return (
      <EmptyState icon="folder" title="No artifacts">
        Files that the agent writes, and images, documents, and tables that it creates, appear here.
      </EmptyState>
    );
  return (
    <div className="artifacts">
      <ul ref={list} className="artifacts-files" aria-label="Artifacts">
        {artifacts.map(({ path, bytes: size, changedAt }) => {
          const at = path.lastIndexOf('/') + 1;
          return (
            <li key={path}>
              <button
                type="button"
                data-path={path}
                aria-current={path === shown.path || undefined}
                onClick={() => select(path)}
                title={path}
              >
                <span className="artifacts-name">{path.slice(at)}</span>
                <span className="artifacts-about">
                  {at > 0 && `${path.slice(0, at)} · `}
                  {formatSize(size)} · <Time at={changedAt} />
                </span>
              </button>
            </li>
          );
        })}
      </ul>
      <section className="artifacts-shown" aria-label={shown.path}>
        <header className="artifacts-head">
          <h2>{shown.path}</h2>
          <Download session={session.id} artifact={shown} />
          <IconButton icon="restart" label="Reload artifacts" onPress={() => void refetch()} />
        </header>
        <div className="artifacts-content">
          <ArtifactContent key={shown.id} session={session.id} artifact={shown} />
        </div>
      </section>
    </div>
  );
}

function Download({ session, artifact }: { session: string; artifact: Artifact }) {
  const { data } = useArtifact(session, artifact);
  const address = useAddress(data);
  const save = () => {
    if (address === null) return;
    const link = document.createElement('a');
    link.href = address;
    link.download = artifact.path.slice(artifact.path.lastIndexOf('/') + 1);
    link.click();
  };
  return (
    <Button icon="download" isDisabled={address === null} onPress={save}>
      Download
    </Button>
  );
}
