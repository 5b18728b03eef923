/** The mark of a state: a shape and color, with the label beside it or only for screen readers. */
import { standing, type Shape } from './states';
import './state.css';

const SHAPES: Readonly<Record<Shape, { d: string; isFilled?: boolean }>> = {
  ring: { d: 'M6 2.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z' },
  dot: { d: 'M6 2a4 4 0 1 0 0 8 4 4 0 0 0 0-8z', isFilled: true },
  half: { d: 'M6 2a4 4 0 1 0 0 8zM6 2a4 4 0 0 1 0 8v-.8a3.2 3.2 0 0 0 0-6.4z', isFilled: true },
  diamond: { d: 'M6 .8 11.2 6 6 11.2.8 6z', isFilled: true },
  square: { d: 'M2.5 2.5h7v7h-7z', isFilled: true },
  cross: { d: 'M2.5 2.5l7 7M9.5 2.5l-7 7' },
  check: { d: 'M2 6.5 5 9.5 10.2 3' },
  bars: { d: 'M4 2.5v7M8 2.5v7' },
};

export function StateMark({ state, withWord = false }: { state: string; withWord?: boolean }) {
  const { word, shape, tone } = standing(state);
  const { d, isFilled } = SHAPES[shape];
  return (
    <span className="session-state" data-tone={tone} data-shape={shape}>
      <svg
        width="12"
        height="12"
        viewBox="0 0 12 12"
        fill={isFilled ? 'currentColor' : 'none'}
        stroke="currentColor"
        strokeWidth={isFilled ? 0.5 : 1.6}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
      >
        <path d={d} />
      </svg>
      <span className={withWord ? undefined : 'sr-only'}>{withWord ? word : `${word}: `}</span>
    </span>
  );
}
