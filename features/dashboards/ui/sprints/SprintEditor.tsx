/** What the editors of Velocity, Planned vs. unplanned, and Burndown have in common. */
import type { Sprint } from '@shell/engine/types';
import { Checkbox, Select, Switch, TextField } from '@shell/components';
import { isIsoDate } from '@shell/dates';
import type { BoardInfo } from '../boards';
import { ColumnPicker } from '../ColumnPicker';
import { objectOf, type JsonObject } from '../model';
import type { EditorProps } from '../widgets/kind';
import { SPRINT_ROLES } from './words';

/** Ids of labels that were chosen for a board; nothing where the board's own marks count. */
const chosenLabels = (settings: JsonObject, member: string, boardId: string): string[] | undefined => {
  const ids = objectOf(settings[member])[boardId];
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : undefined;
};

/** Which labels mean something, board by board. */
function Labels({
  settings,
  onChange,
  boards,
  cols,
  member,
  role,
  label,
  byDefault,
}: EditorProps & { member: string; role: string; label: string; byDefault: string }) {
  const set = (boardId: string, ids: string[] | undefined) => {
    const { [boardId]: _before, ...others } = objectOf(settings[member]);
    onChange({ ...settings, [member]: ids ? { ...others, [boardId]: ids } : others });
  };
  const labeled = (board: BoardInfo) =>
    board.columns.find((column) => cols[role]?.[board.id]?.includes(column.id) && column.settings.labels?.length);
  const shown = boards.flatMap((board) => {
    const column = labeled(board);
    return column ? [{ board, labels: column.settings.labels ?? [] }] : [];
  });
  if (!shown.length) return null;
  return (
    <fieldset className="mapping">
      <legend className="field-label">{label}</legend>
      {shown.map(({ board, labels }) => {
        const chosen = chosenLabels(settings, member, board.id);
        return (
          <div key={board.id} className="mapping-labels">
            <Select
              label={board.name}
              options={[
                { value: 'own', label: byDefault },
                { value: 'these', label: 'These labels' },
              ]}
              value={chosen ? 'these' : 'own'}
              onChange={(value) =>
                set(
                  board.id,
                  value === 'own'
                    ? undefined
                    : labels
                        .filter(({ category, done }) =>
                          member === 'done' ? done : member === 'cancelled' && category === 'canceled',
                        )
                        .map(({ id }) => id),
                )
              }
            />
            {chosen &&
              labels.map(({ id, text }) => (
                <Checkbox
                  key={id}
                  isSelected={chosen.includes(id)}
                  onChange={(is) => set(board.id, is ? [...chosen, id] : chosen.filter((one) => one !== id))}
                >
                  {text}
                </Checkbox>
              ))}
          </div>
        );
      })}
    </fieldset>
  );
}

/** The last sprints that are shown. */
export function LastField({
  settings,
  onChange,
  fallback,
  least,
  most,
}: EditorProps & { fallback: number; least: number; most: number }) {
  const last = typeof settings.last === 'number' ? settings.last : fallback;
  const choices = [...new Set([least, 3, 4, 5, 6, 8, 10, 12, 20, most, last])]
    .filter((n) => n >= least && n <= most)
    .sort((a, b) => a - b);
  return (
    <Select
      label="Sprints shown"
      options={choices.map((value) => ({
        value,
        label: value === 1 ? 'The last sprint' : `The last ${value} sprints`,
      }))}
      value={last}
      onChange={(value) => onChange({ ...settings, last: value })}
    />
  );
}

/** Days after the first that still count as planned. */
export function GraceField({ settings, onChange }: EditorProps) {
  const days = typeof settings.graceDays === 'number' ? settings.graceDays : 1;
  const choices = [...new Set([0, 1, 2, 3, 5, 7, days])].sort((a, b) => a - b);
  const name = (value: number) =>
    value === 0 ? 'the end of the first day' : `${value} ${value === 1 ? 'day' : 'days'} after the first day`;
  return (
    <Select
      label="Count new items as planned until"
      options={choices.map((value) => ({ value, label: name(value) }))}
      value={days}
      onChange={(value) => onChange({ ...settings, graceDays: value })}
    />
  );
}

