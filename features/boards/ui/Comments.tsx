/** The comments on an item, oldest first, and the field for the next one. */
import { lazy, Suspense, useState, type ComponentProps } from 'react';
import { Button, ConfirmDialog, EmptyState, ErrorState, IconButton, Loading, Time, toast } from '@shell/components';
import { perSignIn } from '@shell/session';
import { CommentField } from './CommentField';
import type { Member } from './data';
import { discuss, useComments, type Actor, type Comment, type Place } from './discussion';
import { Words } from './markdown/Words';

type Text = ComponentProps<typeof Words>;
const Plain = (props: Text) => (
  <p className="comment-text" dir="auto">
    <Words {...props} />
  </p>
);
/** Read with the first comments; a text is shown as it was written until then, and where that fails. */
const Markdown = lazy<typeof Plain>(() => import('./markdown/Markdown').catch(() => ({ default: Plain })));

/** What was typed and not yet sent, by item: closing the panel loses nothing. */
const drafts = new Map<string, string>();
perSignIn(() => drafts.clear());

const KINDS: Record<string, string> = { owner: 'You', cli: 'The command line', agent: 'A session' };

/** Who it was, in words; `isWithin` a sentence. */
export const Who = ({ actor, isWithin }: { actor: Actor; isWithin?: boolean }) => (
  <>
    <bdi>{(isWithin ? KINDS[actor.kind]?.toLowerCase() : KINDS[actor.kind]) ?? actor.name}</bdi>
    {actor.sessionId && <code>{actor.sessionId}</code>}
  </>
);

interface CommentsProps {
  place: Place;
  members: readonly Member[];
  /** Reads them again. */
  onChanged: () => Promise<void>;
}

export function Comments({ place, members, onChanged }: CommentsProps) {
  const { data, error, refetch, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useComments(place);
  const [editing, setEditing] = useState<string | null>(null);
  const [deleting, setDeleting] = useState<Comment | null>(null);
  const comments = data?.pages.flatMap((page) => page.items) ?? [];
  const remove = async (comment: Comment) => {
    try {
      await discuss.delete(place, comment.id);
      await onChanged();
    } catch (failure) {
      toast.problem('The comment was not deleted', failure);
    }
  };
  return (
    <>
      {isPending && <Loading label="Reading the comments" />}
      {error && <ErrorState title="The comments could not be read" error={error} onRetry={() => void refetch()} />}
      {data && comments.length === 0 && (
        <EmptyState icon="edit" title="No comments yet">
          What is written here is seen by everyone who works on this board, sessions too.
        </EmptyState>
      )}
      <ol className="comments">
        {comments.map((comment) => (
          <li key={comment.id} className="comment">
            <p className="comment-head">
              <Who actor={comment.author} />
              <Time at={comment.createdAt} />
              {!comment.deleted && comment.revision > 1 && <span>edited</span>}
              {!comment.deleted && (
                <span className="comment-actions">
                  {comment.own && <IconButton icon="edit" label="Edit comment" onPress={() => setEditing(comment.id)} />}
                  <IconButton icon="trash" label="Delete comment" onPress={() => setDeleting(comment)} />
                </span>
              )}
            </p>
            {comment.deleted ? (
              <p className="comment-gone">This comment was deleted.</p>
            ) : editing === comment.id ? (
              <CommentField
                label="Edit comment"
                action="Save comment"
                members={members}
                initial={comment.text}
                onCancel={() => setEditing(null)}
                onSave={async (text) => {
                  await discuss.edit(place, comment, text);
                  await onChanged();
                  setEditing(null);
                }}
              />
            ) : (
              <Suspense fallback={<Plain text={comment.text} members={members} />}>
                <Markdown text={comment.text} members={members} />
              </Suspense>
            )}
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          Show later comments
        </Button>
      )}
      <CommentField
        label="Comment"
        action="Add comment"
        members={members}
        initial={drafts.get(place.item) ?? ''}
        onDraft={(text) => (text === '' ? drafts.delete(place.item) : drafts.set(place.item, text))}
        onSave={async (text) => {
          await discuss.add(place, text);
          await onChanged();
        }}
      />
      <ConfirmDialog isOpen={deleting !== null} onClose={() => setDeleting(null)} title="Delete this comment" action="Delete comment" onConfirm={() => deleting && void remove(deleting)}>
        Its text is gone for good. That there was a comment stays to be seen.
      </ConfirmDialog>
    </>
  );
}
