/** What a mark of a chart, or its row in the table, offers: to show only that. */
import { createContext, useContext, useRef, useState, type ReactNode } from 'react';
import { Menu, MenuItem, Popover } from 'react-aria-components';
import { Icon } from '@shell/components';

/** One mark, by what the engine tells categories apart. */
export interface Mark {
  key: string;
  label: string;
}

/** Shows only what the mark stands for; null where no rule can say that. The page gives it, for each widget its own. */
export const OnlyThis = createContext<(mark: Mark) => (() => void) | null>(() => null);

/** Around a chart whose marks have their key as `data-mark`: a click on one opens its menu. The keyboard has the table's rows. */
export function Marks({ marks, children }: { marks: readonly Mark[]; children: ReactNode }) {
  const only = useContext(OnlyThis);
  const [open, setOpen] = useState<{ mark: Mark; run: () => void; x: number; y: number } | null>(null);
  const anchor = useRef<HTMLSpanElement>(null);
  return (
    <div
      className="marks"
      onClick={({ target, clientX, clientY, currentTarget }) => {
        const key = (target as Element).closest('[data-mark]')?.getAttribute('data-mark');
        const mark = marks.find((one) => one.key === key);
        const run = mark && only(mark);
        const frame = currentTarget.getBoundingClientRect();
        if (run) setOpen({ mark, run, x: clientX - frame.left, y: clientY - frame.top });
      }}
    >
      {children}
      <span ref={anchor} className="marks-anchor" style={open ? { left: open.x, top: open.y } : {}} />
      <Popover className="popover" triggerRef={anchor} isOpen={open !== null} onOpenChange={(isOpen) => !isOpen && setOpen(null)} placement="bottom start">
        <Menu className="list" aria-label={open?.mark.label ?? 'Mark'} autoFocus="first" onClose={() => setOpen(null)}>
          <MenuItem id="only" className="list-item" textValue="Only this" onAction={() => open?.run()}>
            <Icon name="filter" />
            <span className="list-text">
              <span>Only this</span>
              <span className="list-detail">{open?.mark.label}</span>
            </span>
          </MenuItem>
        </Menu>
      </Popover>
    </div>
  );
}

/** The same in a row of the table. */
export function OnlyThisButton({ mark }: { mark: Mark }) {
  const run = useContext(OnlyThis)(mark);
  if (!run) return null;
  return (
    <button type="button" className="tile-link marks-only" aria-label={`Only ${mark.label}`} onClick={run}>
      Only this
    </button>
  );
}
