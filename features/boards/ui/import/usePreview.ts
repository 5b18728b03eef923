/** The file to import, its options, and the preview. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { toast } from '@shell/components';
import {
  addMembers,
  asked,
  chosenAs,
  send,
  type Becomes,
  type Choices,
  type Chosen,
  type FoundColumn,
  type Preview,
} from './importing';

/** The user's options for the file and its columns. */
interface Asked {
  choices: Choices;
  columns: readonly Chosen[];
}

export function usePreview(workspaceId: string, into: string | undefined) {
  const [file, setFile] = useState<File | null>(null);
  const [choices, setChoices] = useState<Choices>(into ? { boardId: into } : {});
  const [chosen, setChosen] = useState<readonly Chosen[]>([]);
  const [preview, setPreview] = useState<Preview | null>(null);
  const [isAdding, setAdding] = useState(false);
  const [error, setError] = useState<unknown>(null);
  /** The look whose answer counts: the last that was asked for; those before it are ended. */
  const looking = useRef<AbortController>(null);
  /** What was asked for last, which the next choice adds to, also before its answer. */
  const asking = useRef<Asked>({ choices, columns: chosen });
  /** What the last answer is to. */
  const answered = useRef(asking.current);
  const [isLooking, setLooking] = useState(false);
  useEffect(() => () => looking.current?.abort(), []);
  const cache = useQueryClient();

  /** Asks what would become of the file; what was chosen holds once the answer is there. */
  const look = async (of: File, more: Partial<Asked> = {}) => {
    looking.current?.abort();
    const { signal } = (looking.current = new AbortController());
    const next = (asking.current = { ...asking.current, ...more });
    setLooking(true);
    setError(null);
    try {
      const found = await send<Preview>(
        of,
        { workspaceId, dryRun: 'true', ...asked(next.choices, next.columns) },
        signal,
      );
      if (signal.aborted) return;
      setPreview(found);
      answered.current = next;
      setChoices(next.choices);
      setChosen(next.columns);
    } catch (failure) {
      if (signal.aborted) return;
      // What stands there goes on from what was answered.
      asking.current = answered.current;
      setChosen(answered.current.columns);
      setError(failure);
      if (!preview) setFile(null);
    } finally {
      if (!signal.aborted) setLooking(false);
    }
  };
  const open = (of: File) => {
    setFile(of);
    void look(of, { choices: into ? { boardId: into } : {}, columns: [] });
  };
  /** Another tool, sheet, board or way to read the file: the columns are found anew. */
  const choose = (more: Choices) => {
    if (file)
      void look(file, {
        choices: { ...asking.current.choices, key: undefined, dateOrder: undefined, ...more } as Choices,
        columns: [],
      });
  };
  const adjust = (more: Choices) => {
    if (file) void look(file, { choices: { ...asking.current.choices, ...more } });
  };
  const chooseColumn = (found: FoundColumn, becomes: Becomes) => {
    const others = asking.current.columns.filter(
      (one) => one.index !== found.index && (one.role === undefined || one.role !== becomes),
    );
    const columns = [...others, chosenAs(found.index, becomes)];
    // What the name, the group and the columns of a board are is shown once the program agrees; a type at once.
    if (becomes !== 'name' && becomes !== 'group' && becomes !== 'parent' && !choices.boardId) setChosen(columns);
    // What does not fit its column is counted anew.
    if (file) void look(file, { columns });
  };
  const addPeople = async (people: readonly string[]) => {
    setAdding(true);
    try {
      await addMembers(people);
      toast.done(
        people.length === 1 ? `Added ${people[0]} as a member` : `Added ${people.length.toLocaleString()} members`,
      );
    } catch (failure) {
      toast.problem("Couldn't add all members", failure);
    }
    void cache.invalidateQueries({ queryKey: ['members'] });
    if (file) await look(file);
    setAdding(false);
  };
  /** Goes back to choosing a file. */
  const reset = () => {
    looking.current?.abort();
    setPreview(null);
    setFile(null);
  };
  return {
    file,
    choices,
    chosen,
    preview,
    error,
    setError,
    isLooking,
    isAdding,
    open,
    choose,
    adjust,
    chooseColumn,
    addPeople,
    reset,
  };
}
