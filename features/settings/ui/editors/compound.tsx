/** Editors of values with parts: lists, maps, objects. */
import { useRef, useState, type ComponentType } from 'react';
import { Button, Checkbox, IconButton, Select, TextField } from '@shell/components';
import type { Json, Schema } from '@shell/settings';
import { choicesOf, kindOf, missingOf, nameOf, refusal } from '../model';
import { useDraft, type EditorProps } from './useDraft';

type Members = Record<string, Json>;

const asList = (value: Json): Json[] => (Array.isArray(value) ? value : []);
const asMembers = (value: Json): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

function Reason({ children }: { children: string | null }) {
  if (!children) return null;
  return (
    <span className="field-error" role="alert">
      {children}
    </span>
  );
}

/** Entries in their order, each with what moves and removes it. */
function Entries({
  items,
  describe,
  onChange,
}: {
  items: Json[];
  describe: (item: Json) => string;
  onChange: (items: Json[]) => void;
}) {
  const list = useRef<HTMLUListElement>(null);
  const move = (from: number, to: number) => {
    const next = [...items];
    next.splice(to, 0, ...next.splice(from, 1));
    onChange(next);
  };
  if (items.length === 0) return null;
  return (
    <ul className="entries" ref={list}>
      {items.map((item, i) => (
        <li key={JSON.stringify(item)} className="entry">
          <span className="entry-text">{describe(item)}</span>
          {items.length > 1 && (
            <>
              <IconButton
                icon="chevronUp"
                label={`Move ${describe(item)} up`}
                isDisabled={i === 0}
                onPress={() => move(i, i - 1)}
              />
              <IconButton
                icon="chevronDown"
                label={`Move ${describe(item)} down`}
                isDisabled={i === items.length - 1}
                onPress={() => move(i, i + 1)}
              />
            </>
          )}
          <IconButton
            icon="close"
            label={`Remove ${describe(item)}`}
            onPress={() => {
              onChange(items.filter((_, at) => at !== i));
              // The button goes with its entry: the focus stays in the editor.
              list.current
                ?.closest<HTMLElement>('.editor-list')
                ?.querySelector<HTMLElement>('.adder input, .adder button')
                ?.focus();
            }}
          />
        </li>
      ))}
    </ul>
  );
}

/** A list of words out of a few, in an order. */
export function ChoiceListEditor(props: EditorProps) {
  const { schema, value, label } = props;
  const { error, commit } = useDraft(props);
  const items = asList(value);
  const choices = (schema.items && choicesOf(schema.items)) ?? [];
  const left = choices.filter((choice) => !items.includes(choice.value));
  return (
    <div className="editor-list" role="group" aria-label={label}>
      <Entries
        items={items}
        describe={(item) => choices.find((c) => c.value === item)?.label ?? String(item)}
        onChange={(next) => void commit(next)}
      />
      {left.length > 0 && (
        <div className="adder">
          <Select
            aria-label={`Add to ${label}`}
            placeholder="Add"
            options={left}
            value={null}
            onChange={(word) => void commit([...items, word])}
          />
        </div>
      )}
      <Reason>{error}</Reason>
    </div>
  );
}

/** A list of texts or numbers. */
export function PlainListEditor(props: EditorProps) {
  const { schema, value, label } = props;
  const { error, commit } = useDraft(props);
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState<string | null>(null);
  const items = asList(value);
  const isNumber = schema.items ? kindOf(schema.items) === 'number' : false;
  const add = () => {
    if (!text.trim()) return;
    const item: Json = isNumber ? Number(text.trim()) : text.trim();
    const reason =
      (schema.items && refusal(schema.items, item)) ??
      (schema.uniqueItems && items.includes(item) ? 'Already in the list.' : null);
    setWrong(reason);
    if (reason) return;
    setText('');
    void commit([...items, item]);
  };
  return (
    <div className="editor-list" role="group" aria-label={label}>
      <Entries items={items} describe={String} onChange={(next) => void commit(next)} />
      <div className="adder">
        <TextField
          aria-label={`New entry of ${label}`}
          placeholder={isNumber ? 'A number' : 'New entry'}
          value={text}
          onChange={(next) => {
            setText(next);
            setWrong(null);
          }}
          error={wrong}
          onInputKeyDown={(event) => {
            if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
              event.preventDefault();
              add();
            }
          }}
        />
        <Button onPress={add}>Add</Button>
      </div>
      <Reason>{error}</Reason>
    </div>
  );
}

