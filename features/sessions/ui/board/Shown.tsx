/** Pages that agents want to show. Only a focused window claims the request; otherwise it stays in the inbox. */
import { useLocation } from 'wouter';
import { ApiError } from '@shell/api';
import { toast } from '@shell/components';
import { useLiveEvent } from '@shell/live';
import { takeShown } from './data';

export function Shown() {
  const [location, navigate] = useLocation();
  useLiveEvent<{ rowId: string }>('view-asked', ({ rowId }) => {
    if (!document.hasFocus()) return;
    takeShown(rowId)
      .then(({ title, path, moves }) => {
        const before = `${location}${window.location.search}`;
        if (moves) {
          navigate(path);
          toast.done(title, { kind: 'shown', action: { label: 'Go back', run: () => navigate(before) } });
        } else toast.done(title, { kind: 'shown', action: { label: 'Go there', run: () => navigate(path) } });
      })
      .catch((failure: unknown) => {
        // Another window claimed it, or it was dismissed: nothing to show.
        if (!(failure instanceof ApiError && ['not-now', 'not-found'].includes(failure.code)))
          toast.problem("Couldn't open page", failure);
      });
  });
  return null;
}
