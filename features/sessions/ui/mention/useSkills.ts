/** Completes `/` at the start of a word to a skill: one that the engine announced or, before that, one on disk. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client } from '@shell/client';
import { useSetting } from '@shell/settings';
import { fuzzyMatches } from './fuzzy';

/** Maximum number of suggested skills. */
const SKILLS_MAX = 8;
/** A `/` at the start or after a space, and what follows up to the caret. A path has another one. */
const BEGUN = /(?:^|\s)\/([^\s/]*)$/;

/** A skill or command, as the menu shows it. */
export interface Skill {
  /** How a message calls it. */
  call: string;
  description: string;
  /** Whether the engine announced it earlier and not since. */
  isStale: boolean;
}

/** Where skills come from. */
export interface SkillSource {
  engine: string | null;
  /** The hub; null if there is none. */
  hubId: string | null;
  /** What the session's engine announced. */
  announced: readonly Skill[];
}

/** A suggested skill, and the text with its call in it. */
export interface SkillSuggestion extends Skill {
  text: string;
  caret: number;
}

/** The skills of an engine on disk, for a session that would start in a hub. */
function useSkillsOnDisk(engine: string | null, hubId: string | null, isWanted: boolean): readonly Skill[] {
  const { data } = useQuery({
    queryKey: ['engine-skills', engine, hubId],
    queryFn: ({ signal }) =>
      client
        .get('/engines/{engineId}/skills', {
          path: { engineId: engine! },
          signal,
          query: hubId === null ? {} : { hubId },
        })
        .then(({ skills }) => skills.map((skill): Skill => ({ ...skill, isStale: false }))),
    enabled: isWanted && engine !== null,
    // Files change without news.
    staleTime: 2_000,
    gcTime: 10_000,
    retry: false,
  });
  return isWanted ? (data ?? []) : [];
}

const nameOf = ({ call }: Skill) => call.slice(1);

/** The suggested skills for a text with the caret at a position. */
export function useSkills(text: string, caret: number, { engine, hubId, announced }: SkillSource) {
  const isOn = useSetting('skillSlashAutocomplete') ?? true;
  const begun = isOn ? BEGUN.exec(text.slice(0, caret))?.[1] : undefined;
  const start = begun === undefined ? null : caret - begun.length - 1;
  /** The start of the word for which the menu was closed with Escape. */
  const [closed, setClosed] = useState<number | null>(null);
  useEffect(() => {
    if (start === null) setClosed(null);
  }, [start]);
  const isOpen = start !== null && start !== closed;
  const onDisk = useSkillsOnDisk(engine, hubId, isOpen && announced.length === 0);
  const all = announced.length > 0 ? announced : onDisk;
  const matches = isOpen ? fuzzyMatches(all, begun ?? '', nameOf).slice(0, SKILLS_MAX) : [];
  const offered = matches.map((skill): SkillSuggestion => {
    const upTo = `${text.slice(0, start!)}${skill.call} `;
    return { ...skill, text: upTo + text.slice(caret).replace(/^ /, ''), caret: upTo.length };
  });
  return { offered, close: () => setClosed(start) };
}
