/** Adds a column to the board of the page, or changes the title and the settings of one that it has. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useParams } from 'wouter';
import { ApiError, reasonOf } from '@shell/api';
import { Button, Dialog, ErrorState, Loading, Select, TextField } from '@shell/components';
import { change } from './changes';
import { COLUMN_TYPES, type Column, type ColumnSettings, type ColumnType } from './data';
import { FormulaField } from './formula/FormulaField';
import { withTitles } from './formula/data';
import {
  firstSettings,
  missingOf,
  SettingsFields,
  settled,
  useDescribed,
  type Described,
  type WrongSetting,
} from './columnSettings';
import './columns.css';

const TYPE_OPTIONS = Object.entries(COLUMN_TYPES).map(([value, label]) => ({ value: value as ColumnType, label }));
const NEW = '';

interface ColumnDialogProps {
  isOpen: boolean;
  onClose: () => void;
  /** The column to change first; a new one where left out. */
  column?: string;
  /** Adds a column. */
  onSave: (title: string, type: ColumnType, settings: ColumnSettings) => Promise<void>;
}

export function ColumnDialog({ isOpen, ...props }: ColumnDialogProps) {
  return isOpen ? <Opened {...props} /> : null;
}

function Opened({ onClose, ...props }: Omit<ColumnDialogProps, 'isOpen'>) {
  const { id = '' } = useParams<{ id: string }>();
  const { data: board, error, refetch } = useDescribed(id);
  useFocusBack();
  if (board) return <Form board={board} onClose={onClose} {...props} />;
  return (
    <Dialog isOpen onClose={onClose} title="Columns">
      {error ? (
        <ErrorState title="Couldn't load columns" error={error} onRetry={() => void refetch()} />
      ) : (
        <Loading label="Loading columns" />
      )}
    </Dialog>
  );
}

/** Restores the focus on close. The form's dialog replaces another one, which no longer exists then. */
function useFocusBack() {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // Once the dialog is gone and has given back what it can.
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus();
        }),
      );
    },
    [opener],
  );
}

/** The column being created or changed. */
interface Draft {
  title: string;
  type: ColumnType;
  settings: ColumnSettings;
}

const draftOf = (column: Column | undefined, columns: readonly Column[]): Draft => {
  const { formula, ...settings } = column?.settings ?? {};
  return {
    title: column?.title ?? '',
    type: column?.type ?? 'text',
    settings: formula === undefined ? settings : { ...settings, formula: withTitles(formula, columns) },
  };
};

function Form({ board, column, onClose, onSave }: Omit<ColumnDialogProps, 'isOpen'> & { board: Described }) {
  const cache = useQueryClient();
  const [chosen, setChosen] = useState(column ?? NEW);
  const kept = board.columns.find((one) => one.id === chosen);
  // As it was when its changing began: what others have changed since is not written over unseen.
  const [seen, setSeen] = useState(kept);
  const [draft, setDraft] = useState(() => draftOf(kept, board.columns));
  const [error, setError] = useState<{ title?: string; setting?: WrongSetting | undefined; other?: string }>({});
  const [isBusy, setBusy] = useState(false);
  const [isUnread, setUnread] = useState(false);
  const form = useRef<HTMLDivElement>(null);
  // The focus goes to what is to be mended.
  const mend = () => form.current?.querySelector<HTMLElement>('[data-invalid] :is(input, button)')?.focus();
  useEffect(() => {
    if (error.title || error.setting) mend();
  }, [error]);
  const put = (more: Partial<Draft>) => {
    setError({});
    setDraft({ ...draft, ...more });
  };
  const save = async () => {
    if (isUnread) return mend();
    if (isBusy) return;
    const { title, type } = draft;
    if (title.trim() === '') return setError({ title: 'Enter a title.' });
    const missing = kept ? undefined : missingOf(type, draft.settings);
    if (missing) return setError({ setting: missing });
    const settings = settled(draft.settings);
    const before = draftOf(seen, board.columns);
    const isChanged = JSON.stringify(settings) !== JSON.stringify(settled(before.settings));
    const called = title.trim();
    const renamed = called !== before.title;
    // Nothing to save is nothing to take back.
    if (kept && !renamed && !isChanged) return onClose();
    setBusy(true);
    try {
      const was = {
        ...(renamed ? { title: before.title } : {}),
        ...(isChanged && seen ? { settings: seen.settings } : {}),
      };
      if (kept)
        await change.updateColumn(board.id, kept.id, {
          ...(renamed ? { title: called } : {}),
          ...(isChanged ? { settings } : {}),
          was,
        });
      else await onSave(called, type, settings);
      void cache.invalidateQueries({ queryKey: ['board-described'] });
      onClose();
    } catch (failure) {
      const [wrong] = failure instanceof ApiError ? failure.errors : [];
      setError(wrong?.pointer === '/title' ? { title: wrong.detail } : { other: wrong?.detail ?? reasonOf(failure) });
      setBusy(false);
    }
  };
  const columns = [
    { value: NEW, label: 'New column' },
    ...board.columns.map((one) => ({ value: one.id, label: one.title, description: COLUMN_TYPES[one.type] })),
  ];
  return (
    <Dialog
      isOpen
      onClose={onClose}
      size="medium"
      title={kept ? `Change ${kept.title}` : 'Add a column'}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button variant="primary" isPending={isBusy} onPress={() => void save()}>
            {kept ? 'Save column' : 'Add column'}
          </Button>
        </>
      }
    >
      <div className="column-form" ref={form}>
        {board.columns.length > 0 && (
          <Select
            label="Column"
            options={columns}
            value={chosen}
            onChange={(id) => {
              setChosen(id);
              setError({});
              const next = board.columns.find((one) => one.id === id);
              setSeen(next);
              setDraft(draftOf(next, board.columns));
            }}
          />
        )}
        <TextField
          label="Title"
          value={draft.title}
          onChange={(title) => put({ title })}
          error={error.title}
          autoFocus
          onInputKeyDown={(event) => event.key === 'Enter' && void save()}
        />
        {!kept && (
          <Select
            label="Type"
            options={TYPE_OPTIONS}
            value={draft.type}
            onChange={(type) => put({ type, settings: firstSettings(type) })}
          />
        )}
        {draft.type === 'formula' && (
          <FormulaField
            board={board.id}
            columns={board.columns}
            column={kept}
            value={draft.settings.formula ?? ''}
            onChange={(formula) => put({ settings: { ...draft.settings, formula } })}
          />
        )}
        <SettingsFields
          key={chosen}
          type={draft.type}
          board={board}
          settings={draft.settings}
          isKept={kept !== undefined}
          wrong={error.setting}
          onChange={(settings) => put({ settings })}
          onUnread={setUnread}
        />
        {error.other && (
          <p role="alert" className="field-error">
            {error.other}
          </p>
        )}
      </div>
    </Dialog>
  );
}
