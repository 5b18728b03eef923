/** Parts of a page that cost more to draw than what changes around them. */
import { memo, useRef, type ComponentType, type ReactNode } from 'react';

type Props = Readonly<Record<string, unknown>>;

const isSame = (a: unknown, b: unknown) => Object.is(a, b) || (Array.isArray(a) && Array.isArray(b) && JSON.stringify(a) === JSON.stringify(b));

/**
 * The same part, drawn again only where what it is given says something else. Functions say nothing: they are for what happens
 * on the page, not for drawing, and whichever is called is the newest.
 */
export function steady<P extends object>(Part: ComponentType<P>): (props: P) => ReactNode {
  const Drawn = memo(Part as unknown as ComponentType<Props>, (before, now) => {
    const names = Object.keys(now);
    return names.length === Object.keys(before).length && names.every((name) => isSame(before[name], now[name]));
  });
  return function Steady(props: P) {
    const newest = useRef<Props>(undefined);
    newest.current = props as Props;
    const calls = useRef(new Map<string, (...values: unknown[]) => unknown>());
    const callOf = (name: string) => {
      const known = calls.current.get(name) ?? ((...values: unknown[]) => (newest.current?.[name] as (...values: unknown[]) => unknown)(...values));
      calls.current.set(name, known);
      return known;
    };
    const given = Object.entries(props as Props).map(([name, value]) => [name, typeof value === 'function' ? callOf(name) : value]);
    return <Drawn {...(Object.fromEntries(given) as Props)} />;
  };
}
