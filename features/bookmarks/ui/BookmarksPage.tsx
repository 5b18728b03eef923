/** All bookmarks: added, edited, put in order and into folders, and deleted. */
import { useState } from 'react';
import { Link } from 'wouter';
import {
  Button,
  EmptyState,
  ErrorState,
  Icon,
  IconButton,
  Loading,
  Page,
  SortableList,
  TextField,
} from '@shell/components';
import { reasonOf } from '@shell/api';
import { completeAddress, pagePath } from '@shell/links';
import { useShortcuts } from '@shell/shortcuts';
import { BookmarkDialog, type Edited } from './BookmarkDialog';
import { useBookmarkActions, useBookmarks, type Bookmark } from './data';
import './bookmarks.css';

export default function BookmarksPage() {
  const { data: bookmarks, error, refetch } = useBookmarks();
  const [edited, setEdited] = useState<Edited | null>(null);
  const { move } = useBookmarkActions();
  useShortcuts('Bookmarks', [
    { keys: 'Alt+↑ ↓', label: 'Move the bookmark' },
    { keys: 'Alt+← →', label: 'Move out of or into a folder' },
  ]);
  const entries = bookmarks?.map((bookmark) => ({ ...bookmark, isFolder: bookmark.kind === 'folder' }));
  return (
    <Page
      title="Bookmarks"
      actions={
        <Button icon="folder" onPress={() => setEdited('folder')}>
          New folder
        </Button>
      }
    >
      <div className="bookmarks">
        <AddForm />
        {error && !entries ? (
          <ErrorState title="Couldn't load bookmarks" error={error} onRetry={() => void refetch()} />
        ) : !entries ? (
          <Loading label="Loading bookmarks" />
        ) : entries.length === 0 ? (
          <EmptyState icon="bookmark" title="No bookmarks">
            Enter an address above, or add the page in view with the bookmarks button in the toolbar.
          </EmptyState>
        ) : (
          <SortableList label="Bookmarks" entries={entries} onMove={(entry, to) => void move(entry, to)}>
            {(bookmark) => <BookmarkRow bookmark={bookmark} onEdit={() => setEdited(bookmark)} />}
          </SortableList>
        )}
      </div>
      {edited && <BookmarkDialog edited={edited} bookmarks={bookmarks ?? []} onClose={() => setEdited(null)} />}
    </Page>
  );
}

/** Adds an address, named after itself until you edit it. */
function AddForm() {
  const [address, setAddress] = useState('');
  const [isPending, setPending] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const { create } = useBookmarkActions();
  const submit = async () => {
    if (address.trim() === '' || isPending) return;
    setPending(true);
    setProblem(null);
    try {
      await create({ address: completeAddress(address) });
      setAddress('');
    } catch (failure) {
      setProblem(failure);
    }
    setPending(false);
  };
  return (
    <form
      className="bookmarks-add"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <TextField
        label="Address"
        placeholder="https://example.com"
        value={address}
        onChange={(text) => {
          setAddress(text);
          setProblem(null);
        }}
        autoComplete="off"
        error={problem === null ? null : reasonOf(problem)}
        help="A web address, or a page of Pilothouse such as /app/inbox."
      />
      <Button type="submit" variant="primary" isDisabled={address.trim() === ''} isPending={isPending}>
        Add
      </Button>
    </form>
  );
}

function BookmarkRow({ bookmark, onEdit }: { bookmark: Bookmark; onEdit: () => void }) {
  const { name, address } = bookmark;
  const { remove } = useBookmarkActions();
  const path = address === null ? undefined : pagePath(address);
  return (
    <>
      <Icon name={address === null ? 'folder' : path === undefined ? 'link' : 'file'} />
      <div className="bookmarks-text">
        {address === null ? (
          <span className="bookmarks-folder">{name}</span>
        ) : path === undefined ? (
          <a href={address} target="_blank" rel="noopener noreferrer">
            {name}
          </a>
        ) : (
          <Link href={path}>{name}</Link>
        )}
        {address !== null && address !== name && <span className="bookmarks-address">{address}</span>}
      </div>
      <IconButton icon="edit" label={`Edit ${name}`} onPress={onEdit} />
      <IconButton icon="trash" label={`Delete ${name}`} onPress={() => void remove(bookmark)} />
    </>
  );
}
