/** The changed files. Only those in view are drawn: there may be thousands. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useImperativeHandle, useRef, type Ref } from 'react';
import { Checkbox } from '@shell/components';
import type { ChangedFile } from './data';

/** Height of a line, as in the style sheet. */
const LINE_PX = 28;

const STATUS: Readonly<Record<ChangedFile['status'], { letter: string; label: string }>> = {
  added: { letter: 'A', label: 'Added' },
  modified: { letter: 'M', label: 'Modified' },
  deleted: { letter: 'D', label: 'Deleted' },
  renamed: { letter: 'R', label: 'Renamed' },
  typeChanged: { letter: 'T', label: 'Type changed' },
  conflicted: { letter: 'C', label: 'Conflicted' },
};

export interface FileListHandle {
  /** Scrolls to a file and focuses it. */
  focus: (at: number) => void;
}

export function FileList({
  ref,
  files,
  selected,
  leftOut,
  onSelect,
  onStage,
}: {
  ref: Ref<FileListHandle>;
  files: readonly ChangedFile[];
  selected: ChangedFile | undefined;
  leftOut: number;
  onSelect: (file: ChangedFile) => void;
  onStage: (isStaged: boolean, file: ChangedFile) => void;
}) {
  const scroll = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: files.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => LINE_PX,
    overscan: 20,
  });
  useImperativeHandle(ref, () => ({
    focus: (at) => {
      rows.scrollToIndex(at);
      // Drawn by then, wherever the list was.
      requestAnimationFrame(() => {
        const path = CSS.escape(files[at]?.path ?? '');
        scroll.current?.querySelector<HTMLElement>(`[data-path="${path}"]`)?.focus();
      });
    },
  }));
  return (
    <div ref={scroll} className="changes-files">
      <ul aria-label="Changed files" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const file = files[index]!;
          return (
            <FileLine
              key={file.path}
              file={file}
              isSelected={file === selected}
              at={index}
              count={files.length}
              top={start}
              onSelect={() => onSelect(file)}
              onStage={(isStaged) => onStage(isStaged, file)}
            />
          );
        })}
      </ul>
      {leftOut > 0 && <p className="changes-more">{`${leftOut.toLocaleString()} more changed files aren't listed.`}</p>}
    </div>
  );
}

function FileLine({
  file,
  isSelected,
  at: row,
  count,
  top,
  onSelect,
  onStage,
}: {
  file: ChangedFile;
  isSelected: boolean;
  at: number;
  count: number;
  top: number;
  onSelect: () => void;
  onStage: (isStaged: boolean) => void;
}) {
  const { letter, label } = STATUS[file.status];
  const at = file.path.lastIndexOf('/') + 1;
  return (
    <li
      className="changes-file"
      data-selected={isSelected || undefined}
      aria-setsize={count}
      aria-posinset={row + 1}
      style={{ transform: `translateY(${top}px)` }}
    >
      <Checkbox
        aria-label={`Stage ${file.path}`}
        isSelected={file.stage === 'staged'}
        isIndeterminate={file.stage === 'partly'}
        isDisabled={file.stage === 'committed'}
        onChange={onStage}
      >
        {null}
      </Checkbox>
      <button
        type="button"
        data-path={file.path}
        aria-current={isSelected || undefined}
        onClick={onSelect}
        title={file.path}
      >
        <span className="changes-letter" data-status={file.status} title={label}>
          <span aria-hidden="true">{letter}</span>
          <span className="sr-only">{label}</span>
        </span>
        <span className="changes-name">
          {file.path.slice(at)}
          <span className="changes-folder">{file.path.slice(0, at)}</span>
          {file.isSubmodule && <span className="changes-folder">Submodule</span>}
        </span>
        {file.added !== null && <span className="diff-count" data-sign="+">{`+${file.added}`}</span>}
        {file.removed !== null && <span className="diff-count" data-sign="-">{`−${file.removed}`}</span>}
      </button>
    </li>
  );
}
