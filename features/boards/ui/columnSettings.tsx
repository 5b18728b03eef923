/** The settings of a column, by its type. */
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { ApiError, reasonOf } from '@shell/api';
import { client } from '@shell/client';
import { Button, IconButton, NumberField, Select, Switch, TextField } from '@shell/components';
import { DECIMALS_MAX, PALETTE, RATING_MAX } from '@shell/gen/limits';
import {
  CATEGORIES,
  categoryOf,
  categoryOfWords,
  isReadOnly,
  useBoards,
  type Category,
  type Column,
  type ColumnSettings,
  type ColumnType,
  type Group,
  type Label,
} from './data';
import { isLink } from './links';

/** A board with its columns, as far as a setting can name them. */
export interface Described {
  id: string;
  name: string;
  groups: Group[];
  columns: Column[];
}

/** The groups and columns of a board. */
export const useDescribed = (id: string | undefined) =>
  useQuery({
    queryKey: ['board-described', id],
    enabled: Boolean(id),
    gcTime: 0,
    queryFn: async ({ signal }) =>
      (await client.get('/boards/{boardId}', { path: { boardId: id! }, signal })) as Described,
  });

interface SettingsProps {
  type: ColumnType;
  /** The board that the column is of. */
  board: Described;
  settings: ColumnSettings;
  /** Whether the column is there already. */
  isKept: boolean;
  /** What is wrong with one of the settings. */
  wrong?: WrongSetting | undefined;
  onChange: (settings: ColumnSettings) => void;
  /** Told whether a number that was typed is none. */
  onUnread: (isUnread: boolean) => void;
}

/** A rejected setting and the reason. */
export interface WrongSetting {
  at: keyof ColumnSettings;
  why: string;
}

/** Settings that are required before a column can be created. */
export function missingOf(type: ColumnType, settings: ColumnSettings): WrongSetting | undefined {
  if ((type === 'itemLink' || type === 'sprint') && !settings.boardId) return { at: 'boardId', why: 'Choose a board.' };
  if (type !== 'mirror' || (settings.linkColumn && settings.sourceColumn)) return undefined;
  return { at: settings.linkColumn ? 'sourceColumn' : 'linkColumn', why: 'Choose a column.' };
}

/** The fields of a type's settings; nothing for types without any. */
export function SettingsFields({ type, board, settings, isKept, wrong, onChange, onUnread }: SettingsProps) {
  const put = (more: ColumnSettings) => onChange({ ...settings, ...more });
  switch (type) {
    case 'number':
      return <NumberSettings settings={settings} onChange={onChange} onUnread={onUnread} />;
    case 'status':
    case 'dropdown':
      return <LabelSettings labels={settings.labels ?? []} onChange={(labels) => put({ labels })} />;
    case 'rating':
      return (
        <NumberField
          label="Maximum rating"
          minValue={1}
          maxValue={RATING_MAX}
          step={1}
          value={settings.max ?? 5}
          onChange={(max) => put({ max })}
          onUnread={onUnread}
        />
      );
    case 'itemLink':
    case 'sprint':
      return <LinkSettings type={type} settings={settings} isKept={isKept} wrong={wrong} onChange={onChange} />;
    case 'mirror':
      return <MirrorSettings board={board} settings={settings} wrong={wrong} onChange={onChange} />;
    default:
      return null;
  }
}

/** The settings without empty values, which the API expects to be omitted. */
export const settled = (settings: ColumnSettings): ColumnSettings =>
  Object.fromEntries(
    Object.entries(settings).filter(
      ([, value]) => value !== undefined && value !== '' && !(typeof value === 'number' && Number.isNaN(value)),
    ),
  );

