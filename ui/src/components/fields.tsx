import { useEffect, useState, type KeyboardEvent, type ReactNode, type Ref } from 'react';
import {
  Button as AriaButton,
  Checkbox as AriaCheckbox,
  FieldError,
  Group,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SearchField as AriaSearchField,
  Select as AriaSelect,
  SelectValue,
  Switch as AriaSwitch,
  Text,
  TextArea,
  TextField as AriaTextField,
  type SearchFieldProps as AriaSearchFieldProps,
  type TextFieldProps as AriaTextFieldProps,
} from 'react-aria-components';
import { isWhole, numberFault, readNumber, writeNumber, type NumberRule } from '../numbers';
import { Icon } from './Icon';

/** Properties that all fields have. */
export interface FieldParts {
  /** Shown above the field. Use `aria-label` or `aria-labelledby` instead if the name is elsewhere. */
  label?: ReactNode;
  /** One sentence below the field. */
  help?: ReactNode;
  /** Why the value is invalid; marks the field. */
  error?: string | null | undefined;
}

function Below({ help, error }: Pick<FieldParts, 'help' | 'error'>) {
  return (
    <>
      {help && !error && (
        <Text slot="description" className="field-help">
          {help}
        </Text>
      )}
      <FieldError className="field-error">{error}</FieldError>
    </>
  );
}

/** One or more lines of text. */
export interface TextFieldProps extends Omit<AriaTextFieldProps, 'className' | 'children' | 'style'>, FieldParts {
  /** Lines shown; more than one makes it a text area. */
  rows?: number;
  placeholder?: string;
  /** Shows how many of `maxLength` characters are used. Longer text isn't truncated but rejected. */
  counter?: number;
  /** Short text inside the field at its right, such as a unit. */
  suffix?: string | null | undefined;
  mono?: boolean;
  /** Id of a `datalist` with suggestions. */
  list?: string;
  inputRef?: Ref<HTMLInputElement & HTMLTextAreaElement>;
  onInputKeyDown?: (event: KeyboardEvent<HTMLInputElement | HTMLTextAreaElement>) => void;
}

/** Text; with `rows` over one a text area. */
export function TextField({
  label,
  help,
  error,
  rows = 1,
  placeholder,
  counter,
  suffix,
  mono,
  list,
  inputRef,
  onInputKeyDown,
  ...props
}: TextFieldProps) {
  const used = counter === undefined ? 0 : [...(props.value ?? '')].length;
  const isOver = counter !== undefined && used > counter;
  const count = counter !== undefined && (
    <span className="field-counter" data-over={isOver || undefined} aria-live={isOver ? 'polite' : 'off'}>
      {rows > 1 ? `${used.toLocaleString()} of ${counter.toLocaleString()} characters` : `${used} / ${counter}`}
    </span>
  );
  return (
    <AriaTextField {...props} isInvalid={!!error || !!props.isInvalid} className="field" data-mono={mono || undefined}>
      {label && <Label className="field-label">{label}</Label>}
      <Group className="input-frame" isInvalid={!!error}>
        {rows > 1 ? (
          <TextArea className="input" rows={rows} placeholder={placeholder} ref={inputRef} onKeyDown={onInputKeyDown} />
        ) : (
          <Input className="input" placeholder={placeholder} list={list} ref={inputRef} onKeyDown={onInputKeyDown} />
        )}
        {suffix && <span className="input-suffix">{suffix}</span>}
        {rows === 1 && count}
      </Group>
      {rows > 1 && count}
      <Below help={help} error={error} />
    </AriaTextField>
  );
}

/** A number. */
export interface NumberFieldProps
  extends
    Omit<AriaTextFieldProps, 'className' | 'children' | 'style' | 'value' | 'defaultValue' | 'onChange'>,
    FieldParts,
    NumberRule {
  /** NaN shows an empty field. */
  value: number;
  /** Called with each valid number, also while typing; NaN if the field is empty. */
  onChange?: (value: number) => void;
  /** Like `onChange`, but only on Enter, on blur, and with each step. */
  onCommit?: (value: number) => void;
  /** Called with whether the text is invalid, so that the previous number isn't saved instead. */
  onUnread?: (isUnread: boolean) => void;
  /** Called on Enter if the text is valid. */
  onEnter?: () => void;
  /** Short text inside the field at its right, such as a unit. */
  suffix?: string | null | undefined;
  inputRef?: Ref<HTMLInputElement>;
  onInputKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void;
}

