/** Columns and bars in SVG: drawn by hand, so that they print, keep the labels' colors and need no canvas. */
import { scaleBand, scaleLinear } from 'd3-scale';
import { useId } from 'react';
import { besideAxis, cutApart, figures, LETTER_PX, underneath } from './labels';
import type { Mark, Point } from './points';
import { tick } from '../written';
import { Bar, Patterns, Picture, useSize, type OnPick } from './Shape';

/** Words around a chart. */
export interface ChartWords {
  title: string;
  /** What is compared. */
  x: string;
  /** What is measured. */
  y: string;
}

/** What a bar chart draws. */
export interface BarChartProps {
  /** `column` stands upright, `bar` lies. */
  variant: 'column' | 'bar';
  points: readonly Point[];
  words: ChartWords;
  onPick?: OnPick | undefined;
  /** A level across all columns, such as an average. */
  level?: { value: number; label: string } | undefined;
}

const COLUMN_PX_MIN = 28;
const BAR_PX = 28;
const BAR_THICK_PX_MAX = 44;
/** Of a chart's height, what the names below its columns may take. */
const NAMES_SHARE = 0.4;

/** Room that a number along an upright axis needs. */
const STEP_PX_MIN = 14;

/** One sentence that says what a picture says: how many bars, the largest and the smallest. */
export function summary(points: readonly Point[], words: ChartWords): string {
  const known = points.filter((point): point is Point & { value: number } => point.value !== null);
  if (!known.length) return `${words.y} by ${words.x}.`;
  const most = known.reduce((a, b) => (b.value > a.value ? b : a));
  const least = known.reduce((a, b) => (b.value < a.value ? b : a));
  const at = (point: Point) => `${point.label} ${point.full}`;
  return `${words.y} by ${words.x}, ${points.length} ${points.length === 1 ? 'value' : 'values'}. Largest: ${at(most)}. Smallest: ${at(least)}.`;
}

/** Draws the chart as large as its place. */
export function BarChart(props: BarChartProps) {
  const { frame, size } = useSize();
  const isTall = size && props.variant === 'bar' && props.points.length * BAR_PX > size.height;
  const isWide = size && props.variant === 'column' && props.points.length * COLUMN_PX_MIN + 48 > size.width;
  const scrolls = isTall || isWide;
  return (
    <div
      className="chart-frame"
      ref={frame}
      {...(scrolls ? { tabIndex: 0, role: 'group', 'aria-label': `${props.words.title}, scrolls` } : {})}
    >
      {!size ? null : props.variant === 'column' ? (
        <Columns
          {...props}
          width={isWide ? props.points.length * COLUMN_PX_MIN + 48 : size.width}
          height={size.height - (isWide ? 12 : 0)}
        />
      ) : (
        <Bars
          {...props}
          width={size.width - (isTall ? 12 : 0)}
          height={isTall ? props.points.length * BAR_PX : size.height}
        />
      )}
    </div>
  );
}

interface Sized extends BarChartProps {
  width: number;
  height: number;
}

/** From where to where the drawing of a point goes: its parts stand upon one another, those below zero hang. */
function reachOf(point: Point): [number, number] {
  const values = (point.parts ?? [point]).map(({ value }) => value ?? 0);
  const sum = (is: (value: number) => boolean) => values.filter(is).reduce((all, value) => all + value, 0);
  const behind = point.behind?.value ?? 0;
  return [
    Math.min(
      sum((value) => value < 0),
      behind,
    ),
    Math.max(
      sum((value) => value > 0),
      behind,
    ),
  ];
}

const domain = (points: readonly Point[], level = 0): [number, number] => {
  const reaches = points.map(reachOf);
  const [low, high] = [
    Math.min(0, level, ...reaches.map(([from]) => from)),
    Math.max(0, level, ...reaches.map(([, to]) => to)),
  ];
  return low === high ? [0, 1] : [low, high];
};

/** What is drawn of a point: each part from where to where. */
function stacked(point: Point): { mark: Mark; from: number; to: number }[] {
  if (!point.parts) return [{ mark: point, from: 0, to: point.value ?? 0 }];
  let [up, down] = [0, 0];
  return point.parts.flatMap((mark) => {
    const value = mark.value ?? 0;
    if (value === 0) return [];
    const from = value > 0 ? up : down;
    if (value > 0) up += value;
    else down += value;
    return [{ mark, from, to: from + value }];
  });
}

const hintOf = (point: Point, mark: Mark) =>
  `${point.label}${mark === point ? '' : `, ${mark.label}`}: ${mark.value === null ? 'no value' : mark.full}`;

/** An upright axis from 0 to 1, whatever its place. */
const upright = (points: readonly Point[], level?: number) => scaleLinear(domain(points, level), [0, 1]).nice(4);

/** The numbers along an upright axis: about four, fewer where they would lie upon one another. */
export function stepsOf(points: readonly Point[], height_px: number, level?: number): number[] {
  const scaled = upright(points, level);
  const isBroken = points.some((point) => !Number.isInteger(point.value ?? 0));
  const about = (count: number) => scaled.ticks(count).filter((tick) => isBroken || Number.isInteger(tick));
  const isApart = ([first = 0, second]: readonly number[]) =>
    second === undefined || (scaled(second) - scaled(first)) * height_px >= STEP_PX_MIN;
  return [4, 3, 2].map(about).find(isApart) ?? about(1);
}

