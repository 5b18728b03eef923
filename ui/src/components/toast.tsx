/** What just happened, in a corner, with undo where it can be undone. Problems are also kept in a list. */
import { useSyncExternalStore } from 'react';
import {
  Text,
  UNSTABLE_Toast as AriaToast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as AriaToastRegion,
} from 'react-aria-components';
import { reasonOf } from '../api';
import { perSignIn } from '../session';
import { Button, IconButton } from './Button';
import { Icon } from './Icon';

/** What a toast says. */
export interface ToastContentProps {
  title: string;
  detail?: string;
  tone: 'done' | 'problem';
  /** A button: `Undo` for most. */
  action?: { label: string; run: () => void | Promise<void> };
}

/** A problem that was shown, for the list. */
export interface Problem {
  at: Date;
  title: string;
  detail?: string;
}

const MOST_PROBLEMS = 50;
const queue = new ToastQueue<ToastContentProps>({ maxVisibleToasts: 3 });
/** The one of each kind that is there. */
const kinds = new Map<string, string>();
const listeners = new Set<() => void>();
let problems: readonly Problem[] = [];
let problemSeconds = 10;

/** How long problems stay: the setting toastDisplayDurationSeconds. */
export const setProblemSeconds = (seconds: number) => {
  problemSeconds = seconds;
};

perSignIn(() => {
  // One by one, so that each hears that it is gone.
  for (let [shown] = queue.visibleToasts; shown; [shown] = queue.visibleToasts) queue.close(shown.key);
  problems = [];
  for (const listener of listeners) listener();
});

/** Shows toasts. React Aria takes none shorter than five seconds, so that they can be read. */
export const toast = {
  /**
   * Something was done. `undo` puts an Undo button on it, `action` another; `onClose` hears that it is gone. One of a `kind` takes
   * the place of the one before. Returns how to take it away early.
   */
  done(
    title: string,
    options: {
      detail?: string;
      undo?: () => void | Promise<void>;
      action?: ToastContentProps['action'];
      kind?: string;
      onClose?: () => void;
    } = {},
  ): () => void {
    const { undo, detail, kind, onClose, action = undo && { label: 'Undo', run: undo } } = options;
    const before = kind === undefined ? undefined : kinds.get(kind);
    if (before !== undefined) queue.close(before);
    const key = queue.add(
      { title, tone: 'done', ...(detail ? { detail } : {}), ...(action ? { action } : {}) },
      { timeout: action ? 10_000 : 5000, ...(onClose ? { onClose } : {}) },
    );
    if (kind !== undefined) kinds.set(kind, key);
    return () => queue.close(key);
  },
  /** Something failed; `error` says why. */
  problem(title: string, error?: unknown, action?: ToastContentProps['action']) {
    const detail = error === undefined ? undefined : reasonOf(error);
    const problem = { title, ...(detail ? { detail } : {}) };
    problems = [{ at: new Date(), ...problem }, ...problems].slice(0, MOST_PROBLEMS);
    for (const listener of listeners) listener();
    queue.add(
      { ...problem, tone: 'problem', ...(action ? { action } : {}) },
      { timeout: Math.max(5, problemSeconds) * 1000 },
    );
  },
};

/** The problems since the sign-in, newest first. */
export const useProblems = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => problems,
  );

/** Where toasts appear; the shell mounts it once. */
export function ToastRegion() {
  return (
    <AriaToastRegion queue={queue} className="toasts">
      {({ toast: shown }) => (
        <AriaToast toast={shown} className={`toast toast-${shown.content.tone}`}>
          <Icon name={shown.content.tone === 'done' ? 'check' : 'warning'} />
          <ToastContent className="toast-text">
            <Text slot="title">{shown.content.title}</Text>
            {shown.content.detail && (
              <Text slot="description" className="toast-detail">
                {shown.content.detail}
              </Text>
            )}
          </ToastContent>
          {shown.content.action && (
            <Button
              onPress={() => {
                queue.close(shown.key);
                void shown.content.action?.run();
              }}
            >
              {shown.content.action.label}
            </Button>
          )}
          <IconButton icon="close" label="Dismiss" onPress={() => queue.close(shown.key)} />
        </AriaToast>
      )}
    </AriaToastRegion>
  );
}
