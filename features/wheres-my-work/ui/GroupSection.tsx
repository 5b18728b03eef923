/** The branches of one group. */
import { useState } from 'react';
import { GridList, GridListItem } from 'react-aria-components';
import { Link, useLocation } from 'wouter';
import { Button, ErrorState, Loading, Time } from '@shell/components';
import { useBranchActions, useGroup, type Group, type WorkBranch } from './data';

/** Branches that are shown at first, and how many more at a time. */
const STEP = 100;
/** Maximum of a request. */
const LIMIT_MAX = 10_000;

interface Props {
  group: Group;
  title: string;
  help: string;
  count: number;
  repositoryId: string | null;
}

export function GroupSection({ group, title, help, count, repositoryId }: Props) {
  const [limit, setLimit] = useState(STEP);
  const { data, error, refetch, isFetching } = useGroup(group, repositoryId, count, limit);
  const [, navigate] = useLocation();
  const heading = `work-${group}`;
  const branches = count > 0 ? data?.items : [];
  return (
    <section aria-labelledby={heading} className="work-group">
      <h2 id={heading}>
        {title} <span className="work-count">{count.toLocaleString()}</span>
      </h2>
      <p className="work-detail">{help}</p>
      {error && !branches ? (
        <ErrorState title="Couldn't load branches" error={error} onRetry={() => void refetch()} />
      ) : !branches ? (
        <Loading label="Loading branches" />
      ) : (
        branches.length > 0 && (
          <GridList aria-label={title} className="work-list">
            {branches.map((branch) => (
              <GridListItem
                key={branch.id}
                id={branch.id}
                textValue={`${branch.branch}, ${branch.repository}`}
                className="work-row"
                {...(branch.sessionId !== null && { onAction: () => navigate(`/sessions/${branch.sessionId}`) })}
              >
                <BranchView branch={branch} />
              </GridListItem>
            ))}
          </GridList>
        )
      )}
      {branches && count > branches.length && limit < LIMIT_MAX && (
        <Button
          isPending={isFetching && limit > branches.length}
          onPress={() => setLimit(Math.min(limit + STEP * 4, LIMIT_MAX))}
        >
          Show more
        </Button>
      )}
    </section>
  );
}

function BranchView({ branch: row }: { branch: WorkBranch }) {
  const { remove } = useBranchActions();
  const [isDeleting, setDeleting] = useState(false);
  const { repository, branch, base, ahead, behind, committedAt, subject, reason, sessionId, pullRequest, worktree } =
    row;
  return (
    <div className="work-row-in">
      <div className="work-text">
        <span className="work-name">
          <code>{branch}</code>
          <span className="work-detail">{repository}</span>
        </span>
        <span className="work-subject">{subject}</span>
        <span className="work-detail">{reason}</span>
        {worktree !== null && sessionId === null && <span className="work-detail">{`Checked out in ${worktree}`}</span>}
      </div>
      <div className="work-facts">
        <span>
          {ahead === null || behind === null
            ? 'Distance unknown'
            : `${ahead.toLocaleString()} ahead, ${behind.toLocaleString()} behind ${base}`}
        </span>
        <span className="work-detail">
          <Time at={committedAt} />
        </span>
      </div>
      <div className="work-actions">
        {sessionId !== null && <Link href={`/sessions/${sessionId}`}>{row.sessionTitle || 'Session'}</Link>}
        {pullRequest !== null && (
          <a href={pullRequest} target="_blank" rel="noopener noreferrer" aria-label={`Pull request of ${branch}`}>
            Pull request
          </a>
        )}
        {row.isDeletable && (
          <Button
            icon="trash"
            aria-label={`Delete ${branch}`}
            isPending={isDeleting}
            onPress={() => {
              setDeleting(true);
              void remove(row).finally(() => setDeleting(false));
            }}
          >
            Delete
          </Button>
        )}
      </div>
    </div>
  );
}
