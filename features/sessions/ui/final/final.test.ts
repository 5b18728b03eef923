import { describe, expect, it } from 'vitest';
import { grouped } from '../grouped';
import { firstOf, messageOf, Rows, type Entry } from '../transcript';
import { drawnRows, finalMessage, isLastTurnOpen, type FinalOptions } from './final';
import { partsOf } from './marker';

const engine = (told: object) => ({ entry: 'engine', told });
let tools = 0;
const say = (text: string, phase?: string) =>
  engine({ event: 'said', chunk: { type: 'text', text: `${text}\n` }, ...(phase ? { phase } : {}) });
const think = (text: string) => engine({ event: 'thought', chunk: { type: 'text', text } });
const tool = () =>
  engine({ event: 'tool', tool: { id: `t${++tools}`, title: 'Run', kind: 'execute' }, state: 'completed' });
const prompt = (more: object = {}) => ({
  entry: 'prompt',
  prompt: 1,
  content: [{ type: 'text', text: 'go' }],
  ...more,
});
const end = engine({ event: 'turnEnded', stop: 'endTurn' });
const ask = (id: string) =>
  engine({ event: 'permission', request: { id, tool: { id: `of${id}`, title: 'Run', kind: 'execute' }, offers: [] } });
const question = engine({ event: 'asked', question: { id: 'q', message: 'Which?' } });
const M = say('<!-- final -->');

const DEFAULTS: FinalOptions = {
  isOn: true,
  boundaryWins: false,
  alwaysHides: true,
  isDebug: false,
  showsAllBlocks: true,
  hasFloor: true,
};

function read(bodies: readonly object[]) {
  const rows = new Rows();
  rows.append(bodies.map((body, at): Entry => ({ number: at + 1, at: '2026-01-02T03:04:05Z', body })));
  return rows;
}

/** The rows that are drawn, each in short: texts, and `[2]` for a fold with two rows. */
function drawn(bodies: readonly object[], options: Partial<FinalOptions> = {}, isOpen = false, unfolded?: string) {
  const parts = finalMessage(grouped(read(bodies).rows), { ...DEFAULTS, ...options }, isOpen);
  const keys = new Set(unfolded ? parts.flatMap(({ fold }) => fold ?? []) : []);
  return drawnRows(parts, keys).map((row) => {
    switch (row.kind) {
      case 'text':
        return row.text.trim().replace(/\s+/g, ' ');
      case 'steps':
        return `[${row.count}]`;
      case 'divider':
        return '---';
      case 'line':
        return row.text;
      default:
        return row.kind;
    }
  });
}

describe('what is shown of a turn', () => {
  const worked = [prompt(), think('hm'), say('Looking'), tool(), say('So:'), M, say('Done'), end];
  const late = [prompt(), say('Looking'), tool(), say('The answer'), M, say('Goodbye'), end];
  const early = [prompt(), M, say('A'), tool(), say('B'), end];
  const blocks = [prompt(), say('Looking'), M, say('A'), tool(), say('On'), M, say('B'), M, say('C'), end];
  const plain = [prompt(), say('Well'), M, say('42'), end];
  const phases = [prompt(), say('Soon', 'commentary'), tool(), say('Still', 'commentary'), say('Done', 'final_answer')];
  const phased = phases.map(
    (body) => JSON.parse(JSON.stringify(body).replace('final_answer', 'finalAnswer')) as object,
  );
  const cases: readonly [string, readonly object[], Partial<FinalOptions>, readonly string[]][] = [
    ['off: everything but the marker', worked, { isOn: false }, ['prompt', 'thought', 'Looking', 'tool', 'So: Done']],
    [
      'no marker: text after the last tool call',
      [prompt(), say('L'), tool(), say('D'), end],
      {},
      ['prompt', '[2]', 'D'],
    ],
    ['no marker, no tools: the whole answer', [prompt(), think('hm'), say('42'), end], {}, ['prompt', '[1]', '42']],
    ['nothing after the last tool call: the last text', [prompt(), say('L'), tool(), end], {}, ['prompt', 'L', '[1]']],
    ['no text at all', [prompt(), tool(), tool(), end], {}, ['prompt', '[2]']],
    ['the boundary of the engine', phased, {}, ['prompt', '[3]', 'Done']],
    ['marker after the last tool call, floor', worked, {}, ['prompt', '[3]', 'So:', 'Done']],
    ['marker after the last tool call, no floor', worked, { hasFloor: false }, ['prompt', '[4]', 'Done']],
    ['marker later than the answer, floor', late, {}, ['prompt', '[2]', 'The answer', 'Goodbye']],
    ['marker later than the answer, no floor', late, { hasFloor: false }, ['prompt', '[3]', 'Goodbye']],
    [
      'disagreement, engine wins',
      late,
      { hasFloor: false, boundaryWins: true },
      ['prompt', '[2]', 'The answer', 'Goodbye'],
    ],
    ['marker before the last tool call, marker wins', early, {}, ['prompt', 'A', '[1]', 'B']],
    ['marker before the last tool call, engine wins', early, { boundaryWins: true }, ['prompt', '[2]', 'B']],
    ['all blocks', blocks, { hasFloor: false }, ['prompt', '[3]', 'A', 'B', 'C']],
    ['the last block', blocks, { hasFloor: false, showsAllBlocks: false }, ['prompt', '[5]', 'C']],
    ['the last block, floor', blocks, { showsAllBlocks: false }, ['prompt', '[3]', 'On', 'B', 'C']],
    ['a plain answer with a marker', plain, {}, ['prompt', '[1]', '42']],
    [
      'a plain answer with a marker, engine wins without a boundary',
      plain,
      { boundaryWins: true },
      ['prompt', '[1]', '42'],
    ],
    ['a plain answer with a marker, shown whole', plain, { alwaysHides: false }, ['prompt', 'Well', '42']],
    ['tools are no plain answer', late, { alwaysHides: false, hasFloor: false }, ['prompt', '[3]', 'Goodbye']],
    [
      'debug wins over hiding',
      worked,
      { isDebug: true },
      ['prompt', 'thought', 'Looking', 'tool', 'So:', '---', 'Done'],
    ],
    ['debug without a marker', [prompt(), tool(), say('D'), end], { isDebug: true }, ['prompt', 'tool', 'D']],
    ['a marker with nothing after it', [prompt(), say('L'), tool(), say('D'), M, end], {}, ['prompt', '[2]', 'D']],
    ['a marker alone', [prompt(), M, end], {}, ['prompt']],
    [
      'requests and questions stay',
      [prompt(), say('L'), ask('1'), tool(), question, say('D'), end],
      {},
      ['prompt', '[2]', 'ask', 'ask', 'D'],
    ],
    [
      'what went wrong stays',
      [prompt(), say('L'), tool(), engine({ event: 'turnEnded', failure: { kind: 'limit' } })],
      {},
      ['prompt', 'L', '[1]', 'Usage limit reached'],
    ],
    [
      'a message to the current turn stays in it',
      [prompt(), say('L'), tool(), prompt({ steered: true }), tool(), say('D'), end],
      {},
      ['prompt', '[3]', 'prompt', 'D'],
    ],
    [
      'each turn by itself',
      [prompt(), tool(), say('A'), end, prompt(), say('L'), tool(), say('B'), end],
      {},
      ['prompt', '[1]', 'A', 'prompt', '[2]', 'B'],
    ],
    ['what comes before the first message', [{ entry: 'wall', wall: 'up', why: 'Sandboxed' }], {}, ['Sandboxed']],
  ];
  it.each(cases)('%s', (_, bodies, options, expected) => expect(drawn(bodies, options)).toEqual(expected));
});

