/** Bookmarks: types, queries, and actions. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { toast, type Move } from '@shell/components';
import type { Command } from '@shell/feature';
import { openAddress } from '@shell/links';
import { useReported } from '@shell/requests';
import { useSetting } from '@shell/settings';

export type Bookmark = Schemas['Bookmark'];
export type CreateBookmark = { name?: string; address?: string; folderId?: string };
export type UpdateBookmark = { name?: string; address?: string };

/** The start of this feature's query keys: one event invalidates all of them. */
export const BOOKMARKS = ['bookmarks'];

/** All bookmarks in order, each folder before what is in it. */
export const useBookmarks = (enabled = true) =>
  useQuery({
    queryKey: [...BOOKMARKS, 'list'],
    queryFn: ({ signal }) => client.get('/bookmarks', { signal }).then(({ items }) => items),
    enabled,
  });

/** The names of the folders that a bookmark is in, outermost first. */
export function foldersOf(bookmarks: readonly Bookmark[], { folderId }: Bookmark): string[] {
  const folder = bookmarks.find(({ id }) => id === folderId);
  return folder ? [...foldersOf(bookmarks, folder), folder.name] : [];
}

/** Actions on bookmarks. */
export function useBookmarkActions() {
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: BOOKMARKS });
  /** Shows why it failed, and reloads the bookmarks. */
  const then = useReported(BOOKMARKS);
  const path = ({ id }: Bookmark) => ({ path: { bookmarkId: id } });
  const move = (bookmark: Bookmark, { ...body }: Move) =>
    then(
      `Couldn't move ${bookmark.name}`,
      client.post('/bookmarks/{bookmarkId}/reorder', {
        ...path(bookmark),
        body: 'before' in body ? body : body.folderId === null ? {} : { folderId: body.folderId },
      }),
    );
  return {
    /** Throws if it's rejected, for the form to show why. */
    create: async (body: CreateBookmark) => {
      const made = await client.post('/bookmarks', { body });
      await again();
      return made;
    },
    /** The same. */
    update: async (bookmark: Bookmark, body: UpdateBookmark) => {
      await client.patch('/bookmarks/{bookmarkId}', { ...path(bookmark), body });
      await again();
    },
    move,
    remove: async (bookmark: Bookmark) => {
      const isDone = await then(
        `Couldn't delete ${bookmark.name}`,
        client.delete('/bookmarks/{bookmarkId}', path(bookmark)),
      );
      if (!isDone) return;
      toast.done(`Deleted ${bookmark.name}`, {
        undo: () =>
          void then(
            `Couldn't restore ${bookmark.name}`,
            client.post('/bookmarks/{bookmarkId}/restore', path(bookmark)),
          ),
      });
    },
  };
}

/** Commands that open bookmarks. */
export function useOpenCommands(): Command[] {
  const isShown = useSetting('showBookmarksInToolbar') === true;
  const { data } = useBookmarks(isShown);
  return (isShown ? (data ?? []) : []).flatMap((bookmark): Command[] => {
    const { id, name, address } = bookmark;
    if (address === null) return [];
    return [
      {
        id: `bookmarks.open.${id}`,
        label: name,
        group: 'Bookmarks',
        icon: 'bookmark',
        detail: address,
        run: ({ navigate }) => openAddress(address, navigate),
      },
    ];
  });
}
