/** The terminals of a session, one shown at a time. The first opens with the panel; the panel closes with the last. */
import { useEffect, useRef, useState } from 'react';
import { Button, ErrorState, IconButton, Kbd, Loading, Tabs, toast } from '@shell/components';
import type { SessionPanelProps } from '@shell/feature';
import { usePreference } from '@shell/preferences';
import { useTerminalActions, useTerminals, type Terminal } from './data';
import { TerminalScreen } from './TerminalScreen';
import './terminals.css';

const nameOf = ({ shell }: Terminal, at: number) => `${at + 1}: ${shell}`;

export default function TerminalPanel({ sessionId, focusCount, onLeave, onClose }: SessionPanelProps) {
  const { data: terminals, error, refetch } = useTerminals(sessionId);
  const actions = useTerminalActions(sessionId);
  const [selected, setSelected] = useState<string | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  /** More requests to focus the terminal: after opening another one. */
  const [more, setMore] = useState(0);
  const [reader, setReader] = usePreference('terminalScreenReader');
  const hasOpened = useRef(false);
  const shown = terminals?.find(({ id }) => id === selected) ?? terminals?.at(-1);
  const open = async (opened = actions.open()) => {
    setFailure(null);
    try {
      setSelected((await opened).id);
      setMore((count) => count + 1);
    } catch (problem) {
      if (terminals?.length) toast.problem("Couldn't open terminal", problem);
      else setFailure(problem);
    }
  };
  const close = async (id: string) => {
    try {
      await actions.close(id);
    } catch (problem) {
      toast.problem("Couldn't close terminal", problem);
    }
    if (terminals?.every((one) => one.id === id)) onClose();
  };
  const isEmpty = terminals?.length === 0;
  const openFirst = useRef(open);
  useEffect(() => {
    openFirst.current = open;
  });
  useEffect(() => {
    if (!isEmpty || hasOpened.current) return;
    hasOpened.current = true;
    void openFirst.current();
  }, [isEmpty]);
  if (error || failure) {
    const retry = () => void (failure ? open() : refetch());
    return <ErrorState title="Couldn't open terminal" error={failure ?? error} onRetry={retry} />;
  }
  if (!terminals || !shown) return <Loading label="Opening terminal" />;
  return (
    <div className="terminal-panel">
      <div className="terminal-actions">
        <span className="terminal-hint">
          <Kbd keys="Ctrl `" /> leaves the terminal
        </span>
        <IconButton
          icon="eye"
          label="Screen reader mode"
          isActive={reader === 'on'}
          onPress={() => setReader(reader === 'on' ? null : 'on')}
        />
        <IconButton icon="plus" label="New terminal" onPress={() => void open()} />
        <IconButton icon="trash" label="Close terminal" onPress={() => void close(shown.id)} />
        <IconButton icon="chevronDown" label="Hide panel" onPress={onClose} />
      </div>
      <Tabs
        label="Terminals"
        selected={shown.id}
        onSelect={setSelected}
        tabs={terminals.map((one, at) => ({
          id: one.id,
          label: nameOf(one, at),
          content: (
            <>
              <TerminalScreen
                id={one.id}
                focusCount={focusCount && focusCount + more}
                isRead={reader === 'on'}
                onLeave={onLeave}
                onExit={() => void actions.reload()}
                onClosed={() => void actions.reload()}
              />
              {!one.isRunning && <Ended exitCode={one.exitCode} onRestart={() => open(actions.restart(one.id))} />}
            </>
          ),
        }))}
      />
    </div>
  );
}

function Ended({ exitCode, onRestart }: { exitCode: number | null; onRestart: () => Promise<void> }) {
  const [isPending, setPending] = useState(false);
  const restart = () => {
    setPending(true);
    void onRestart().finally(() => setPending(false));
  };
  return (
    <div className="terminal-note">
      <span role="status">{exitCode === null ? 'Shell ended' : `Shell ended with exit code ${exitCode}`}</span>
      <Button icon="restart" isPending={isPending} onPress={restart}>
        Restart
      </Button>
    </div>
  );
}
