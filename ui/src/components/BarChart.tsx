/** One statistic as bars or as a table. */
import { useId } from 'react';
import { Cell, Column, Row, Table, TableBody, TableHeader } from './Table';

/** A value with its text; null where there is none. */
export interface ChartValue {
  amount: number | null;
  text: string;
}

/** A line of the chart: a label with a value for each series. */
export interface ChartLine {
  id: string;
  label: string;
  values: readonly ChartValue[];
}

interface Props {
  title: string;
  /** What lines are: `Kind`. */
  by: string;
  series: readonly string[];
  lines: readonly ChartLine[];
  isTable: boolean;
}

export function BarChart({ title, by, series, lines, isTable }: Props) {
  const heading = useId();
  const largest = Math.max(0, ...lines.flatMap(({ values }) => values.map(({ amount }) => amount ?? 0)));
  const share = (amount: number | null) => (largest === 0 ? 0 : ((amount ?? 0) / largest) * 100);
  return (
    <section className="bars" aria-labelledby={heading}>
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
        <ul className="bars-lines">
          {lines.map(({ id, label, values }) => (
            <li key={id}>
              <span className="bars-label">{label}</span>
              <span className="bars-bars">
                {values.map(({ amount, text }, at) => (
                  <span key={series[at]} className="bars-bar">
                    <span
                      className="bars-fill"
                      data-series={at}
                      style={{ inlineSize: `${share(amount)}%` }}
                      aria-hidden="true"
                    />
                    <span className="bars-value">{series.length > 1 ? `${series[at]}: ${text}` : text}</span>
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
