import { Dialog, Kbd } from '../components';
import { useBoundShortcuts } from '../shortcuts';

const shown = (keys: string) =>
  keys
    .replace(/^Mod\+(.)/, (_, key: string) => `Ctrl ${key.toUpperCase()}`)
    .replace('ArrowDown', '↓')
    .replace('ArrowUp', '↑')
    .replace('Escape', 'Esc');

/** All current shortcuts, the page's own first. */
export function ShortcutsDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const groups = useBoundShortcuts();
  return (
    <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={onClose} size="medium">
      <div className="shortcuts">
        {[...groups].reverse().map((group) => (
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
