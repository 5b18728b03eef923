/** Panels of other features below the transcript: their buttons and keys, and the open one. */
import { Suspense, useState } from 'react';
import { Button, Loading } from '@shell/components';
import { features } from '@shell/features';
import { useShortcuts } from '@shell/shortcuts';
import { focusComposer } from '../useComposerFocus';
import { Resizer } from './Resizer';
import './panels.css';

const panels = features.flatMap(({ name, sessionPanel }) => (sessionPanel ? [{ name, ...sessionPanel }] : []));

/** The open panel of a session belongs to this window, and is restored when it's reloaded. */
const keyOf = (session: string) => `pilothouse.panel.${session}`;

function store(session: string, name: string | null) {
  try {
    if (name === null) sessionStorage.removeItem(keyOf(session));
    else sessionStorage.setItem(keyOf(session), name);
  } catch {
    // Storage may be off: then the panel is closed after a reload.
  }
}

function stored(session: string): string | null {
  try {
    return sessionStorage.getItem(keyOf(session));
  } catch {
    return null;
  }
}

export function usePanels(session: string) {
  const [name, setName] = useState(() => stored(session));
  const [focusCount, setFocusCount] = useState(0);
  const show = (next: string | null) => {
    setName(next);
    store(session, next);
  };
  const open = (next: string) => {
    show(next);
    setFocusCount((count) => count + 1);
  };
  useShortcuts(
    'Session',
    panels.map((panel) => ({ keys: panel.keys, label: `Open ${panel.label}`, run: () => open(panel.name) })),
  );
  const shown = panels.find((panel) => panel.name === name);
  return {
    buttons: panels.map((panel) => (
      <Button
        key={panel.name}
        icon={panel.icon}
        aria-pressed={panel === shown}
        aria-keyshortcuts={panel.keys.replace('Mod', 'Control')}
        onPress={() => (panel === shown ? show(null) : open(panel.name))}
      >
        {panel.label}
      </Button>
    )),
    panel: shown && (
      <Resizer label={shown.label}>
        <Suspense fallback={<Loading label={`Loading ${shown.label}`} />}>
          <shown.component
            sessionId={session}
            focusCount={focusCount}
            onLeave={focusComposer}
            onClose={() => {
              show(null);
              focusComposer();
            }}
          />
        </Suspense>
      </Resizer>
    ),
  };
}
