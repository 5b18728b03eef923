/** What a command wrote to its terminal: its sixteen colours are shown, everything else that moves a cursor is left out. */
import Anser from 'anser';
import { useMemo, useState } from 'react';
import { Button } from '@shell/components';

/** Lines that are shown at once: the end. */
const LINES_SHOWN = 200;

const ESC = String.fromCharCode(27);
const BEL = String.fromCharCode(7);
/** Titles of windows, addresses of links and the like, up to their end. */
const TITLES = new RegExp(`${ESC}[\\]P^_X][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\|$)`, 'g');
/** Everything that moves the cursor or clears, but no colour. */
const MOVES = new RegExp(`${ESC}(?:\\[[0-?]*[ -/]*[@-ln-~]|[ -/]*[0-Z\\\\^-~])`, 'g');
const CONTROLS = /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f]/g;

/** The text as it stood at the end: what a line was written over with is what it says. */
export function settled(text: string): string {
  const bare = text.replace(TITLES, '').replace(MOVES, '').replace(/\r\n/g, '\n');
  return bare
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r', line.length - 2) + 1))
    .join('\n')
    .replace(CONTROLS, '');
}

export default function Terminal({ text, label }: { text: string; label: string }) {
  const [isWhole, setWhole] = useState(false);
  const lines = useMemo(() => settled(text).replace(/\n+$/, '').split('\n'), [text]);
  const over = lines.length - LINES_SHOWN;
  const shown = isWhole || over <= 0 ? lines : lines.slice(over);
  const parts = useMemo(() => Anser.ansiToJson(shown.join('\n'), { use_classes: true, remove_empty: true }), [shown]);
  return (
    <>
      {over > 0 && (
        <Button variant="plain" onPress={() => setWhole(!isWhole)}>
          {isWhole ? 'Show end only' : `Show ${over.toLocaleString()} earlier lines`}
        </Button>
      )}
      <pre className="terminal" tabIndex={0} aria-label={label}>
        {parts.map(({ content, fg, decorations }, at) => {
          const names = [
            /^ansi-(?:bright-)?(?:black|red|green|yellow|blue|magenta|cyan|white)$/.test(fg ?? '') ? fg : '',
            ...decorations.filter((one) => one === 'bold' || one === 'dim').map((one) => `ansi-${one}`),
          ].filter(Boolean);
          return names.length > 0 ? (
            <span key={at} className={names.join(' ')}>
              {content}
            </span>
          ) : (
            content
          );
        })}
      </pre>
    </>
  );
}
