/** The dialog that starts a session: its first message, engine, and folder. */
import { useId, useRef, useState, type ClipboardEvent } from 'react';
import { Button, Dialog, Loading, Select, TextField } from '@shell/components';
import { useCaret } from './mention/useCaret';
import { useSuggestions } from './mention/useSuggestions';
import { picturesIn, reportNoPictures } from './pictures';
import { EngineFields } from './start/EngineFields';
import { FolderField } from './start/FolderField';
import { AttachButton, AttachedPictures } from './start/Pictures';
import { Templates } from './start/Templates';
import { OTHER_FOLDER, useStart } from './start/useStart';
import { WorktreeField } from './start/WorktreeField';
import './start/start.css';

/** `hub` is the hub to start in; empty for the one used last. */
export default function NewSession({ hub: given, onClose }: { hub: string; onClose: () => void }) {
  const { draft, engine, place, worktree, faults, isStarting, start } = useStart(given, onClose);
  const { hubs } = place;
  const attach = (files: readonly File[]) =>
    engine.acceptsImages === false ? reportNoPictures() : void draft.attach(files);
  const onPaste = (event: ClipboardEvent) => {
    const files = picturesIn(event.clipboardData);
    if (files.length === 0) return;
    event.preventDefault();
    attach(files);
  };
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const menu = useId();
  const putCaret = useCaret(field);
  const [caret, setCaret] = useState(draft.text.length);
  const suggested = useSuggestions({
    id: menu,
    text: draft.text,
    caret,
    cwd: null,
    skills: { engine: engine.engine, hubId: place.hubId, announced: [] },
    onPick: (text, at) => {
      draft.setText(text);
      setCaret(at);
      putCaret(at);
    },
  });
  const insert = (text: string) =>
    draft.setText(draft.text.trim() === '' ? text : `${draft.text.trimEnd()}\n\n${text}`);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Start a session"
      size="medium"
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button variant="primary" isPending={isStarting} onPress={() => void start()}>
            Start session
          </Button>
        </>
      }
    >
      {!hubs ? (
        <Loading label="Loading hubs" />
      ) : (
        <>
          <TextField
            inputRef={field}
            label="Task"
            rows={5}
            value={draft.text}
            onChange={(next) => {
              draft.setText(next);
              setCaret(field.current?.selectionStart ?? next.length);
            }}
            aria-autocomplete="list"
            {...suggested.fieldProps}
            error={faults.prompt}
            autoFocus
            onPaste={onPaste}
            onInputKeyDown={(event) => {
              if (suggested.onKey(event)) {
                event.preventDefault();
                event.stopPropagation();
                return;
              }
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              void start();
            }}
          />
          {suggested.menu}
          <AttachedPictures pictures={draft.pictures} onChange={draft.setPictures} />
          <div className="start-tools">
            <Templates text={draft.text} onInsert={insert} />
            <AttachButton onFiles={attach} />
          </div>
          <EngineFields
            engines={engine.engines}
            engine={engine.engine}
            onEngine={engine.setEngine}
            model={engine.model}
            mode={engine.mode}
            effort={engine.effort}
          />
          <Select
            label="Hub"
            value={place.hub}
            onChange={place.setHub}
            options={[
              ...hubs.map(({ id, name, folder, isThere }) => ({
                value: id,
                label: name,
                description: isThere ? folder : `${folder} not found`,
                isDisabled: !isThere,
              })),
              { value: OTHER_FOLDER, label: 'Another folder', description: 'Adds it as a hub' },
            ]}
          />
          {place.isOther && (
            <FolderField value={place.folder} onChange={place.setFolder} hubs={hubs} error={faults.folder} />
          )}
          <WorktreeField place={place.place} {...worktree} />
        </>
      )}
    </Dialog>
  );
}
