/** Parts of a whole in SVG: a pie, or a donut with the whole in its middle. */
import { useId } from 'react';
import { colorAt, colorOf } from './color';
import { lookAt, type Mark } from './points';
import { patternOf, Patterns, Picture, Swatch, useSize, type OnPick, type Size } from './Shape';

interface RoundChartProps {
  isDonut: boolean;
  title: string;
  summary: string;
  slices: readonly Mark[];
  /** Whole percents of the slices, 100 together. */
  percents: readonly number[];
  /** Written in the middle of a donut. */
  whole: string;
  onPick?: OnPick | undefined;
}

/** The slices in their colors and patterns: what has no color of its own gets one, since no axis names it. */
export const sliced = (slices: readonly Mark[]): Mark[] =>
  slices.map((slice, at) => ({ ...slice, color: slice.color ?? colorAt(at), look: lookAt(at) }));

/** A ring's part, from one angle to another; in turns, beginning at the top. */
function ring(from: number, to: number, inner: number, outer: number): string {
  const at = (turn: number, radius: number) =>
    `${Math.sin(turn * 2 * Math.PI) * radius} ${-Math.cos(turn * 2 * Math.PI) * radius}`;
  // A whole ring has no beginning and no end: it is drawn in halves.
  if (to - from >= 1)
    return `${ring(from, from + 0.5, inner, outer)}${ring(from + 0.5, from + 0.999999, inner, outer)}`;
  const large = to - from > 0.5 ? 1 : 0;
  const outside = `M${at(from, outer)}A${outer} ${outer} 0 ${large} 1 ${at(to, outer)}`;
  return inner > 0
    ? `${outside}L${at(to, inner)}A${inner} ${inner} 0 ${large} 0 ${at(from, inner)}Z`
    : `${outside}L0 0Z`;
}

/** Draws the chart with its names beside it. */
export function RoundChart(props: RoundChartProps) {
  const { frame, size } = useSize();
  const { slices, percents } = props;
  return (
    <div className="chart-round">
      <div className="chart-frame" ref={frame}>
        {size && <Round {...props} {...size} />}
      </div>
      <ul className="chart-legend chart-slices" aria-hidden="true">
        {sliced(slices).map((slice, at) => (
          <li key={slice.key}>
            <Swatch color={slice.color} look={slice.look ?? 'plain'} />
            <span className="chart-slice-name">{slice.label}</span>
            <span>{`${percents[at] ?? 0}%`}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Round({ isDonut, title, summary, slices, percents, whole, onPick, width, height }: RoundChartProps & Size) {
  const id = useId();
  const sum = slices.reduce((all, slice) => all + (slice.value ?? 0), 0);
  const radius = Math.max(Math.min(width, height) / 2 - 4, 1);
  let turn = 0;
  return (
    <Picture title={title} summary={summary} width={width} height={height}>
      <Patterns id={id} />
      <g transform={`translate(${width / 2} ${height / 2})`}>
        {sliced(slices).map((slice, at) => {
          const from = turn;
          turn += (slice.value ?? 0) / (sum || 1);
          const d = ring(from, turn, isDonut ? radius * 0.58 : 0, radius);
          const hint = `${slice.label}: ${slice.full} (${percents[at] ?? 0}%)`;
          const { pick } = slice;
          const pattern = patternOf(id, slice.look);
          return (
            <g
              key={slice.key}
              data-pick={pick && onPick ? '' : undefined}
              onClick={pick && onPick ? () => onPick(pick, hint) : undefined}
            >
              <title>{hint}</title>
              <path className="chart-mark" d={d} fill={colorOf(slice)} />
              {pattern && <path d={d} fill={pattern} />}
            </g>
          );
        })}
        {isDonut && (
          <text
            className="chart-whole"
            dy="0.35em"
            textAnchor="middle"
            fontSize={Math.max(Math.min(radius * 0.32, (radius * 1.7) / Math.max(whole.length, 3)), 10)}
          >
            {whole}
          </text>
        )}
      </g>
    </Picture>
  );
}