function NumberSettings({ settings, onChange, onUnread }: Pick<SettingsProps, 'settings' | 'onChange' | 'onUnread'>) {
  const put = (more: ColumnSettings) => onChange({ ...settings, ...more });
  return (
    <>
      <TextField
        label="Unit"
        help="Shown after the number, such as h or kg."
        value={settings.unit ?? ''}
        onChange={(unit) => put({ unit })}
      />
      <TextField
        label="Currency"
        help="Three letters, such as EUR."
        value={settings.currency ?? ''}
        onChange={(currency) => put({ currency: currency.toUpperCase() })}
      />
      <NumberField
        label="Decimals"
        minValue={0}
        maxValue={DECIMALS_MAX}
        step={1}
        value={settings.decimals ?? NaN}
        onChange={(decimals) => put({ decimals })}
        onUnread={onUnread}
      />
      <Switch isSelected={settings.percent ?? false} onChange={(percent) => put({ percent })}>
        Show as percent
      </Switch>
    </>
  );
}

/** Default settings of a new column, such as labels for a status. */
export const firstSettings = (type: ColumnType): ColumnSettings =>
  type === 'status'
    ? {
        labels: ['To do', 'In progress', 'Done'].map((text, at) => ({
          id: '',
          text,
          color: PALETTE[at % PALETTE.length]!,
          ...withDone(categoryOfWords(text)),
        })),
      }
    : {};

/** A category as it's sent: the older member `done` goes with it. */
const withDone = (category: Category) => ({ category, done: category === 'done' });
const CATEGORY_OPTIONS = (Object.keys(CATEGORIES) as Category[]).map((value) => ({ value, label: CATEGORIES[value] }));

function LabelSettings({ labels, onChange }: { labels: readonly Label[]; onChange: (labels: Label[]) => void }) {
  const name = useId();
  const put = (at: number, more: Partial<Label>) =>
    onChange(labels.map((label, i) => (i === at ? { ...label, ...more } : label)));
  /** As long as the category of a new label is what its text says, it follows the text. */
  const call = (at: number, { id, text: before, category }: Label, text: string) =>
    put(at, { text, ...(id === '' && category === categoryOfWords(before) ? withDone(categoryOfWords(text)) : {}) });
  const move = (at: number, by: number) => {
    const next = [...labels];
    const [label] = next.splice(at, 1);
    if (label) next.splice(at + by, 0, label);
    onChange(next);
  };
  return (
    <fieldset className="label-list" aria-labelledby={name}>
      <span id={name} className="field-label">
        Labels
      </span>
      {labels.map((label, i) => {
        const called = label.text.trim() || `label ${i + 1}`;
        return (
          // A label without an id is new; its place tells it from other new ones.
          <div key={label.id || `new-${i}`} className="label-line">
            <input
              type="color"
              aria-label={`Color of ${called}`}
              value={label.color || PALETTE[i % PALETTE.length]}
              onChange={(event) => put(i, { color: event.target.value })}
            />
            <TextField
              aria-label={`Text of label ${i + 1}`}
              value={label.text}
              onChange={(text) => call(i, label, text)}
            />
            <Select
              aria-label={`Category of ${called}`}
              options={CATEGORY_OPTIONS}
              value={categoryOf(label, labels)}
              onChange={(category) => put(i, withDone(category))}
            />
            <IconButton icon="chevronUp" label={`Move ${called} up`} isDisabled={i === 0} onPress={() => move(i, -1)} />
            <IconButton
              icon="chevronDown"
              label={`Move ${called} down`}
              isDisabled={i === labels.length - 1}
              onPress={() => move(i, 1)}
            />
            <IconButton
              icon="trash"
              label={`Remove ${called}`}
              onPress={() => onChange(labels.filter((_, at) => at !== i))}
            />
          </div>
        );
      })}
      <Button
        icon="plus"
        onPress={() =>
          onChange([
            ...labels,
            { id: '', text: '', color: PALETTE[labels.length % PALETTE.length]!, ...withDone(categoryOfWords('')) },
          ])
        }
      >
        Add label
      </Button>
    </fieldset>
  );
}

const NONE = '';

const at = (wrong: WrongSetting | undefined, member: keyof ColumnSettings) => (wrong?.at === member ? wrong.why : null);

/** Explains why a board's columns can't be shown, and the fix. */
const unreadOf = (board: string, error: unknown) =>
  error instanceof ApiError && error.status === 404
    ? `${board} was deleted or archived. Restore it from Trash or Archive, or use another column.`
    : `Couldn't load ${board[0]!.toLowerCase()}${board.slice(1)}. ${reasonOf(error)}`;

