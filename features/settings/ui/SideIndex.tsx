import { useEffect, useMemo, useRef } from 'react';
import { Select } from '@shell/components';
import type { Group } from './model';

interface IndexProps {
  /** Every group of the page. */
  all: readonly Group[];
  /** The groups with matching settings. */
  shown: readonly Group[];
  /** Id of the group in view. */
  current: string;
  onGo: (group: string) => void;
}

/** Areas with their groups, and how many settings of each are shown. */
function useAreas({ all, shown }: Pick<IndexProps, 'all' | 'shown'>) {
  return useMemo(() => {
    const counts = new Map(shown.map((group) => [group.id, group.settings.length]));
    const areas = new Map<string, { id: string; name: string; area: string; count: number }[]>();
    for (const { id, area, name } of all) {
      // A group without an area stands alone.
      const groups = areas.get(area || id) ?? [];
      areas.set(area || id, groups);
      groups.push({ id, name, area, count: counts.get(id) ?? 0 });
    }
    return [...areas];
  }, [all, shown]);
}

/** The same choice in one line, where there is no room for the index. */
export function AreaSelect({ current, onGo, ...groups }: IndexProps) {
  const options = useAreas(groups).flatMap(([, sections]) =>
    sections.map(({ id, name, area, count }) => ({
      value: id,
      label: area ? `${area}: ${name}` : name,
      description: count === 1 ? '1 setting' : `${count} settings`,
      isDisabled: count === 0,
    })),
  );
  return (
    <div className="settings-area">
      <Select aria-label="Area" placeholder="Area" options={options} value={current || null} onChange={onGo} />
    </div>
  );
}

/** Areas and sections at the side. */
export function SideIndex({ current, onGo, ...groups }: IndexProps) {
  const areas = useAreas(groups);
  const here = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // Braces: newer browsers return a promise, which isn't a cleanup function.
    here.current?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <nav className="settings-index" aria-label="Settings areas">
      {areas.map(([key, sections]) => (
        <section key={key}>
          {sections[0]?.area && <h2>{sections[0].area}</h2>}
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
