import { afterEach, expect, it, vi } from 'vitest';
import { reorder } from './reorder';

afterEach(() => document.body.replaceChildren());

/** Children by their names; those in capitals hold a frame. */
function parentOf(names: string) {
  const parent = document.createElement('div');
  for (const name of names) {
    const child = parent.appendChild(document.createElement('button'));
    child.id = name;
    if (name !== name.toLowerCase()) child.append(document.createElement('iframe'));
  }
  document.body.append(parent);
  return {
    parent,
    moved: vi.spyOn(parent, 'insertBefore'),
    named: (wanted: string) => [...wanted].map((name) => document.getElementById(name)!),
  };
}
const shown = (parent: Element) => [...parent.children].map(({ id }) => id).join('');
const movedBy = ({ moved }: ReturnType<typeof parentOf>) =>
  moved.mock.calls
    .map(([child]) => (child as unknown as Element).id)
    .sort()
    .join('');

it('brings children into any order, before the others there are', () => {
  for (const names of ['abcd', 'aBcD']) {
    for (let turn = 0; turn < 24; turn++) {
      const { parent, named } = parentOf(names);
      parent.append(document.createElement('p'));
      // All orders of four, each once.
      const left = [...names];
      const order = [4, 3, 2, 1]
        .map((size, at) => left.splice(Math.floor(turn / [6, 2, 1, 1][at]!) % size, 1)[0]!)
        .join('');
      reorder(parent, named(order));
      expect(shown(parent)).toBe(order);
      parent.remove();
    }
  }
});

it.each([
  ['Ab', 'bA', 'b'],
  ['abC', 'Cab', 'ab'],
  ['abcd', 'bcda', 'a'],
  ['aBcD', 'DcaB', 'Dc'],
  ['ABcd', 'dcAB', 'cd'],
])('moves what has the least to lose: %s to %s moves %s', (from, to, moved) => {
  const made = parentOf(from);
  reorder(made.parent, made.named(to));
  expect(movedBy(made)).toBe(moved);
});

it('leaves the focus where it is, and the element that has it', () => {
  const made = parentOf('ab');
  made.named('a')[0]!.focus();
  reorder(made.parent, made.named('ba'));
  expect([movedBy(made), document.activeElement?.id]).toEqual(['b', 'a']);
  const framed = parentOf('cD');
  framed.named('c')[0]!.focus();
  reorder(framed.parent, framed.named('Dc'));
  expect([movedBy(framed), document.activeElement?.id]).toEqual(['c', 'c']);
});
