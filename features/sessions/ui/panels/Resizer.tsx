/** The frame of a panel below the transcript, with a handle that changes its height. */
import { useRef, type ReactNode } from 'react';
import { usePreference } from '@shell/preferences';

const HEIGHT = 280;
const HEIGHT_MIN = 140;
const HEIGHT_MAX = 900;
const STEP = 20;

const within = (height: number) => Math.round(Math.max(HEIGHT_MIN, Math.min(height, HEIGHT_MAX)));

export function Resizer({ label, children }: { label: string; children: ReactNode }) {
  const [stored, setStored] = usePreference('sessionPanelHeight');
  const height = within(Number(stored) || HEIGHT);
  const from = useRef<{ y: number; height: number } | null>(null);
  const set = (next: number) => setStored(String(within(next)));
  return (
    <section className="session-panel" aria-label={label} style={{ height }}>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- A separator with a value can be moved. */}
      <div
        className="session-panel-handle"
        role="separator"
        aria-orientation="horizontal"
        aria-label={`Height of ${label}`}
        aria-valuenow={height}
        aria-valuemin={HEIGHT_MIN}
        aria-valuemax={HEIGHT_MAX}

        tabIndex={0}
        onKeyDown={(event) => {
          const by = { ArrowUp: STEP, ArrowDown: -STEP }[event.key];
          if (by === undefined) return;
          event.preventDefault();
          set(height + by);
        }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          from.current = { y: event.clientY, height };
        }}
        onPointerMove={(event) => {
          if (from.current) set(from.current.height + from.current.y - event.clientY);
        }}
        onPointerUp={() => {
          from.current = null;
        }}
        onPointerCancel={() => {
          from.current = null;
        }}
      />
      {children}
    </section>
  );
}
