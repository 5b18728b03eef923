/** Lines in SVG: a chart over dates or labels, and the burndown of a sprint. */
import { scaleLinear } from 'd3-scale';
import { useId } from 'react';
import { colorOf } from './color';
import { besideAxis, cutApart, LETTER_PX } from './labels';
import type { Mark } from './points';
import { tick } from '../written';
import { Picture, useSize, type OnPick, type Size } from './Shape';

/** One line. */
export interface Line {
  key: string;
  label: string;
  color: string | null;
  /** As `stroke-dasharray`, so that lines can be told apart without their color. */
  dash?: string | undefined;
  /** One for each place along the axis; null is a gap. */
  marks: (Mark | null)[];
  /** Goes on at its value until the next one. */
  isStep?: boolean;
  /** No points are drawn on it, and nothing stands behind it. */
  isPlain?: boolean;
}

const DASHES = [undefined, '6 4', '2 3', '8 3 2 3'];

/** How the n-th of several lines is dashed. */
export const dashAt = (at: number): string | undefined => DASHES[at % DASHES.length];

const LABEL_PX_MIN = 56;
/** Points nearer to one another cannot be told apart, neither by eye nor by pointer. */
const POINT_PX_MIN = 4;

interface LineChartProps {
  title: string;
  summary: string;
  /** Names along the axis. */
  labels: readonly string[];
  /** They are dates, each written whole: of those that are cut nobody can tell which they are. */
  areDates?: boolean;
  lines: readonly Line[];
  /** A place along the axis that is marked, such as today. */
  here?: { at: number; label: string } | undefined;
  onPick?: OnPick | undefined;
}

/** Where a line goes: pieces between gaps. */
function path(line: Line, x: (at: number) => number, y: (value: number) => number): string {
  let isOn = false;
  let last = 0;
  return line.marks
    .map((mark, at) => {
      if (mark?.value == null) {
        isOn = false;
        return '';
      }
      const [px, py] = [x(at), y(mark.value)];
      if (mark.isApart) isOn = false;
      const step = !isOn ? `M${px} ${py}` : line.isStep ? `L${px} ${last}L${px} ${py}` : `L${px} ${py}`;
      isOn = !mark.isApart;
      last = py;
      return step;
    })
    .join('');
}

/** The places along the axis where a line has a point of its own: where they lie too close together, only some, the last of the line among them. */
export function pointsAt(marks: readonly (Mark | null)[], step_px: number): { at: number; isLone: boolean }[] {
  const isGap = (mark: Mark | null | undefined) => mark?.value == null || mark.isApart;
  const every = Math.max(1, Math.ceil(POINT_PX_MIN / Math.max(step_px, 0.01)));
  const last = marks.findLastIndex((mark) => !isGap(mark));
  return marks.flatMap((mark, at) => {
    if (mark?.value == null) return [];
    // One that no line leads to is all that is seen of its value.
    const isLone = mark.isApart || [marks[at - 1], marks[at + 1]].every(isGap);
    return isLone || at === last || (at % every === 0 && last - at >= every) ? [{ at, isLone }] : [];
  });
}

/** Draws the lines as large as their place. */
export function LineChart(props: LineChartProps) {
  const { frame, size } = useSize();
  return (
    <div className="chart-frame" ref={frame}>
      {size && <Lines {...props} {...size} />}
    </div>
  );
}

function Lines({
  title,
  summary,
  labels,
  areDates = false,
  lines,
  here,
  onPick,
  width,
  height,
}: LineChartProps & Size) {
  const id = useId();
  const values = lines.flatMap(({ marks }) => marks.flatMap((mark) => (mark?.value == null ? [] : [mark.value])));
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const scaled = scaleLinear(low === high ? [0, 1] : [low, high], [height - 24, 14]).nice(4);
  const steps = scaled.ticks(height < 140 ? 2 : 4);
  const left = 10 + besideAxis(steps.map(tick));
  const right = width - 12;
  const x = (at: number) =>
    labels.length < 2 ? (left + right) / 2 : left + 6 + (at * (right - left - 12)) / (labels.length - 1);
  const y = (value: number) => scaled(value);
  // The first begins where the others have their middle, and needs half as much again.
  const label_px = Math.max(LABEL_PX_MIN, ...(areDates ? labels : []).map((text) => text.length * LETTER_PX * 1.5 + 8));
  const every = Math.max(1, Math.ceil((labels.length * label_px) / Math.max(right - left, 1)));
  // What stands apart is named, for nothing else tells it from the next date.
  const apart = labels.map((_, at) => lines.some(({ marks }) => marks[at]?.isApart));
  const shown = labels
    .map((_, at) => at)
    .filter((at) => apart[at] || (at % every === 0 && !apart.slice(at, at + every).includes(true)));
  const names = areDates
    ? shown.map((at) => labels[at])
    : cutApart(
        shown.map((at) => labels[at] ?? ''),
        Math.max((right - left) / Math.max(shown.length, 1) - 4, LABEL_PX_MIN - 4),
      );
  return (
    <Picture title={title} summary={summary} width={width} height={height}>
      {steps.map((step) => (
        <g key={step}>
          <line className={step === 0 ? 'chart-zero' : 'chart-line'} x1={left} x2={right} y1={y(step)} y2={y(step)} />
          <text className="chart-tick" x={left - 6} y={y(step)} dy="0.32em" textAnchor="end">
            {tick(step)}
          </text>
        </g>
      ))}
      {shown.map((at, i) => (
        <text
          key={at}
          className="chart-label"
          x={x(at)}
          y={height - 6}
          textAnchor={
            at === 0 && labels.length > 1 ? 'start' : at === labels.length - 1 && labels.length > 1 ? 'end' : 'middle'
          }
        >
          {names[i]}
        </text>
      ))}
      {here && (
        <g>
          <line className="chart-here" x1={x(here.at)} x2={x(here.at)} y1={14} y2={height - 24} />
          <text className="chart-tick" x={x(here.at)} y={10} textAnchor={here.at > labels.length / 2 ? 'end' : 'start'}>
            {here.label}
          </text>
        </g>
      )}
      {lines.map((line) => (
        <g key={line.key}>
          <path className="chart-path" d={path(line, x, y)} stroke={colorOf(line)} strokeDasharray={line.dash} />
          {!line.isPlain &&
            pointsAt(line.marks, x(1) - x(0)).map(({ at, isLone }) => {
              const mark = line.marks[at]!;
              const { pick, value } = mark;
              const hint = `${line.label ? `${line.label}, ` : ''}${labels[at] ?? ''}: ${mark.full}`;
              return (
                <g
                  key={`${id}${mark.key}`}
                  data-pick={pick && onPick ? '' : undefined}
                  onClick={pick && onPick ? () => onPick(pick, hint) : undefined}
                >
                  <title>{hint}</title>
                  <circle className="chart-reach" cx={x(at)} cy={y(value!)} r={9} />
                  <circle
                    className="chart-dot"
                    cx={x(at)}
                    cy={y(value!)}
                    r={labels.length > 60 && !isLone ? 1.5 : 3}
                    fill={colorOf(line)}
                  />
                </g>
              );
            })}
        </g>
      ))}
    </Picture>
  );
}
