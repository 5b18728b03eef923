/** What a kind of widget is. One file under widgets/ is one kind: menu entry, defaults, editor and view. */
import type { ComponentType } from 'react';
import type { IconName } from '@shell/components';
import type { BoardInfo } from '../boards';
import type { WidgetAnswer } from '../engine';
import type { MinSize } from '../grid/reducer';
import type { Role } from '../mapping';
import type { JsonObject, Widget } from '../model';

/** What the view of a widget gets. The answer's state is `ok`. */
export interface ViewProps {
  widget: Widget;
  /** With every role's columns filled in. */
  settings: JsonObject;
  answer: WidgetAnswer;
  boards: readonly BoardInfo[];
  /** Whether to show the same as a table. */
  asTable: boolean;
}

/** What the editor of a widget gets. */
export interface EditorProps {
  settings: JsonObject;
  onChange: (settings: JsonObject) => void;
  boards: readonly BoardInfo[];
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
  /** Cells of a new widget. */
  size: { w: number; h: number };
  min: MinSize;
  /** Settings of a new widget. `boards` are the connected ones. */
  create: (boards: readonly BoardInfo[]) => JsonObject;
  /** Title of a widget that was given none. */
  describe: (settings: JsonObject, boards: readonly BoardInfo[]) => string;
  /** Settings with every member; unknown members stay. */
  complete: (settings: JsonObject) => JsonObject;
  /** Completed settings in the engine's words: the members of its configuration of this kind. */
  ask: (settings: JsonObject) => JsonObject;
  /** Roles that need a column with these settings. */
  roles: (settings: JsonObject) => Role[];
  /** Whether the same can be shown as a table. */
  hasTable?: boolean;
  Editor: ComponentType<EditorProps>;
  View: ComponentType<ViewProps>;
}
