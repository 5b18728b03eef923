import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { ApiError } from '@shell/api';
import { client } from '@shell/client';
import { Button, ConfirmDialog, EmptyState, ErrorState, Loading, NoAnswer, Page, toast } from '@shell/components';
import type { ChartCategory } from '@shell/engine/types';
import { useConnection } from '@shell/live';
import { namesOf, useMembers } from '@shell/members';
import { isTyping, useShortcuts } from '@shell/shortcuts';
import { Actions, AddMenu } from './Actions';
import { isBegun, takeBegun, useBegun, type Begun } from './begun';
import { loadItems, useConnectedBoards } from './boards';
import { ConnectBoards } from './ConnectBoards';
import { DashboardName } from './DashboardName';
import { isUntouched, LISTS, NEW_PATH, useBegunKept, useNameOfNew } from './data';
import type { Draft } from './draft/draft';
import { doneStep, useDraftView, useOpenDraft } from './draft/useDraft';
import { categoryOf, type Picked } from './charts/points';
import { EditPanel } from './EditPanel';
import { loadEngine, startEngine } from './engine';
import { Explain } from './explain/Explain';
import { ItemsBehind } from './explain/ItemsBehind';
import { InForce, inForce, rulesSaid } from './export/InForce';
import { asked, cleared } from './filter/filters';
import { subjectOf } from './filter/subject';
import { Grid } from './Grid';
import { dropped, firstFree } from './grid/layout';
import { InviteDialog } from './invite/InviteDialog';
import {
  changeWidget,
  newWidgetId,
  placeWidgets,
  type Config,
  type Filters,
  type JsonObject,
  type Widget,
} from './model';
import { MoveDialog } from './MoveDialog';
import { NewDashboard } from './NewDashboard';
import { useRestore } from './Deleted';
import { Proposals } from './proposals/Proposals';
import { ownBoards } from './OwnItems';
import { SavedState } from './SavedState';
import { useEarlyPast, usePast } from './snapshots/data';
import { SnapshotsDialog } from './snapshots/SnapshotsDialog';
import { TileContent } from './TileContent';
import { TileMenu } from './TileMenu';
import { partly, wrong } from './toolbar/Reach';
import { onlyThis, useSession } from './toolbar/session';
import { Toolbar } from './toolbar/Toolbar';
import { Unavailable } from './Unavailable';
import { askedOf, MATCHING, useAnswers } from './useAnswers';
import { kindOf } from './widgets';
import { configured, type WidgetKind } from './widgets/kind';
import { choosingRules, idle, ownRules } from './words';
import './dashboards.css';
import './export/print.css';

/** One dashboard, also one that is on its way. */
export default function DashboardPage() {
  const { id = '' } = useParams<{ id: string }>();
  const begun = useBegun();
  const [path, navigate] = useLocation();
  const known = path === NEW_PATH ? null : id;
  const { draft, error, again } = useOpenDraft(known);
  useEffect(startEngine, []);
  useEarlyPast(known);
  useBegunKept(known);
  const connection = useConnection();
  const isNew = known === null || isBegun(known);
  if (draft) return <OpenDashboard key={id} id={id} draft={draft} begun={isNew ? begun : null} />;
  if (!error && isNew) return <NewDashboard />;
  if (!error) return connection === 'lost' ? <NoAnswer what="dashboard" /> : <Loading label="Loading dashboard" />;
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <Page title="Dashboard">
      {isGone ? (
        <EmptyState
          icon="dashboard"
          title="Dashboard not found"
          action={<Button onPress={() => navigate('/dashboards')}>Show all dashboards</Button>}
        >
          It may have been deleted, or it belongs to another account.
        </EmptyState>
      ) : (
        <ErrorState title="Couldn't load dashboard" error={error} onRetry={again} />
      )}
    </Page>
  );
}

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

