/** Edits a bookmark or a folder, or creates a folder. */
import { useId, useState } from 'react';
import { Button, Dialog, Select, TextField, within } from '@shell/components';
import { reasonOf } from '@shell/api';
import { completeAddress } from '@shell/links';
import { foldersOf, useBookmarkActions, type Bookmark } from './data';

/** What is edited: a bookmark, or a new folder. */
export type Edited = Bookmark | 'folder';

interface Props {
  edited: Edited;
  bookmarks: readonly Bookmark[];
  onClose: () => void;
}

const TOP = '';

export function BookmarkDialog({ edited, bookmarks, onClose }: Props) {
  const form = useId();
  const bookmark = edited === 'folder' ? null : edited;
  const [name, setName] = useState(bookmark?.name ?? '');
  const [address, setAddress] = useState(bookmark?.address ?? '');
  const [folder, setFolder] = useState(bookmark?.folderId ?? TOP);
  const [isPending, setPending] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const { create, update, move } = useBookmarkActions();
  const isLink = bookmark !== null && bookmark.address !== null;
  const isComplete = name.trim() !== '' && (!isLink || address.trim() !== '');
  const inside = bookmark ? within(bookmarks, bookmark.id) : new Set<string>();
  const folders = bookmarks
    .filter(({ id, kind }) => kind === 'folder' && !inside.has(id))
    .map((one) => ({ value: one.id, label: [...foldersOf(bookmarks, one), one.name].join(' / ') }));
  const submit = async () => {
    if (!isComplete || isPending) return;
    setPending(true);
    setProblem(null);
    const folderId = folder === TOP ? null : folder;
    try {
      if (!bookmark) await create({ name: name.trim(), ...(folderId === null ? {} : { folderId }) });
      else {
        await update(bookmark, { name: name.trim(), ...(isLink ? { address: completeAddress(address) } : {}) });
        if (folderId !== bookmark.folderId) await move(bookmark, { folderId });
      }
      onClose();
    } catch (failure) {
      setProblem(failure);
      setPending(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={!bookmark ? 'New folder' : isLink ? 'Edit bookmark' : 'Edit folder'}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" isDisabled={!isComplete} isPending={isPending}>
            {bookmark ? 'Save' : 'Create'}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="bookmarks-form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <TextField label="Name" value={name} onChange={setName} maxLength={200} autoComplete="off" autoFocus />
        {isLink && <TextField label="Address" value={address} onChange={setAddress} autoComplete="off" />}
        {folders.length > 0 && (
          <Select
            label="Folder"
            options={[{ value: TOP, label: 'No folder' }, ...folders]}
            value={folder}
            onChange={setFolder}
          />
        )}
        {problem !== null && (
          <p role="alert" className="bookmarks-problem">
            {reasonOf(problem)}
          </p>
        )}
      </form>
    </Dialog>
  );
}
