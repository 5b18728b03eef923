/** One statistic as bars or as a table. */
import { useId } from 'react';
import { Cell, Column, Row, Table, TableBody, TableHeader } from '@shell/components';

/** A value with its text; null where there is none. */
export interface Value {
  amount: number | null;
  text: string;
}

/** A line of the chart: a label with a value for each series. */
export interface Line {
  id: string;
  label: string;
  values: readonly Value[];
}

interface Props {
  title: string;
  /** What lines are: `Kind`. */
  by: string;
  series: readonly string[];
  lines: readonly Line[];
  isTable: boolean;
}

export function Chart({ title, by, series, lines, isTable }: Props) {
  const heading = useId();
  const largest = Math.max(0, ...lines.flatMap(({ values }) => values.map(({ amount }) => amount ?? 0)));
  const share = (amount: number | null) => (largest === 0 ? 0 : ((amount ?? 0) / largest) * 100);
  return (
    <section className="stats-chart" aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      {isTable ? (
        <Table aria-labelledby={heading}>
          <TableHeader>
            <Column isRowHeader>{by}</Column>
            {series.map((name) => (
              <Column key={name}>{name}</Column>
            ))}
          </TableHeader>
          <TableBody>
            {lines.map(({ id, label, values }) => (
              <Row key={id} id={id}>
                <Cell>{label}</Cell>
                {values.map(({ text }, at) => (
                  <Cell key={series[at]}>{text}</Cell>
                ))}
              </Row>
            ))}
          </TableBody>
        </Table>
      ) : (
        <ul className="stats-lines">
          {lines.map(({ id, label, values }) => (
            <li key={id}>
              <span className="stats-label">{label}</span>
              <span className="stats-bars">
                {values.map(({ amount, text }, at) => (
                  <span key={series[at]} className="stats-bar">
                    <span
                      className="stats-fill"
                      data-series={at}
                      style={{ inlineSize: `${share(amount)}%` }}
                      aria-hidden="true"
                    />
                    <span className="stats-value">{series.length > 1 ? `${series[at]}: ${text}` : text}</span>
                  </span>
                ))}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
