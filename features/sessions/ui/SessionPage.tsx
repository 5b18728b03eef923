/** One session: its state, transcript, requests, and message field. */
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useLocation, useParams, useSearch } from 'wouter';
import { ApiError } from '@shell/api';
import { Button, EmptyState, ErrorState, IconButton, Loading, Menu, Page } from '@shell/components';
import { features } from '@shell/features';
import { useShortcuts } from '@shell/shortcuts';
import { AskCard } from './AskCard';
import { ArtifactsButton } from './artifacts/ArtifactsButton';
import { Composer } from './Composer';
import { tellSeen, useAsks, useHubs, useSessionActions } from './data';
import { FORMS, saveTranscript } from './export';
import { FINAL_MESSAGE_LABEL, useFinalSwitch } from './final/useFinalMessage';
import { useFinding } from './find/useFinding';
import { ForkDialog } from './fork/ForkDialog';
import { SessionInstructionsDialog } from './instructions/SessionInstructionsDialog';
import { useFeed } from './live';
import { usePanels } from './panels/usePanels';
import { useAfterSend } from './needs/useAfterSend';
import { SessionHead } from './SessionHead';
import { canArchive, canPause, canStop, resumeLabel } from './states';
import { Transcript } from './Transcript';
import { SessionError } from './SessionError';
import { Waiting } from './Waiting';
import { useWatching } from './watching/useWatching';
import { focusComposer, useComposerFocus } from './useComposerFocus';
import { RenameDialog } from './RenameDialog';
import type { Row } from './transcript';
import './session.css';

/** How long new entries are shown before they count as read. */
const SEEN_AFTER_MS = 600;

/** Cards of other features on a session's page. */
const cards = features.flatMap(({ name, sessionCards }) => (sessionCards ? [{ name, Cards: sessionCards }] : []));

const ChangesView = lazy(() => import('./changes/ChangesView'));
const ArtifactsView = lazy(() => import('./artifacts/ArtifactsView'));

const counted = (sessions: number) => (sessions === 1 ? '1 session' : `${sessions} sessions`);

export default function SessionPage() {
  const { id = '' } = useParams();
  const search = new URLSearchParams(useSearch());
  const asked = Number(search.get('at'));
  const at = Number.isSafeInteger(asked) && asked > 0 ? asked : null;
  return <Opened key={`${id} ${at}`} id={id} at={at} tab={search.get('tab')} />;
}

