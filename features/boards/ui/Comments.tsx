/** The comments on an item, oldest first, and the field for the next one. */
import { lazy, Suspense, useEffect, useMemo, useRef, useState, useSyncExternalStore, type ComponentProps } from 'react';
import { Button, ConfirmDialog, EmptyState, ErrorState, IconButton, Loading, Time, toast } from '@shell/components';
import type { Member } from '@shell/members';
import { perSignIn } from '@shell/session';
import { CommentField } from './CommentField';
import { spoken, useComments, type Actor, type Comment, type Place } from './discussion';
import { Words } from './markdown/Words';
import { boxOf } from './outbox/box';
import { newId } from './outbox/step';

type Text = ComponentProps<typeof Words>;
const Plain = (props: Text) => (
  <p className="comment-text" dir="auto">
    <Words {...props} />
  </p>
);
/** Read with the first comments; a text is shown as it was written until then, and where that fails. */
const Markdown = lazy<typeof Plain>(() => import('./markdown/CommentText').catch(() => ({ default: Plain })));

/** Unsent comments by item, so that closing the panel loses nothing. */
const drafts = new Map<string, string>();
perSignIn(() => drafts.clear());

const KINDS: Record<string, string> = { owner: 'You', cli: 'The command line', agent: 'A session' };

/** Name of an author; `isWithin` a sentence. */
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

const STATES = { waits: 'waiting to be sent', refused: 'not saved', passed: "your edit wasn't saved" } as const;

export function Comments({ place, members, onChanged }: CommentsProps) {
  const { data, error, refetch, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useComments(place);
  const [editing, setEditing] = useState<string | null>(null);
  const [deleting, setDeleting] = useState<Comment | null>(null);
  const box = useMemo(() => boxOf(place.board), [place.board]);
  useSyncExternalStore(box.subscribe, () => box.round);
  const { comments, known } = spoken(data?.pages.flatMap((page) => page.items) ?? [], box.saidOf(place.item));
  useEffect(() => {
    if (known.length > 0) box.areRead(known);
  });
  const list = useRef<HTMLOListElement>(null);
  /** Fails with the reason where it is refused at once; waits where the program is away. */
  const say = async (
    way: 'add' | 'edit' | 'delete',
    { id: comment, revision }: Pick<Comment, 'id' | 'revision'>,
    text = '',
  ) => {
    if ((await box.say({ way, item: place.item, comment, text, revision })) === 'sent') await onChanged();
  };
  /** The one that was deleted: the focus goes on to the next, or to the field. */
  const left = useRef<string | null>(null);
  useEffect(() => {
    if (left.current === null || deleting) return;
    const at = comments.findIndex(({ id }) => id === left.current);
    if (comments[at]?.deleted === false) return;
    left.current = null;
    const next = at < 0 ? undefined : comments.slice(at + 1).find(({ deleted }) => !deleted);
    const to = next ? `[data-comment="${CSS.escape(next.id)}"]` : ':scope > .comment-field textarea';
    // The dialog gives the focus back in the next frame, to a button that is gone. Who has gone on meanwhile stays there.
    requestAnimationFrame(() => {
      const isLost = document.activeElement === document.body || list.current?.contains(document.activeElement);
      if (isLost) list.current?.parentElement?.querySelector<HTMLElement>(to)?.focus();
    });
  });
  const remove = async (comment: Comment) => {
    left.current = comment.id;
    try {
      await say('delete', comment);
    } catch (failure) {
      left.current = null;
      toast.problem("Couldn't delete comment", failure);
    }
  };
  return (
    <>
      {isPending && <Loading label="Loading comments" />}
      {error && <ErrorState title="Couldn't load comments" error={error} onRetry={() => void refetch()} />}
      {data && comments.length === 0 && (
        <EmptyState icon="edit" title="No comments yet">
          Everyone on this board sees comments, including sessions.
        </EmptyState>
      )}
      <ol ref={list} className="comments">
        {comments.map((comment) => (
          <li key={comment.id} className="comment" data-comment={comment.id} tabIndex={-1}>
            <p className="comment-head">
              <Who actor={comment.author} />
              <Time at={comment.createdAt} />
              {!comment.deleted && comment.revision > 1 && <span>edited</span>}
              {comment.state && <strong className="comment-state">{STATES[comment.state]}</strong>}
              {!comment.deleted && (
                <span className="comment-actions">
                  {comment.own && (
                    <IconButton icon="edit" label="Edit comment" onPress={() => setEditing(comment.id)} />
                  )}
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
                  if (text !== comment.text) await say('edit', comment, text);
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
          await say('add', { id: newId(), revision: 0 }, text);
        }}
      />
      <ConfirmDialog
        isOpen={deleting !== null}
        onClose={() => setDeleting(null)}
        title="Delete comment"
        action="Delete comment"
        onConfirm={() => deleting && void remove(deleting)}
      >
        Permanently deletes the text. A note that a comment was deleted stays.
      </ConfirmDialog>
    </>
  );
}
