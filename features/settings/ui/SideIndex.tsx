import { useEffect, useMemo, useRef } from 'react';
import { Select } from '@shell/components';
import type { Setting } from '@shell/settings';
import { sectionId } from './model';

interface IndexProps {
  settings: readonly Setting[];
  found: readonly Setting[];
  /** The section in view. */
  current: string;
  onGo: (section: string) => void;
}

/** Areas with their sections, and how many settings of each are shown. */
function useAreas({ settings, found }: Pick<IndexProps, 'settings' | 'found'>) {
  return useMemo(() => {
    const counts = new Map<string, number>();
    for (const setting of found) counts.set(sectionId(setting), (counts.get(sectionId(setting)) ?? 0) + 1);
    const byArea = new Map<string, { id: string; name: string; count: number }[]>();
    for (const setting of settings) {
      const sections = byArea.get(setting.area) ?? [];
      byArea.set(setting.area, sections);
      const id = sectionId(setting);
      const name = setting.section.charAt(0).toUpperCase() + setting.section.slice(1);
      if (sections.every((section) => section.id !== id)) sections.push({ id, name, count: counts.get(id) ?? 0 });
    }
    return [...byArea];
  }, [settings, found]);
}

/** The same choice in one line, where there is no room for the index. */
export function AreaSelect({ current, onGo, ...shown }: IndexProps) {
  const options = useAreas(shown).flatMap(([area, sections]) =>
    sections.map(({ id, name, count }) => ({ value: id, label: `${area}: ${name}`, description: count === 1 ? '1 setting' : `${count} settings`, isDisabled: count === 0 })),
  );
  return (
    <div className="settings-area">
      <Select aria-label="Area" placeholder="Area" options={options} value={current || null} onChange={onGo} />
    </div>
  );
}

/** Areas and sections at the side. */
export function SideIndex({ current, onGo, ...shown }: IndexProps) {
  const areas = useAreas(shown);
  const here = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // Braces: newer browsers answer a promise, which is no clean-up.
    here.current?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <nav className="settings-index" aria-label="Areas of settings">
      {areas.map(([area, sections]) => (
        <section key={area}>
          <h2>{area}</h2>
          <ul>
            {sections.map((section) => (
              <li key={section.id}>
                <button
                  type="button"
                  ref={section.id === current ? here : null}
                  aria-current={section.id === current ? 'location' : undefined}
                  disabled={section.count === 0}
                  onClick={() => onGo(section.id)}
                >
                  <span>{section.name}</span>
                  <span className="count">{section.count}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}
