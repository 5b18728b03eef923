/** One row of a transcript. */
import { lazy, memo, Suspense, type ReactNode } from 'react';
import { Button, Icon, ScreenReaderOnly } from '@shell/components';
import type { Ask } from './data';
import { Outputs } from './shown/Outputs';
import { Picture } from './shown/Picture';
import { PromptPicture } from './shown/PromptPicture';
import { standing, TOOL_ICONS, TOOL_WORDS } from './states';
import { PlanList } from './PlanList';
import type { Row, ToolUse } from './transcript';

const Markdown = lazy(() => import('./shown/Markdown'));

export interface RowProps {
  /** The session's id. */
  session: string;
  row: Row;
  /** The request that this row shows, if it shows one. */
  ask: Ask | undefined;
  isUnfolded: boolean;
  onFold: (key: string) => void;
}

export const RowView = memo(function RowView({ session, row, ask, isUnfolded, onFold }: RowProps) {
  const fold = () => onFold(row.key);
  switch (row.kind) {
    case 'prompt':
      return (
        <div className="row-prompt">
          <ScreenReaderOnly>Message: </ScreenReaderOnly>
          {row.content.map((chunk, at) =>
            chunk.type === 'text' ? (
              <Long key={at} text={chunk.text} isUnfolded={isUnfolded} onFold={fold} />
            ) : chunk.type === 'image' && chunk.image !== undefined ? (
              <PromptPicture key={at} session={session} prompt={row.prompt} image={chunk.image} />
            ) : chunk.type === 'image' ? (
              <Picture key={at} mime={chunk.mime} data={chunk.data} label="Attached image" />
            ) : (
              <p key={at}>{chunk.name || chunk.uri}</p>
            ),
          )}
          {row.isSteered && <p className="row-note">sent to the current turn</p>}
          {row.note && <p className="row-note">{row.note}</p>}
        </div>
      );
    case 'text':
      return (
        <Suspense fallback={<p className="row-plain">{row.text}</p>}>
          <Markdown text={row.text} />
        </Suspense>
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
      return (
        <Folded
          icon={TOOL_ICONS[row.tool.kind] ?? 'more'}
          title={TOOL_WORDS[row.tool.kind] ?? 'Uses a tool'}
          detail={lineOf(row.tool)}
          state={row.state}
          isUnfolded={isUnfolded}
          onFold={fold}
        >
          <ToolBody tool={row.tool} output={row.output} />
        </Folded>
      );
    case 'plan':
      return <PlanList plan={row.plan} />;
    case 'ask':
      return <AskLine row={row} ask={ask} />;
    case 'line':
      return (
        <p className="row-line" data-tone={row.tone}>
          <Icon name={row.tone === 'quiet' ? 'info' : 'warning'} size={12} />
          <span>
            {row.text.startsWith('state:') ? standing(row.text.slice(6)).word : row.text}
            {row.detail && `: ${row.detail}`}
          </span>
        </p>
      );
  }
});

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

const firstLine = (text: string) => text.trimStart().split('\n', 1)[0]!.slice(0, 200);

/** A tool call on one line. */
const lineOf = (tool: ToolUse) => firstLine(tool.command || tool.paths?.join(', ') || tool.title || tool.name || '');

const STATE_WORDS: Readonly<Record<string, string>> = {
  pending: 'Pending',
  running: 'Running',
  completed: 'Done',
  failed: 'Failed',
};

function Folded({
  icon,
  title,
  detail,
  state,
  isUnfolded,
  onFold,
  children,
}: {
  icon: Parameters<typeof Icon>[0]['name'];
  title: string;
  detail: string;
  state?: string;
  isUnfolded: boolean;
  onFold: () => void;
  children: ReactNode;
}) {
  return (
    <div className="row-folded" data-state={state}>
      <button type="button" className="row-fold" aria-expanded={isUnfolded} onClick={onFold}>
        <Icon name="chevronRight" size={12} className={isUnfolded ? 'row-open' : ''} />
        <Icon name={icon} size={14} />
        <span className="row-what">{title}</span>
        <span className="row-detail">{detail}</span>
        {state && (
          <span className="row-state">
            <Icon name={state === 'completed' ? 'check' : state === 'failed' ? 'close' : 'clock'} size={12} />
            {STATE_WORDS[state] ?? state}
          </span>
        )}
      </button>
      {isUnfolded && <div className="row-body">{children}</div>}
    </div>
  );
}

/** All details of a tool call. */
export function ToolBody({ tool, output }: { tool: ToolUse; output: readonly unknown[] }) {
  const isBare = output.length === 0 && !tool.command && !tool.paths?.length;
  return (
    <>
      {tool.command && (
        <pre className="terminal" tabIndex={0} aria-label="Command">
          {`$ ${tool.command}`}
        </pre>
      )}
      {tool.cwd && <p className="row-note">in {tool.cwd}</p>}
      {!tool.command && tool.title && <p className="row-note">{tool.title}</p>}
      <Outputs output={output} />
      {isBare && tool.input !== undefined && tool.input !== null && (
        <pre className="terminal" tabIndex={0} aria-label="Input">
          {JSON.stringify(tool.input, null, 2).slice(0, 20_000)}
        </pre>
      )}
    </>
  );
}

const WHO: Readonly<Record<string, string>> = {
  owner: 'you',
  cli: 'your script',
  agent: 'another session',
  member: 'a member',
  program: 'a rule',
};

const VERDICTS: Readonly<Record<string, string>> = { refused: 'denied', withdrawn: 'canceled' };

/** The outcome of a request: who answered, and which rule decided. */
export function outcome(verdict: string | null, by: string | null | undefined, why: string): string {
  if (verdict === null) return 'needs your answer';
  const word = VERDICTS[verdict] ?? verdict;
  const who = verdict === 'withdrawn' ? '' : by ? ` by ${WHO[by] ?? by}` : why ? ' by a rule' : '';
  return `${word}${who}${why ? `: ${why}` : ''}`;
}

function AskLine({ row, ask }: { row: Row & { kind: 'ask' }; ask: Ask | undefined }) {
  const verdict = ask ? ask.answer : row.verdict;
  const isOpen = verdict === null;
  // A use of a tool that a rule allowed is shown above: one line with the rule is enough.
  if (!ask && verdict === 'allowed') {
    const said = row.isByRule || row.isRepeat ? row.why : `Allowed automatically${row.why ? `: ${row.why}` : ''}`;
    return (
      <p className="row-line" data-tone="quiet" data-short title={said}>
        <Icon name="check" size={12} />
        <span>{said}</span>
      </p>
    );
  }
  return (
    <p className="row-line" data-tone={isOpen ? 'warn' : 'quiet'}>
      <Icon name={isOpen ? 'bell' : verdict === 'allowed' ? 'check' : 'close'} size={12} />
      <span>
        {row.what === 'permission' ? 'Permission requested' : 'Question for you'} (<code>{firstLine(row.title)}</code>):{' '}
        {row.isRepeat ? row.why : outcome(verdict, ask?.answeredBy, row.why)}
      </span>
    </p>
  );
}
