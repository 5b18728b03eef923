/** A field for a folder on this machine: completes what is typed, and offers the folders used last. */
import { useId, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { Icon } from '@shell/components';
import type { Hub } from '../data';
import { recentHubs, useFolders } from './data';

interface Offered {
  path: string;
  detail: string;
}

/** Maximum height of the list, and its distance from the field and the edge of the window, in pixels. */
const LIST_HEIGHT_PX = 180;
const GAP_PX = 4;

/**
 * Shows a list over the page at a field, below it or where there is more room. In the dialog's flow, the buttons below
 * would move away from the pointer that presses them when the list closes.
 */
function useListAt(isShown: boolean) {
  const frame = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    const shown = list.current;
    if (!isShown || !shown?.showPopover) return;
    const put = () => {
      const { top, bottom, left, width } = frame.current!.getBoundingClientRect();
      const [above, below] = [top - 2 * GAP_PX, innerHeight - bottom - 2 * GAP_PX];
      const isBelow = below >= Math.min(LIST_HEIGHT_PX, above);
      Object.assign(shown.style, {
        left: `${left}px`,
        width: `${width}px`,
        maxHeight: `${Math.min(LIST_HEIGHT_PX, isBelow ? below : above)}px`,
        top: isBelow ? `${bottom + GAP_PX}px` : 'auto',
        bottom: isBelow ? 'auto' : `${innerHeight - top + GAP_PX}px`,
      });
    };
    put();
    shown.showPopover();
    addEventListener('scroll', put, true);
    addEventListener('resize', put);
    return () => {
      removeEventListener('scroll', put, true);
      removeEventListener('resize', put);
      if (shown.matches(':popover-open')) shown.hidePopover();
    };
  }, [isShown]);
  return { frame, list };
}

interface Props {
  value: string;
  onChange: (path: string) => void;
  hubs: readonly Hub[];
  error?: string | undefined;
  /** Whether the folders of hubs are offered before anything is typed. */
  offersRecent?: boolean;
  autoFocus?: boolean;
  /** Called on Enter where no folder is marked. */
  onEnter?: () => void;
}

export function FolderField({ value, onChange, hubs, error, offersRecent = true, autoFocus = false, onEnter }: Props) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [marked, setMarked] = useState(-1);
  const isEmpty = value.trim() === '';
  const { data } = useFolders(value, !isEmpty);
  const found = isEmpty ? undefined : data;
  const offered: Offered[] = isEmpty
    ? recentHubs(offersRecent ? hubs : []).map(({ folder, name }) => ({ path: folder, detail: name }))
    : (found?.folders ?? []).map(({ path, hubId, isRepository }) => ({
        path,
        detail: hubId !== null ? 'Hub' : isRepository ? 'Git repository' : '',
      }));
  const isShown = isOpen && offered.length > 0;
  const { frame, list } = useListAt(isShown);
  const at = Math.min(marked, offered.length - 1);
  const type = (next: string) => {
    onChange(next);
    setMarked(-1);
    setOpen(true);
  };
  // The subfolders are next. A recent folder is complete.
  const pick = ({ path }: Offered) => {
    type(isEmpty ? path : `${path.replace(/[\\/]$/, '')}${path.includes('\\') ? '\\' : '/'}`);
    if (isEmpty) setOpen(false);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    const picked = isShown ? offered[at] : undefined;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      setOpen(true);
      const by = event.key === 'ArrowDown' ? 1 : -1;
      if (isShown) setMarked(at < 0 && by < 0 ? offered.length - 1 : (at + by + offered.length) % offered.length);
      else setMarked(0);
    } else if (picked && (event.key === 'Enter' || event.key === 'Tab') && !event.ctrlKey && !event.metaKey)
      pick(picked);
    else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) onEnter?.();
    else if (isShown && event.key === 'Escape') setOpen(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const folder = found?.folder;
  const hub = hubs.find((one) => one.id === folder?.hubId);
  const help = hub
    ? `The folder of the hub ${hub.name}.`
    : folder
      ? `${folder.isRepository ? 'A git repository' : 'A folder'} that becomes a hub.`
      : found && found.folders.length === 0
        ? 'Folder not found.'
        : 'An absolute path, or ~ for your home folder.';
  return (
    <div className="field" data-mono>
      <label className="field-label" htmlFor={id}>
        Folder
      </label>
      <div ref={frame} className="input-frame folder-frame" data-invalid={error ? true : undefined}>
        <input
          id={id}
          className="input"
          role="combobox"
          aria-expanded={isShown}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-invalid={error ? true : undefined}
          aria-describedby={`${id}-help`}
          {...(isShown && at >= 0 ? { 'aria-activedescendant': `${id}-${at}` } : {})}
          autoFocus={autoFocus}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          placeholder="~/project"
          value={value}
          onChange={(event) => type(event.target.value)}
          onFocus={() => setOpen(true)}
          onClick={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={onKeyDown}
        />
      </div>
      <ul
        className="folder-list"
        role="listbox"
        id={`${id}-list`}
        aria-label={isEmpty ? 'Recent folders' : 'Folders'}
        ref={list}
        popover="manual"
      >
        {offered.map((one, index) => (
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events -- The field that keeps the focus handles the keys.
          <li
            key={one.path}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            ref={(line) => {
              if (index === at) line?.scrollIntoView?.({ block: 'nearest' });
            }}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => pick(one)}
          >
            <Icon name="folder" size={12} />
            <code>{one.path}</code>
            <span>{one.detail}</span>
          </li>
        ))}
      </ul>
      <span id={`${id}-help`} className={error ? 'field-error' : 'field-help'}>
        {error ?? help}
      </span>
    </div>
  );
}
