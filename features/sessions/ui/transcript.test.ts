import { describe, expect, it } from 'vitest';
import { Rows, type Entry, rowOf, type Row } from './transcript';

let number = 0;
const entry = (body: object): Entry => ({ number: (number += 1), at: '2026-01-02T03:04:05Z', body });
const engine = (told: object) => entry({ entry: 'engine', told });
const said = (text: string, more: object = {}) => engine({ event: 'said', chunk: { type: 'text', text }, ...more });
const tool = (id: string, state: string, more: object = {}) =>
  engine({ event: 'tool', tool: { id, title: `Use ${id}`, kind: 'execute', command: `run ${id}` }, state, ...more });

function rowsOf(...bodies: (() => Entry)[]) {
  number = 0;
  const rows = new Rows();
  rows.append(bodies.map((make) => make()));
  return rows;
}

describe('rows of a transcript', () => {
  it('joins the pieces of one text, and begins anew behind anything else', () => {
    const { rows } = rowsOf(
      () => said('Hello '),
      () => said('there'),
      () => engine({ event: 'thought', chunk: { type: 'text', text: 'hm' } }),
      () => said('again'),
    );
    expect(rows.map((row) => [row.kind, 'text' in row ? row.text : ''])).toEqual([
      ['text', 'Hello there'],
      ['thought', 'hm'],
      ['text', 'again'],
    ]);
  });

  it('keeps two messages of the engine apart', () => {
    const { rows } = rowsOf(
      () => said('one', { message: 'a' }),
      () => said('two', { message: 'b' }),
    );
    expect(rows).toHaveLength(2);
  });

  it('makes one row of all that is told of one use of a tool, however much happens in between', () => {
    const { rows } = rowsOf(
      () => tool('a', 'pending'),
      () => tool('b', 'pending'),
      () => tool('a', 'completed', { output: [{ type: 'content' }] }),
    );
    expect(rows.map((row) => row.kind === 'tool' && [row.tool.id, row.state, row.output.length])).toEqual([
      ['a', 'completed', 1],
      ['b', 'pending', 0],
    ]);
  });

  it('puts output together that was stored in parts, and takes whole output as older transcripts have it', () => {
    const output = (text: string) => [{ type: 'content', content: { type: 'text', text } }];
    const shown = (...bodies: (() => Entry)[]) =>
      rowsOf(...bodies).rows.map((row) => row.kind === 'tool' && row.output);
    expect(
      shown(
        () => tool('a', 'running', { output: [], more: 'one\n' }),
        () => tool('a', 'running', { output: [], more: 'two\n' }),
        () => tool('a', 'completed', { output: [], more: '' }),
      ),
    ).toEqual([output('one\ntwo\n')]);
    expect(
      shown(
        () => tool('a', 'running', { output: output('one\n') }),
        () => tool('a', 'completed', { output: output('one\ntwo\n') }),
      ),
    ).toEqual([output('one\ntwo\n')]);
  });

  it('does not go on with a use that has ended: an engine counts anew when it is started again', () => {
    const { rows } = rowsOf(
      () => tool('a', 'completed'),
      () => tool('a', 'pending'),
    );
    expect(rows).toHaveLength(2);
  });

  it('tells on quiet lines what keeps the session from files, and what the hook refused', () => {
    const { rows } = rowsOf(
      () => entry({ entry: 'wall', wall: 'up', why: 'Keys are kept from it.' }),
      () => entry({ entry: 'wall', wall: 'open', why: 'At level full nothing is kept.' }),
      () => entry({ entry: 'wall', wall: 'none', why: '' }),
      () => entry({ entry: 'hook', verdict: 'refused', tool: 'Bash', what: 'cat ~/.ssh/id', why: 'It reads keys.' }),
    );
    expect(rows).toEqual(
      [
        { text: 'Keys are kept from it.', detail: '' },
        { text: 'At level full nothing is kept.', detail: '' },
        { text: 'Sandbox unavailable', detail: '' },
        { text: 'Blocked (cat ~/.ssh/id)', detail: 'It reads keys.' },
      ].map((line) => expect.objectContaining({ kind: 'line', tone: 'quiet', ...line }) as unknown),
    );
  });

  it('shows what became of a request beside it', () => {
    const { rows } = rowsOf(
      () =>
        engine({
          event: 'permission',
          request: { id: '1:x', tool: { id: 'a', title: 'Run', kind: 'execute', command: 'ls' }, offers: [] },
        }),
      () => entry({ entry: 'answer', id: '1:x', verdict: 'refused', why: 'A rule' }),
    );
    expect(rows).toEqual([expect.objectContaining({ kind: 'ask', title: 'ls', verdict: 'refused', why: 'A rule' })]);
  });

  it('says on one line which rule of the person allowed something', () => {
    const why = 'Allowed by your rule: Commands that start with `npm test`';
    const { rows } = rowsOf(
      () =>
        engine({
          event: 'permission',
          request: { id: '1:x', tool: { id: 'a', title: 'Run', kind: 'execute', command: 'npm test' }, offers: [] },
        }),
      () => entry({ entry: 'answer', id: '1:x', verdict: 'allowed', why, rule: 'Commands that start with `npm test`' }),
      () =>
        entry({
          entry: 'hook',
          verdict: 'allowed',
          tool: 'Bash',
          what: 'npm test',
          why,
          rule: 'Commands that start with `npm test`',
        }),
    );
    expect(rows).toEqual([
      expect.objectContaining({ kind: 'ask', verdict: 'allowed', why, isByRule: true }),
      expect.objectContaining({ kind: 'line', text: why, detail: 'npm test' }),
    ]);
  });

  it('is the same whether it is read from its end or from its beginning', () => {
    number = 0;
    const all = [
      said('one '),
      said('two '),
      tool('a', 'pending'),
      tool('a', 'completed'),
      said('three'),
      entry({ entry: 'state', state: { state: 'finished' }, why: 'Done.' }),
    ];
    const forward = new Rows();
    forward.append(all);
    const backward = new Rows();
    backward.append(all.slice(3));
    backward.prepend(all.slice(1, 3));
    backward.prepend(all.slice(0, 1));
    expect(backward.rows).toEqual(forward.rows);
    expect([backward.first, backward.last]).toEqual([1, 6]);
  });

  it('takes nothing in twice', () => {
    number = 0;
    const all = [said('one'), said('two')];
    const rows = new Rows();
    rows.append(all);
    rows.append(all);
    rows.prepend(all);
    expect(rows.rows).toEqual([expect.objectContaining({ kind: 'text', text: 'onetwo' })]);
  });

  it('cuts a long text between paragraphs, never within code, and loses none of it', () => {
    number = 0;
    const rows = new Rows();
    const paragraph = `${'word '.repeat(100)}\n\n`;
    const code = `\`\`\`\n${'line\n\n'.repeat(1_500)}\`\`\`\n\n`;
    const pieces = [...Array<string>(30).fill(paragraph), code, ...Array<string>(30).fill(paragraph)];
    rows.append(pieces.map((piece) => said(piece)));
    const texts = rows.rows.map((row) => (row.kind === 'text' ? row.text : ''));
    expect(texts.length).toBeGreaterThan(2);
    expect(texts.join('')).toBe(pieces.join(''));
    for (const text of texts) expect((text.match(/```/g)?.length ?? 0) % 2).toBe(0);
    expect(new Set(rows.rows.map(({ key }) => key)).size).toBe(texts.length);
  });

  it('shows every stream of a hundred thousand words without a row that grows for ever', () => {
    number = 0;
    const rows = new Rows();
    rows.append(Array.from({ length: 100_000 }, (_, at) => said(`word ${at} `)));
    expect(Math.max(...rows.rows.map((row) => (row.kind === 'text' ? row.text.length : 0)))).toBeLessThanOrEqual(
      20_100,
    );
  });

  it('lets nothing that an engine sends break it', () => {
    number = 0;
    const rows = new Rows();
    for (const body of [
      null,
      1,
      'x',
      [],
      {},
      { entry: 'engine' },
      { entry: 'engine', told: null },
      { entry: 'engine', told: { event: 'tool' } },
      { entry: 'engine', told: { event: 'said', chunk: {} } },
      { entry: 'engine', told: { event: 'planned', plan: 3 } },
      { entry: 'prompt', content: { a: 1 } },
      { entry: 'state', state: null },
      { entry: 'answer', id: 'never asked' },
      { entry: 'engine', told: { event: 'permission', request: [] } },
    ]) {
      rows.append([{ number: (number += 1), at: '', body }]);
    }
    expect(rows.last).toBe(number);
  });

  describe('the to-do list of a turn', () => {
    const plan = (...steps: string[]) =>
      engine({
        event: 'planned',
        plan: steps.map((step) => ({ content: step.slice(1), status: step[0] === '+' ? 'completed' : 'pending' })),
      });
    const prompt = (more: object = {}) => entry({ entry: 'prompt', prompt: 1, content: [], ...more });
    const shown = (...bodies: (() => Entry)[]) =>
      rowsOf(...bodies).rows.map((row) =>
        row.kind === 'plan' ? row.plan.map(({ content, status }) => `${content} ${status}`).join(', ') : row.kind,
      );

    it('changes where it first was, also behind other things and a message into the turn', () => {
      expect(
        shown(
          () => prompt(),
          () => plan('-Look', '-Test'),
          () => said('x'),
          () => plan('+Look', '-Test'),
          () => prompt({ steered: true }),
          () => plan('+Look', '+Test'),
        ),
      ).toEqual(['prompt', 'Look completed, Test completed', 'text', 'prompt']);
    });

    it('is another one in the next turn, and where all was done and nothing of it is left', () => {
      expect(
        shown(
          () => plan('+Look'),
          () => plan('-Write'),
          () => plan('+Write'),
          () => prompt(),
          () => plan('+Write', '-Send'),
        ),
      ).toEqual(['Look completed', 'Write completed', 'prompt', 'Write completed, Send pending']);
    });

    it('is the same whether it is read from its end or from its beginning', () => {
      number = 0;
      const all = [prompt(), plan('-Look'), said('x'), plan('+Look'), said('y')];
      const backward = new Rows();
      backward.append(all.slice(3));
      backward.prepend(all.slice(0, 3));
      const forward = new Rows();
      forward.append(all);
      expect(backward.rows).toEqual(forward.rows);
    });
  });
});

it('finds the row of an entry, also within a text in parts and beside a tool that goes on', () => {
  const row = (key: string, last: number) =>
    ({ kind: 'text', key, number: last, at: '', text: '', message: null, isOpen: false }) as Row;
  const rows = [row('2', 20), row('5', 9), row('10', 12), row('10+', 15), row('10++', 18)];
  expect([1, 2, 3, 7, 9, 10, 13, 18, 99].map((entry) => rowOf(rows, entry))).toEqual([-1, 0, 0, 1, 1, 2, 3, 4, 4]);
});