function LinkSettings({ type, settings, isKept, wrong, onChange }: Omit<SettingsProps, 'board' | 'onUnread'>) {
  const { data: boards } = useBoards();
  const { data: target, error } = useDescribed(settings.boardId);
  const put = (more: ColumnSettings) => onChange({ ...settings, ...more });
  const named = (kind: ColumnType) =>
    (target?.columns ?? [])
      .filter((column) => column.type === kind)
      .map((column) => ({ value: column.id, label: column.title }));
  const orNone = (label: string, options: { value: string; label: string }[]) => [{ value: NONE, label }, ...options];
  const options = (boards ?? []).map((board) => ({ value: board.id, label: board.name }));
  const choose = (label: string, member: 'timelineColumn' | 'startColumn' | 'endColumn', kind: ColumnType) => (
    <Select
      label={label}
      options={orNone('Automatic', named(kind))}
      value={settings[member] ?? NONE}
      onChange={(id) => put({ [member]: id })}
    />
  );
  return (
    <>
      {isKept ? (
        <p className="field-help">
          {error ? unreadOf('The linked board', error) : target && `Links to items of ${target.name}.`}
        </p>
      ) : (
        <Select
          label={type === 'sprint' ? 'Sprint board' : 'Board'}
          placeholder="Choose a board"
          options={options}
          value={settings.boardId ?? null}
          error={at(wrong, 'boardId')}
          onChange={(boardId) => onChange({ many: settings.many, boardId })}
        />
      )}
      {target && (
        <>
          <Select
            label="Group"
            options={orNone(
              'Every group',
              target.groups.map((group) => ({ value: group.id, label: group.name })),
            )}
            value={settings.groupId ?? NONE}
            onChange={(groupId) => put({ groupId })}
          />
          <Switch isSelected={settings.many ?? type === 'itemLink'} onChange={(many) => put({ many })}>
            Allow multiple items
          </Switch>
          {type === 'sprint' && (
            <>
              {choose('Sprint dates', 'timelineColumn', 'timeline')}
              {!settings.timelineColumn && (
                <>
                  {choose('Start date', 'startColumn', 'date')}
                  {choose('End date', 'endColumn', 'date')}
                </>
              )}
            </>
          )}
        </>
      )}
    </>
  );
}

function MirrorSettings({
  board,
  settings,
  wrong,
  onChange,
}: Pick<SettingsProps, 'board' | 'settings' | 'wrong' | 'onChange'>) {
  const links = board.columns.filter(isLink);
  const link = links.find((column) => column.id === settings.linkColumn);
  const { data: target, error } = useDescribed(link?.settings.boardId);
  const sources = (target?.columns ?? []).filter(
    (column) => !isReadOnly(column) && !isLink(column) && column.type !== 'file',
  );
  // Why there is no column to choose from, and the remedy.
  const why =
    link && error
      ? unreadOf(`The board linked by ${link.title}`, error)
      : target && sources.length === 0
        ? `${target.name} has no column to mirror. Add one there first.`
        : null;
  if (links.length === 0)
    return (
      <p className={wrong ? 'field-error' : 'field-help'} role={wrong && 'alert'}>
        A mirror shows values from linked items. Add a Link to items or Sprint column first.
      </p>
    );
  return (
    <>
      <Select
        label="Link column"
        placeholder="Choose a column"
        options={links.map((column) => ({ value: column.id, label: column.title }))}
        value={settings.linkColumn ?? null}
        error={why ?? at(wrong, 'linkColumn')}
        onChange={(linkColumn) => onChange({ linkColumn })}
      />
      {target && !why && (
        <Select
          label={`Column of ${target.name}`}
          placeholder="Choose a column"
          options={sources.map((column) => ({ value: column.id, label: column.title }))}
          value={settings.sourceColumn ?? null}
          error={at(wrong, 'sourceColumn')}
          onChange={(sourceColumn) => onChange({ ...settings, sourceColumn })}
        />
      )}
    </>
  );
}
