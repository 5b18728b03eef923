/** An open dashboard: its document, connected boards, filters, and answers, with everything that edits them. */
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ChartCategory } from '@shell/engine/types';
import { namesOf, useMembers } from '@shell/members';
import { loadItems, useConnectedBoards } from './boards';
import { categoryOf, type Picked } from './charts/points';
import type { Draft } from './draft/draft';
import { doneStep, useDraftView } from './draft/useDraft';
import { loadEngine } from './engine';
import { asked, cleared } from './filter/filters';
import { subjectOf } from './filter/subject';
import { firstFree } from './grid/layout';
import { changeWidget, newWidgetId, type Config, type Filters, type JsonObject, type Widget } from './model';
import { usePast } from './snapshots/data';
import { onlyThis, useSession } from './toolbar/session';
import { askedOf, MATCHING, useAnswers } from './useAnswers';
import { kindOf } from './widgets';
import { configured, type WidgetKind } from './widgets/kind';
import { ownRules } from './words';

/** The widget with the columns stored that the engine finds for it, so that they stay when others come and go. */
async function withColumns(widget: Widget, boardIds: string[]): Promise<Widget> {
  if (kindOf(widget.kind)?.readsNoBoards) return widget;
  try {
    const engine = await loadEngine();
    return { ...widget, settings: { ...widget.settings, cols: await engine.autoMap(boardIds, askedOf(widget)) } };
  } catch {
    // Of a kind that the engine does not know, or with settings that it cannot read: kept as it is.
    return widget;
  }
}

export type Dashboard = ReturnType<typeof useDashboard>;

export function useDashboard(id: string, draft: Draft) {
  const { doc, saved, canUndo, canRedo } = useDraftView(draft);
  const { config } = doc;
  const boards = useConnectedBoards(config.boardIds);
  const { data: members = [] } = useMembers();
  const session = useSession();
  const scoped = useMemo(() => asked(config.filters, session.rules), [config.filters, session.rules]);
  const subject = useMemo(() => subjectOf(boards.infos), [boards.infos]);
  const answers = useAnswers({ ...config, filters: scoped as unknown as Filters }, boards, usePast(id));
  const matching = answers.byId.get(MATCHING);

  const configuredOf = (widget: Widget) => configured(widget, answers.byId.get(widget.id));
  // What Explain says is wrong with a rule stands beside it.
  const said = { subject, members: namesOf(members), inert: [] };
  const rulesOf = (widget: Widget) => ({ shared: scoped.all, ...ownRules(configuredOf(widget).settings) });
  const onlyThisOf = (widget: Widget) => (category: ChartCategory) => {
    const only = onlyThis(widget.id, configuredOf(widget), category, boards.infos);
    return only && (() => session.add(only));
  };
  const onlyOf = (widget: Widget, part: Picked | undefined) => {
    const answer = answers.byId.get(widget.id);
    const category = answer?.kind === 'chart' && answer.result ? categoryOf(answer.result, part) : undefined;
    const only = category && onlyThisOf(widget)(category);
    return only && { label: category.label, run: only };
  };
  const titleOf = (widgetId: string) => {
    const widget = config.widgets.find((one) => one.id === widgetId);
    if (!widget) return 'Widget';
    return widget.title || (kindOf(widget.kind)?.describe(configuredOf(widget), boards.infos) ?? widget.kind);
  };

  return {
    id,
    draft,
    doc,
    config,
    saved,
    canUndo,
    canRedo,
    boards,
    members,
    session,
    scoped,
    subject,
    answers,
    matching,
    said,
    configuredOf,
    rulesOf,
    onlyThisOf,
    onlyOf,
    titleOf,
    ...useEdits(draft, { config, boards, session, titleOf }),
  };
}

interface Edited {
  config: Config;
  boards: ReturnType<typeof useConnectedBoards>;
  session: ReturnType<typeof useSession>;
  titleOf: (widget: string) => string;
}

/** Changes of the document; each is a step of undo. */
function useEdits(draft: Draft, { config, boards, session, titleOf }: Edited) {
  const cache = useQueryClient();
  const rename = (name: string) => draft.edit((now) => ({ ...now, name }), 'name');
  const edit = (change: (config: Config) => Config, group?: string) =>
    draft.edit((now) => ({ ...now, config: change(now.config) }), group ?? null);
  const filter = (change: (filters: Filters) => Filters, group?: string) =>
    edit((now) => ({ ...now, filters: change(now.filters) }), group);
  const clearFilters = () => {
    session.clear();
    if (config.filters.people !== null || config.filters.all.length > 0) filter(cleared);
  };
  const add = async (kind: WidgetKind) => {
    const fresh: Widget = {
      id: newWidgetId(),
      kind: kind.kind,
      title: '',
      layout: { x: 0, y: 0, ...kind.size },
      settings: kind.create(boards.infos),
    };
    const widget = boards.isLoading
      ? fresh
      : await withColumns(
          fresh,
          boards.infos.map((board) => board.id),
        );
    edit((now) => {
      const tiles = now.widgets.map((one) => ({ id: one.id, ...one.layout }));
      return { ...now, widgets: [...now.widgets, { ...widget, layout: firstFree(tiles, kind.size) }] };
    });
    requestAnimationFrame(() => document.querySelector('.tile:last-of-type')?.scrollIntoView({ block: 'nearest' }));
  };
  const connect = async (ids: string[]) => {
    const held = await loadItems(cache, ids);
    const settled = new Map<Widget, Widget>();
    for (const widget of config.widgets) settled.set(widget, await withColumns(widget, held));
    // What changed meanwhile has its columns found while computing.
    edit((now) => ({ ...now, boardIds: ids, widgets: now.widgets.map((widget) => settled.get(widget) ?? widget) }));
  };
  const remove = (widget: Widget) => {
    const title = titleOf(widget.id);
    edit((now) => ({ ...now, widgets: now.widgets.filter((one) => one.id !== widget.id) }));
    doneStep(draft, `Removed ${title}`);
  };
  const duplicate = (widget: Widget) =>
    edit((now) => {
      const tiles = now.widgets.map((one) => ({ id: one.id, ...one.layout }));
      return {
        ...now,
        widgets: [...now.widgets, { ...widget, id: newWidgetId(), layout: firstFree(tiles, widget.layout) }],
      };
    });
  const setSettings = (widget: Widget, next: JsonObject) =>
    edit((now) => changeWidget(now, widget.id, (one) => ({ ...one, settings: next })), `settings ${widget.id}`);
  return { rename, edit, filter, clearFilters, add, connect, remove, duplicate, setSettings };
}
