/** Terminal output of a command: its 16 colors are shown, and cursor movements are left out. */
import Anser from 'anser';
import { useMemo } from 'react';
import { Button } from '@shell/components';
import { useWhole } from './useWhole';

/** Lines shown before it's expanded: the last ones. */
const LINES_SHOWN = 200;

const ESC = String.fromCharCode(27);
const BEL = String.fromCharCode(7);
/** Window titles, link addresses, and similar sequences, up to their end. */
const TITLES = new RegExp(`${ESC}[\\]P^_X][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\|$)`, 'g');
/** Everything that moves the cursor or clears, but no color. */
const MOVES = new RegExp(`${ESC}(?:\\[[0-?]*[ -/]*[@-ln-~]|[ -/]*[0-Z\\\\^-~])`, 'g');
const CONTROLS = /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f]/g;

/** The final text: a line that was overwritten shows its last content. */
export function settled(text: string): string {
  const bare = text.replace(TITLES, '').replace(MOVES, '').replace(/\r\n/g, '\n');
  return bare
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r', line.length - 2) + 1))
    .join('\n')
    .replace(CONTROLS, '');
}

/** The final text without colors. */
export const plainOutput = (text: string) => Anser.ansiToText(settled(text)).replace(/\n+$/, '');

export default function Terminal({ text, label }: { text: string; label: string }) {
  const [isWhole, setWhole] = useWhole();
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
