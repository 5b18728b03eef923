/** The bookmarks button of the toolbar, with its popover. */
import { lazy, Suspense, useState } from 'react';
import { Dialog as AriaDialog, DialogTrigger, Popover } from 'react-aria-components';
import { IconButton, Loading } from '@shell/components';
import { useSetting } from '@shell/settings';

const BookmarksPopover = lazy(() => import('./BookmarksPopover'));

export function BookmarksButton() {
  const isShown = useSetting('showBookmarksInToolbar') === true;
  const [isOpen, setOpen] = useState(false);
  if (!isShown) return null;
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <IconButton icon="bookmark" label="Bookmarks" />
      <Popover className="popover" placement="bottom end" offset={4}>
        <AriaDialog aria-label="Bookmarks">
          <Suspense fallback={<Loading label="Loading bookmarks" />}>
            <BookmarksPopover onClose={() => setOpen(false)} />
          </Suspense>
        </AriaDialog>
      </Popover>
    </DialogTrigger>
  );
}
