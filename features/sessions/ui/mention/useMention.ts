/** Completes `@` and letters to the path of a file in a session's folder. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, type Schemas } from '@shell/client';

/** Maximum number of suggested files. */
const FILES_MAX = 8;
/** An `@` at the start or after a space, and what follows up to the caret. */
const BEGUN = /(?:^|\s)@([^\s@]+)$/;

type HubFile = Schemas['HubFile'];

/** A folder of a hub, in which files are named. */
export interface MentionPlace {
  /** The hub; null if there is none. */
  hubId: string | null;
  /** The session's folder; null for the hub's. */
  cwd: string | null;
}

/** The path as the agent finds it: from its own folder if the file is in it. A worktree has the hub's paths. */
const pathFrom = (cwd: string | null, { path, fullPath }: HubFile) =>
  cwd !== null && fullPath.startsWith(`${cwd}/`) ? fullPath.slice(cwd.length + 1) : path;

/** A suggested file. */
export interface Mention {
  path: string;
  /** The text with the path in it, and the caret after it. */
  text: string;
  caret: number;
}

/** The suggested files for a text with the caret at a position. */
export function useMention(text: string, caret: number, { hubId, cwd }: MentionPlace) {
  const before = text.slice(0, caret);
  const begun = BEGUN.exec(before)?.[1] ?? '';
  /** The mention that was closed with Escape: its start and text. */
  const [closed, setClosed] = useState<string | null>(null);
  const start = caret - begun.length - 1;
  const key = `${start} ${begun}`;
  const isOpen = begun !== '' && hubId !== null && key !== closed;
  const { data } = useQuery<HubFile[]>({
    queryKey: ['hub-files', hubId, begun],
    queryFn: ({ signal }) =>
      client
        .get('/hubs/{hubId}/files', { path: { hubId: hubId! }, signal, query: { q: begun.slice(0, 100) } })
        .then(({ items }) => items),
    enabled: isOpen,
    placeholderData: keepPreviousData,
    // Files come and go without news.
    staleTime: 1_000,
    gcTime: 10_000,
    retry: false,
  });
  const offered = (isOpen ? (data ?? []) : []).slice(0, FILES_MAX).map((file): Mention => {
    const path = pathFrom(cwd, file);
    const upTo = `${text.slice(0, start)}@${path} `;
    return { path, text: upTo + text.slice(caret).replace(/^ /, ''), caret: upTo.length };
  });
  return { offered, close: () => setClosed(key) };
}
