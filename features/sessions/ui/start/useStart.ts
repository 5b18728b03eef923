/** What is chosen for a new session, preset with what was used last, and its start. */
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiError, reasonOf } from '@shell/api';
import { takeOffered, takeWhenStarted } from '@shell/newSession';
import { setPreference, usePreference } from '@shell/preferences';
import { canStart, useEngines, useHubs, useSessionActions } from '../data';
import { withPictures, readPictures, type PromptPicture } from '../pictures';
import { newTail, proposedBranch } from './branch';
import { recentHubs, useFolders, useOffers } from './data';

/** The choice of a folder that may not be a hub yet. */
export const OTHER_FOLDER = 'new';
/** The preference with the text of a message that wasn't sent yet. */
const DRAFT = 'draft.new';
/** Images of that message: they are too large for the browser's storage and stay as long as the page. */
let keptPictures: readonly PromptPicture[] = [];

/** The message: kept when the dialog closes, and empty again once a session starts with it. */
function useDraft() {
  const [draft, setDraft] = usePreference(DRAFT);
  useEffect(() => {
    const offered = takeOffered();
    // A message that wasn't sent yet stays.
    if (offered) setDraft(draft?.trim() ? `${draft.trimEnd()}\n\n${offered}` : offered);
  }, [draft, setDraft]);
  const [pictures, setPictures] = useState(keptPictures);
  useEffect(() => {
    keptPictures = pictures;
  }, [pictures]);
  return {
    text: draft ?? '',
    setText: (next: string) => setDraft(next === '' ? null : next),
    pictures,
    setPictures,
    attach: async (files: readonly File[]) => {
      const read = await readPictures(files);
      setPictures((before) => withPictures(before, read));
    },
    clear: () => {
      setDraft(null);
      setPictures([]);
      keptPictures = [];
    },
  };
}

/** The engine, with what of it was used last. */
function useEngineChoice() {
  const { data: engines } = useEngines();
  const [last, setLast] = usePreference('engine');
  const [chosen, setEngine] = useState<string | null>(null);
  const offered = engines ?? [];
  const engine = (
    offered.find(({ id }) => id === chosen) ??
    offered.find((one) => one.id === last && canStart(one)) ??
    offered.find(({ isDefault }) => isDefault)
  )?.id;
  const offers = useOffers(engine ?? null);
  const [model, setModel] = usePreference(`model.${engine ?? ''}`);
  const [mode, setMode] = usePreference(`mode.${engine ?? ''}`);
  const [effort, setEffort] = usePreference(`effort.${engine ?? ''}`);
  const choice = (
    options: readonly { value: string; name: string }[],
    value: string | null,
    set: (value: string | null) => void,
  ) => ({
    options,
    // The engine may not offer any more what was used last.
    value: options.some((option) => option.value === value) ? value! : '',
    onChange: (next: string) => set(next || null),
  });
  return {
    engines: offered,
    engine: engine ?? null,
    setEngine,
    model: choice(offers.models, model, setModel),
    mode: choice(offers.modes, mode, setMode),
    effort: choice(offers.efforts, effort, setEffort),
    acceptsImages: offers.acceptsImages,
    remember: () => {
      if (chosen !== null) setLast(chosen);
    },
  };
}

/** The hub or folder, and what it is to git. */
function usePlace(given: string) {
  const { data: hubs } = useHubs();
  const [last] = usePreference('hub');
  const [chosen, setHub] = useState<string | null>(given || null);
  const [folder, setFolder] = useState('');
  const known = (id: string | null | undefined) => hubs?.find((one) => one.id === id);
  const hub =
    chosen === OTHER_FOLDER
      ? OTHER_FOLDER
      : (known(chosen)?.id ?? (known(last)?.isThere ? last : recentHubs(hubs ?? [])[0]?.id) ?? OTHER_FOLDER);
  const isOther = hub === OTHER_FOLDER;
  const { data: found, isPlaceholderData } = useFolders(folder, isOther && folder.trim() !== '');
  const named = isOther && !isPlaceholderData && folder.trim() !== '' ? found?.folder : null;
  const hubId = isOther ? (named?.hubId ?? null) : hub;
  return { hubs, hub, setHub, folder, setFolder, isOther, hubId, place: isOther ? (named ?? undefined) : known(hub) };
}

