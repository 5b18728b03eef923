/** Bookmarks at hand: type to filter, Enter opens; the page in view is added with one click. */
import { useState } from 'react';
import { Autocomplete, Input, Menu, MenuItem, SearchField, useFilter } from 'react-aria-components';
import { useLocation, useSearch } from 'wouter';
import { Button, ErrorState, Icon, Loading, toast } from '@shell/components';
import { openAddress } from '@shell/links';
import { foldersOf, useBookmarkActions, useBookmarks, type Bookmark } from './data';
import './bookmarks.css';

export default function BookmarksPopover({ onClose }: { onClose: () => void }) {
  const { data: bookmarks, error, refetch } = useBookmarks();
  const [, navigate] = useLocation();
  if (error && !bookmarks)
    return <ErrorState title="Couldn't load bookmarks" error={error} onRetry={() => void refetch()} />;
  if (!bookmarks) return <Loading label="Loading bookmarks" />;
  return (
    <div className="bookmarks-popover">
      <Found bookmarks={bookmarks} onClose={onClose} />
      <div className="bookmarks-actions">
        <AddPage bookmarks={bookmarks} />
        <Button
          onPress={() => {
            onClose();
            navigate('/bookmarks');
          }}
        >
          Edit bookmarks
        </Button>
      </div>
    </div>
  );
}

/** The bookmarks that contain the typed text in their name, address, or folders. */
function Found({ bookmarks, onClose }: { bookmarks: readonly Bookmark[]; onClose: () => void }) {
  const [text, setText] = useState('');
  const [, navigate] = useLocation();
  const { contains } = useFilter({ sensitivity: 'base' });
  const links = bookmarks.flatMap((bookmark) => {
    const { id, name, address } = bookmark;
    return address === null ? [] : [{ id, name, address, folders: foldersOf(bookmarks, bookmark).join(' / ') }];
  });
  const words = text.split(/\s+/).filter(Boolean);
  const found = links.filter(({ name, address, folders }) =>
    words.every((word) => [name, address, folders].some((part) => contains(part, word))),
  );
  const open = (address: string) => {
    onClose();
    openAddress(address, navigate);
  };
  return (
    <Autocomplete inputValue={text} onInputChange={setText}>
      <SearchField
        aria-label="Filter bookmarks"
        autoFocus
        className="search"
        onKeyDown={(event) => {
          // Enter takes the first one, also before you move to it.
          const first = found[0];
          if (event.key === 'Enter' && first && !document.querySelector('.bookmarks-list [data-focused]'))
            open(first.address);
        }}
      >
        <Icon name="search" />
        <Input className="search-input" placeholder="Filter bookmarks" />
      </SearchField>
      <Menu
        className="list bookmarks-list"
        aria-label="Bookmarks"
        items={found}
        renderEmptyState={() => (
          <p className="bookmarks-none">
            {links.length === 0 ? 'No bookmarks. Add this page, or an address on the bookmarks page.' : 'No matches'}
          </p>
        )}
      >
        {({ id, name, address, folders }) => (
          <MenuItem id={id} textValue={name} className="list-item" onAction={() => open(address)}>
            <Icon name={address.startsWith('/') ? 'file' : 'link'} />
            <span className="list-text">
              <span>{name}</span>
              <span className="list-detail">{folders ? `${folders} / ${address}` : address}</span>
            </span>
          </MenuItem>
        )}
      </Menu>
    </Autocomplete>
  );
}

/** Adds the page in view. */
function AddPage({ bookmarks }: { bookmarks: readonly Bookmark[] }) {
  const [location] = useLocation();
  const search = useSearch();
  const { create } = useBookmarkActions();
  const [isPending, setPending] = useState(false);
  const address = `/app${location}${search && `?${search}`}`;
  const isThere = bookmarks.some((bookmark) => bookmark.address === address);
  const add = async () => {
    setPending(true);
    // The tab's title: how many things need you, the page, and the program.
    const name = document.title.replace(/^\(\d+\) /, '').replace(/ - Pilothouse$/, '');
    try {
      await create({ name, address });
      toast.done(`Added ${name}`);
    } catch (failure) {
      toast.problem("Couldn't add bookmark", failure);
    }
    setPending(false);
  };
  return (
    <Button icon="plus" isDisabled={isThere} isPending={isPending} onPress={() => void add()}>
      {isThere ? 'Page is bookmarked' : 'Add this page'}
    </Button>
  );
}