it('expands a fold to what it hides, in its place', () => {
  const bodies = [prompt(), say('L'), ask('1'), tool(), say('D'), end];
  expect(drawn(bodies, {}, false, 'all')).toEqual(['prompt', '[2]', 'L', 'ask', 'tool', 'D']);
});

it('shows a turn whole while it goes on, without the marker, even half of one', () => {
  const bodies = [prompt(), tool(), say('A'), end, prompt(), say('L'), tool(), say('Hm'), M, say('Done')];
  const open = ['prompt', '[1]', 'A', 'prompt', 'L', 'tool'];
  expect(drawn(bodies, {}, true)).toEqual([...open, 'Hm', 'Done']);
  for (const half of ['<', '<!-', '<!-- fin', '<!-- final --', '<!-- final -->']) {
    const told = engine({ event: 'said', chunk: { type: 'text', text: half } });
    expect(drawn([...bodies.slice(0, 8), told], {}, true)).toEqual([...open, 'Hm']);
    expect(drawn([...bodies.slice(0, 8), told], { isOn: false }, true).at(-1)).toBe('Hm');
  }
  const other = engine({ event: 'said', chunk: { type: 'text', text: '<!-- first' } });
  expect(drawn([...bodies.slice(0, 8), other], {}, true).at(-1)).toBe('Hm <!-- first');
});

it('knows whether the last turn goes on', () => {
  const going = read([prompt(), say('A'), end, prompt(), say('B')]);
  const over = read([prompt(), say('A'), end]);
  const open = ({ rows, ended }: Rows, isActive: boolean, hasNewer = false) =>
    isLastTurnOpen(rows, { ended, hasNewer, isActive });
  expect([open(going, true), open(going, false), open(over, true), open(over, false, true)]).toEqual([
    true,
    false,
    // The next turn begins: its message is about to come.
    false,
    true,
  ]);
});

it('copies a message without the marker', () => {
  const { rows } = read([prompt(), say('L'), M, say('Done'), end]);
  expect(messageOf(rows, rows[1]!)).toBe('L\nDone\n');
});

it('makes no new row where nothing changed, and keys that name an entry', () => {
  const rows = read([prompt(), say('L'), tool(), say('D'), M, say('E'), end]);
  const parts = () => finalMessage(rows.rows, DEFAULTS, false).map(({ row }) => row);
  const before = parts();
  parts().forEach((row, at) => expect(row).toBe(before[at]));
  expect(new Set(before.map(({ key }) => key)).size).toBe(before.length);
  expect(before.map(firstOf)).toEqual([1, 2, 2, 3, 4, 4]);
});

it.each([
  ['a\n<!-- final -->\nb', ['a\n', 'b']],
  ['<!--FINAL-->  \nb', ['', 'b']],
  ['<!-- final --> b\nc', ['', 'b\nc']],
  ['```\n<!-- final -->\n```', ['```\n<!-- final -->\n```']],
  ['say `<!-- final -->`', ['say `<!-- final -->`']],
  ['<!-- finally -->', ['<!-- finally -->']],
])('parts of %j', (text, parts) => expect(partsOf(text, false)).toEqual(parts));
