/** Every kind of widget: a file in this folder is a kind. */
import type { BoardInfo } from '../boards';
import { withMapping } from '../mapping';
import type { JsonObject } from '../model';
import type { WidgetKind } from './kind';

const modules = import.meta.glob<WidgetKind>(['./*.tsx', '!./*.test.tsx'], { eager: true, import: 'default' });

/** Kinds in the menu's order. */
export const kinds: readonly WidgetKind[] = Object.values(modules).sort((a, b) => a.order - b.order);

/** A kind by its name in the config. */
export const kindOf = (name: string): WidgetKind | undefined => kinds.find((kind) => kind.kind === name);

/** Settings with every member and with matched columns for all roles: what the engine is asked with. */
export const completed = (kind: WidgetKind | undefined, settings: JsonObject, boards: readonly BoardInfo[]): JsonObject =>
  kind ? withMapping(kind.roles(settings), kind.complete(settings), boards) : settings;
