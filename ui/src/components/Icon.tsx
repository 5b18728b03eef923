/** One set of line icons on a 16 px grid. An icon never stands alone: `IconButton` gives it a name. */
const paths = {
  inbox:
    'M2 9.5 3.8 3.6A1.5 1.5 0 0 1 5.2 2.5h5.6a1.5 1.5 0 0 1 1.4 1.1L14 9.5v2.5a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 2 12zM2 9.5h3.5L6.5 11h3l1-1.5H14',
  session:
    'M2.5 4A1.5 1.5 0 0 1 4 2.5h8A1.5 1.5 0 0 1 13.5 4v8a1.5 1.5 0 0 1-1.5 1.5H4A1.5 1.5 0 0 1 2.5 12zM5 6l2 2-2 2M8.5 10H11',
  board:
    'M2.5 4A1.5 1.5 0 0 1 4 2.5h8A1.5 1.5 0 0 1 13.5 4v8a1.5 1.5 0 0 1-1.5 1.5H4A1.5 1.5 0 0 1 2.5 12zM2.5 6.5h11M6 6.5v7',
  kanban:
    'M2.5 3.5a1 1 0 0 1 1-1h1a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1h-1a1 1 0 0 1-1-1zM7 2.5h2v7H7zM10.5 3.5a1 1 0 0 1 1-1h1a1 1 0 0 1 1 1V7a1 1 0 0 1-1 1h-1a1 1 0 0 1-1-1z',
  timeline: 'M2.5 3.5h6M5.5 8h6M8.5 12.5h5M2.5 8h.01M13.5 3.5h.01',
  dashboard:
    'M2.5 3.5a1 1 0 0 1 1-1h3v6h-4zM9.5 2.5h3a1 1 0 0 1 1 1v2h-4zM9.5 8.5h4v4a1 1 0 0 1-1 1h-3zM2.5 11.5h4v2h-3a1 1 0 0 1-1-1z',
  calendar:
    'M2.5 5A1.5 1.5 0 0 1 4 3.5h8A1.5 1.5 0 0 1 13.5 5v7a1.5 1.5 0 0 1-1.5 1.5H4A1.5 1.5 0 0 1 2.5 12zM2.5 7h11M5.5 2v3M10.5 2v3',
  mail: 'M2 4.5A1 1 0 0 1 3 3.5h10a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1zM2.3 4.5 8 9l5.7-4.5',
  task: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM5.5 8l1.8 1.8L10.8 6.2',
  settings:
    'M2.5 4.5h5M11.5 4.5h2M2.5 11.5h2M8.5 11.5h5M9.5 6.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM6.5 13.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3 8.5 6.5 12 13 4.5',
  chevronDown: 'M4 6l4 4 4-4',
  chevronUp: 'M4 10l4-4 4 4',
  chevronRight: 'M6 4l4 4-4 4',
  chevronLeft: 'M10 4 6 8l4 4',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  undo: 'M5.5 3 2.5 6l3 3M2.5 6H9a4.2 4.2 0 0 1 0 8.4H6.5',
  reset: 'M3 8a5 5 0 1 0 1.6-3.7L3 5.8M3 2.5v3.3h3.3',
  history: 'M2.5 8A5.5 5.5 0 1 0 4.1 4.1L2.5 5.7M2.5 2.5v3.2h3.2M8 5v3.2l2.2 1.3',
  hash: 'M6.3 2.5 5 13.5M11 2.5 9.7 13.5M3 6h10.5M2.5 10H13',
  archive: 'M2.5 3h11v3h-11zM3.5 6v6a1 1 0 0 0 1 1h7a1 1 0 0 0 1-1V6M6.5 8.5h3',
  download: 'M8 2.5v7.5M4.8 7 8 10.2 11.2 7M2.5 13.5h11',
  upload: 'M8 10.5V3M4.8 6 8 2.8 11.2 6M2.5 13.5h11',
  copy: 'M6 6h6.5a1 1 0 0 1 1 1v5.5a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1zM10 6V3.5a1 1 0 0 0-1-1H3.5a1 1 0 0 0-1 1V9a1 1 0 0 0 1 1H6',
  sidebar: 'M2.5 4A1.5 1.5 0 0 1 4 2.5h8A1.5 1.5 0 0 1 13.5 4v8a1.5 1.5 0 0 1-1.5 1.5H4A1.5 1.5 0 0 1 2.5 12zM6 2.5v11',
  warning: 'M8 2.2 14.2 13H1.8zM8 6.5v3M8 11.3h.01',
  info: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.5V11M8 5h.01',
  restart: 'M13 8a5 5 0 1 1-1.6-3.7L13 5.8M13 2.5v3.3H9.7',
  keyboard:
    'M1.5 5a1 1 0 0 1 1-1h11a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1zM4 6.5h.01M6.5 6.5h.01M9 6.5h.01M11.5 6.5h.01M5 9.5h6',
  people:
    'M6 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M10.5 3.2a2.5 2.5 0 0 1 0 4.6M12 9.8c1.6.5 2.5 1.8 2.5 3.7',
  bell: 'M4 11V7a4 4 0 0 1 8 0v4l1.2 1.5H2.8zM6.7 14.2h2.6',
  chart: 'M2.5 13.5h11M4.5 11V8M8 11V4M11.5 11V6.5',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  sort: 'M5 3v10M2.5 10.5 5 13l2.5-2.5M11 13V3M8.5 5.5 11 3l2.5 2.5',
  link: 'M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.2-2.2a2.6 2.6 0 0 0-3.7-3.7L8 4.3M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.3 9A2.6 2.6 0 0 0 7 12.7l1-1',
  phone:
    'M3.2 2.5h2.3l1.2 3-1.5 1.1a8 8 0 0 0 4.2 4.2l1.1-1.5 3 1.2v2.3a1 1 0 0 1-1 1A10.3 10.3 0 0 1 2.2 3.5a1 1 0 0 1 1-1z',
  trash: 'M3 4.5h10M6.5 4V2.8h3V4M4.2 4.5l.6 8.2a1 1 0 0 0 1 .8h4.4a1 1 0 0 0 1-.8l.6-8.2M6.7 7v4M9.3 7v4',
  edit: 'M3 13l.6-2.8 7-7a1.2 1.2 0 0 1 1.7 0l.5.5a1.2 1.2 0 0 1 0 1.7l-7 7z',
  move: 'M8 2v12M2 8h12M8 2 6.3 3.7M8 2l1.7 1.7M8 14l-1.7-1.7M8 14l1.7-1.7M2 8l1.7-1.7M2 8l1.7 1.7M14 8l-1.7-1.7M14 8l-1.7 1.7',
  grip: 'M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01',
  star: 'M8 2.2l1.8 3.7 4 .6-2.9 2.8.7 4L8 11.4l-3.6 1.9.7-4L2.2 6.5l4-.6z',
  file: 'M4 2.5h5l3.5 3.5v6.5a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1zM9 2.5V6h3.5',
  folder: 'M2 4.5a1 1 0 0 1 1-1h3L7.5 5H13a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1z',
  eye: 'M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8zM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  maximize: 'M9.5 2.5h4v4M13.5 2.5 9 7M6.5 13.5h-4v-4M2.5 13.5 7 9',
  duplicate: 'M5.5 5.5h7a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1zM2.5 10.5V3.5a1 1 0 0 1 1-1h7',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.6',
  circle: 'M8 13A5 5 0 1 0 8 3a5 5 0 0 0 0 10z',
} as const;

/** Name of an icon. */
export type IconName = keyof typeof paths;

/** Every icon's name, for the components page. */
export const iconNames = Object.keys(paths) as IconName[];

const heavy = new Set<IconName>(['more', 'grip']);

/** Draws an icon in the text's colour. Hidden from screen readers: the text or button beside it carries the name. */
export function Icon({ name, size = 16, className }: { name: IconName; size?: number; className?: string }) {
  return (
    <svg
      className={className ? `icon ${className}` : 'icon'}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={heavy.has(name) ? 2 : 1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  );
}
