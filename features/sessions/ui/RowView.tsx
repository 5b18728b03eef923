/** One row of a transcript. */
import { lazy, memo, Suspense, type ReactNode } from 'react';
import { Button, CopyButton, Icon, IconButton, ScreenReaderOnly, type IconName } from '@shell/components';
import type { Ask } from './data';
import { isAllowedByRule, reasonOfAllowed } from './grouped';
import { Outputs } from './shown/Outputs';
import { Picture } from './shown/Picture';
import { PromptPicture } from './shown/PromptPicture';
import { Revealed } from './shown/useWhole';
import { TOOL_ICONS, toolWord } from './states';
import { PlanList } from './PlanList';
import type { Row, ToolUse } from './transcript';
import { askParts, firstLine, inputOf, lineOf, lineText, noteText } from './words';

const Markdown = lazy(() => import('./shown/Markdown'));

export interface RowProps {
  /** The session's id. */
  session: string;
  row: Row;
  /** The request that this row shows, if it shows one. */
  ask: Ask | undefined;
  isUnfolded: boolean;
  /** Whether the search led here: nothing is shortened then. */
  isRevealed: boolean;
  onFold: (key: string) => void;
  /** Returns the source of the message that the row belongs to. */
  sourceOf: (row: Row) => string;
  /** Continues the session in a new one from the entry with this number. */
  onFork: (entry: number) => void;
}

export const RowView = memo(function RowView({
  session,
  row,
  ask,
  isUnfolded,
  isRevealed,
  onFold,
  sourceOf,
  onFork,
}: RowProps) {
  const fold = () => onFold(row.key);
  switch (row.kind) {
    case 'prompt':
      return <Prompt session={session} row={row} isUnfolded={isUnfolded} onFold={fold} onFork={onFork} />;
    case 'text':
      return (
        <div className="copy-spot row-message">
          <Suspense fallback={<p className="row-plain">{row.text}</p>}>
            <Markdown text={row.text} />
          </Suspense>
          <ForkButton row={row} onFork={onFork} />
          <CopyButton text={() => sourceOf(row)} label="Copy message" />
        </div>
      );
    case 'thought':
      return (
        <Folded icon="task" title="Thinking" detail={firstLine(row.text)} isUnfolded={isUnfolded} onFold={fold}>
          <p className="row-thought">{row.text}</p>
        </Folded>
      );
    case 'picture':
      return <Picture mime={row.mime} data={row.data} label="Image from the agent" />;
    case 'link':
      return <p className="row-plain">{`${row.name} ${row.uri}`}</p>;
    case 'tool':
      return <ToolRow row={row} isUnfolded={isUnfolded} isRevealed={isRevealed} onFold={fold} />;
    case 'plan':
      return <PlanList plan={row.plan} />;
    case 'notes':
      return (
        <Folded
          icon="info"
          title={`${row.notes.length} notes`}
          detail={noteText(row.notes[0]!)}
          isUnfolded={isUnfolded}
          onFold={fold}
        >
          <ul className="row-note-list">
            {row.notes.map((note) => (
              <li key={note.key}>{noteText(note)}</li>
            ))}
          </ul>
        </Folded>
      );
    case 'steps':
      return (
        <div className="row-folded">
          <button type="button" className="row-fold" aria-expanded={isUnfolded} onClick={fold} data-unsearched>
            <Icon name="chevronRight" size={12} className={isUnfolded ? 'row-open' : ''} />
            <span className="row-what">{stepsText(row.count, isUnfolded)}</span>
          </button>
        </div>
      );
    case 'divider':
      return <Divider />;
    case 'ask':
      return <AskLine row={row} ask={ask} />;
    case 'line':
      return (
        <p className="row-line" data-tone={row.tone}>
          <Icon name={row.tone === 'quiet' ? 'info' : 'warning'} size={12} />
          <span>{lineText(row)}</span>
        </p>
      );
  }
});

const stepsText = (count: number, isUnfolded: boolean) =>
  `${count === 1 ? '1 step' : `${count.toLocaleString()} steps`}${isUnfolded ? '' : ' hidden'}`;

/** The position of a marker. */
const Divider = () => (
  <p className="row-divider" data-unsearched>
    <span>Final message</span>
  </p>
);

/** A message from you. */
function Prompt({
  session,
  row,
  isUnfolded,
  onFold,
  onFork,
}: {
  session: string;
  row: Extract<Row, { kind: 'prompt' }>;
  isUnfolded: boolean;
  onFold: () => void;
  onFork: RowProps['onFork'];
}) {
  const texts = row.content.flatMap((chunk) => (chunk.type === 'text' ? [chunk.text] : []));
  return (
    <div className="copy-spot row-prompt">
      <ScreenReaderOnly>Message: </ScreenReaderOnly>
      {row.content.map((chunk, at) =>
        chunk.type === 'text' ? (
          <Long key={at} text={chunk.text} isUnfolded={isUnfolded} onFold={onFold} />
        ) : chunk.type === 'image' && chunk.image !== undefined ? (
          <PromptPicture key={at} session={session} prompt={row.prompt} image={chunk.image} />
        ) : chunk.type === 'image' ? (
          <Picture key={at} mime={chunk.mime} data={chunk.data} label="Attached image" />
        ) : (
          <p key={at}>{chunk.name || chunk.uri}</p>
        ),
      )}
      {row.isSteered && (
        <p className="row-note" data-unsearched>
          sent to the current turn
        </p>
      )}
      {row.note && <p className="row-note">{row.note}</p>}
      <ForkButton row={row} onFork={onFork} />
      {texts.length > 0 && <CopyButton text={texts.join('\n')} label="Copy message" />}
    </div>
  );
}

