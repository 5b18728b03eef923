import { useEffect, useMemo, useRef } from 'react';
import type { Setting } from '@shell/settings';
import { sectionId } from './model';

/** Areas and sections, with how many settings of each are shown; `current` is the one in view. */
export function SideIndex({ settings, found, current, onGo }: { settings: readonly Setting[]; found: readonly Setting[]; current: string; onGo: (section: string) => void }) {
  const areas = useMemo(() => {
    const counts = new Map<string, number>();
    for (const setting of found) counts.set(sectionId(setting), (counts.get(sectionId(setting)) ?? 0) + 1);
    const byArea = new Map<string, { id: string; name: string; count: number }[]>();
    for (const setting of settings) {
      const sections = byArea.get(setting.area) ?? [];
      byArea.set(setting.area, sections);
      const id = sectionId(setting);
      if (sections.every((section) => section.id !== id)) sections.push({ id, name: setting.section, count: counts.get(id) ?? 0 });
    }
    return [...byArea];
  }, [settings, found]);
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
                  <span>{section.name.charAt(0).toUpperCase() + section.name.slice(1)}</span>
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
