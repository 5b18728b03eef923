/** What was spent: by day, purpose, hub, session, and model. */
import { useState } from 'react';
import { Link } from 'wouter';
import { BarChart, Button, EmptyState, ErrorState, Loading, Page, Select, type ChartLine } from '@shell/components';
import { dayNumber, dayText, shortDay, useToday } from '@shell/dates';
import { money, useUsage, type Usage, type UsageRow } from './data';
import './models.css';

const RANGES = [7, 30, 90, 365];
const GROUPS = {
  purpose: { label: 'Purpose', of: (row: UsageRow) => row.purposeLabel },
  hub: { label: 'Hub', of: (row: UsageRow) => row.hubName ?? (row.hubId ? 'Removed hub' : 'No hub') },
  session: {
    label: 'Session',
    of: (row: UsageRow) => row.sessionTitle ?? (row.sessionId ? 'Deleted session' : 'No session'),
  },
  model: { label: 'Model', of: (row: UsageRow) => (row.model ? `${row.provider}, ${row.model}` : row.provider) },
} as const;
type Grouping = keyof typeof GROUPS;
/** Lines shown of a group; the rest is in the last line. */
const LINES_MAX = 12;

export default function UsagePage() {
  const [days, setDays] = useState(30);
  const [grouping, setGrouping] = useState<Grouping>('purpose');
  const [isTable, setTable] = useState(false);
  const today = useToday();
  const { data: usage, error, refetch } = useUsage(dayText(today - days + 1), dayText(today));
  return (
    <Page
      title="Usage"
      actions={
        <>
          <Select
            aria-label="Group by"
            value={grouping}
            onChange={setGrouping}
            options={Object.entries(GROUPS).map(([value, { label }]) => ({
              value: value as Grouping,
              label: `By ${label.toLowerCase()}`,
            }))}
          />
          <Select
            aria-label="Period"
            value={days}
            onChange={setDays}
            options={RANGES.map((value) => ({ value, label: `Last ${value} days` }))}
          />
          <Button aria-pressed={isTable} onPress={() => setTable(!isTable)}>
            Show as table
          </Button>
        </>
      }
    >
      {error && !usage ? (
        <ErrorState title="Couldn't load usage" error={error} onRetry={() => void refetch()} />
      ) : !usage ? (
        <Loading label="Loading usage" />
      ) : usage.rows.length === 0 ? (
        <EmptyState icon="chart" title="Nothing spent">
          Costs of sessions and model calls appear here.
        </EmptyState>
      ) : (
        <UsageCharts usage={usage} grouping={grouping} isTable={isTable} />
      )}
    </Page>
  );
}

function UsageCharts({ usage, grouping, isTable }: { usage: Usage; grouping: Grouping; isTable: boolean }) {
  const dayLabel = (day: string) => {
    const number = dayNumber(day);
    return number === null ? day : shortDay(number);
  };
  const { label, of: groupOf } = GROUPS[grouping];
  return (
    // Charts have nothing to focus: the keyboard scrolls them all the same.
    <div className="usage" {...(isTable ? {} : { tabIndex: 0, role: 'group', 'aria-label': 'Charts' })}>
      <ul className="usage-sums">
        {usage.sums.map(({ currency, paid, subscription, unpriced }) => (
          <li key={currency}>
            <strong>{money(paid, currency)}</strong> pay-per-use
            {subscription > 0 && `, ${money(subscription, currency)} covered by subscriptions`}
            {unpriced > 0 && (
              <>
                {`, ${unpriced.toLocaleString()} without a known price (`}
                <Link href="/models">set prices</Link>)
              </>
            )}
          </li>
        ))}
      </ul>
      {!usage.complete && <p role="status">Too many rows: the oldest are missing. Choose a shorter period.</p>}
      {currencies(usage).map((currency) => {
        const rows = usage.rows.filter((row) => row.currency === currency);
        const suffix = currencies(usage).length > 1 ? ` (${currency})` : '';
        return (
          <div key={currency}>
            <BarChart
              title={`By day${suffix}`}
              by="Day"
              series={['Pay-per-use', 'Subscription']}
              lines={linesOf(rows, (row) => dayLabel(row.day), currency, false)}
              isTable={isTable}
            />
            <BarChart
              title={`By ${label.toLowerCase()}${suffix}`}
              by={label}
              series={['Pay-per-use', 'Subscription']}
              lines={linesOf(rows, groupOf, currency, true)}
              isTable={isTable}
            />
          </div>
        );
      })}
    </div>
  );
}

const currencies = ({ sums }: Usage) => sums.map(({ currency }) => currency);

/** The sums of rows that share a label, in the rows' order or the largest first. */
export function linesOf(
  rows: readonly UsageRow[],
  labelOf: (row: UsageRow) => string,
  currency: string,
  isSorted: boolean,
): ChartLine[] {
  const sums = new Map<string, { paid: number; covered: number; unpriced: number }>();
  for (const row of rows) {
    const label = labelOf(row);
    const sum = sums.get(label) ?? { paid: 0, covered: 0, unpriced: 0 };
    sums.set(label, sum);
    if (row.basis === 'unpriced') sum.unpriced += row.calls;
    else if (row.basis === 'subscription') sum.covered += row.amount ?? 0;
    else sum.paid += row.amount ?? 0;
  }
  const all = [...sums];
  if (isSorted) all.sort(([, one], [, other]) => other.paid + other.covered - one.paid - one.covered);
  const shown = isSorted ? all.slice(0, LINES_MAX) : all;
  const rest = all.slice(shown.length);
  if (rest.length > 0) {
    const sum = { paid: 0, covered: 0, unpriced: 0 };
    for (const [, one] of rest) {
      sum.paid += one.paid;
      sum.covered += one.covered;
      sum.unpriced += one.unpriced;
    }
    shown.push([`${rest.length} more`, sum]);
  }
  return shown.map(([label, { paid, covered, unpriced }]) => ({
    id: label,
    label,
    values: [
      {
        amount: paid,
        // An unknown price isn't 0.
        text: unpriced > 0 ? (paid > 0 ? `${money(paid, currency)} and unpriced` : 'Unpriced') : money(paid, currency),
      },
      { amount: covered, text: money(covered, currency) },
    ],
  }));
}
