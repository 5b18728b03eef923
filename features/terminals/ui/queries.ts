/** Queries of programs, which a terminal answers by typing: its kind, its cursor's position, its colors. */
import type { Terminal } from '@xterm/xterm';

const CSI = [
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { prefix: '=', final: 'c' },
  { final: 'n' },
  { prefix: '?', final: 'n' },
  { intermediates: '$', final: 'p' },
  { prefix: '?', intermediates: '$', final: 'p' },
  { prefix: '>', final: 'q' },
  { prefix: '?', final: 'u' },
  { final: 't' },
];
const DCS = [
  { intermediates: '$', final: 'q' },
  { intermediates: '+', final: 'q' },
];
const COLORS = [4, 10, 11, 12];

/** Leaves queries unanswered while output is replayed: they were answered when it was new. */
export function ignoreQueries({ parser }: Terminal, isReplaying: () => boolean) {
  for (const id of CSI) parser.registerCsiHandler(id, isReplaying);
  for (const id of DCS) parser.registerDcsHandler(id, isReplaying);
  // The same sequences also set colors.
  for (const id of COLORS) parser.registerOscHandler(id, (data) => isReplaying() && data.includes('?'));
}
