/** What charts have in common: the frame that knows its size, the picture with its words, patterns, and the legend. */
import { useId, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { colorOf } from './color';
import type { Look, Mark, Picked, Series } from './points';

/** Told which part was pressed. */
export type OnPick = (pick: Picked, label: string) => void;

/** The size of a chart's place. */
export interface Size {
  width: number;
  height: number;
}

/** How many charts are drawn in a frame: each takes longer to lay out than to make. */
const DRAWN_PER_FRAME = 3;
let drawn = 0;
/** What is drawn in the frames after this one, by its place. */
const waiting = new Map<Element, () => void>();

function nextFrame() {
  drawn = 0;
  for (const [place, draw] of waiting) {
    if (drawn === DRAWN_PER_FRAME) break;
    drawn += 1;
    waiting.delete(place);
    draw();
  }
  if (drawn > 0) requestAnimationFrame(nextFrame);
}

/** Draws now, or in one of the next frames where much is to be drawn: many charts come and change together, and in between the page takes what is done on it. */
function inTurn(place: Element, draw: () => void) {
  if (drawn === DRAWN_PER_FRAME || waiting.has(place)) return void waiting.set(place, draw);
  drawn += 1;
  if (drawn === 1) requestAnimationFrame(nextFrame);
  draw();
}

/** The size of a chart's place, as it changes; none before it is known, when nothing is to be drawn that would be drawn again at once. */
export function useSize() {
  const frame = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<Size>();
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => {
      if (!entry) return;
      const { width, height } = entry.contentRect;
      inTurn(element, () => setSize({ width: Math.floor(width), height: Math.floor(height) }));
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      waiting.delete(element);
    };
  }, []);
  return { frame, size };
}

/** An image with its title and a sentence that says what it shows. */
export function Picture({
  title,
  summary,
  width,
  height,
  children,
}: {
  title: string;
  summary: string;
  width: number;
  height: number;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <svg
      className="chart"
      role="img"
      aria-labelledby={`${id}t ${id}d`}
      width={Math.max(width, 0)}
      height={Math.max(height, 0)}
      viewBox={`0 0 ${Math.max(width, 1)} ${Math.max(height, 1)}`}
    >
      <title id={`${id}t`}>{title}</title>
      <desc id={`${id}d`}>{summary}</desc>
      {children}
    </svg>
  );
}

/** Patterns that lie over colors. Each picture has its own, for a hidden one would take them away from others. */
export function Patterns({ id }: { id: string }) {
  return (
    <defs>
      <pattern id={`${id}hatch`} width={6} height={6} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect className="chart-pattern" width={2} height={6} />
      </pattern>
      <pattern id={`${id}dots`} width={6} height={6} patternUnits="userSpaceOnUse">
        <circle className="chart-pattern" cx={2} cy={2} r={1.2} />
      </pattern>
      <pattern id={`${id}lines`} width={6} height={5} patternUnits="userSpaceOnUse">
        <rect className="chart-pattern" width={6} height={1.5} />
      </pattern>
    </defs>
  );
}

/** What fills over a mark's color; nothing where it is plain. */
export const patternOf = (id: string, look: Look | undefined) =>
  look === undefined || look === 'plain' || look === 'hollow' ? null : `url(#${id}${look})`;

/** A rectangle for a value. Pressing it shows the items behind it; the table beside does the same by keyboard. */
export function Bar({
  mark,
  hint,
  x,
  y,
  width,
  height,
  patterns,
  onPick,
}: {
  mark: Mark;
  hint: string;
  x: number;
  y: number;
  width: number;
  height: number;
  patterns: string;
  onPick?: OnPick | undefined;
}) {
  const { pick, look } = mark;
  const pattern = patternOf(patterns, look);
  return (
    <g data-pick={pick && onPick ? '' : undefined} onClick={pick && onPick ? () => onPick(pick, hint) : undefined}>
      <title>{hint}</title>
      <rect
        className="chart-mark"
        data-look={look}
        x={x}
        y={y}
        width={width}
        height={height}
        rx={2}
        fill={look === 'hollow' ? 'none' : colorOf(mark)}
      />
      {pattern && <rect x={x} y={y} width={width} height={height} rx={2} fill={pattern} />}
    </g>
  );
}

/** A sample of a series. */
export function Swatch({ color, look, dash }: Pick<Series, 'look' | 'color' | 'dash'>) {
  const id = useId();
  if (dash !== undefined) {
    return (
      <svg className="chart-sample" width={22} height={12} aria-hidden="true">
        <line
          className="chart-path"
          x1={0}
          x2={22}
          y1={6}
          y2={6}
          stroke={colorOf({ color })}
          strokeDasharray={dash || undefined}
        />
      </svg>
    );
  }
  const pattern = patternOf(id, look);
  return (
    <svg className="chart-sample" width={12} height={12} aria-hidden="true">
      <Patterns id={id} />
      <rect
        className="chart-mark"
        data-look={look}
        x={0.5}
        y={0.5}
        width={11}
        height={11}
        rx={2}
        fill={look === 'hollow' ? 'none' : colorOf({ color })}
      />
      {pattern && <rect x={0.5} y={0.5} width={11} height={11} fill={pattern} />}
    </svg>
  );
}

/** Names of the series of a chart. */
export function Legend({ series }: { series: readonly Series[] }) {
  return (
    <ul className="chart-legend">
      {series.map((one) => (
        <li key={one.key}>
          <Swatch color={one.color} look={one.look} {...(one.dash === undefined ? {} : { dash: one.dash })} />
          {one.label}
        </li>
      ))}
    </ul>
  );
}
