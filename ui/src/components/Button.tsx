import type { JSX, ReactNode, Ref } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { Icon, type IconName } from './Icon';
import { Tooltip } from './Tooltip';

/** A button with words. */
export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children' | 'style'> {
  /** `primary` once in a view; `danger` for what cannot be undone; `plain` where a frame would be noise. */
  variant?: 'secondary' | 'primary' | 'danger' | 'plain';
  icon?: IconName;
  children: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

/**
 * A button that waits: it keeps the focus and takes no press. React Aria has this as well, but announces it by pointing at
 * the button for seconds, also at one that is gone by then, which is a picture without a name.
 */
const waiting = (props: JSX.IntrinsicElements['button']) => (
  <button
    {...props}
    aria-disabled
    data-pending
    onClick={(event) => event.preventDefault()}
    onKeyDown={undefined}
    onKeyUp={undefined}
    onPointerDown={undefined}
    onMouseDown={undefined}
    onTouchStart={undefined}
  />
);

/** A button with words, a verb first. While it `isPending` it says so, and is not pressed again. */
export function Button({ variant = 'secondary', icon, isPending, children, ...props }: ButtonProps) {
  return (
    <>
      <AriaButton {...props} {...(isPending && { render: waiting })} className={`btn btn-${variant}`}>
        {icon && <Icon name={icon} />}
        {children}
      </AriaButton>
      {isPending !== undefined && (
        <span className="sr-only" role="status">
          {isPending ? 'In progress' : ''}
        </span>
      )}
    </>
  );
}

/** A button with an icon; `label` is its name, for screen readers and on hover. */
export interface IconButtonProps extends Omit<AriaButtonProps, 'className' | 'children' | 'style' | 'aria-label'> {
  icon: IconName;
  label: string;
  /** Shown beside the name on hover, such as `Ctrl K`. */
  keys?: string;
  /** Whether what it stands for is on; drawn as pressed. */
  isActive?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

/** A button with an icon only. While it `isPending` it is not pressed again. */
export function IconButton({ icon, label, keys, isActive, isPending, ...props }: IconButtonProps) {
  return (
    <Tooltip text={label} keys={keys}>
      <AriaButton
        {...props}
        {...(isPending && { render: waiting })}
        aria-label={label}
        aria-pressed={isActive}
        className="btn-icon"
        data-active={isActive || undefined}
      >
        <Icon name={icon} />
      </AriaButton>
    </Tooltip>
  );
}
