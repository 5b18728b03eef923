/** The changes to one file: unified or side by side, with comments on lines and Revert for each hunk. */
import { useMemo, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Button, ErrorState, IconButton, Loading, TextField } from '@shell/components';
import { formatSize } from '../size';
import { useComments, type LineComment } from './comments';
import { useChangeActions, useFileChanges, type ChangedFile, type Turn } from './data';
import { hunksOf, pairsOf, type Hunk, type PatchLine } from './patch';

/** Lines shown before a large diff is expanded. */
const LINES_SHOWN = 2_000;

type Stage = ChangedFile['stage'];
const STAGES: Readonly<Record<Stage, string>> = {
  committed: 'Committed',
  unstaged: 'Not staged',
  partly: 'Partly staged',
  staged: 'Staged',
};

const WORDS = { '+': 'Added: ', '-': 'Removed: ', ' ': '' };

interface Props {
  session: Turn;
  file: ChangedFile;
  isSplit: boolean;
}

export function FileDiff({ session, file, isSplit }: Props) {
  const { data, error, refetch } = useFileChanges(session, file);
  const { revert, setStaged } = useChangeActions(session.id);
  const [isWhole, setWhole] = useState(false);
  const hunks = useMemo(() => hunksOf(data?.patch ?? ''), [data]);
  if (error) return <ErrorState title="Couldn't load changes" error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading label="Loading changes" />;
  let count = 0;
  const shown = hunks.filter(({ lines }) => {
    const before = count;
    count += lines.length;
    return isWhole || before < LINES_SHOWN;
  });
  return (
    <section className="file-diff" aria-label={`Changes to ${file.path}`}>
      <header className="file-diff-head">
        <code>{file.oldPath ? `${file.oldPath} → ${file.path}` : file.path}</code>
        {file.stage !== 'committed' && (
          <Button onPress={() => void setStaged(file.stage !== 'staged', file, data.version)}>
            {file.stage === 'staged' ? 'Unstage file' : 'Stage file'}
          </Button>
        )}
        <Button onPress={() => void revert(file, data.version)} isDisabled={data.patch === ''}>
          Revert file
        </Button>
      </header>
      {hunks.length === 0 && (
        <p className="file-diff-note">
          {file.isBinary
            ? `Binary or very large file, not loaded${data.bytes === null ? '' : `: ${formatSize(data.bytes)}`}`
            : data.patch === ''
              ? 'No differences'
              : 'Only its mode or name changed'}
        </p>
      )}
      {data.isTruncated && <p className="file-diff-note">Only the first megabyte is shown.</p>}
      {shown.map((hunk, at) => (
        <HunkView
          key={at}
          session={session.id}
          path={file.path}
          hunk={hunk}
          isSplit={isSplit}
          stage={data.hunkStages[at]}
          onStage={(isStaged) => void setStaged(isStaged, file, data.version, at)}
          // A hunk that is cut off in the middle can't be reverted alone.
          onRevert={data.isTruncated ? undefined : () => void revert(file, data.version, at)}
        />
      ))}
      {shown.length < hunks.length && (
        <Button variant="plain" onPress={() => setWhole(true)}>{`Show all ${count.toLocaleString()} lines`}</Button>
      )}
    </section>
  );
}

