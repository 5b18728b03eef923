/** The marker that agents print before their final answer. It's never shown. */
import { FINAL_MARKER } from '@shell/gen/finalMarker';

const SIGNS = [...FINAL_MARKER].filter((sign) => sign !== ' ');
const BEGINS = new RegExp(`^\\s*${SIGNS.map((sign) => sign.replace(/\W/, '\\$&')).join('[ \\t]*')}`, 'i');
const WHOLE = SIGNS.join('');

/** Whether a line that is still being written may become the marker. */
const mayBecome = (line: string) => {
  const signs = line.replace(/\s/g, '').toLowerCase();
  return signs !== '' && WHOLE.startsWith(signs);
};

/**
 * The parts of a text before, between, and after its markers, of which it has one less. Markers in code blocks are text.
 * While the text is being written, a line that may become the marker is left out.
 */
export function partsOf(text: string, isOpen: boolean): readonly string[] {
  if (!text.includes('<')) return [text];
  const parts = [''];
  let isInCode = false;
  const lines = text.split('\n');
  lines.forEach((line, at) => {
    const isLast = at === lines.length - 1;
    if (/^\s*(```|~~~)/.test(line)) isInCode = !isInCode;
    const marker = isInCode ? null : BEGINS.exec(line);
    if (marker) {
      const rest = line.slice(marker[0].length).trimStart();
      return void parts.push(rest === '' || isLast ? rest : `${rest}\n`);
    }
    if (isLast && isOpen && !isInCode && mayBecome(line)) return;
    parts[parts.length - 1] += isLast ? line : `${line}\n`;
  });
  return parts;
}

/** A text without its markers. */
export const withoutMarkers = (text: string) => partsOf(text, false).join('');
