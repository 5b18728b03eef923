import type { ReactElement } from 'react';
import { Tooltip as AriaTooltip, TooltipTrigger } from 'react-aria-components';
import { Kbd } from './Kbd';

/** Explains the control inside, on hover and on focus. The child must be a React Aria control. */
export function Tooltip({ text, keys, children }: { text: string; keys?: string | undefined; children: ReactElement }) {
  return (
    <TooltipTrigger delay={500} closeDelay={80}>
      {children}
      <AriaTooltip className="tooltip" offset={6}>
        {text}
        {keys && <Kbd keys={keys} />}
      </AriaTooltip>
    </TooltipTrigger>
  );
}
