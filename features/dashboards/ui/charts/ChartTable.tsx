import type { Point } from '../engine';
import type { ChartWords } from './BarChart';
import { OnlyThisButton } from '../toolbar/Marks';
import { colorOf } from './color';

/** The chart's twin: the same data as a table; `hasItems` adds how many items each value is of. */
export function ChartTable({ points, words, hasItems }: { points: readonly Point[]; words: ChartWords; hasItems: boolean }) {
  return (
    <div className="chart-frame" tabIndex={0} role="group" aria-label={`${words.title}, table`}>
      <table className="chart-table">
        <caption className="sr-only">{words.title}</caption>
        <thead>
          <tr>
            <th scope="col">{words.x}</th>
            <th scope="col" data-numeric>
              {words.y}
            </th>
            {hasItems && (
              <th scope="col" data-numeric>
                Items
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {points.map((point) => (
            <tr key={point.key}>
              <th scope="row">
                <span className="chart-swatch" style={{ background: colorOf(point) }} aria-hidden="true" />
                {point.label}
                <OnlyThisButton mark={point} />
              </th>
              <td data-numeric>{point.full}</td>
              {hasItems && <td data-numeric>{point.items.toLocaleString()}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