function OpenDashboard({
  id,
  draft,
  begun,
}: {
  id: string;
  draft: Draft;
  /** What was typed before it was there. */ begun: Begun | null;
}) {
  const { doc, saved, canUndo, canRedo } = useDraftView(draft);
  const { config } = doc;
  const cache = useQueryClient();
  const [, navigate] = useLocation();
  const [naming, setNaming] = useState(begun?.naming ?? null);
  const [open, setOpen] = useState<
    | { what: 'connect' | 'delete' | 'invite' | 'snapshots' }
    | { what: 'edit' | 'move' | 'explain'; widget: string }
    | { what: 'items'; widget: string; part?: Picked; title: string }
    | null
  >(null);
  const boards = useConnectedBoards(config.boardIds);
  const { data: members = [] } = useMembers();
  const session = useSession();
  const scoped = useMemo(() => asked(config.filters, session.rules), [config.filters, session.rules]);
  const subject = useMemo(() => subjectOf(boards.infos), [boards.infos]);
  const answers = useAnswers({ ...config, filters: scoped as unknown as Filters }, boards, usePast(id));
  const matching = answers.byId.get(MATCHING);
  const close = () => setOpen(null);

  useEffect(() => {
    document.title = `${doc.name} - Pilothouse`;
  }, [doc.name]);
  const rename = (name: string) => draft.edit((now) => ({ ...now, name }), 'name');
  useEffect(() => {
    if (!begun) return;
    const { name } = takeBegun();
    if (name) rename(name);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- Only what was typed before it was there.
  }, []);
  useNameOfNew(() => {
    const isNew = isUntouched(doc);
    if (isNew) setNaming({});
    return isNew;
  });

  const edit = (change: (config: Config) => Config, group?: string) =>
    draft.edit((now) => ({ ...now, config: change(now.config) }), group ?? null);
  const filter = (change: (filters: Filters) => Filters, group?: string) =>
    edit((now) => ({ ...now, filters: change(now.filters) }), group);
  const clearFilters = () => {
    session.clear();
    if (config.filters.people !== null || config.filters.all.length > 0) filter(cleared);
  };
  useShortcuts('Dashboard', [
    {
      keys: 'Escape',
      label: 'Remove the chart filter',
      run: () => {
        if (session.all.length === 0) return false;
        session.clear();
      },
    },
    {
      keys: 'Mod+z',
      label: 'Undo',
      run: (event) => {
        // In a field the keys take back what was typed there.
        if (isTyping(event.target)) return false;
        if (event.shiftKey) draft.redo();
        else draft.undo();
      },
    },
    { keys: 'Mod+Shift+z', label: 'Redo' },
    { keys: 'b', label: 'Connect boards', run: () => setOpen({ what: 'connect' }) },
  ]);

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
  const restore = useRestore();
  const deleteDashboard = async () => {
    try {
      await client.delete('/dashboards/{dashboardId}', { path: { dashboardId: id } });
      await draft.discard();
      void cache.invalidateQueries({ queryKey: LISTS });
      navigate('/dashboards');
      toast.done(`Deleted ${doc.name}`, { undo: () => restore(id, doc.name) });
    } catch (error) {
      toast.problem(`Couldn't delete ${doc.name}`, error);
    }
  };

  const chosen = open && 'widget' in open ? config.widgets.find((widget) => widget.id === open.widget) : undefined;
  const chosenKind = chosen && kindOf(chosen.kind);
  const count = config.boardIds.length;
  const setSettings = (widget: Widget, next: JsonObject) =>
    edit((now) => changeWidget(now, widget.id, (one) => ({ ...one, settings: next })), `settings ${widget.id}`);

  return (
    <div className="page">
      <div className="page-main">
        <header className="page-head">
          <DashboardName
            name={doc.name}
            naming={naming}
            onNaming={setNaming}
            onRename={rename}
            isSuccessor={begun !== null}
          />
          <SavedState
            saved={saved}
            onTakeTheirs={draft.takeTheirs}
            onKeepMine={draft.keepMine}
            onRestore={() => void restore(id, doc.name, true)}
          />
          <Actions
            id={id}
            name={doc.name}
            saved={saved}
            canUndo={canUndo}
            canRedo={canRedo}
            boards={count}
            hasWidgets={config.widgets.length > 0}
            onUndo={draft.undo}
            onRedo={draft.redo}
            onInvite={() => setOpen({ what: 'invite' })}
            onConnect={() => setOpen({ what: 'connect' })}
            onAdd={(kind) => void add(kind)}
            onRename={() => setNaming({})}
            onSnapshots={() => setOpen({ what: 'snapshots' })}
            onDelete={() => setOpen({ what: 'delete' })}
          />
        </header>
        {count > 0 && (
          <Toolbar
            subject={subject}
            members={members}
            filters={config.filters}
            onFilters={filter}
            inert={idle(matching?.coverage, 'shared')}
            count={
              matching?.coverage.itemsTotal === undefined
                ? null
                : { matching: matching.coverage.itemsUsed, of: matching.coverage.itemsTotal }
            }
            session={session.all}
            onDrop={session.drop}
            onClear={clearFilters}
          />
        )}
        <div className="page-body dash-body">
          <Proposals id={id} draft={draft} />
          {boards.missing.length > 0 && (
            <Unavailable
              workspaceId={draft.workspaceId}
              missing={boards.missing}
              onDisconnect={(board) =>
                edit((now) => ({ ...now, boardIds: now.boardIds.filter((one) => one !== board) }))
              }
            />
          )}
          {config.widgets.length ? (
            <Grid
              widgets={config.widgets}
              titleOf={titleOf}
              head={
                <InForce
                  name={doc.name}
                  subject={subject}
                  members={namesOf(members)}
                  filters={config.filters}
                  session={session.all}
                  inert={idle(matching?.coverage, 'shared')}
                  at_ms={answers.at_ms}
                />
              }
              edited={open?.what === 'edit' ? open.widget : null}
              onArrange={(tiles) => edit((now) => placeWidgets(now, tiles))}
              content={(widget) => (
                <TileContent
                  widget={widget}
                  title={titleOf(widget.id)}
                  kind={kindOf(widget.kind)}
                  answer={answers.byId.get(widget.id)}
                  infos={boards.infos}
                  missing={boards.missing}
                  isLoading={boards.isLoading}
                  failed={boards.failed}
                  boardIds={config.boardIds}
                  error={answers.error}
                  onlyThis={onlyThisOf(widget)}
                  reach={partly(
                    answers.byId.get(widget.id)?.coverage.reach ?? [],
                    rulesOf(widget),
                    subject,
                    ownBoards(widget.settings, boards.infos),
                  )}
                  rules={rulesSaid(choosingRules(configuredOf(widget).settings), {
                    ...said,
                    inert: idle(answers.byId.get(widget.id)?.coverage, 'rules'),
                  })}
                  faults={wrong(answers.byId.get(widget.id)?.coverage.inertRules ?? [], rulesOf(widget), subject)}
                  connectBoards={() => setOpen({ what: 'connect' })}
                  edit={() => setOpen({ what: 'edit', widget: widget.id })}
                  clearFilters={clearFilters}
                  retry={() => {
                    boards.retry();
                    answers.retry();
                  }}
                  openBoard={(board) => navigate(`/boards/${board}`)}
                  remove={() => remove(widget)}
                  change={(some) =>
                    edit((now) =>
                      changeWidget(now, widget.id, (one) => ({
                        ...one,
                        settings: { ...configuredOf(one).settings, ...some },
                      })),
                    )
                  }
                  reset={() =>
                    edit((now) =>
                      changeWidget(now, widget.id, (one) => ({
                        ...one,
                        settings: kindOf(one.kind)?.create(boards.infos) ?? one.settings,
                      })),
                    )
                  }
                  explain={() => setOpen({ what: 'explain', widget: widget.id })}
                  onPick={(part, title) => setOpen({ what: 'items', widget: widget.id, part, title })}
                />
              )}
              menu={(widget, place) => (
                <TileMenu
                  title={titleOf(widget.id)}
                  w={widget.layout.w}
                  h={widget.layout.h}
                  isKnown={!!kindOf(widget.kind)}
                  hasItems={answers.byId.get(widget.id)?.state.name === 'ok' && !kindOf(widget.kind)?.readsNoBoards}
                  onEdit={() => setOpen({ what: 'edit', widget: widget.id })}
                  onExplain={() => setOpen({ what: 'explain', widget: widget.id })}
                  onItems={() => setOpen({ what: 'items', widget: widget.id, title: titleOf(widget.id) })}
                  onDuplicate={() => duplicate(widget)}
                  onMove={() => setOpen({ what: 'move', widget: widget.id })}
                  onSize={(w, h) => place((box) => ({ ...box, w, h }))}
                  onRemove={() => remove(widget)}
                />
              )}
            />
          ) : count ? (
            <EmptyState
              icon="chart"
              title="Add the first widget"
              action={<AddMenu variant="secondary" onAdd={(kind) => void add(kind)} />}
            >
              {`Numbers shows one figure, Chart compares labels, people or boards, over ${count === 1 ? 'the connected board' : `all ${count} connected boards`}.`}
            </EmptyState>
          ) : (
            <EmptyState
              icon="dashboard"
              title="Connect boards to start"
              action={
                <Button variant="primary" icon="link" onPress={() => setOpen({ what: 'connect' })}>
                  Connect boards
                </Button>
              }
            >
              Figures and charts come from connected boards. Then add widgets and drag them into place.
            </EmptyState>
          )}
        </div>
      </div>
      {open?.what === 'edit' && chosen && chosenKind && (
        <EditPanel
          key={chosen.id}
          widget={chosen}
          kind={chosenKind}
          configured={configuredOf(chosen)}
          answer={answers.byId.get(chosen.id)}
          boards={boards.infos}
          boardIds={config.boardIds}
          placeholder={chosenKind.describe(configuredOf(chosen), boards.infos)}
          onClose={close}
          onTitle={(title) =>
            edit((now) => changeWidget(now, chosen.id, (one) => ({ ...one, title })), `title ${chosen.id}`)
          }
          onSettings={(next) => setSettings(chosen, next)}
        />
      )}
      {open?.what === 'explain' && chosen && chosenKind && (
        <Explain
          widget={chosen}
          title={titleOf(chosen.id)}
          kind={chosenKind}
          answer={answers.byId.get(chosen.id)}
          boards={boards.infos}
          filters={scoped}
          inForce={inForce({ ...said, filters: config.filters, session: session.all, at_ms: null })}
          members={said.members}
          onClose={close}
        />
      )}
      {open?.what === 'items' && chosen && (
        <ItemsBehind
          widget={chosen.id}
          title={open.title}
          part={open.part}
          boards={boards.infos}
          load={answers.items}
          only={onlyOf(chosen, open.part)}
          onClose={close}
        />
      )}
      {open?.what === 'move' && chosen && (
        <MoveDialog
          title={titleOf(chosen.id)}
          box={chosen.layout}
          onClose={close}
          onMove={({ x, y }) =>
            edit((now) =>
              placeWidgets(
                now,
                dropped(
                  now.widgets.map((one) => ({ id: one.id, ...one.layout })),
                  chosen.id,
                  { ...chosen.layout, x, y },
                ),
              ),
            )
          }
        />
      )}
      {open?.what === 'invite' && <InviteDialog dashboardId={id} onClose={close} />}
      {open?.what === 'snapshots' && <SnapshotsDialog dashboardId={id} onClose={close} />}
      {open?.what === 'connect' && (
        <ConnectBoards
          workspaceId={draft.workspaceId}
          connected={config.boardIds}
          onClose={close}
          onConnect={(ids) => void connect(ids)}
        />
      )}
      <ConfirmDialog
        isOpen={open?.what === 'delete'}
        onClose={close}
        onConfirm={() => void deleteDashboard()}
        title={`Delete ${doc.name}?`}
        action="Delete dashboard"
      >
        Moves the dashboard, its widgets, and its filters to the trash for everyone in the workspace. You can restore it
        for 30 days. Connected boards aren't affected.
      </ConfirmDialog>
    </div>
  );
}
