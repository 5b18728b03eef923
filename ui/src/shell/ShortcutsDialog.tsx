import { Dialog, Kbd } from '../components';
import { useBoundShortcuts } from '../shortcuts';

const shown = (keys: string) =>
  keys
    .replace(/^Mod\+(Shift\+)?(.)/, (_, shift: string | undefined, key: string) =>
      [shift ? 'Ctrl Shift' : 'Ctrl', key.toUpperCase()].join(' '),
    )
    .replace(/^Alt\+/, 'Alt ')
    .replace('ArrowDown', '↓')
    .replace('ArrowUp', '↑')
    .replace('ArrowLeft', '←')
    .replace('ArrowRight', '→')
    .replace('Escape', 'Esc');

/** The groups, the page's own first; several parts of the page can bind keys under one title. */
function byTitle(bound: ReturnType<typeof useBoundShortcuts>) {
  const titles = [...new Set([...bound].reverse().map(({ title }) => title))];
  return titles.map((title) => ({
    title,
    shortcuts: bound.filter((group) => group.title === title).flatMap(({ shortcuts }) => shortcuts),
  }));
}

/** All current shortcuts. */
export function ShortcutsDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const groups = byTitle(useBoundShortcuts());
  return (
    <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={onClose} size="medium">
      <div className="shortcuts">
        {groups.map((group) => (
          <section key={group.title}>
            <h3>{group.title}</h3>
            <dl>
              {group.shortcuts.map((shortcut) => (
                <div key={shortcut.keys + shortcut.label}>
                  <dt>{shortcut.label}</dt>
                  <dd>
                    <Kbd keys={shown(shortcut.keys)} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