interface Dates {
  key: string;
  from: string;
  to: string;
}
const datesOf = (settings: JsonObject): Dates[] =>
  (Array.isArray(settings.sprints) ? settings.sprints : [])
    .map(objectOf)
    .flatMap(({ key, from, to }) =>
      typeof key === 'string'
        ? [{ key, from: typeof from === 'string' ? from : '', to: typeof to === 'string' ? to : '' }]
        : [],
    );

/** Days of sprints that nothing else gives: of those without any, with guessed ones, and with days that were given here. */
function SprintDates({ settings, onChange, sprints }: EditorProps & { sprints: readonly Sprint[] }) {
  const dates = datesOf(settings);
  const isGiven = (key: string) => dates.some((date) => date.key === key);
  const open = sprints.filter(({ key, inferred, phase }) => inferred || phase === 'undated' || isGiven(key));
  // With its days a sprint may leave what the widget shows.
  const away = dates
    .filter(({ key }) => !sprints.some((sprint) => sprint.key === key))
    .map(({ key }) => ({ key, label: key }));
  const shown = [...open, ...away];
  if (!shown.length) return null;
  const set = (key: string, change: Partial<Dates>) => {
    const one = { key, from: '', to: '', ...dates.find((date) => date.key === key), ...change };
    const others = dates.filter((date) => date.key !== key);
    onChange({ ...settings, sprints: [...others, ...(one.from || one.to ? [one] : [])].map((date) => ({ ...date })) });
  };
  const fault = (text: string) => (text && !isIsoDate(text) ? 'Use a date such as 2026-11-21.' : undefined);
  return (
    <fieldset className="mapping">
      <legend className="field-label">Days of the sprints</legend>
      {shown.map(({ key, label }) => {
        const { from = '', to = '' } = dates.find((date) => date.key === key) ?? {};
        return (
          <div key={key} className="mapping-days" role="group" aria-label={label}>
            <TextField
              label={`${label}, first day`}
              value={from}
              placeholder="2026-11-21"
              error={fault(from)}
              onChange={(text) => set(key, { from: text.trim() })}
            />
            <TextField
              label={`${label}, last day`}
              value={to}
              placeholder="2026-12-04"
              error={
                fault(to) ??
                (isIsoDate(from) && isIsoDate(to) && to < from ? 'Must not be before the first day.' : undefined)
              }
              onChange={(text) => set(key, { to: text.trim() })}
            />
          </div>
        );
      })}
    </fieldset>
  );
}

/** Where sprints, effort and what is done come from; `sprints` are those that the widget knows. */
export function SprintEditor(props: EditorProps & { sprints: readonly Sprint[] }) {
  const { settings, onChange } = props;
  const format = objectOf(settings.format);
  return (
    <>
      <Select
        label="Sprints"
        options={[
          { value: 'column', label: 'From a column' },
          { value: 'group', label: 'From groups' },
        ]}
        value={settings.sprintBy === 'group' ? 'group' : 'column'}
        onChange={(value) => onChange({ ...settings, sprintBy: value })}
      />
      <ColumnPicker role="sprint" label={SPRINT_ROLES.sprint} {...props} />
      <ColumnPicker role="effort" label={SPRINT_ROLES.effort} {...props} />
      <ColumnPicker role="done" label={SPRINT_ROLES.done} {...props} />
      <Labels {...props} member="done" role="done" label="Counts as done" byDefault="Labels marked done on the board" />
      <Labels
        {...props}
        member="cancelled"
        role="done"
        label="Not counted in the sprint"
        byDefault="Labels in the Canceled category"
      />
      <ColumnPicker role="date" label={SPRINT_ROLES.date} {...props} />
      <ColumnPicker role="created" label={SPRINT_ROLES.created} {...props} />
      <ColumnPicker role="sprintStart" label={SPRINT_ROLES.sprintStart} {...props} />
      <ColumnPicker role="sprintEnd" label={SPRINT_ROLES.sprintEnd} {...props} />
      <SprintDates {...props} />
      <Switch
        isSelected={format.abbreviate !== false}
        onChange={(abbreviate) => onChange({ ...settings, format: { ...format, abbreviate } })}
      >
        Abbreviate numbers, such as 1.2K
      </Switch>
    </>
  );
}

/** A switch for a member of the settings. */
export function Option({ settings, onChange, member, children }: EditorProps & { member: string; children: string }) {
  return (
    <Switch isSelected={settings[member] === true} onChange={(is) => onChange({ ...settings, [member]: is })}>
      {children}
    </Switch>
  );
}
