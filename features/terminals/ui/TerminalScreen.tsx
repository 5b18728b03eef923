/** One terminal, drawn by xterm.js. */
import { useEffect, useRef, useState, type RefObject } from 'react';
import { FitAddon } from '@xterm/addon-fit';
import { Terminal as Xterm } from '@xterm/xterm';
import { toast } from '@shell/components';
import { useMedia, usePreference } from '@shell/preferences';
import { Connection } from './connection';
import { fontAt, themeAt } from './looks';
import { ignoreQueries } from './queries';
import { openStyled } from './styles';
import '@xterm/xterm/css/xterm.css';

const SCROLLBACK_LINES = 5_000;
/** Programs' colors are changed until their text can be read. */
const CONTRAST_MIN = 4.5;

function useIsDark(): boolean {
  const isSystemDark = useMedia('(prefers-color-scheme: dark)');
  const [theme] = usePreference('theme');
  return theme === null ? isSystemDark : theme === 'dark';
}

/** Keys that don't go to the shell. Copying needs a selection: else Ctrl+C interrupts. */
const isForPage = (event: KeyboardEvent, screen: Xterm): boolean =>
  event.ctrlKey &&
  !event.altKey &&
  ((event.code === 'KeyC' && screen.hasSelection()) || event.code === 'KeyV' || isLeaving(event));

const isLeaving = (event: KeyboardEvent) =>
  event.ctrlKey && !event.altKey && (event.key === '`' || event.code === 'Backquote');

/** Draws a terminal in an element. Returns how to end that. */
function draw(
  element: HTMLElement,
  id: string,
  on: { leave: () => void; exit: (code: number | null) => void; closed: () => void; connected: (is: boolean) => void },
): { screen: Xterm; end: () => void } {
  const screen = new Xterm({
    allowProposedApi: false,
    cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    fontFamily: fontAt(element),
    fontSize: 13,
    minimumContrastRatio: CONTRAST_MIN,
    scrollback: SCROLLBACK_LINES,
  });
  const fit = new FitAddon();
  screen.loadAddon(fit);
  openStyled(screen, element);
  /** Replayed output that isn't shown yet. */
  let replaying = 0;
  ignoreQueries(screen, () => replaying > 0);
  const connection = new Connection(id, {
    write: (bytes, isReplay) =>
      new Promise((resolve) => {
        if (isReplay) replaying++;
        screen.write(bytes, () => {
          if (isReplay) replaying--;
          resolve();
        });
      }),
    reset: () => screen.reset(),
    exit: (code) => {
      screen.options.disableStdin = true;
      on.exit(code);
    },
    closed: on.closed,
    connected: on.connected,
    inputLost: (error) => toast.problem("Couldn't send input", error),
  });
  screen.onData((data) => connection.type(data));
  screen.onResize(({ cols, rows }) => connection.resize(cols, rows));
  screen.attachCustomKeyEventHandler((event) => {
    if (!isForPage(event, screen)) return true;
    if (isLeaving(event)) {
      event.preventDefault();
      event.stopPropagation();
      if (event.type === 'keydown') on.leave();
    }
    return false;
  });
  const resized = new ResizeObserver(() => fit.fit());
  resized.observe(element);
  return {
    screen,
    end: () => {
      resized.disconnect();
      connection.close();
      screen.dispose();
    },
  };
}

export function TerminalScreen({
  id,
  focusCount,
  isRead,
  onLeave,
  onExit,
  onClosed,
}: {
  id: string;
  focusCount: number;
  /** Whether a screen reader reads it. */
  isRead: boolean;
  onLeave: () => void;
  onExit: (exitCode: number | null) => void;
  onClosed: () => void;
}) {
  const element = useRef<HTMLDivElement>(null);
  const drawn: RefObject<Xterm | null> = useRef<Xterm>(null);
  const [isConnected, setConnected] = useState(true);
  const isDark = useIsDark();
  const on = useRef({ onLeave, onExit, onClosed });
  useEffect(() => {
    on.current = { onLeave, onExit, onClosed };
  });
  useEffect(() => {
    const { screen, end } = draw(element.current!, id, {
      leave: () => on.current.onLeave(),
      exit: (code) => on.current.onExit(code),
      closed: () => on.current.onClosed(),
      connected: setConnected,
    });
    drawn.current = screen;
    return () => {
      drawn.current = null;
      end();
    };
  }, [id]);
  useEffect(() => {
    if (drawn.current && element.current) drawn.current.options.theme = themeAt(element.current, isDark);
  }, [id, isDark]);
  useEffect(() => {
    if (drawn.current) drawn.current.options.screenReaderMode = isRead;
  }, [id, isRead]);
  useEffect(() => {
    if (focusCount > 0) drawn.current?.focus();
  }, [id, focusCount]);
  return (
    <>
      <div className="terminal-screen" ref={element} />
      {!isConnected && (
        <p className="terminal-note" role="status">
          Disconnected. Reconnecting...
        </p>
      )}
    </>
  );
}
