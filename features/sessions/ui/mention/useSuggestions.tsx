/** What is suggested while a message is written, skills after `/` and files after `@`, and the keys that choose one. */
import { useEffect, useState, type KeyboardEvent } from 'react';
import { MentionMenu, type Suggestion } from './MentionMenu';
import { useMention } from './useMention';
import { useSkills, type SkillSource } from './useSkills';

interface Options {
  /** The id of the menu's element. */
  id: string;
  text: string;
  caret: number;
  /** The session's folder; null for the hub's. */
  cwd: string | null;
  skills: SkillSource;
  onPick: (text: string, caret: number) => void;
}

export function useSuggestions({ id, text, caret, cwd, skills: source, onPick }: Options) {
  const files = useMention(text, caret, { hubId: source.hubId, cwd });
  const skills = useSkills(text, caret, source);
  const [marked, setMarked] = useState(0);
  useEffect(() => setMarked(0), [text]);
  const suggestions: Suggestion[] = [
    ...skills.offered.map(({ call, description, isStale, ...picked }) => ({
      key: call,
      pick: () => onPick(picked.text, picked.caret),
      content: (
        <>
          <code>{call}</code>
          <span>{isStale ? `May be unavailable. ${description}` : description}</span>
        </>
      ),
    })),
    ...files.offered.map((file) => ({
      key: file.path,
      pick: () => onPick(file.text, file.caret),
      content: <code>{file.path}</code>,
    })),
  ];
  const at = Math.min(marked, suggestions.length - 1);
  /** Handles a key for the suggestions. Returns whether it did. */
  const onKey = ({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent): boolean => {
    const picked = suggestions[at];
    if (!picked || ctrlKey || metaKey) return false;
    if (key === 'Tab' || (key === 'Enter' && !shiftKey)) picked.pick();
    else if (key === 'ArrowDown' || key === 'ArrowUp')
      setMarked((at + (key === 'ArrowDown' ? 1 : -1) + suggestions.length) % suggestions.length);
    else if (key === 'Escape') {
      skills.close();
      files.close();
    } else return false;
    return true;
  };
  const isOpen = suggestions.length > 0;
  return {
    onKey,
    fieldProps: isOpen ? { 'aria-controls': id, 'aria-activedescendant': `${id}-${at}` } : {},
    menu: isOpen && (
      <MentionMenu id={id} label={skills.offered.length > 0 ? 'Skills' : 'Files'} suggestions={suggestions} at={at} />
    ),
  };
}
