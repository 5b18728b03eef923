/**
 * A feature's part of the page. `features/NAME/ui/index.tsx` default-exports one `FeatureUi`, which the shell finds
 * automatically (see features.ts). Keep that file small: it is part of the first load, pages aren't.
 */
import type { QueryKey } from '@tanstack/react-query';
import type { ComponentType, LazyExoticComponent } from 'react';
import type { IconName } from './components/Icon';
import type { ToggleKey } from './gen/settings';

/** An entry of the sidebar. */
export interface NavEntry {
  /**
   * Position from the top. Inbox 10, Sessions 20, Project boards 30, Calendar 40, Mail 50, Tasks 60, others from 70.
   */
  order: number;
  /** Sentence case, a noun. */
  label: string;
  icon: IconName;
  /** Below /app, beginning with a slash. */
  path: string;
  /** `foot` is at the bottom, apart from the others. */
  place?: 'foot';
  /** Key of the toggle setting that shows this entry; without one it always shows. */
  shownBy?: ToggleKey;
  /** Shown after the label, such as a count; hidden while the sidebar is collapsed. */
  badge?: ComponentType;
  /** Shown below the entry, such as the workspace's boards; hidden while the sidebar is collapsed. */
  children?: ComponentType;
}

/** A page. */
export interface FeatureRoute {
  /** Pattern below /app in wouter's syntax: `/boards/:id`. */
  path: string;
  /** `lazy(() => import('./page'))`, so that the page is a file of its own. */
  component: LazyExoticComponent<ComponentType>;
  /** Key of the toggle setting that enables this page. */
  shownBy?: ToggleKey;
  /** Shown without the sidebar and toolbar, for a window of its own. */
  isBare?: boolean;
}

/** A toolbar icon that opens a page. */
export interface Tool {
  label: string;
  icon: IconName;
  /** Below /app, beginning with a slash. */
  path: string;
  /** Key of the toggle setting that shows it. */
  shownBy?: ToggleKey;
}

/** First steps for new users. */
export interface FirstSteps {
  /** Position from the top. */
  order: number;
  component: LazyExoticComponent<ComponentType>;
  /**
   * Whether the account has no data of the feature yet; `undefined` while unknown. The welcome page shows while all are
   * new.
   */
  useIsNew?: () => boolean | undefined;
}

/** A panel below a session's transcript. */
export interface SessionPanel {
  /** Its button, such as `Terminal`. */
  label: string;
  icon: IconName;
  /** Opens and focuses it: one letter with `Mod+`. */
  keys: string;
  component: LazyExoticComponent<ComponentType<SessionPanelProps>>;
}

export interface SessionPanelProps {
  sessionId: string;
  /** Counts the requests to focus it; 0 if it was only restored. */
  focusCount: number;
  /** Moves the focus back to the session. */
  onLeave: () => void;
  onClose: () => void;
}

/** Context of a command in the palette. */
export interface CommandContext {
  /** Goes to a path below /app. */
  navigate: (path: string) => void;
}

/** A command in the palette (Ctrl+K). */
export interface Command {
  /** Unique over all features: `settings.open`, `boards.board.ID`. */
  id: string;
  /** Begins with a verb, or is the name of the page that it opens. */
  label: string;
  /** Heading of its group. */
  group: string;
  icon?: IconName;
  /** One line below or beside the label. */
  detail?: string;
  /** More words that find it. */
  keywords?: string;
  /** Keys that do the same, shown at the right: `g s`. */
  keys?: string;
  /** Key of the toggle setting that shows this command; without one it always shows. */
  shownBy?: ToggleKey;
  /** The page that it opens, below /app. A page of the sidebar is listed once, with the words of both. */
  path?: string;
  /** What it does instead of opening `path`. */
  run?: (context: CommandContext) => void | Promise<void>;
  /** What else can be done with what it names, in a list of its own. */
  actions?: Command[];
  /** Ranked after others that match equally well. */
  isLast?: boolean;
}

/** Runs a command. */
export const perform = ({ run, path }: Command, context: CommandContext) =>
  run ? run(context) : path === undefined ? undefined : context.navigate(path);

/** A key that works on every page. Keys of one page are bound by `useShortcuts`. */
export interface GoShortcut {
  /** Such as `g s`: two letters one after the other. */
  keys: string;
  label: string;
  path: string;
}

/** A feature's part of the UI. */
export interface FeatureUi {
  /** Name of the folder under features/. */
  name: string;
  nav?: NavEntry[];
  routes: FeatureRoute[];
  /** Commands that are always the same. */
  commands?: Command[];
  /** Commands made from data: a hook, called while the palette is open. */
  useCommands?: () => Command[];
  /**
   * Server-side results for the typed text: a hook, called while the palette is open, after typing pauses. Their order
   * counts among equally good matches.
   */
  useFound?: (text: string) => Command[];
  shortcuts?: GoShortcut[];
  /** Icons of the toolbar. */
  tools?: Tool[];
  /** Drawn in the toolbar, before the icons. */
  toolbar?: ComponentType;
  /** Drawn at the top of the sidebar. */
  sidebarTop?: ComponentType<{ isCollapsed: boolean }>;
  /** A component that shows nothing and handles events while the page is open. */
  listener?: ComponentType;
  firstSteps?: FirstSteps;
  /** Cards on a session's page, between transcript and composer, that need the user's attention. */
  sessionCards?: LazyExoticComponent<ComponentType<{ sessionId: string }>>;
  sessionPanel?: SessionPanel;
  /** The card of a session's request, with everything you need to decide, answered in place. */
  requestCard?: LazyExoticComponent<ComponentType<{ sessionId: string; askId: string }>>;
  /** Draws the bodies of inbox rows of these kinds; those of others are plain text. */
  rowBodies?: Readonly<Record<string, LazyExoticComponent<ComponentType<RowBodyProps>>>>;
  /** Queries that each event invalidates, by the event's name. Visible ones are reloaded on any page. */
  news?: Readonly<Record<string, (ids: NewsIds) => QueryKey[]>>;
}

/** What the body of an inbox row is drawn from. */
export interface RowBodyProps {
  /** As the row's kind says: plain text, Markdown. It may come from an agent. */
  body: string;
  link: string | null;
  /** Whether the row is open. */
  isOpen: boolean;
}

/** IDs of the things that an event is about. */
export interface NewsIds {
  boardId?: string;
  itemId?: string;
  dashboardId?: string;
  rowId?: string;
}
