import type { ReactElement, ReactNode } from 'react';
import {
  Dialog as AriaDialog,
  Heading,
  Header,
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  MenuSection,
  MenuTrigger,
  Modal,
  ModalOverlay,
  Popover as AriaPopover,
  Separator,
} from 'react-aria-components';
import { Button, IconButton } from './Button';
import { Icon, type IconName } from './Icon';

/** A question or a form over the page. */
export interface DialogProps {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
  /** Buttons, the main one last. */
  actions?: ReactNode;
  size?: 'small' | 'medium' | 'large';
}

/** A question or a form over the page. Escape and a click outside close it. */
export function Dialog({ isOpen, onClose, title, children, actions, size = 'small' }: DialogProps) {
  return (
    <ModalOverlay className="scrim" isDismissable isOpen={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Modal className={`modal modal-${size}`}>
        <AriaDialog className="dialog">
          <div className="dialog-head">
            <Heading slot="title" className="dialog-title">
              {title}
            </Heading>
            <IconButton icon="close" label="Close" onPress={onClose} />
          </div>
          <div className="dialog-body">{children}</div>
          {actions && <div className="dialog-actions">{actions}</div>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Asks for confirmation. `action` is the button's label. */
export function ConfirmDialog(props: {
  isOpen: boolean;
  onClose: () => void;
  onConfirm: () => void;
  title: string;
  action: string;
  children: ReactNode;
}) {
  const { onConfirm, onClose, action, children, ...rest } = props;
  return (
    <Dialog
      {...rest}
      onClose={onClose}
      actions={
        <>
          {/* Enter pressed once too often deletes nothing. */}
          <Button autoFocus onPress={onClose}>
            Cancel
          </Button>
          <Button
            variant="danger"
            onPress={() => {
              onClose();
              onConfirm();
            }}
          >
            {action}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}

/** An entry of a menu. */
export interface MenuEntry {
  id: string;
  label: string;
  icon?: IconName;
  detail?: string;
  keys?: string;
  isDisabled?: boolean;
  isDanger?: boolean;
  /** Draws a check mark; makes the entry a choice. */
  isSelected?: boolean;
  onAction: () => void;
}

/** Entries under a heading, or below a divider without one. */
export interface MenuGroup {
  label?: string;
  entries: MenuEntry[];
}

/** A button that opens a menu. The trigger must be a `Button` or `IconButton`. */
export function Menu({
  label,
  groups,
  children,
  placement = 'bottom end',
}: {
  label: string;
  groups: MenuGroup[];
  children: ReactElement;
  placement?: 'bottom end' | 'bottom start' | 'right top';
}) {
  return (
    <MenuTrigger>
      {children}
      <AriaPopover className="popover" placement={placement} offset={4}>
        <AriaMenu className="list" aria-label={label}>
          {groups.flatMap((group, i) => [
            ...(i > 0 && !group.label ? [<Separator key={`line-${i}`} className="list-line" />] : []),
            <MenuSection key={i} aria-label={group.label ?? label}>
              {group.label && <Header className="list-head">{group.label}</Header>}
              {group.entries.map((entry) => (
                <AriaMenuItem
                  key={entry.id}
                  id={entry.id}
                  textValue={entry.label}
                  className="list-item"
                  isDisabled={!!entry.isDisabled}
                  data-danger={entry.isDanger || undefined}
                  onAction={entry.onAction}
                >
                  {entry.icon && <Icon name={entry.icon} />}
                  <span className="list-text">
                    <span>{entry.label}</span>
                    {entry.detail && <span className="list-detail">{entry.detail}</span>}
                  </span>
                  {entry.isSelected && <Icon name="check" className="list-mark" />}
                  {entry.keys && <span className="list-keys">{entry.keys}</span>}
                </AriaMenuItem>
              ))}
            </MenuSection>,
          ])}
        </AriaMenu>
      </AriaPopover>
    </MenuTrigger>
  );
}