function Opened({ id, at, tab }: { id: string; at: number | null; tab: string | null }) {
  const [isReviewing, isWithArtifacts] = [tab === 'changes', tab === 'artifacts'];
  const [, navigate] = useLocation();
  const feed = useFeed(id, at);
  const { session, rows, last, isRead, error } = feed.shown;
  const { data: hubs } = useHubs();
  const { data: asks, refetch: readAsks } = useAsks(id);
  const actions = useSessionActions();
  const [isRenaming, setRenaming] = useState(false);
  const [isShowingInstructions, showInstructions] = useState(false);
  /** The number of the entry to fork from. */
  const [forking, setForking] = useState<number | null>(null);
  const finding = useFinding();
  const panels = usePanels(id);
  const goOn = useAfterSend();
  const [isFinalOnly, setFinalOnly] = useFinalSwitch();
  useComposerFocus(session !== null);
  useWatching(id, session?.state);
  useEffect(() => {
    // Report the read position now and then, not for each word of a stream.
    if (last === 0 || document.hidden) return;
    const timer = setTimeout(() => void tellSeen(id, last), SEEN_AFTER_MS);
    return () => clearTimeout(timer);
  }, [id, last]);
  // The requests change when the session's need changes.
  const need = JSON.stringify(session?.need ?? null);
  useEffect(() => void readAsks(), [need, session?.state, readAsks]);
  const show = (next: 'changes' | 'artifacts') => navigate(`/sessions/${id}${tab === next ? '' : `?tab=${next}`}`);
  const open = asks?.filter(({ answer }) => answer === null) ?? [];
  useFocusKept(open.map(({ id: ask }) => ask));
  useShortcuts('Session', [
    { keys: 'c', label: 'Message the agent', run: () => focusComposer() },
    { keys: 'a', label: 'Go to the request (A allows, D denies)', run: () => focusOn('[data-ask]') },
    { keys: 't', label: 'Go to the transcript', run: () => focusOn('.transcript-scroll') },
    {
      keys: 'Mod+f',
      label: 'Find in the transcript',
      run: (event) => (isReviewing || isWithArtifacts || event.shiftKey || event.altKey ? false : finding.open()),
    },
    { keys: 'v', label: 'Show the changes or the transcript', run: () => show('changes') },
    { keys: 'f', label: 'Show the artifacts or the transcript', run: () => show('artifacts') },
  ]);
  if (!session) {
    const isGone = error instanceof ApiError && error.status === 404;
    return (
      <Page title="Session">
        {isGone ? (
          <EmptyState
            icon="session"
            title="Session not found"
            action={<Button onPress={() => navigate('/sessions')}>Show all sessions</Button>}
          >
            It may have been deleted, or the link is wrong.
          </EmptyState>
        ) : error ? (
          <ErrorState title="Couldn't load session" error={error} onRetry={feed.look} />
        ) : (
          <Loading label="Loading session" />
        )}
      </Page>
    );
  }
  const did = async <T,>(what: Promise<T>): Promise<T> => {
    const done = await what;
    feed.look();
    return done;
  };
  const { state } = session;
  const hub = hubs?.find(({ id: one }) => one === session.projectId);
  return (
    <Page
      title={session.title}
      actions={
        <>
          {!isReviewing && !isWithArtifacts && (
            <IconButton icon="search" label="Find in transcript" keys="Ctrl F" onPress={() => void finding.open()} />
          )}
          {panels.buttons}
          <Button icon="edit" aria-pressed={isReviewing} aria-keyshortcuts="V" onPress={() => show('changes')}>
            {isReviewing ? 'Transcript' : 'Changes'}
          </Button>
          <ArtifactsButton session={session} isShown={isWithArtifacts} onPress={() => show('artifacts')} />
          {resumeLabel(state) && <Button onPress={() => void did(actions.resume(id))}>{resumeLabel(state)}</Button>}
          {canStop(state) && <Button onPress={() => void did(actions.stop(id))}>Stop</Button>}
          <Menu
            label="More"
            groups={[
              {
                entries: [
                  { id: 'rename', label: 'Rename', onAction: () => setRenaming(true) },
                  { id: 'instructions', label: 'Instructions', onAction: () => showInstructions(true) },
                  {
                    id: 'tree',
                    label: 'Stop with child sessions',
                    detail: session.children.length === 0 ? 'No child sessions' : counted(session.children.length),
                    isDisabled: session.children.length === 0,
                    onAction: () => void did(actions.stopTree(id)),
                  },
                  {
                    id: 'pause',
                    label: 'Pause',
                    detail: 'Until you resume it',
                    isDisabled: !canPause(state),
                    onAction: () => void did(actions.pause(id)),
                  },
                  {
                    id: 'archive',
                    label: 'Archive',
                    detail: 'Keeps the transcript',
                    isDisabled: !canArchive(state),
                    onAction: () => void did(actions.archive(id)),
                  },
                ],
              },
              {
                label: 'View',
                entries: [
                  {
                    id: 'final',
                    label: FINAL_MESSAGE_LABEL,
                    detail: isFinalOnly ? 'On' : 'Off',
                    isSelected: isFinalOnly,
                    onAction: () => setFinalOnly(!isFinalOnly),
                  },
                ],
              },
              {
                label: 'Export the transcript',
                entries: FORMS.map((form) => ({
                  id: form.as,
                  label: form.label,
                  onAction: () => void saveTranscript(id, form),
                })),
              },
            ]}
          >
            <IconButton icon="more" label="More" />
          </Menu>
        </>
      }
    >
      <div className="session">
        <SessionHead session={session} hub={hub} />
        {isReviewing ? (
          <Suspense fallback={<Loading label="Loading changes" />}>
            <ChangesView
              session={session}
              onSend={async (prompt) => (await did(actions.message(id, { prompt, images: [], steer: false }))) !== null}
            />
          </Suspense>
        ) : isWithArtifacts ? (
          <Suspense fallback={<Loading label="Loading artifacts" />}>
            <ArtifactsView session={session} />
          </Suspense>
        ) : isRead ? (
          <Transcript
            session={id}
            shown={feed.shown}
            asks={asks ?? []}
            at={at}
            onOlder={feed.older}
            onNewer={feed.newer}
            onJump={feed.jump}
            onFill={feed.fill}
            isFinding={finding.isFinding}
            onFindEnd={finding.close}
            onFork={setForking}
          />
        ) : (
          <Loading label="Loading transcript" />
        )}
        <div className="session-foot">
          <SessionError
            session={session}
            onResume={() => void did(actions.resume(id))}
            onCommand={(prompt) => void did(actions.message(id, { prompt, images: [], steer: false }))}
          />
          <Waiting prompts={session.prompts} onRemove={(prompt) => void did(actions.takeBack(id, prompt))} />
          {open.map((ask) => (
            <AskCard
              key={ask.id}
              ask={ask}
              use={toolOfRequest(rows, ask.request)}
              onAnswer={(answer) => did(actions.answer(id, ask.id, answer))}
            />
          ))}
          {cards.map(({ name, Cards }) => (
            <Suspense key={name}>
              <Cards sessionId={id} />
            </Suspense>
          ))}
          <Composer
            session={session}
            history={promptsOf(rows)}
            hasQuestion={state === 'awaitingInput' || open.some(({ kind }) => kind === 'question')}
            onSend={async (prompt) => {
              const sent = await did(actions.message(id, prompt));
              if (sent) void goOn(session);
              return sent;
            }}
            onCancel={() => void did(actions.cancel(id))}
            onChoose={(choice) => void did(actions.change(id, choice))}
          />
        </div>
        {panels.panel}
      </div>
      {forking !== null && <ForkDialog session={session} hub={hub} entry={forking} onClose={() => setForking(null)} />}
      {isShowingInstructions && <SessionInstructionsDialog session={session} onClose={() => showInstructions(false)} />}
      {isRenaming && (
        <RenameDialog
          title={session.title}
          onClose={() => setRenaming(false)}
          onSave={(title) => did(actions.change(id, { title }))}
        />
      )}
    </Page>
  );
}

