/** The files of one cell: added by choosing or dropping them, downloaded, renamed, moved and removed. */
import { useEffect, useRef, useState, type DragEvent } from 'react';
import { FileTrigger } from 'react-aria-components';
import { reasonOf } from '@shell/api';
import { Button, Icon, IconButton, Menu, toast } from '@shell/components';
import { attempt } from '../attempt';
import { isFiles, type Attachment, type CellValue } from '../data';
import { NameDialog } from '../dialogs';
import { attached, isPicture, refusal, sized, type FileCell } from './data';
import { heldIn, offerUndo } from '../offers';
import { boxOf } from '../outbox/box';
import type { BoardTable } from '../table';
import { Picture } from './Picture';
import './files.css';

interface FilesProps {
  cell: FileCell;
  /** The column's title. */
  label: string;
  files: readonly Attachment[];
  /** Files that were dropped before this was shown, to be added at once. */
  dropped?: readonly File[];
  onChanged: () => Promise<unknown>;
}

/** A file on its way, or one that was not taken. */
interface Sending {
  key: number;
  name: string;
  /** From 0 to 1; none while it waits for those before it. */
  share: number | null;
  problem?: string;
  stop: AbortController;
}

const NONE: readonly File[] = [];

export function Files({ cell, label, files, dropped = NONE, onChanged }: FilesProps) {
  const [sending, setSending] = useState<readonly Sending[]>([]);
  const [renaming, setRenaming] = useState<Attachment | null>(null);
  const [isOver, setIsOver] = useState(false);
  const [said, say] = useState('');
  const next = useRef(0);
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const count = useRef(files.length);
  count.current = files.length;
  const isShown = useRef(true);
  const list = useRef<HTMLUListElement>(null);

  const put = (key: number, more: Partial<Sending> | null) =>
    setSending((all) =>
      more === null
        ? all.filter((one) => one.key !== key)
        : all.map((one) => (one.key === key ? { ...one, ...more } : one)),
    );
  const send = async (file: File, { key, stop }: Sending) => {
    if (stop.signal.aborted) return put(key, null);
    const refused = refusal(file, count.current);
    if (refused) return put(key, { problem: refused });
    put(key, { share: 0 });
    try {
      await attached.add(cell, file, { signal: stop.signal, onProgress: (share) => put(key, { share }) });
      count.current += 1;
      say(`Attached ${file.name}.`);
      put(key, null);
      await onChanged();
    } catch (failure) {
      if (stop.signal.aborted) {
        say(`Couldn't attach ${file.name}.`);
        return put(key, null);
      }
      if (!isShown.current) toast.problem(`Couldn't attach ${file.name}`, failure);
      put(key, { problem: reasonOf(failure) });
    }
  };
  /** One after the other, so that they stand in the order in which they were chosen. */
  const add = (chosen: readonly File[]) => {
    for (const file of chosen) {
      const one: Sending = { key: next.current++, name: file.name, share: null, stop: new AbortController() };
      setSending((all) => [...all, one]);
      last.current = last.current.then(() => send(file, one));
    }
  };
  const addDropped = useRef(add);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const taken = useRef<readonly File[]>(NONE);
  useEffect(() => {
    // An effect may run twice; files are sent once.
    if (dropped.length === 0 || taken.current === dropped) return;
    taken.current = dropped;
    addDropped.current(dropped);
  }, [dropped]);

  const then = attempt(onChanged);
  const remove = (file: Attachment) =>
    then(async () => {
      const { made } = await attached.remove(cell, file);
      // The button that had the focus goes with the file.
      list.current?.focus();
      const left = (table: BoardTable) => {
        const held = heldIn(table, cell.item, cell.column) as CellValue;
        return isFiles(held) && held.some(({ id }) => id === file.id);
      };
      offerUndo(`Removed ${file.name}`, { board: cell.board, left, stands: false }, async () => {
        await boxOf(cell.board).takeBack(made);
        await onChanged();
      });
    }, `Couldn't remove ${file.name}`);

  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    add([...event.dataTransfer.files]);
  };
  return (
    <div
      className="files"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={onDrop}
    >
      <ul className="files-list" aria-label={`Files in ${label}`} tabIndex={-1} ref={list}>
        {files.map((file, at) => (
          <li key={file.id} className="file">
            {isPicture(file) ? <Picture cell={cell} file={file} /> : <Icon name="file" />}
            <span className="file-what">
              <bdi className="file-name">{file.name}</bdi>
              <span className="file-size">{sized(file.size)}</span>
            </span>
            <IconButton
              icon="download"
              label={`Download ${file.name}`}
              onPress={() =>
                void attached
                  .download(cell, file)
                  .catch((failure: unknown) => toast.problem(`Couldn't download ${file.name}`, failure))
              }
            />
            <Menu
              label={`Actions for ${file.name}`}
              groups={[
                {
                  entries: [
                    { id: 'rename', label: 'Rename file', icon: 'edit', onAction: () => setRenaming(file) },
                    {
                      id: 'up',
                      label: 'Move up',
                      icon: 'chevronUp',
                      isDisabled: at === 0,
                      onAction: () => void then(() => attached.move(cell, file, at - 1), `Couldn't move ${file.name}`),
                    },
                    {
                      id: 'down',
                      label: 'Move down',
                      icon: 'chevronDown',
                      isDisabled: at === files.length - 1,
                      onAction: () => void then(() => attached.move(cell, file, at + 1), `Couldn't move ${file.name}`),
                    },
                  ],
                },
                {
                  entries: [
                    {
                      id: 'remove',
                      label: 'Remove file',
                      icon: 'trash',
                      isDanger: true,
                      onAction: () => void remove(file),
                    },
                  ],
                },
              ]}
            >
              <IconButton icon="more" label={`More actions for ${file.name}`} />
            </Menu>
          </li>
        ))}
      </ul>
      {sending.length > 0 && (
        <ul className="files-list" aria-label="Uploading files">
          {sending.map((one) => (
            <li key={one.key} className="file">
              <Icon name={one.problem ? 'warning' : 'upload'} />
              <span className="file-what">
                <bdi className="file-name">{one.name}</bdi>
                {one.problem ? (
                  <span role="alert" className="file-problem">
                    {one.problem}
                  </span>
                ) : (
                  <progress
                    className="file-progress"
                    aria-label={`Uploading ${one.name}`}
                    {...(one.share === null ? {} : { value: one.share })}
                    max={1}
                  />
                )}
              </span>
              {one.problem ? (
                <IconButton icon="close" label={`Dismiss ${one.name}`} onPress={() => put(one.key, null)} />
              ) : (
                <IconButton
                  icon="close"
                  label={`Cancel upload of ${one.name}`}
                  onPress={() => {
                    one.stop.abort();
                    put(one.key, null);
                  }}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      <div className="files-add">
        <FileTrigger allowsMultiple onSelect={(chosen) => add([...(chosen ?? [])])}>
          <Button icon="plus">Add files</Button>
        </FileTrigger>
        <span className="files-hint">or drop them here</span>
      </div>
      <span role="status" className="sr-only">
        {said}
      </span>
      <NameDialog
        isOpen={renaming !== null}
        onClose={() => setRenaming(null)}
        title="Rename file"
        action="Rename file"
        initial={renaming?.name ?? ''}
        onSave={async (name) => {
          if (!renaming) return;
          await attached.rename(cell, renaming, name);
          await onChanged();
        }}
      />
    </div>
  );
}
