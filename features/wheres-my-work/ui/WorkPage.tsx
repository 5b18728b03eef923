/** Where's my work: the branches of all repositories, by what became of them. */
import { useLocation, useSearch } from 'wouter';
import { Button, EmptyState, ErrorState, IconButton, Loading, Page, Select } from '@shell/components';
import { GroupSection } from './GroupSection';
import { MergeDialog } from './MergeDialog';
import { useBranchActions, useWork, type Group, type WorkPage as Work, type WorkRepository } from './data';
import './work.css';

/** The groups in their order, with what each means. */
const GROUPS: readonly { group: Group; title: string; help: string }[] = [
  { group: 'inWork', title: 'In work', help: 'A session is working on it or can resume.' },
  { group: 'review', title: 'Waiting on review', help: 'A pull request is open, or the branch is pushed.' },
  { group: 'stranded', title: 'Stranded', help: 'Not merged, with no session or pull request.' },
  { group: 'turnedDown', title: 'Turned down', help: 'Its pull request was closed without a merge.' },
  { group: 'landed', title: 'Landed', help: 'Its base includes the work, even if squashed or rebased.' },
];
/** Stands for all repositories in the filter. */
const ALL = '';

export default function WorkPage() {
  const search = new URLSearchParams(useSearch());
  const [, navigate] = useLocation();
  const repositoryId = search.get('repository');
  const { data: work, error, refetch } = useWork(repositoryId);
  const { refresh } = useBranchActions();
  const show = (name: string, value: string | null) => {
    const next = new URLSearchParams(search);
    if (value === null) next.delete(name);
    else next.set(name, value);
    navigate(next.size > 0 ? `/work?${next.toString()}` : '/work', { replace: true });
  };
  return (
    <Page
      title="Where's my work"
      actions={
        <>
          {work && work.repositories.length > 1 && (
            <Select
              aria-label="Repository"
              value={repositoryId ?? ALL}
              onChange={(id) => show('repository', id === ALL ? null : id)}
              options={[
                { value: ALL, label: 'All repositories' },
                ...work.repositories.map(({ id, name, folder }) => ({ value: id, label: name, description: folder })),
              ]}
            />
          )}
          <IconButton icon="restart" label="Check again" onPress={() => void refresh()} />
          <Button icon="branch" onPress={() => show('merge', '')}>
            Merge all ready
          </Button>
        </>
      }
    >
      {error && !work ? (
        <ErrorState title="Couldn't load branches" error={error} onRetry={() => void refetch()} />
      ) : work ? (
        <Groups work={work} repositoryId={repositoryId} />
      ) : (
        <Loading label="Loading branches" />
      )}
      {search.has('merge') && <MergeDialog onClose={() => show('merge', null)} />}
    </Page>
  );
}

function Groups({ work, repositoryId }: { work: Work; repositoryId: string | null }) {
  const { counts, progress, repositories } = work;
  const isEmpty = Object.values(counts).every((count) => count === 0);
  const shown = repositories.filter(({ id }) => repositoryId === null || id === repositoryId);
  return (
    <div className="work">
      {!progress.isDone && (
        <div className="work-progress">
          <span role="status">Checking branches</span>
          <progress aria-label="Checked branches" value={progress.checked} max={Math.max(progress.total, 1)} />
          <span>{`${progress.checked.toLocaleString()} of ${progress.total.toLocaleString()}`}</span>
        </div>
      )}
      <Notes repositories={shown} />
      {!isEmpty ? (
        GROUPS.map(({ group, title, help }) => (
          <GroupSection
            key={`${group} ${repositoryId ?? ''}`}
            group={group}
            title={title}
            help={help}
            count={counts[group]}
            repositoryId={repositoryId}
          />
        ))
      ) : progress.isDone ? (
        <EmptyState icon="branch" title="No branches">
          {repositories.length === 0
            ? 'Add a hub with a git repository to see its branches here.'
            : 'Branches besides the base branch appear here.'}
        </EmptyState>
      ) : null}
    </div>
  );
}

/** What limits what is known, once for all repositories that it concerns. */
function Notes({ repositories }: { repositories: readonly WorkRepository[] }) {
  const names = new Map<string, string[]>();
  for (const { name, notes } of repositories) {
    for (const note of notes) names.set(note, [...(names.get(note) ?? []), name]);
  }
  if (names.size === 0) return null;
  return (
    <ul className="work-notes" aria-label="Notes">
      {[...names].map(([note, of]) => (
        <li key={note}>
          <strong>{of.join(', ')}</strong>
          {`: ${note}`}
        </li>
      ))}
    </ul>
  );
}