function Columns(props: Sized) {
  const { points, words, width, height, onPick, level } = props;
  const patterns = useId();
  // Numbers as long as those that a computer can just hold leave the columns their room.
  const ticked = Math.min(width / 3, 8 + besideAxis(stepsOf(points, Infinity, level?.value).map(tick)));
  const names = underneath(
    points.map((point) => point.label),
    (width - 4 - ticked) / points.length,
    height * NAMES_SHARE,
  );
  const [top_px, bottom_px] = [20, height - names.height];
  const values = upright(points, level?.value).range([bottom_px, top_px]);
  const steps = stepsOf(points, bottom_px - top_px, level?.value);
  // Names that lie aslant reach to the left of their columns, the first ones over the axis.
  const left = names.reaches.reduce(
    (most, reach, at) => Math.max(most, reach - (at + 0.3) * (width / points.length)),
    ticked,
  );
  const labels = scaleBand(
    points.map((point) => point.key),
    [left, width - 4],
  )
    .paddingInner(0.28)
    .paddingOuter(0.14);
  const thick = Math.min(labels.bandwidth(), BAR_THICK_PX_MAX);
  // A figure that is cut is another figure: all of them or none. The table beside has them, and so has a column's hint.
  const fit = (texts: readonly string[]) => texts.every((text) => text.length * LETTER_PX <= labels.step());
  const apart = figures(points);
  const written = fit(apart) ? apart : points.map((point) => point.text);
  const hasFigures = fit(written);
  return (
    <Picture title={words.title} summary={summary(points, words)} width={width} height={height}>
      <Patterns id={patterns} />
      {steps.map((step) => (
        <g key={step}>
          <line
            className={step === 0 ? 'chart-zero' : 'chart-line'}
            x1={left}
            x2={width - 4}
            y1={values(step)}
            y2={values(step)}
          />
          <text className="chart-tick" x={left - 6} y={values(step)} dy="0.32em" textAnchor="end">
            {tick(step)}
          </text>
        </g>
      ))}
      {points.map((point, at) => {
        const middle = (labels(point.key) ?? 0) + labels.bandwidth() / 2;
        const [low, high] = reachOf({ ...point, ...(point.behind ? { behind: point } : {}) });
        const isDown = low < 0 && high <= 0;
        const bars = [
          ...(point.behind ? [{ mark: point.behind, from: 0, to: point.behind.value ?? 0 }] : []),
          ...stacked(point),
        ];
        return (
          <g key={point.key}>
            {bars.map(({ mark, from, to }) => {
              const wide = mark === point.behind ? Math.min(thick + 8, labels.step()) : thick;
              const [top, end] = [values(Math.max(from, to)), values(Math.min(from, to))];
              return (
                <Bar
                  key={mark.key}
                  mark={mark}
                  hint={hintOf(point, mark)}
                  x={middle - wide / 2}
                  y={top}
                  width={wide}
                  height={Math.max(end - top, from === to ? 0 : 1)}
                  patterns={patterns}
                  onPick={onPick}
                />
              );
            })}
            {hasFigures && point.value !== null && (
              <text
                className="chart-value"
                x={middle}
                y={isDown ? values(low) + 12 : values(high) - 6}
                textAnchor="middle"
              >
                {written[at]}
              </text>
            )}
            {names.isAslant ? (
              <text
                className="chart-label"
                transform={`translate(${middle + 4} ${height - names.height + 14}) rotate(-45)`}
                textAnchor="end"
              >
                {names.texts[at]}
              </text>
            ) : (
              <text className="chart-label" x={middle} y={height - 6} textAnchor="middle">
                {names.texts[at]}
              </text>
            )}
          </g>
        );
      })}
      {level && (
        <g>
          <line className="chart-here" x1={left} x2={width - 4} y1={values(level.value)} y2={values(level.value)} />
          <title>{level.label}</title>
        </g>
      )}
    </Picture>
  );
}

function Bars(props: Sized) {
  const { points, words, width, height, onPick } = props;
  const patterns = useId();
  const left = Math.min(Math.max(...points.map((point) => point.label.length), 4) * LETTER_PX + 10, width * 0.36);
  const written = figures(points);
  const right = 10 + Math.max(...written.map((text) => text.length)) * LETTER_PX;
  const labels = scaleBand(
    points.map((point) => point.key),
    [0, height],
  )
    .paddingInner(0.3)
    .paddingOuter(0.15);
  const thick = Math.min(labels.bandwidth(), 28);
  const values = scaleLinear(domain(points), [left, Math.max(width - right, left)]);
  const names = cutApart(
    points.map((point) => point.label),
    left - 10,
  );
  return (
    <Picture title={words.title} summary={summary(points, words)} width={width} height={height}>
      <Patterns id={patterns} />
      <line className="chart-zero" x1={values(0)} x2={values(0)} y1={0} y2={height} />
      {points.map((point, at) => {
        const middle = (labels(point.key) ?? 0) + labels.bandwidth() / 2;
        const [, high] = reachOf(point);
        return (
          <g key={point.key}>
            <text className="chart-label" x={left - 8} y={middle} dy="0.34em" textAnchor="end">
              {names[at]}
            </text>
            {stacked(point).map(({ mark, from, to }) => {
              const [start, end] = [values(Math.min(from, to)), values(Math.max(from, to))];
              return (
                <Bar
                  key={mark.key}
                  mark={mark}
                  hint={hintOf(point, mark)}
                  x={start}
                  y={middle - thick / 2}
                  width={Math.max(end - start, from === to ? 0 : 1)}
                  height={thick}
                  patterns={patterns}
                  onPick={onPick}
                />
              );
            })}
            {point.value !== null && (
              <text className="chart-value" x={values(high) + 6} y={middle} dy="0.34em">
                {written[at]}
              </text>
            )}
          </g>
        );
      })}
    </Picture>
  );
}
