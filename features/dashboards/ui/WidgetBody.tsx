/** What stands in a tile: the value, or which state it is in and what to do about it. Never a blank tile, never NaN. */
import { useState, type ReactNode } from 'react';
import { Button, Icon, Loading, type IconName } from '@shell/components';
import { reasonOf } from '@shell/api';
import type { ConnectedBoards } from './boards';
import type { WidgetAnswer } from './engine';
import type { Widget } from './model';
import { configured, type WidgetKind } from './widgets/kind';
import { counted, skippedLines, subitemsLeft } from './words';

/** What a tile can ask the page to do. */
export interface WidgetActions {
  connectBoards: () => void;
  edit: () => void;
  clearFilters: () => void;
  retry: () => void;
  openBoard: () => void;
  remove: () => void;
}

/** What a tile shows and knows. */
export interface WidgetBodyProps {
  widget: Widget;
  kind: WidgetKind | undefined;
  answer: WidgetAnswer | undefined;
  boards: ConnectedBoards;
  boardIds: readonly string[];
  /** Why the engine could not compute. */
  error: unknown;
  actions: WidgetActions;
}

function State({ name, icon, children, action, run }: { name: string; icon: IconName; children: ReactNode; action: string; run: () => void }) {
  return (
    <div className="tile-state" data-state={name}>
      <p>
        <Icon name={icon} />
        <span>{children}</span>
      </p>
      <Button onPress={run}>{action}</Button>
    </div>
  );
}

/** The content of a tile. */
export function WidgetBody(props: WidgetBodyProps) {
  const { kind, answer, boards, boardIds, error, actions, widget } = props;
  if (!kind) {
    return (
      <State name="unknown" icon="info" action="Remove" run={actions.remove}>
        This version cannot show the kind “{widget.kind}”.
      </State>
    );
  }
  if (!boardIds.length || (!boards.isLoading && boards.missing.length === boardIds.length)) {
    return (
      <State name="no-boards" icon="link" action="Connect boards" run={actions.connectBoards}>
        {boardIds.length ? 'None of the connected boards is available.' : 'No boards are connected.'}
      </State>
    );
  }
  if (boards.failed.length) {
    const names = boards.failed.map((board) => board.name ?? 'a board').join(', ');
    return (
      <State name="error" icon="warning" action="Try again" run={actions.retry}>
        {names} could not be loaded. {reasonOf(boards.failed[0]?.error)}
      </State>
    );
  }
  if (error || answer?.state.name === 'error') {
    return (
      <State name="error" icon="warning" action="Try again" run={actions.retry}>
        {error ? `This could not be computed. ${reasonOf(error)}` : 'This could not be computed.'}
      </State>
    );
  }
  if (boards.isLoading || !answer) return <Loading label={`Loading ${widget.title}`} />;
  return <Answered {...props} kind={kind} answer={answer} />;
}

function Answered({ widget, kind, answer, boards, actions }: WidgetBodyProps & { kind: WidgetKind; answer: WidgetAnswer }) {
  const [asTable, setAsTable] = useState(false);
  const { state } = answer;
  switch (state.name) {
    case 'unmapped': {
      const labels = state.roles.flatMap((role) => kind.roleNames[role]?.toLocaleLowerCase() ?? []);
      return (
        <State name="unmapped" icon="settings" action="Choose columns" run={actions.edit}>
          Choose a {labels.join(' and a ') || 'column'} for this widget.
        </State>
      );
    }
    case 'no-boards':
      return (
        <State name="no-boards" icon="link" action="Connect boards" run={actions.connectBoards}>
          No boards are connected.
        </State>
      );
    case 'no-items':
      return (
        <State name="no-items" icon="board" action="Open board" run={actions.openBoard}>
          {boards.infos.length === 1 ? 'The connected board has no items yet.' : 'The connected boards have no items yet.'}
        </State>
      );
    case 'all-filtered':
      return (
        <State name="all-filtered" icon="filter" action="Clear filters" run={actions.clearFilters}>
          0 of {counted(state.total, 'item')} match the filters.
        </State>
      );
    case 'no-values':
      return (
        <State name="no-values" icon="info" action="Edit widget" run={actions.edit}>
          {counted(answer.coverage.itemsUsed + answer.coverage.itemsSkipped, 'item')}, but none has a value in this column.
        </State>
      );
    default:
      return (
        <>
          <div className="tile-view">
            <kind.View {...configured(widget, answer)} widget={widget} answer={answer} boards={boards.infos} asTable={asTable} />
          </div>
          <Foot kind={kind} answer={answer} edit={actions.edit} asTable={asTable} onTable={setAsTable} />
        </>
      );
  }
}

/** On what the value rests: how many boards contribute, whether it is approximate; and the table twin. */
function Foot({ kind, answer, edit, asTable, onTable }: { kind: WidgetKind; answer: WidgetAnswer; edit: () => void; asTable: boolean; onTable: (asTable: boolean) => void }) {
  const { boardsUsed, boardsTotal } = answer.coverage;
  const skippedWhy = skippedLines(answer.coverage);
  const left = subitemsLeft(answer.coverage);
  const isPart = boardsUsed < boardsTotal;
  const coverage = `${boardsUsed} of ${boardsTotal} boards`;
  if (!kind.hasTable && boardsTotal < 2 && !answer.approximate && left === 0) return null;
  return (
    <div className="tile-foot">
      {isPart ? (
        <button type="button" className="tile-link" onClick={edit} title={['Boards without a column for this widget are left out', ...skippedWhy].join('\n')}>
          <Icon name="warning" size={12} />
          {coverage}
        </button>
      ) : (
        boardsTotal > 1 && <span title={skippedWhy.join('\n') || undefined}>{coverage}</span>
      )}
      {left > 0 && <span>{`${counted(left, 'subitem')} not counted`}</span>}
      {answer.approximate && <span title={answer.reasons.join('\n')}>Approximate</span>}
      {kind.hasTable && (
        <button type="button" className="tile-link tile-table" onClick={() => onTable(!asTable)}>
          {asTable ? 'Show as chart' : 'Show as table'}
        </button>
      )}
    </div>
  );
}
