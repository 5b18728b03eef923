/** Every kind of widget: a file in this folder is a kind. */
import type { WidgetKind } from './kind';

const modules = import.meta.glob<WidgetKind>(['./*.tsx', '!./*.test.tsx'], { eager: true, import: 'default' });

/** Kinds in the menu's order. */
export const kinds: readonly WidgetKind[] = Object.values(modules).sort((a, b) => a.order - b.order);

/** A kind by its name in the config. */
export const kindOf = (name: string): WidgetKind | undefined => kinds.find((kind) => kind.kind === name);
