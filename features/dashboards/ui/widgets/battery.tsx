/** Battery: the share of work at each label. Not on the menu: drawn only if a config names it. */
import type { BatteryResult } from '@shell/engine/types';
import { KINDS } from '@shell/gen/titles';
import { sliced } from '../charts/RoundChart';
import type { Mark } from '../charts/points';
import { Legend } from '../charts/Shape';
import { TwinTable } from '../charts/TwinTable';
import { ColumnPicker } from '../ColumnPicker';
import { notesOf } from '../sprints/words';
import { WHOLE_PERCENTS } from '../words';
import type { EditorProps, ViewProps, WidgetKind } from './kind';

const ROLES = { done: 'Status column', effort: 'Weight column' };

const marksOf = ({ segments }: BatteryResult): Mark[] =>
  sliced(
    segments.map(({ key, kind, label, color, value, items, percent }) => ({
      key: `${kind} ${key}`,
      label,
      color: color ?? null,
      value,
      text: `${percent}%`,
      full: `${percent}%`,
      items,
      pick: { label: { kind, key } },
    })),
  );

function View({ widget, answer, asTable, onPick }: ViewProps) {
  if (answer.kind !== 'battery' || !answer.result) return null;
  const { result } = answer;
  const marks = marksOf(result);
  if (asTable) {
    const rows = marks.map((mark) => ({
      key: mark.key,
      label: mark.label,
      color: mark.color,
      cells: [
        { text: mark.full, pick: mark.pick },
        { text: (mark.items ?? 0).toLocaleString(), pick: mark.pick },
      ],
    }));
    return <TwinTable title={widget.title} twin={{ head: ['Label', 'Share', 'Items'], rows }} onPick={onPick} />;
  }
  return (
    <>
      <p className="chart-lead">{`${result.donePercent}% done`}</p>
      <div
        className="battery"
        role="img"
        aria-label={`${widget.title}: ${result.donePercent}% done. ${marks.map(({ label, full }) => `${label} ${full}`).join(', ')}.`}
      >
        {marks.map((mark) => (
          <span
            key={mark.key}
            title={`${mark.label}: ${mark.full}`}
            style={{ flexGrow: mark.value ?? 0, background: mark.color ?? undefined }}
          />
        ))}
      </div>
      <Legend
        series={marks.map(({ key, label, full, color }) => ({ key, label: `${label} ${full}`, color, look: 'plain' }))}
      />
    </>
  );
}

function Editor(props: EditorProps) {
  return (
    <>
      <ColumnPicker role="done" label={ROLES.done} {...props} />
      <ColumnPicker role="effort" label={ROLES.effort} {...props} />
    </>
  );
}

const kind: WidgetKind = {
  kind: 'battery',
  label: 'Battery',
  detail: "Share of work that's done",
  icon: 'chart',
  order: 60,
  isOffMenu: true,
  size: { w: 6, h: 4 },
  min: { w: 3, h: 3 },
  create: () => ({}),
  describe: () => KINDS.battery,
  roleNames: ROLES,
  hasTable: true,
  explain: () => ['The share of items at each label, weighted by the weight column if there is one.', WHOLE_PERCENTS],
  notes: (answer) => (answer.kind === 'battery' ? notesOf(answer.result?.footnotes) : []),
  Editor,
  View,
};

export default kind;
