/** What a kind of widget is. One file under widgets/ is one kind: menu entry, defaults, editor and view. */
import type { ComponentType } from 'react';
import type { IconName } from '@shell/components';
import type { Role } from '@shell/engine/types';
import type { BoardInfo } from '../boards';
import type { OnPick } from '../charts/Shape';
import type { WidgetAnswer } from '../engine';
import type { MinSize } from '../grid/reducer';
import { chosenCols, type Cols } from '../mapping';
import type { JsonObject, Widget } from '../model';

/** A widget's settings with what the engine made of them. */
export interface Configured {
  /** The engine's configuration of the widget, beside its id and kind; members that nobody knows stay. */
  settings: JsonObject;
  /** The parts that columns play with these settings. */
  roles: readonly Role[];
  /** The columns that play them. */
  cols: Cols;
}

/** A widget as it is configured; nothing is known of the columns before there is an answer. */
export function configured(widget: Widget, answer: WidgetAnswer | undefined): Configured {
  const settings = (answer?.settings as JsonObject | undefined) ?? widget.settings;
  const cols = { ...answer?.cols };
  // A choice shows before it was computed with.
  for (const [role, byBoard] of Object.entries(chosenCols(settings))) cols[role] = { ...cols[role], ...byBoard };
  return { settings, roles: answer?.roles ?? [], cols };
}

/** What the view of a widget gets. The answer's state is `ok`. */
export interface ViewProps extends Configured {
  widget: Widget;
  answer: WidgetAnswer;
  boards: readonly BoardInfo[];
  /** Whether to show the same as a table. */
  asTable: boolean;
  /** Shows the items behind a part. */
  onPick: OnPick;
}

/** What the editor of a widget gets. */
export interface EditorProps extends Configured {
  onChange: (settings: JsonObject) => void;
  boards: readonly BoardInfo[];
  /** What the engine made of the settings, as soon as it has. */
  answer: WidgetAnswer | undefined;
}

/** A kind of widget. */
export interface WidgetKind {
  /** Written into the config; never changes. */
  kind: string;
  /** In the menu. */
  label: string;
  /** One line below the label. */
  detail: string;
  icon: IconName;
  /** Place in the menu. */
  order: number;
  /** Drawn where a config names it, and not offered. */
  isOffMenu?: boolean;
  /** It is not made of boards: it needs none, and has no items, rules or columns. */
  readsNoBoards?: boolean;
  /** Cells of a new widget. */
  size: { w: number; h: number };
  min: MinSize;
  /** Settings of a new widget. `boards` are the connected ones. */
  create: (boards: readonly BoardInfo[]) => JsonObject;
  /** Title of a widget that was given none. */
  describe: (configured: Configured, boards: readonly BoardInfo[]) => string;
  /** What the columns of each role are called, such as `Number column`. */
  roleNames: Record<string, string>;
  /** What of the settings can be changed where no board has a column for a role: it is offered in the place of choosing one. */
  without?: Record<string, { action: string; change: JsonObject }>;
  /** Whether the same can be shown as a table. */
  hasTable?: boolean;
  /** How its values are made, in sentences. */
  explain: (configured: Configured, boards: readonly BoardInfo[], answer: WidgetAnswer | undefined) => string[];
  /** Unknown without history. */
  unknown?: string[];
  /** What else is to be known. */
  limits?: string[];
  /** What is to be said of single items. */
  notes?: (answer: WidgetAnswer) => string[];
  Editor: ComponentType<EditorProps>;
  View: ComponentType<ViewProps>;
}