function ForkButton({ row, onFork }: { row: Row; onFork: RowProps['onFork'] }) {
  return (
    <span className="row-fork">
      <IconButton icon="branch" label="Fork from here" onPress={() => onFork(row.number)} />
    </span>
  );
}

/** Characters and lines of a message that are shown before it's expanded. */
const PROMPT_CHARS = 1_500;
const PROMPT_LINES = 20;

function Long({ text, isUnfolded, onFold }: { text: string; isUnfolded: boolean; onFold: () => void }) {
  const first = text.split('\n').slice(0, PROMPT_LINES).join('\n').slice(0, PROMPT_CHARS);
  const isCut = first !== text;
  return (
    <>
      <p dir="auto">{isCut && !isUnfolded ? `${first}…` : text}</p>
      {isCut && (
        <Button variant="plain" onPress={onFold}>
          {isUnfolded ? 'Show less' : 'Show all'}
        </Button>
      )}
    </>
  );
}

const STATE_WORDS: Readonly<Record<string, string>> = {
  pending: 'Pending',
  running: 'Running',
  completed: 'Done',
  failed: 'Failed',
};

interface FoldedProps {
  icon: IconName;
  title: string;
  detail: string;
  /** Whether the details repeat the line, so that the search takes only them. */
  isRepeated?: boolean;
  isUnfolded: boolean;
  onFold: () => void;
  /** Shown at the end of the line. */
  end?: ReactNode;
  /** Shown beside the line. */
  aside?: ReactNode;
  children: ReactNode;
}

function Folded({ icon, title, detail, isRepeated = true, isUnfolded, onFold, end, aside, children }: FoldedProps) {
  return (
    <div className="row-folded">
      <div className="copy-spot row-fold-head">
        <button type="button" className="row-fold" aria-expanded={isUnfolded} onClick={onFold}>
          <Icon name="chevronRight" size={12} className={isUnfolded ? 'row-open' : ''} />
          <Icon name={icon} size={14} />
          <span className="row-what" data-unsearched>
            {title}
          </span>
          <span className="row-detail" data-unsearched={(isRepeated && isUnfolded) || undefined}>
            {detail}
          </span>
          {end}
        </button>
        {aside}
      </div>
      {isUnfolded && <div className="row-body">{children}</div>}
    </div>
  );
}

/** A tool call: its line, with the mark of a rule that allowed it, and its details. */
function ToolRow({
  row: { tool, state, output, reasons },
  isUnfolded,
  isRevealed,
  onFold,
}: {
  row: Extract<Row, { kind: 'tool' }>;
  isUnfolded: boolean;
  isRevealed: boolean;
  onFold: () => void;
}) {
  const why = reasons.join('\n');
  return (
    <Folded
      icon={TOOL_ICONS[tool.kind] ?? 'more'}
      title={toolWord(tool.kind, state)}
      detail={lineOf(tool)}
      isRepeated={!!tool.command}
      isUnfolded={isUnfolded}
      onFold={onFold}
      end={
        <>
          {why && (
            <span className="row-rule" title={why}>
              <Icon name="rule" size={12} />
              <ScreenReaderOnly>{why}</ScreenReaderOnly>
            </span>
          )}
          <span className="row-state" data-state={state} data-unsearched>
            <Icon name={state === 'completed' ? 'check' : state === 'failed' ? 'close' : 'clock'} size={12} />
            {STATE_WORDS[state] ?? state}
          </span>
        </>
      }
      aside={tool.command && !isUnfolded && <CopyButton text={tool.command} label="Copy command" />}
    >
      <Revealed value={isRevealed}>
        {reasons.map((reason) => (
          <p key={reason} className="row-note">
            {reason}
          </p>
        ))}
        <ToolBody tool={tool} output={output} />
      </Revealed>
    </Folded>
  );
}

/** All details of a tool call. */
export function ToolBody({ tool, output }: { tool: ToolUse; output: readonly unknown[] }) {
  const input = inputOf(tool, output);
  return (
    <>
      {tool.command && (
        <div className="copy-spot">
          <pre className="terminal" tabIndex={0} aria-label="Command">
            {`$ ${tool.command}`}
          </pre>
          <CopyButton text={tool.command} label="Copy command" />
        </div>
      )}
      {tool.cwd && <p className="row-note">in {tool.cwd}</p>}
      {!tool.command && tool.title && <p className="row-note">{tool.title}</p>}
      <Outputs output={output} />
      {input !== null && (
        <pre className="terminal" tabIndex={0} aria-label="Input">
          {input}
        </pre>
      )}
    </>
  );
}

function AskLine({ row, ask }: { row: Row & { kind: 'ask' }; ask: Ask | undefined }) {
  const verdict = ask ? ask.answer : row.verdict;
  const isOpen = verdict === null;
  // The rule is enough: the tool call that it allowed has a line of its own.
  if (isAllowedByRule(row))
    return (
      <p className="row-line" data-tone="quiet">
        <Icon name="rule" size={12} />
        <span>{reasonOfAllowed(row)}</span>
      </p>
    );
  const [before, title, after] = askParts(row, ask);
  return (
    <p className="row-line" data-tone={isOpen ? 'warn' : 'quiet'}>
      <Icon name={isOpen ? 'bell' : verdict === 'allowed' ? 'check' : 'close'} size={12} />
      <span>
        {before}
        <code>{title}</code>
        {after}
      </span>
    </p>
  );
}
