/** The widgets of a dashboard on its grid. */
import { useLocation } from 'wouter';
import { namesOf } from '@shell/members';
import type { OpenDialog } from './DashboardDialogs';
import { InForce, rulesSaid } from './export/InForce';
import { Grid } from './Grid';
import { changeWidget, placeWidgets, type Widget } from './model';
import { ownBoards } from './OwnItems';
import { TileContent } from './TileContent';
import { TileMenu } from './TileMenu';
import { partly, wrong } from './toolbar/Reach';
import type { Dashboard } from './useDashboard';
import { kindOf } from './widgets';
import { choosingRules, idle } from './words';

interface TilesProps {
  dashboard: Dashboard;
  open: OpenDialog | null;
  onOpen: (dialog: OpenDialog) => void;
}

export function Tiles({ dashboard, open, onOpen }: TilesProps) {
  const { doc, config, subject, members, session, matching, answers, titleOf, edit, duplicate, remove } = dashboard;
  return (
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
      content={(widget) => <Tile dashboard={dashboard} widget={widget} onOpen={onOpen} />}
      menu={(widget, place) => (
        <TileMenu
          title={titleOf(widget.id)}
          w={widget.layout.w}
          h={widget.layout.h}
          isKnown={!!kindOf(widget.kind)}
          hasItems={answers.byId.get(widget.id)?.state.name === 'ok' && !kindOf(widget.kind)?.readsNoBoards}
          onEdit={() => onOpen({ what: 'edit', widget: widget.id })}
          onExplain={() => onOpen({ what: 'explain', widget: widget.id })}
          onItems={() => onOpen({ what: 'items', widget: widget.id, title: titleOf(widget.id) })}
          onDuplicate={() => duplicate(widget)}
          onMove={() => onOpen({ what: 'move', widget: widget.id })}
          onSize={(w, h) => place((box) => ({ ...box, w, h }))}
          onRemove={() => remove(widget)}
        />
      )}
    />
  );
}

function Tile({ dashboard, widget, onOpen }: Omit<TilesProps, 'open'> & { widget: Widget }) {
  const { config, boards, subject, answers, said, configuredOf, rulesOf, onlyThisOf, titleOf, edit, remove } =
    dashboard;
  const [, navigate] = useLocation();
  return (
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
      connectBoards={() => onOpen({ what: 'connect' })}
      edit={() => onOpen({ what: 'edit', widget: widget.id })}
      clearFilters={dashboard.clearFilters}
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
      explain={() => onOpen({ what: 'explain', widget: widget.id })}
      onPick={(part, title) => onOpen({ what: 'items', widget: widget.id, part, title })}
    />
  );
}
