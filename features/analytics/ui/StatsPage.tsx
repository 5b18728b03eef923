/** Statistics on the inbox: how long rows wait, how many pile up, and what you do with them. */
import { useState } from 'react';
import { useLocation } from 'wouter';
import { BarChart, Button, EmptyState, ErrorState, Loading, Page, Select, type ChartValue } from '@shell/components';
import { shortDay, dayNumber } from '@shell/dates';
import { useSetting } from '@shell/settings';
import { duration, useStats, type KindStats, type Stats } from './data';
import './stats.css';

const RANGES = [7, 30, 90];

export default function StatsPage() {
  const [days, setDays] = useState(30);
  const [isTable, setTable] = useState(false);
  const { data: stats, error, refetch } = useStats(days);
  const isOn = useSetting('inboxAnalyticsEnabled');
  const [, navigate] = useLocation();
  return (
    <Page
      title="Inbox stats"
      actions={
        <>
          <Select
            aria-label="Period"
            value={days}
            onChange={setDays}
            options={RANGES.map((value) => ({ value, label: `Last ${value} days` }))}
          />
          <Button aria-pressed={isTable} onPress={() => setTable(!isTable)}>
            Show as table
          </Button>
          <Button icon="inbox" onPress={() => navigate('/inbox')}>
            View inbox
          </Button>
        </>
      }
    >
      {isOn === false && (
        <p className="stats-off" role="status">
          Statistics are off, so nothing new is recorded. Turn on inboxAnalyticsEnabled.
        </p>
      )}
      {error && !stats ? (
        <ErrorState title="Couldn't load stats" error={error} onRetry={() => void refetch()} />
      ) : !stats ? (
        <Loading label="Loading stats" />
      ) : stats.kinds.length === 0 && stats.pileUp.every(({ open }) => open === 0) ? (
        <EmptyState icon="chart" title="No stats yet">
          Waiting times and more appear here once the inbox has rows. They stay on this device.
        </EmptyState>
      ) : (
        <Charts stats={stats} isTable={isTable} />
      )}
    </Page>
  );
}

const ofSeconds = (seconds: number | null): ChartValue => ({
  amount: seconds,
  text: seconds === null ? 'None handled' : duration(seconds),
});
const ofCount = (count: number, all?: number): ChartValue => ({
  amount: count,
  text: all === undefined ? count.toLocaleString() : `${count.toLocaleString()} of ${all.toLocaleString()}`,
});

function Charts({ stats, isTable }: { stats: Stats; isTable: boolean }) {
  const byKind = (values: (kind: KindStats) => readonly ChartValue[]) =>
    stats.kinds.map((kind) => ({ id: kind.kind, label: kind.label, values: values(kind) }));
  // Days before the first row say nothing.
  const pileUp = stats.pileUp.slice(
    Math.max(
      0,
      stats.pileUp.findIndex(({ open }) => open > 0),
    ),
  );
  const dayOf = (day: string) => {
    const number = dayNumber(day);
    return number === null ? day : shortDay(number);
  };
  return (
    // Charts have nothing to focus: the keyboard scrolls them all the same.
    <div className="stats" {...(isTable ? {} : { tabIndex: 0, role: 'group', 'aria-label': 'Charts' })}>
      <BarChart
        title="Waiting time until you answer or dismiss"
        by="Kind"
        series={['Median', '90%']}
        lines={byKind((kind) => [ofSeconds(kind.waitMedianSeconds), ofSeconds(kind.wait90Seconds)])}
        isTable={isTable}
      />
      <BarChart
        title="Open rows at the end of each day"
        by="Day"
        series={['Open rows']}
        lines={pileUp.map(({ day, open }) => ({ id: day, label: dayOf(day), values: [ofCount(open)] }))}
        isTable={isTable}
      />
      <BarChart
        title="Looked at without action"
        by="Kind"
        series={['Rows']}
        lines={byKind((kind) => [ofCount(kind.lookedOnly, kind.posted)])}
        isTable={isTable}
      />
      <BarChart
        title="Time spent with rows open"
        by="Kind"
        series={['Time']}
        lines={byKind((kind) => [{ amount: kind.openSeconds, text: duration(kind.openSeconds) }])}
        isTable={isTable}
      />
    </div>
  );
}
