/**
 * What a feature gives to the shell. `features/NAME/ui/index.tsx` default-exports one `FeatureUi`; the shell finds it
 * without being told (see features.ts). Keep that file small: it is part of the first load, pages are not.
 */
import type { QueryKey } from '@tanstack/react-query';
import type { ComponentType, LazyExoticComponent } from 'react';
import type { IconName } from './components/Icon';
import type { ToggleKey } from './gen/settings';

/** An entry of the left navigation. */
export interface NavEntry {
  /** Place from the top. Inbox 10, Sessions 20, Project boards 30, Calendar 40, Mail 50, Tasks 60, others from 70. */
  order: number;
  /** Sentence case, a noun. */
  label: string;
  icon: IconName;
  /** Below /app, beginning with a slash. */
  path: string;
  /** `foot` stands at the lower end, apart from the others. */
  place?: 'foot';
  /** Key of the toggle setting that shows this entry; without one it always shows. */
  shownBy?: ToggleKey;
  /** Drawn after the label, such as a count; not shown while the navigation is collapsed. */
  badge?: ComponentType;
  /** Drawn below the entry, such as the boards of the workspace; not shown while the navigation is collapsed. */
  children?: ComponentType;
}

/** A page. */
export interface FeatureRoute {
  /** Pattern below /app in wouter's syntax: `/boards/:id`. */
  path: string;
  /** `lazy(() => import('./page'))`, so that the page is a file of its own. */
  component: LazyExoticComponent<ComponentType>;
  /** Key of the toggle setting without which there is no such page. */
  shownBy?: ToggleKey;
}

/** An icon of the toolbar that leads to a page. */
export interface Tool {
  label: string;
  icon: IconName;
  /** Below /app, beginning with a slash. */
  path: string;
  /** Key of the toggle setting that shows it. */
  shownBy?: ToggleKey;
}

/** What a feature offers to somebody who has nothing yet. */
export interface FirstSteps {
  /** Place from the top. */
  order: number;
  component: LazyExoticComponent<ComponentType>;
  /** Whether the account has nothing of the feature yet; `undefined` while that is not known. The first page shows while all are new. */
  useIsNew?: () => boolean | undefined;
}

/** What the palette hands to a command. */
export interface CommandContext {
  /** Goes to a path below /app. */
  navigate: (path: string) => void;
}

/** One thing that a person can do from the palette (Ctrl+K). */
export interface Command {
  /** Unique over all features: `settings.open`, `boards.board.ID`. */
  id: string;
  /** Begins with a verb where it does something, or is the name of the place it goes to. */
  label: string;
  /** Heading that it stands under. */
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
  run: (context: CommandContext) => void | Promise<void>;
}

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
  /** What the program finds for the text typed: a hook, called while the palette is open, with the text once typing rests. Its order is kept. */
  useFound?: (text: string) => Command[];
  shortcuts?: GoShortcut[];
  /** Icons of the toolbar. */
  tools?: Tool[];
  /** Drawn at the top of the sidebar. */
  sidebarTop?: ComponentType<{ isCollapsed: boolean }>;
  /** Draws nothing, and hears what happens while the page is open. */
  listener?: ComponentType;
  firstSteps?: FirstSteps;
  /** Cards on the page of a session, between its transcript and the field to write to it: what waits there for the person. */
  sessionCards?: LazyExoticComponent<ComponentType<{ sessionId: string }>>;
  /** Which queries each event makes old, by its name: they are read again where they are shown, on whatever page. */
  news?: Readonly<Record<string, (ids: NewsIds) => QueryKey[]>>;
}

/** What events are about. */
export interface NewsIds {
  boardId?: string;
  itemId?: string;
  dashboardId?: string;
  rowId?: string;
}