function HunkView({
  session,
  path,
  hunk,
  isSplit,
  stage,
  onStage,
  onRevert,
}: {
  session: string;
  path: string;
  hunk: Hunk;
  isSplit: boolean;
  /** None if the file can only be staged as a whole. */
  stage: Stage | undefined;
  onStage: (isStaged: boolean) => void;
  onRevert: (() => void) | undefined;
}) {
  const [commented, setCommented] = useState<PatchLine | null>(null);
  const { at } = useComments(session);
  const first = hunk.lines[0];
  const place = `line ${first?.after ?? first?.before ?? 1}`;
  const draw = (line: PatchLine | null, number: 'before' | 'after' | null): ReactNode => (
    <Line
      line={line}
      number={number}
      isFirst={line === first}
      onComment={line ? () => setCommented(line) : undefined}
    />
  );
  const below = (line: PatchLine | null) =>
    line && (line === commented || at(placeOf(path, line))) ? (
      <CommentField
        session={session}
        path={path}
        line={line}
        isOpen={line === commented}
        onClose={() => setCommented(null)}
      />
    ) : null;
  return (
    <div className="hunk">
      <div className="hunk-head">
        <span className="hunk-title">{hunk.title || place}</span>
        {stage && stage !== 'unstaged' && <span className="hunk-stage">{STAGES[stage]}</span>}
        {(stage === 'unstaged' || stage === 'partly') && (
          <IconButton icon="plus" label={`Stage the change at ${place}`} onPress={() => onStage(true)} />
        )}
        {(stage === 'staged' || stage === 'partly') && (
          <IconButton icon="minus" label={`Unstage the change at ${place}`} onPress={() => onStage(false)} />
        )}
        {onRevert && <IconButton icon="undo" label={`Revert the change at ${place}`} onPress={onRevert} />}
      </div>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Keys of the line numbers bubble up here. */}
      <div
        className="hunk-lines"
        data-split={isSplit || undefined}
        role="group"
        aria-label={`Change at ${place}`}
        onKeyDown={onArrow}
      >
        {isSplit
          ? pairsOf(hunk.lines).map(({ left, right }, key) => (
              <div key={key} className="hunk-pair">
                {draw(left, 'before')}
                {draw(right, 'after')}
                {left !== right && below(left)}
                {below(right)}
              </div>
            ))
          : hunk.lines.map((line, key) => (
              <div key={key}>
                {draw(line, null)}
                {below(line)}
              </div>
            ))}
      </div>
    </div>
  );
}

/** Arrow keys move among the line numbers of a hunk. */
function onArrow(event: KeyboardEvent<HTMLElement>) {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const numbers = [...event.currentTarget.querySelectorAll<HTMLElement>('.patch-number')];
  const at = numbers.indexOf(event.target as HTMLElement);
  if (by === 0 || at < 0) return;
  event.preventDefault();
  numbers[at + by]?.focus();
}

const placeOf = (path: string, line: PatchLine) => ({
  path,
  line: line.after ?? line.before ?? 0,
  isRemoved: line.sign === '-',
});

function Line({
  line,
  number,
  isFirst,
  onComment,
}: {
  line: PatchLine | null;
  number: 'before' | 'after' | null;
  /** Tab reaches the first line of a hunk; arrow keys reach the others. */
  isFirst: boolean;
  onComment: (() => void) | undefined;
}) {
  if (!line) return <div className="patch-line" data-empty="" />;
  const shown = number === null ? (line.after ?? line.before) : line[number];
  return (
    <div className="patch-line" data-sign={line.sign}>
      <button
        type="button"
        className="patch-number"
        tabIndex={isFirst ? 0 : -1}
        onClick={onComment}
        aria-label={`Comment on line ${shown}`}
      >
        {shown}
      </button>
      <span className="patch-sign" aria-hidden="true">
        {line.sign}
      </span>
      {WORDS[line.sign] && <span className="sr-only">{WORDS[line.sign]}</span>}
      <code>{line.text}</code>
    </div>
  );
}

function CommentField({
  session,
  path,
  line,
  isOpen,
  onClose,
}: {
  session: string;
  path: string;
  line: PatchLine;
  isOpen: boolean;
  onClose: () => void;
}) {
  const { at, put } = useComments(session);
  const where = placeOf(path, line);
  const before = at(where)?.text ?? '';
  const [text, setText] = useState(before);
  const save = (value: string) => {
    const comment: LineComment = { ...where, quote: line.text, text: value };
    put(comment);
    onClose();
  };
  return (
    <div className="line-comment">
      <TextField
        label={`Comment on line ${where.line}`}
        rows={2}
        value={text}
        onChange={setText}
        autoFocus={isOpen}
        onInputKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save(text);
          if (event.key === 'Escape') {
            event.stopPropagation();
            setText(before);
            onClose();
          }
        }}
      />
      <div className="session-ask-actions">
        <Button variant="primary" isDisabled={text.trim() === before.trim()} onPress={() => save(text)}>
          Add comment
        </Button>
        <Button
          onPress={() => {
            setText('');
            save('');
          }}
        >
          Remove
        </Button>
      </div>
    </div>
  );
}
