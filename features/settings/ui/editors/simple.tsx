/** Editors of one value: toggle, number, text, select. */
import { useEffect, useId, useMemo, useRef, type KeyboardEvent } from 'react';
import { NumberField, Select, Switch, TextField } from '@shell/components';
import type { Json } from '@shell/settings';
import { choicesOf, isNullable, isTimeOfDay, numberRule, ONE_LINE } from '../model';
import { useDraft, type EditorProps } from './useDraft';

const naming = (props: EditorProps) => (props.showLabel ? { label: props.label } : { 'aria-label': props.label });

export function ToggleEditor(props: EditorProps) {
  const { error, commit } = useDraft(props);
  return (
    <div className="editor-toggle">
      <Switch
        isSelected={props.value === true}
        onChange={(on) => void commit(on)}
        {...(props.showLabel ? {} : { 'aria-label': props.label })}
      >
        {props.showLabel && props.label}
      </Switch>
      {error && (
        <span className="field-error" role="alert">
          {error}
        </span>
      )}
    </div>
  );
}

export function SelectEditor(props: EditorProps) {
  const { error, commit } = useDraft(props);
  const options = useMemo(() => choicesOf(props.schema) ?? [], [props.schema]);
  return (
    <Select
      {...naming(props)}
      options={options}
      value={typeof props.value === 'string' || typeof props.value === 'number' ? props.value : null}
      onChange={(value) => void commit(value)}
      error={error}
    />
  );
}

/** Steps that follow each other quickly are one change. */
const STEP_GATHER_MS = 350;

export function NumberEditor(props: EditorProps) {
  const { schema, optional } = props;
  const { draft, setDraft, error, commit, revert } = useDraft(props);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const waiting = useRef<Json | undefined>(undefined);
  const flush = useRef(() => {});
  useEffect(() => {
    flush.current = () => {
      clearTimeout(timer.current);
      if (waiting.current === undefined) return;
      const next = waiting.current;
      waiting.current = undefined;
      void commit(next);
    };
  });
  useEffect(() => () => flush.current(), []);
  return (
    <NumberField
      {...naming(props)}
      value={typeof draft === 'number' ? draft : Number.NaN}
      {...numberRule(schema)}
      suffix={props.unit}
      error={error}
      onCommit={(next) => {
        waiting.current = Number.isNaN(next) ? null : next;
        setDraft(waiting.current);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => flush.current(), STEP_GATHER_MS);
      }}
      onBlur={() => flush.current()}
      onInputKeyDown={(event) => {
        // The field hands the number over on Enter; it is saved a moment later, with what follows.
        if (event.key !== 'Escape') return;
        clearTimeout(timer.current);
        waiting.current = undefined;
        revert();
      }}
      isRequired={!optional}
    />
  );
}

export function TextEditor(props: EditorProps) {
  const { schema, value } = props;
  const { draft, setDraft, error, setError, commit, revert } = useDraft(props);
  const zones = useId();
  // A field among others is one line, however long its text may be.
  const isLong = !props.showLabel && (schema.maxLength ?? ONE_LINE + 1) > ONE_LINE;
  const nullable = isNullable(schema);
  const isZone = schema.format === 'time-zone';
  const isClock = isTimeOfDay(schema);
  const done = (text: string) => void commit(text === '' && nullable ? null : text);
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement | HTMLTextAreaElement>) => {
    if (event.key === 'Enter' && !event.nativeEvent.isComposing && (!isLong || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      done(event.currentTarget.value);
    }
    if (event.key === 'Escape') revert();
  };
  return (
    <>
      <TextField
        {...naming(props)}
        value={typeof draft === 'string' ? draft : ''}
        onChange={(text) => {
          setDraft(text);
          if (error) setError(null);
        }}
        onBlur={() => {
          // Nothing typed: a refused text stays as it is, with its reason.
          if (draft !== value && !error) done(typeof draft === 'string' ? draft : '');
        }}
        onInputKeyDown={onKeyDown}
        error={error}
        rows={isLong ? 4 : 1}
        {...(schema.maxLength !== undefined && !isClock && !isZone ? { counter: schema.maxLength } : {})}
        {...(isClock
          ? { placeholder: 'HH:MM' }
          : isZone
            ? { placeholder: 'System default', list: zones }
            : nullable
              ? { placeholder: 'Not set' }
              : {})}
      />
      {isZone && (
        <datalist id={zones}>
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      )}
    </>
  );
}
