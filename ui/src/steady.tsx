/** Components that are expensive to render inside parts that change often. */
import { memo, useRef, type ComponentType, type ReactNode } from 'react';

type Props = Readonly<Record<string, unknown>>;

const isPlain = (value: unknown): value is Props =>
  typeof value === 'object' &&
  value !== null &&
  [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(value) as object);

/** Whether two values are equal: lists and plain objects by content, anything else, such as a function, by identity. */
function saysSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (!isPlain(a) || !isPlain(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && saysSame(a[name], b[name]))
  );
}

/** Lists are made anew with each drawing around them; objects, which may hold much, are kept by who has them. */
const isSame = (a: unknown, b: unknown) => Object.is(a, b) || (Array.isArray(a) && saysSame(a, b));

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
      const known =
        calls.current.get(name) ??
        ((...values: unknown[]) => (newest.current?.[name] as (...values: unknown[]) => unknown)(...values));
      calls.current.set(name, known);
      return known;
    };
    const given = Object.entries(props as Props).map(([name, value]) => [
      name,
      typeof value === 'function' ? callOf(name) : value,
    ]);
    return <Drawn {...(Object.fromEntries(given) as Props)} />;
  };
}
