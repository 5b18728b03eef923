/** A tool's changes to a file, line by line. */
import { structuredPatch } from 'diff';
import { useMemo } from 'react';
import { Button } from '@shell/components';
import { useWhole } from './useWhole';

/** Unchanged lines shown around a change. */
const CONTEXT = 3;
/** Lines shown before the diff is expanded. */
const LINES_SHOWN = 120;
/** Maximum time for comparing two texts; after that, only the new one is shown. */
const COMPARE_MS = 300;
/** Maximum characters of both texts together that are compared. */
const CHARS_MAX = 1_000_000;

export interface Line {
  sign: '+' | '-' | ' ' | '@';
  text: string;
  /** The line's number in the new text, or in the old one if it was removed. */
  number: number | null;
}

/** The changed lines with a few around them; null if comparing takes too long. */
export function linesOf(before: string, after: string): Line[] | null {
  if (before.length + after.length > CHARS_MAX) return null;
  const patch = structuredPatch('', '', before, after, '', '', { context: CONTEXT, timeout: COMPARE_MS });
  if (!patch) return null;
  return patch.hunks.flatMap((hunk, at) => {
    let old = hunk.oldStart;
    let now = hunk.newStart;
    const lines = hunk.lines.flatMap((line): Line[] => {
      const sign = line[0];
      if (sign === '+') return [{ sign, text: line.slice(1), number: now++ }];
      if (sign === '-') return [{ sign, text: line.slice(1), number: old++ }];
      if (sign !== ' ') return [];
      old += 1;
      return [{ sign, text: line.slice(1), number: now++ }];
    });
    return at === 0 ? lines : [{ sign: '@' as const, text: '', number: null }, ...lines];
  });
}

/** The changed lines, or all new ones if comparing takes too long. */
export const shownLines = (before: string, after: string): Line[] =>
  linesOf(before, after) ?? after.split('\n').map((text, at): Line => ({ sign: '+', text, number: at + 1 }));

const WORDS = { '+': 'Added: ', '-': 'Removed: ', ' ': '', '@': '' };

export default function Diff({ path, before, after }: { path: string; before: string; after: string }) {
  const [isWhole, setWhole] = useWhole();
  const lines = useMemo(() => shownLines(before, after), [before, after]);
  const count = (sign: string) => lines.filter((line) => line.sign === sign).length;
  const shown = isWhole ? lines : lines.slice(0, LINES_SHOWN);
  return (
    <figure className="diff">
      <figcaption>
        <code>{path}</code>
        <span className="diff-count" data-sign="+" data-unsearched>{`+${count('+')}`}</span>
        <span className="diff-count" data-sign="-" data-unsearched>{`−${count('-')}`}</span>
      </figcaption>
      <div className="diff-lines" tabIndex={0} role="group" aria-label={`Changes to ${path}`}>
        {lines.length === 0 && <p>No differences</p>}
        {shown.map((line, at) => (
          <div key={at} className="diff-line" data-sign={line.sign}>
            <span className="diff-number" aria-hidden="true">
              {line.number ?? '⋯'}
            </span>
            <span className="diff-sign" aria-hidden="true">
              {line.sign === '@' ? '' : line.sign}
            </span>
            {WORDS[line.sign] && <span className="sr-only">{WORDS[line.sign]}</span>}
            <code>{line.text}</code>
          </div>
        ))}
      </div>
      {lines.length > LINES_SHOWN && (
        <Button variant="plain" onPress={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all ${lines.length.toLocaleString()} lines`}
        </Button>
      )}
    </figure>
  );
}
