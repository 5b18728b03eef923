import { expect, it } from 'vitest';
import { grouped } from './grouped';
import { Rows, type Entry } from './transcript';
import { noteText } from './words';

/** The rows of these entries as the page shows them, each in short. */
function shown(...bodies: object[]) {
  const rows = new Rows();
  rows.append(bodies.map((body, at): Entry => ({ number: at + 1, at: '2026-01-02T03:04:05Z', body })));
  return grouped(rows.rows).map((row) => {
    switch (row.kind) {
      case 'notes':
        return row.notes.map(noteText);
      case 'tool':
        return [row.tool.id, ...row.reasons].join(': ');
      case 'line':
        return row.text;
      default:
        return row.kind;
    }
  });
}

const engine = (told: object) => ({ entry: 'engine', told });
const tool = (id: string, command: string, state = 'completed') =>
  engine({ event: 'tool', tool: { id, title: command, kind: 'execute', command }, state });
const request = (id: string, of: string) =>
  engine({ event: 'permission', request: { id, tool: { id: of, title: 'Run', kind: 'execute' }, offers: [] } });
const answer = (id: string, why?: string) => ({
  entry: 'answer',
  id,
  verdict: 'allowed',
  ...(why ? { why, rule: 'x' } : {}),
});
const hook = (what: string, why: string) => ({ entry: 'hook', verdict: 'allowed', tool: 'Bash', what, why });
const notice = (text: string) => engine({ event: 'notice', text });
const prompt = { entry: 'prompt', prompt: 1, content: [] };

it('says on the line of a tool call which rule allowed it, whatever was told first', () => {
  expect(
    shown(tool('a', 'ls', 'pending'), request('1', 'a'), answer('1', 'By rule'), request('2', 'b'), answer('2', 'R')),
  ).toEqual(['a: By rule', 'ask']);
  expect(shown(request('1', 'a'), answer('1', 'By rule'), tool('a', 'ls'))).toEqual(['a: By rule']);
});

it('tells a reason once, and gives each call of the same command its own', () => {
  expect(
    shown(
      hook('ls', 'Rule one'),
      tool('a', 'ls', 'pending'),
      request('1', 'a'),
      answer('1', 'Rule one'),
      tool('a', 'ls'),
      hook('ls', 'Rule two'),
      tool('b', 'ls'),
    ),
  ).toEqual(['a: Rule one', 'b: Rule two']);
});

it('leaves what you allowed, and what belongs to no call of its turn, on lines of their own', () => {
  expect(shown(tool('a', 'ls'), request('1', 'a'), answer('1'))).toEqual(['a', 'ask']);
  expect(shown(tool('a', 'ls'), prompt, hook('ls', 'By rule'))).toEqual(['a', 'prompt', 'By rule']);
});

it('folds notes in a row into one and loses none, but not what went wrong', () => {
  expect(
    shown(
      { entry: 'wall', wall: 'up', why: 'Sandboxed' },
      notice('one'),
      hook('pwd', 'By rule'),
      prompt,
      notice('alone'),
      { entry: 'wall', wall: 'none', why: 'Sandbox unavailable' },
      { entry: 'hook', verdict: 'refused', tool: 'Bash', what: 'cat', why: 'no' },
    ),
  ).toEqual([['Sandboxed', 'one', 'By rule: pwd'], 'prompt', 'alone', 'Sandbox unavailable', 'Blocked (cat)']);
});

it('makes no new row where nothing changed', () => {
  const rows = new Rows();
  const bodies = [notice('one'), notice('two'), request('1', 'a'), answer('1', 'By rule'), tool('a', 'ls')];
  rows.append(bodies.map((body, at): Entry => ({ number: at + 1, at: '', body })));
  const before = grouped(rows.rows);
  rows.append([{ number: 99, at: '', body: prompt }]);
  const after = grouped(rows.rows);
  expect(before.map(({ kind }) => kind)).toEqual(['notes', 'tool']);
  before.forEach((row, at) => expect(after[at]).toBe(row));
});