/** The id of the hub of a folder, which may be one already. */
const hubOf = (failure: unknown): string | null =>
  failure instanceof ApiError && failure.code === 'conflict' && typeof failure.problem.hubId === 'string'
    ? failure.problem.hubId
    : null;

export function useStart(given: string, onStarted: () => void) {
  const { create, addHub } = useSessionActions();
  const [, navigate] = useLocation();
  const draft = useDraft();
  const engine = useEngineChoice();
  const place = usePlace(given);
  const { hubId } = place;
  // Per hub, and for a folder that isn't one yet until it is.
  const [worktree, setWorktree] = usePreference(`worktree.${hubId ?? 'new'}`);
  const [tail] = useState(newTail);
  const [ownBranch, setBranch] = useState<string | null>(null);
  const [faults, setFaults] = useState<{ folder?: string; prompt?: string }>({});
  const whenStarted = useRef<(sessionId: string) => void>(null);
  useEffect(() => {
    whenStarted.current = takeWhenStarted() ?? whenStarted.current;
  }, []);
  const [isStarting, setStarting] = useState(false);
  const isOn = worktree !== 'off';
  const branch = ownBranch ?? proposedBranch(draft.text, tail);
  const inWorktree = isOn && place.place?.isRepository === true && place.place.hasCommits;

  const findHub = async (): Promise<string> => {
    if (hubId !== null) return hubId;
    try {
      const { id } = await addHub(place.folder.trim());
      setPreference(`worktree.${id}`, worktree);
      setPreference('worktree.new', null);
      return id;
    } catch (failure) {
      const id = hubOf(failure);
      if (id === null) throw failure;
      return id;
    }
  };

  const start = async () => {
    if (isStarting) return;
    const { text, pictures } = draft;
    const missing = {
      ...(place.isOther && !place.folder.trim() ? { folder: 'Enter a folder.' } : {}),
      ...(text.trim() || pictures.length > 0 ? {} : { prompt: 'Describe the task.' }),
    };
    setFaults(missing);
    if (Object.keys(missing).length > 0) return;
    setStarting(true);
    try {
      const projectId = await findHub();
      const session = await create({
        projectId,
        prompt: text.trim() === '' ? 'See the image.' : text,
        ...(engine.engine === null ? {} : { engine: engine.engine }),
        ...(engine.model.value ? { model: engine.model.value } : {}),
        ...(engine.mode.value ? { mode: engine.mode.value } : {}),
        ...(engine.effort.value ? { effort: engine.effort.value } : {}),
        ...(pictures.length > 0 ? { images: [...pictures] } : {}),
        ...(inWorktree ? { worktree: true, ...(branch.trim() ? { branch: branch.trim() } : {}) } : {}),
      });
      if (!session) return;
      setPreference('hub', projectId);
      engine.remember();
      draft.clear();
      whenStarted.current?.(session.id);
      onStarted();
      navigate(`/sessions/${session.id}`);
    } catch (failure) {
      setFaults({ folder: reasonOf(failure) });
    } finally {
      setStarting(false);
    }
  };
  return {
    // What was wrong is right once it changes.
    draft: { ...draft, setText: (next: string) => (setFaults({}), draft.setText(next)) },
    engine,
    place: { ...place, setFolder: (next: string) => (setFaults({}), place.setFolder(next)) },
    worktree: { isOn, onChange: (on: boolean) => setWorktree(on ? null : 'off'), branch, onBranch: setBranch },
    faults,
    isStarting,
    start,
  };
}
