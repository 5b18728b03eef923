import { useEffect, type ReactNode } from 'react';
import { useShortcuts } from '../shortcuts';
import { IconButton } from './Button';
import { setPageTitle } from '../title';

/** Frame of a page: title, actions, content, and a side panel that leaves the list in view. */
export function Page({
  title,
  detail,
  actions,
  children,
  side,
  width = 'full',
}: {
  title: string;
  detail?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  side?: ReactNode;
  width?: 'full' | 'text';
}) {
  useEffect(() => {
    setPageTitle(title);
  }, [title]);
  return (
    <div className="page" data-width={width}>
      <div className="page-main">
        <header className="page-head">
          <h1 tabIndex={-1}>{title}</h1>
          {detail && <span className="page-detail">{detail}</span>}
          {actions && <div className="page-actions">{actions}</div>}
        </header>
        <div className="page-body">{children}</div>
      </div>
      {side}
    </div>
  );
}

/**
 * The panel at the right with one item of the page's list. Escape closes it, also from the list. `heading` replaces the
 * title.
 */
export function SidePanel({
  title,
  heading,
  onClose,
  children,
}: {
  title: string;
  heading?: ReactNode;
  onClose: () => void;
  children: ReactNode;
}) {
  useShortcuts('Panel', [
    {
      keys: 'Escape',
      label: 'Close the panel',
      // Inside the panel, the panel gets the key first. In the list, the focus stays where it is.
      run: () => {
        const here = document.activeElement;
        onClose();
        if (here instanceof HTMLElement) here.focus();
      },
    },
  ]);
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Keys of the elements inside bubble up here.
    <aside
      className="side-panel"
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.stopPropagation();
        onClose();
      }}
    >
      <header className="side-head">
        <h2>{heading ?? title}</h2>
        <IconButton icon="close" label="Close panel" keys="Esc" onPress={onClose} />
      </header>
      <div className="side-body">{children}</div>
    </aside>
  );
}
