import type { ChartCategory } from '@shell/engine/types';
import { OnlyThisButton } from '../toolbar/OnlyThis';
import { colorOf } from './color';
import type { Picked } from './points';
import type { OnPick } from './Shape';

/** A value in a table; with `pick` it is a button that shows the items behind it. */
export interface Cell {
  text: string;
  pick?: Picked | undefined;
}

/** A line of a table. */
export interface TwinRow {
  key: string;
  label: string;
  /** Drawn before the name where it is given; null is the plain one. */
  color?: string | null;
  /** What the rest can be left out for. */
  category?: ChartCategory | undefined;
  cells: Cell[];
}

/** The same data as a chart's, as a table: its first head is over the names. */
export interface Twin {
  head: string[];
  rows: TwinRow[];
}

/** A chart's twin. */
export function TwinTable({
  title,
  twin: { head, rows },
  onPick,
}: {
  title: string;
  twin: Twin;
  onPick?: OnPick | undefined;
}) {
  return (
    <div className="chart-frame" tabIndex={0} role="group" aria-label={`${title}, table`}>
      <table className="chart-table">
        <caption className="sr-only">{title}</caption>
        <thead>
          <tr>
            {head.map((name, at) => (
              <th key={name} scope="col" data-numeric={at > 0 || undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <th scope="row">
                {row.color !== undefined && (
                  <span
                    className="chart-swatch"
                    style={{ background: colorOf({ color: row.color }) }}
                    aria-hidden="true"
                  />
                )}
                {row.label}
                {row.category && <OnlyThisButton category={row.category} />}
              </th>
              {row.cells.map(({ text, pick }, at) => {
                const name = `${row.label}, ${head[at + 1] ?? ''}`;
                return (
                  <td key={head[at + 1]} data-numeric>
                    {pick && onPick ? (
                      <button
                        type="button"
                        className="tile-link chart-cell"
                        aria-label={`${name}: ${text}, show items`}
                        onClick={() => onPick(pick, `${name}: ${text}`)}
                      >
                        {text}
                      </button>
                    ) : (
                      text
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