/**
 * Moves the focus to the transcript when the focused card disappears. A card never takes the focus automatically: a key
 * pressed just then would answer a request that you haven't read.
 */
function useFocusKept(open: readonly string[]) {
  const before = useRef<readonly string[]>([]);
  const ids = open.join(' ');
  useEffect(() => {
    const now = ids === '' ? [] : ids.split(' ');
    if (before.current.some((id) => !now.includes(id)) && document.activeElement === document.body)
      focusOn('.transcript-scroll');
    before.current = now;
  }, [ids]);
}

function focusOn(selector: string): void | false {
  const element = document.querySelector<HTMLElement>(selector);
  if (!element) return false;
  element.focus();
}

/** The transcript's tool call that needs permission. */
function toolOfRequest(rows: readonly Row[], request: unknown): (Row & { kind: 'tool' }) | undefined {
  const id = (request as { tool?: { id?: unknown } } | null)?.tool?.id;
  for (let at = rows.length - 1; at >= 0; at -= 1) {
    const row = rows[at]!;
    if (row.kind === 'tool' && row.tool.id === id) return row;
  }
  return undefined;
}

/** Sent messages, newest first, without repeats in a row. */
function promptsOf(rows: readonly Row[]): string[] {
  const prompts: string[] = [];
  for (let at = rows.length - 1; at >= 0 && prompts.length < 50; at -= 1) {
    const row = rows[at]!;
    if (row.kind !== 'prompt') continue;
    const text = row.content.flatMap((chunk) => (chunk.type === 'text' ? [chunk.text] : [])).join('\n');
    if (text !== '' && prompts.at(-1) !== text) prompts.push(text);
  }
  return prompts;
}