const shown = (value: number) => (Number.isNaN(value) ? '' : writeNumber(value));
const numberIn = (text: string) => (text.trim() === '' ? NaN : readNumber(text));

/** The problem with the typed text, or null. Empty text is valid. */
function faultIn(text: string, rule: NumberRule): string | null {
  const number = numberIn(text);
  if (number === null) return `Enter a number, such as ${writeNumber(12)} or ${writeNumber(7.5)}.`;
  return Number.isNaN(number) ? null : numberFault(number, rule);
}

/**
 * A number field with two step buttons. Typed text stays unchanged: no key is ignored, because a missing sign or
 * separator would change the number. Invalid text is marked and reported on blur, and never silently changed.
 */
export function NumberField(props: NumberFieldProps) {
  const {
    label,
    help,
    suffix,
    inputRef,
    onInputKeyDown,
    value,
    onChange,
    onCommit,
    minValue,
    maxValue,
    step,
    onBlur,
    onUnread,
    onEnter,
    ...rest
  } = props;
  const [base, setBase] = useState(value);
  const [text, setText] = useState(shown(value));
  const [isMarked, setMarked] = useState(false);
  const number = numberIn(text);
  const fault = faultIn(text, { minValue, maxValue, step });
  useEffect(() => {
    onUnread?.(fault !== null);
    // A removed field has no invalid text.
    return () => onUnread?.(false);
  }, [fault, onUnread]);
  const put = (next: string) => {
    setText(next);
    setMarked(false);
  };
  if (!Object.is(base, value)) {
    setBase(value);
    // The number being typed was reported with `onChange` and comes back as the value.
    if (!Object.is(number, value)) put(shown(value));
  }
  const type = (next: string) => {
    put(next);
    const typed = numberIn(next);
    if (typed !== null && !Object.is(typed, value) && faultIn(next, { minValue, maxValue, step }) === null)
      onChange?.(typed);
  };
  const settle = (next: number) => {
    put(shown(next));
    if (Object.is(next, value)) return;
    onChange?.(next);
    onCommit?.(next);
  };
  const take = () => (number === null || fault ? setMarked(true) : settle(number));
  const stepBy = (steps: number) => {
    if (number === null) return setMarked(true);
    const [least, most] = [minValue ?? -Infinity, maxValue ?? Infinity];
    settle(Number.isNaN(number) ? Math.max(least, Math.min(0, most)) : onStep(number, steps, step ?? 1, least, most));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const steps = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    if (steps !== 0 && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      stepBy(steps);
    }
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      take();
      if (fault === null && !Number.isNaN(number)) onEnter?.();
    }
    if (event.key === 'Escape') put(shown(value));
    onInputKeyDown?.(event);
  };
  const error = (isMarked && fault) || props.error;
  const name = typeof label === 'string' ? label : (rest['aria-label'] ?? '');
  return (
    <AriaTextField
      {...rest}
      validationBehavior="aria"
      inputMode="decimal"
      value={text}
      onChange={type}
      onBlur={(event) => {
        take();
        onBlur?.(event);
      }}
      isInvalid={!!error || !!rest.isInvalid}
      className="field field-number"
    >
      {label && <Label className="field-label">{label}</Label>}
      <Group className="input-frame" isInvalid={!!error}>
        <Input
          className="input"
          role="spinbutton"
          aria-valuenow={number === null || Number.isNaN(number) ? undefined : number}
          aria-valuetext={text || undefined}
          aria-valuemin={minValue}
          aria-valuemax={maxValue}
          ref={inputRef}
          onKeyDown={onKeyDown}
          autoComplete="off"
        />
        {suffix && <span className="input-suffix">{suffix}</span>}
        <span className="steps">
          <AriaButton
            slot={null}
            className="step"
            excludeFromTabOrder
            preventFocusOnPress
            aria-label={`Increase ${name}`}
            isDisabled={value >= (maxValue ?? Infinity)}
            onPress={() => stepBy(1)}
          >
            <Icon name="chevronDown" size={10} className="flip" />
          </AriaButton>
          <AriaButton
            slot={null}
            className="step"
            excludeFromTabOrder
            preventFocusOnPress
            aria-label={`Decrease ${name}`}
            isDisabled={value <= (minValue ?? -Infinity)}
            onPress={() => stepBy(-1)}
          >
            <Icon name="chevronDown" size={10} />
          </AriaButton>
        </span>
      </Group>
      <Below help={help} error={error} />
    </AriaTextField>
  );
}

