import type { JSX, ReactNode, Ref } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { Icon, type IconName } from './Icon';
import { Tooltip } from './Tooltip';

/** A button with a label. */
export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children' | 'style'> {
  /** `primary` once in a view; `danger` for actions that can't be undone; `plain` without a frame. */
  variant?: 'secondary' | 'primary' | 'danger' | 'plain';
  icon?: IconName;
  children: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

/**
 * A pending button: it keeps the focus and can't be pressed. React Aria also has this, but its announcement refers to
 * the button for seconds, even after it's gone.
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

/** A button with a label that begins with a verb. While `isPending`, it says so and can't be pressed. */
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
  /** Whether its option is on; drawn as pressed. */
  isActive?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

/** A button with only an icon. While `isPending`, it can't be pressed. */
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