/** A list of objects, each with its fields. */
export function ObjectListEditor(props: EditorProps & { Editor: ComponentType<EditorProps> }) {
  const { schema, value, label, onCommit, Editor } = props;
  const { error, commit } = useDraft(props);
  const items = asList(value);
  const item = schema.items ?? {};
  // An entry that lacks what it must have is kept here until it has it and is saved.
  const [begun, setBegun] = useState<{ entry: Json; savedAt: number | null } | null>(null);
  // While it is saved it may stand among the others already.
  const isBegun = begun !== null && (begun.savedAt === null || begun.savedAt >= items.length);
  const shown = isBegun ? [...items, begun.entry] : items;
  const change = async (at: number, next: Json) => {
    if (at < items.length) return onCommit(items.map((other, i) => (i === at ? next : other)));
    const isWhole = missingOf(item, next).length === 0;
    setBegun({ entry: next, savedAt: isWhole ? at : null });
    if (!isWhole) return null;
    const reason = await onCommit([...items, next]);
    setBegun(reason === null ? null : { entry: next, savedAt: null });
    return reason;
  };
  return (
    <div className="editor-list" role="group" aria-label={label}>
      {shown.map((entry, i) => (
        // Entries have no id of their own, and keep their place while they are edited.
        <fieldset key={i} className="settings-card">
          <legend>
            {typeof asMembers(entry).label === 'string' && asMembers(entry).label
              ? String(asMembers(entry).label)
              : `Entry ${i + 1}`}
            <IconButton
              icon="close"
              label={`Remove entry ${i + 1}`}
              onPress={() => (i < items.length ? void commit(items.filter((_, at) => at !== i)) : setBegun(null))}
            />
          </legend>
          <ObjectEditor
            schema={item}
            value={entry}
            label={`Entry ${i + 1}`}
            onCommit={(next) => change(i, next)}
            Editor={Editor}
          />
          {i === items.length && missingOf(item, entry).length > 0 && (
            <p className="settings-note">
              Saved once it has the{' '}
              {missingOf(item, entry)
                .map((name) => nameOf(name).toLowerCase())
                .join(' and ')}
              .
            </p>
          )}
        </fieldset>
      ))}
      <div className="adder">
        <Button
          icon="plus"
          isDisabled={isBegun}
          onPress={() =>
            missingOf(item, {}).length > 0 ? setBegun({ entry: {}, savedAt: null }) : void commit([...items, {}])
          }
        >
          Add entry
        </Button>
      </div>
      <Reason>{error}</Reason>
    </div>
  );
}

/** Any names, each with one of a few words. */
export function MapEditor(props: EditorProps) {
  const { schema, value, label } = props;
  const { error, commit } = useDraft(props);
  const rule: Schema = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {};
  const choices = choicesOf(rule) ?? [];
  const [name, setName] = useState('');
  const [word, setWord] = useState<string | number | null>(choices[0]?.value ?? null);
  const [wrong, setWrong] = useState<string | null>(null);
  const members = asMembers(value);
  const add = () => {
    const key = name.trim();
    if (!key || word === null) return setWrong('Enter a name first.');
    if (Object.hasOwn(members, key)) return setWrong('Already in the list.');
    setName('');
    setWrong(null);
    void commit({ ...members, [key]: word });
  };
  return (
    <div className="editor-list" role="group" aria-label={label}>
      {Object.entries(members).map(([key, member]) => (
        <div key={key} className="pair">
          <span className="entry-text">{key}</span>
          <Select
            aria-label={`${label}: ${key}`}
            options={choices}
            value={typeof member === 'string' || typeof member === 'number' ? member : null}
            onChange={(next) => void commit({ ...members, [key]: next })}
          />
          <IconButton
            icon="close"
            label={`Remove ${key}`}
            onPress={() => void commit(Object.fromEntries(Object.entries(members).filter(([other]) => other !== key)))}
          />
        </div>
      ))}
      <div className="adder">
        <TextField
          aria-label={`New name in ${label}`}
          placeholder="Name, such as a board's ID"
          value={name}
          error={wrong}
          onChange={(next) => {
            setName(next);
            setWrong(null);
          }}
          onInputKeyDown={(event) => {
            if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
              event.preventDefault();
              add();
            }
          }}
        />
        <Select aria-label={`Value of the new name in ${label}`} options={choices} value={word} onChange={setWord} />
        <Button onPress={add}>Add</Button>
      </div>
      <Reason>{error}</Reason>
    </div>
  );
}

/** Named fields; where all are toggles, check boxes side by side. */
export function ObjectEditor(props: EditorProps & { Editor: ComponentType<EditorProps> }) {
  const { schema, value, label, onCommit, Editor } = props;
  const { error, commit } = useDraft(props);
  const members = asMembers(value);
  const properties = Object.entries(schema.properties ?? {});
  if (properties.every(([, rule]) => kindOf(rule) === 'toggle')) {
    return (
      <div className="editor-list" role="group" aria-label={label}>
        <div className="checks">
          {properties.map(([name]) => (
            <Checkbox
              key={name}
              isSelected={members[name] === true}
              onChange={(on) => void commit({ ...members, [name]: on })}
            >
              {nameOf(name)}
            </Checkbox>
          ))}
        </div>
        <Reason>{error}</Reason>
      </div>
    );
  }
  return (
    <div className="fields" role="group" aria-label={label}>
      {properties.map(([name, rule]) => (
        <div key={name} className="fields-member" data-wide={['list', 'object'].includes(kindOf(rule)) || undefined}>
          {['list', 'object'].includes(kindOf(rule)) && <span className="field-label">{nameOf(name)}</span>}
          <Editor
            schema={rule}
            value={members[name] ?? null}
            label={nameOf(name)}
            showLabel
            optional
            onCommit={(next) => {
              const rest = Object.fromEntries(Object.entries(members).filter(([other]) => other !== name));
              return onCommit(next === null ? rest : { ...rest, [name]: next });
            }}
          />
        </div>
      ))}
    </div>
  );
}
