/** Messages in a corner about recent changes, with an Undo button if possible. Problems are also listed. */
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

/** Content of a toast. */
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
/** The current toast of each kind. */
const kinds = new Map<string, string>();
const listeners = new Set<() => void>();
let problems: readonly Problem[] = [];
let problemSeconds = 10;

/** Sets how long problems are shown (the setting toastDisplayDurationSeconds). */
export const setProblemSeconds = (seconds: number) => {
  problemSeconds = seconds;
};

perSignIn(() => {
  // One at a time, so that each `onClose` is called.
  for (let [shown] = queue.visibleToasts; shown; [shown] = queue.visibleToasts) queue.close(shown.key);
  problems = [];
  for (const listener of listeners) listener();
});

/** Shows toasts for at least five seconds, React Aria's minimum. */
export const toast = {
  /**
   * Reports a change. `undo` adds an Undo button, `action` another one. `onClose` is called when the toast closes. A
   * toast replaces the previous one of its `kind`. Returns a function that closes it early.
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
  /** Reports a failure; `error` has the reason. */
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
