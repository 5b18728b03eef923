/** Making what belongs to the workspace in view, such as a board, and opening it. */
import { useRef } from 'react';
import { useIsMutating, useMutation, useMutationState, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { useWorkspaces } from './workspace';

/** Makes it in a workspace; what is to be opened then: the arguments of `navigate`. */
type Make = (workspaceId: string) => Promise<[path: string, options: { state?: object; replace?: boolean }]>;

/** Ends when the person goes to another page, with the one that was left as the reason; where the page itself puts another in its place, none was left. */
function pageInView(): AbortController {
  const page = new AbortController();
  const path = location.pathname;
  const look = () => location.pathname !== path && page.abort(path);
  for (const event of ['popstate', 'pushState']) addEventListener(event, look, { signal: page.signal });
  return page;
}

/**
 * Makes something as soon as the workspace in view is known, and opens it: one of a kind at a time, wherever it is asked for.
 * Where the person goes elsewhere meanwhile, or who asked says `leave`, none is made, and one that is made already is not opened, unless they
 * are back by then.
 */
export function useMaking(kind: 'board' | 'first-board' | 'dashboard') {
  const cache = useQueryClient();
  const { known } = useWorkspaces();
  const [, navigate] = useLocation();
  const place = useRef<AbortController>(null);
  const mutationKey = ['making', kind];
  const { mutateAsync } = useMutation({
    mutationKey,
    mutationFn: async (how: Make) => {
      const here = (place.current = pageInView());
      const left = new Promise<null>((resolve) => here.signal.addEventListener('abort', () => resolve(null)));
      try {
        const workspace = await Promise.race([known(), left]);
        if (!workspace || here.signal.aborted) return;
        const opened = await how(workspace.id);
        const isBack = here.signal.reason === location.pathname;
        if (!here.signal.aborted || isBack) navigate(...opened);
      } finally {
        here.abort();
      }
    },
  });
  return {
    isMaking: useIsMutating({ mutationKey }) > 0,
    /** Why the last one was not made. */
    error: useMutationState({ filters: { mutationKey }, select: ({ state }) => state.error }).at(-1) ?? null,
    make: async (how: Make): Promise<void> => {
      if (cache.isMutating({ mutationKey }) === 0) await mutateAsync(how);
    },
    leave: () => place.current?.abort(),
  };
}
