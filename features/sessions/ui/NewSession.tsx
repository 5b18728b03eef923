/** The dialog that starts a session: its first message, engine, and folder. */
import { useId, useRef, useState, type ClipboardEvent, type KeyboardEvent } from 'react';
import { Button, Dialog, Loading, Select, TextField } from '@shell/components';
import { MentionMenu, type Suggestion } from './mention/MentionMenu';
import { useMention } from './mention/useMention';
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
  const [caret, setCaret] = useState(draft.text.length);
  const [marked, setMarked] = useState(0);
  const files = useMention(draft.text, caret, { hubId: place.hubId, cwd: null });
  const suggestions: Suggestion[] = files.offered.map((file) => ({
    key: file.path,
    pick: () => {
      draft.setText(file.text);
      setCaret(file.caret);
      // Once the field has the text.
      requestAnimationFrame(() => field.current?.setSelectionRange(file.caret, file.caret));
    },
    content: <code>{file.path}</code>,
  }));
  /** Handles a key for the suggestions. Returns whether it did. */
  const completes = ({ key, ctrlKey, metaKey }: KeyboardEvent): boolean => {
    const picked = suggestions[Math.min(marked, suggestions.length - 1)];
    if (!picked || ctrlKey || metaKey) return false;
    if (key === 'Enter' || key === 'Tab') picked.pick();
    else if (key === 'Escape') files.close();
    else if (key === 'ArrowDown' || key === 'ArrowUp')
      setMarked((marked + (key === 'ArrowDown' ? 1 : -1) + suggestions.length) % suggestions.length);
    else return false;
    return true;
  };
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
            label="Message"
            rows={5}
            value={draft.text}
            onChange={(next) => {
              draft.setText(next);
              setCaret(field.current?.selectionStart ?? next.length);
              setMarked(0);
            }}
            aria-autocomplete="list"
            {...(suggestions.length > 0 ? { 'aria-controls': menu, 'aria-activedescendant': `${menu}-${marked}` } : {})}
            error={faults.prompt}
            autoFocus
            onPaste={onPaste}
            onInputKeyDown={(event) => {
              if (completes(event)) {
                event.preventDefault();
                event.stopPropagation();
                return;
              }
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              void start();
            }}
          />
          {suggestions.length > 0 && <MentionMenu id={menu} label="Files" suggestions={suggestions} at={marked} />}
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
