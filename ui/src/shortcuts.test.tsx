import { fireEvent, render } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { Dialog } from './components';
import { useShortcuts } from './shortcuts';

const ran = vi.fn<(what: string) => void>();
afterEach(() => ran.mockReset());

function Keys({ title, keys, label = 'Does it' }: { title: string; keys: readonly string[]; label?: string }) {
  useShortcuts(
    title,
    keys.map((one) => ({ keys: one, label, run: () => ran(`${title} ${one}`) })),
  );
  return null;
}

function page(open: boolean, label?: string) {
  return (
    <>
      <Keys title="page" keys={['b', 'Mod+z']} {...(label ? { label } : {})} />
      <Dialog isOpen={open} onClose={() => {}} title="Over it">
        <Keys title="dialog" keys={['x']} />
      </Dialog>
    </>
  );
}

const press = (...keys: string[]) =>
  keys.forEach((key) => fireEvent.keyDown(document.activeElement ?? document.body, { key, ctrlKey: key === 'z' }));
const done = () => ran.mock.calls.map(([what]) => what);

it('keys of the page do nothing behind a modal dialog; those of the dialog do, and the page’s once it is closed', () => {
  const { rerender } = render(page(false));
  press('b');
  rerender(page(true));
  press('b', 'z', 'x');
  // Bound anew while the dialog is open, they are still behind it.
  rerender(page(true, 'Does it now'));
  press('b');
  expect(done()).toEqual(['page b', 'dialog x']);
  rerender(page(false));
  press('z');
  expect(done().at(-1)).toBe('page Mod+z');
});

it('the second of two keys is not the page’s own letter', () => {
  render(
    <>
      <Keys title="page" keys={['b', 'c', 'Escape']} />
      <Keys title="everywhere" keys={['g b']} />
      <Keys title="inner" keys={['b']} />
    </>,
  );
  press('g', 'b', 'b', 'c', 'g', 'Escape');
  expect(done()).toEqual(['everywhere g b', 'inner b', 'page c', 'page Escape']);
});
