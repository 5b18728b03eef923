/**
 * A dashboard as the program keeps it. The program treats the config as opaque, so this file is where it is checked:
 * what another version or a script wrote beside our members survives, what cannot be drawn is repaired the same way
 * every time, and nothing is written back until a person changes something.
 */
import * as v from 'valibot';
import type { Schemas } from '@shell/client';
import type { Json } from '@shell/settings';
import { fitted, repaired, type Box } from './grid/layout';

/** Any JSON object. */
export type JsonObject = { [member: string]: Json };

/** The value, where it is an object; else an empty one. */
export const objectOf = (value: unknown): JsonObject =>
  value && typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : {};

/** One widget of a dashboard. `settings` is the widget engine's own configuration of it, beside its id and kind. */
export interface Widget {
  id: string;
  /** Name of a file under widgets/; a kind unknown here is kept and named, not drawn. */
  kind: string;
  title: string;
  layout: Box;
  settings: JsonObject;
  [unknown: string]: unknown;
}

/** The dashboard's shared filter, in the engine's words. */
export interface Filters {
  v: 1;
  people: Json;
  all: Json[];
  [unknown: string]: unknown;
}

/** What a dashboard holds. */
export interface Config {
  version: 1;
  boardIds: string[];
  widgets: Widget[];
  filters: Filters;
  [unknown: string]: unknown;
}

/** A dashboard as the program answers it. */
export type DashboardRecord = Schemas['Dashboard'];

/** The part of a dashboard that people change. */
export interface Doc {
  name: string;
  config: Config;
}

/** A dashboard without anything. */
export const emptyConfig = (): Config => ({ version: 1, boardIds: [], widgets: [], filters: noFilters() });

/** Filters that let everything pass. */
export const noFilters = (): Filters => ({ v: 1, people: null, all: [] });

/** Whether any rule narrows what is shown. */
export const hasFilters = (filters: Filters) => filters.all.length > 0 || filters.people !== null;

const whole = v.pipe(v.number(), v.integer(), v.safeInteger());
const LayoutSchema = v.object({ x: whole, y: whole, w: whole, h: whole });
const ObjectSchema = v.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** Turns whatever is stored into something that can be drawn. The answer is the same for the same input, everywhere. */
export function readConfig(stored: unknown): Config {
  const object = v.safeParse(ObjectSchema, stored).success ? (stored as JsonObject) : {};
  const boardIds = [...new Set(list(object.boardIds).filter((id) => typeof id === 'string'))];
  const seen = new Set<string>();
  const widgets = list(object.widgets).flatMap((entry, index) => {
    const widget = readWidget(entry, index, seen);
    return widget ? [widget] : [];
  });
  const boxes = repaired(widgets.map((widget) => ({ id: widget.id, ...widget.layout })));
  const config: Config = {
    ...object,
    version: 1,
    boardIds,
    widgets: widgets.map((widget, i) => withBox(widget, boxes[i])),
    filters: readFilters(object.filters),
  };
  return config;
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function readWidget(entry: unknown, index: number, seen: Set<string>): Widget | null {
  if (!v.safeParse(ObjectSchema, entry).success) return null;
  const stored = entry as JsonObject;
  let id = typeof stored.id === 'string' && stored.id ? stored.id : `widget-${index + 1}`;
  while (seen.has(id)) id = `${id}-${index + 1}`;
  seen.add(id);
  const layout = v.safeParse(LayoutSchema, stored.layout);
  return {
    ...stored,
    id,
    kind: typeof stored.kind === 'string' ? stored.kind : 'unknown',
    title: typeof stored.title === 'string' ? stored.title : '',
    layout: layout.success ? fitted(layout.output) : { x: 0, y: 0, w: 4, h: 4 },
    settings: v.safeParse(ObjectSchema, stored.settings).success ? (stored.settings as JsonObject) : {},
  };
}

function readFilters(stored: unknown): Filters {
  const object = v.safeParse(ObjectSchema, stored).success ? (stored as JsonObject) : {};
  return { ...object, v: 1, people: object.people ?? null, all: Array.isArray(object.all) ? object.all : [] };
}

function withBox(widget: Widget, box: Box | undefined): Widget {
  if (!box) return widget;
  const { x, y, w, h } = box;
  const old = widget.layout;
  return old.x === x && old.y === y && old.w === w && old.h === h ? widget : { ...widget, layout: { x, y, w, h } };
}

/** A record as a document. */
export const docOf = (record: DashboardRecord): Doc => ({ name: record.name, config: readConfig(record.config) });

/** A copy with one widget changed. */
export const changeWidget = (config: Config, id: string, change: (widget: Widget) => Widget): Config => ({
  ...config,
  widgets: config.widgets.map((widget) => (widget.id === id ? change(widget) : widget)),
});

/** A copy with the widgets where `boxes` says. */
export function placeWidgets(config: Config, boxes: readonly (Box & { id: string })[]): Config {
  const byId = new Map(boxes.map((box) => [box.id, box]));
  return { ...config, widgets: config.widgets.map((widget) => withBox(widget, byId.get(widget.id))) };
}

/** A new identifier for a widget. */
export const newWidgetId = () => `w-${crypto.randomUUID().slice(0, 13)}`;