/** The next multiple of the step within the range, without binary rounding errors. */
function onStep(from: number, steps: number, step: number, least: number, most: number): number {
  const at = from / step;
  const place = isWhole(at) ? Math.round(at) + steps : steps > 0 ? Math.ceil(at) : Math.floor(at);
  return Math.min(most, Math.max(least, Number((place * step).toFixed(9))));
}

/** Search as one types. */
export interface SearchFieldProps extends Omit<AriaSearchFieldProps, 'className' | 'children' | 'style'> {
  placeholder?: string;
  inputRef?: Ref<HTMLInputElement>;
  onInputKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void;
}

/** Search as one types; Escape empties it. */
export function SearchField({ placeholder, inputRef, onInputKeyDown, ...props }: SearchFieldProps) {
  return (
    <AriaSearchField {...props} className="search">
      <Icon name="search" />
      <Input className="search-input" placeholder={placeholder} ref={inputRef} onKeyDown={onInputKeyDown} />
      <AriaButton className="search-clear">
        <Icon name="close" size={12} />
      </AriaButton>
    </AriaSearchField>
  );
}

/** One entry of a `Select`. */
export interface Option<T extends string | number = string> {
  value: T;
  label: string;
  description?: string | undefined;
  /** Listed but not selectable; `description` says why. */
  isDisabled?: boolean;
}

/** One of a few choices. */
export interface SelectProps<T extends string | number> extends FieldParts {
  options: readonly Option<T>[];
  value: T | null;
  onChange: (value: T) => void;
  placeholder?: string;
  isDisabled?: boolean;
  'aria-label'?: string;
  'aria-labelledby'?: string;
  buttonRef?: Ref<HTMLButtonElement>;
}

/** One of a few choices, each with an optional line that explains it. */
export function Select<T extends string | number>(props: SelectProps<T>) {
  const { label, help, error, options, value, onChange, placeholder, buttonRef, ...rest } = props;
  return (
    <AriaSelect
      {...rest}
      className="field"
      value={value}
      onChange={(key) => {
        const chosen = options.find((option) => option.value === key);
        if (chosen) onChange(chosen.value);
      }}
      isInvalid={!!error}
      placeholder={placeholder ?? 'Choose'}
    >
      {label && <Label className="field-label">{label}</Label>}
      <AriaButton className="select-button" ref={buttonRef}>
        <SelectValue className="select-value">
          {({ selectedText, defaultChildren }) => selectedText || defaultChildren}
        </SelectValue>
        <Icon name="chevronDown" size={12} />
      </AriaButton>
      <Below help={help} error={error} />
      <Popover className="popover" offset={4}>
        <ListBox className="list" items={options}>
          {(option) => (
            <ListBoxItem
              id={option.value}
              textValue={option.label}
              isDisabled={option.isDisabled ?? false}
              className="list-item"
            >
              <span className="list-text">
                <span>{option.label}</span>
                {option.description && <span className="list-detail">{option.description}</span>}
              </span>
              <Icon name="check" className="list-check" />
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}

/** On or off. */
export interface SwitchProps {
  isSelected: boolean;
  onChange: (isSelected: boolean) => void;
  isDisabled?: boolean;
  /** Label at its right. Without it, use `aria-label` or `aria-labelledby`. */
  children?: ReactNode;
  'aria-label'?: string;
  'aria-labelledby'?: string;
  'aria-describedby'?: string;
  inputRef?: Ref<HTMLInputElement>;
}

/** On or off, effective immediately. */
export function Switch({ children, ...props }: SwitchProps) {
  return (
    <AriaSwitch {...props} className="switch">
      <span className="switch-track" aria-hidden="true">
        <span className="switch-thumb" />
      </span>
      {children}
    </AriaSwitch>
  );
}

/** One of several options, of which any can be chosen. `isIndeterminate`: a part of what it stands for is chosen. */
export function Checkbox({ children, ...props }: SwitchProps & { isIndeterminate?: boolean }) {
  return (
    <AriaCheckbox {...props} className="checkbox">
      <span className="checkbox-box" aria-hidden="true">
        <Icon name={props.isIndeterminate ? 'minus' : 'check'} size={12} />
      </span>
      {children}
    </AriaCheckbox>
  );
}

/** Puts the focus into `ref` when it appears. */
export function useFocusOnMount(ref: { current: HTMLElement | null }) {
  useEffect(() => ref.current?.focus(), [ref]);
}
