/** Keys of the inbox, which act on the active row. */
import { useShortcuts } from '@shell/shortcuts';
import { isYesOrNo, type Filters, type Row, type RowActions } from './data';

interface Inbox {
  row: Row | undefined;
  filters: Filters;
  actions: RowActions;
  isSelecting: boolean;
  step: (by: number) => void;
  open: (row: Row) => void;
  toggle: (row: Row) => void;
  reply: () => void;
  dismissSelected: () => void;
  clearSelection: () => void;
  ask: (what: 'snooze' | 'followUp', row: Row) => void;
  search: () => void;
}

/** Whether arrows and Enter belong to what has the focus. */
const isOnControl = () => {
  const here = document.activeElement;
  return !!here?.closest('button, a, select, input:not([type="checkbox"]), [role="menu"], .inbox-pane');
};

export function useInboxKeys(inbox: Inbox) {
  const { row, filters, actions } = inbox;
  const on = (run: (row: Row) => void | false) => () => (row ? run(row) : false);
  const isOver = filters.listed === 'dismissed';
  const dismiss = on((one) => {
    if (inbox.isSelecting) inbox.dismissSelected();
    else if (one.waits) return false;
    else void actions.dismiss(one);
  });
  const decide = (allow: boolean) =>
    on((one) => {
      if (!isYesOrNo(one)) return false;
      void actions.answer(one, allow);
    });
  const arrow = (by: number) => () => (isOnControl() ? false : inbox.step(by));
  useShortcuts('Inbox', [
    { keys: 'j', label: 'Next row', run: () => inbox.step(1) },
    { keys: 'k', label: 'Previous row', run: () => inbox.step(-1) },
    { keys: 'ArrowDown', label: 'Next row', run: arrow(1) },
    { keys: 'ArrowUp', label: 'Previous row', run: arrow(-1) },
    { keys: 'Home', label: 'First row', run: arrow(-Infinity) },
    { keys: 'End', label: 'Last row', run: arrow(Infinity) },
    { keys: 'Enter', label: 'Open row', run: () => (isOnControl() ? false : on(inbox.open)()) },
    { keys: 'o', label: 'Open row', run: on(inbox.open) },
    { keys: 'a', label: 'Allow or approve', run: decide(true) },
    { keys: 'd', label: 'Deny or reject', run: decide(false) },
    { keys: 'r', label: 'Answer in the details', run: on((one) => (one.waits ? inbox.reply() : false)) },
    { keys: 's', label: 'Snooze row', run: on((one) => (isOver ? false : inbox.ask('snooze', one))) },
    { keys: 'f', label: 'Remind me', run: on((one) => (isOver ? false : inbox.ask('followUp', one))) },
    isOver
      ? { keys: 'e', label: 'Restore row', run: on((one) => void actions.restore(one)) }
      : { keys: 'e', label: 'Dismiss row', run: dismiss },
    { keys: 'u', label: 'Mark row as read or unread', run: on((one) => void actions.setRead(one, !one.read)) },
    { keys: 'z', label: 'Undo', run: () => actions.undo() },
    { keys: 'x', label: 'Select row', run: on(inbox.toggle) },
    { keys: 'Escape', label: 'Clear selection', run: () => (inbox.isSelecting ? inbox.clearSelection() : false) },
    { keys: '/', label: 'Search', run: () => inbox.search() },
  ]);
}
