/** What stands in a tile: the value, or which state it is in and what to do about it. Never a blank tile, never NaN. */
import { useId, useState } from 'react';
import { Button, Icon, Loading, type IconName } from '@shell/components';
import { reasonOf } from '@shell/api';
import { AGENT_SESSIONS, type ConnectedBoards } from './boards';
import type { OnPick } from './charts/Shape';
import type { WidgetAnswer } from './engine';
import type { JsonObject, Widget } from './model';
import { ownBoards } from './OwnItems';
import { configured, type WidgetKind } from './widgets/kind';
import { allFiltered, counted, noValues, skippedLines, subitemsLeft } from './words';

/** What a tile can ask the page to do. */
export interface WidgetActions {
  connectBoards: () => void;
  edit: () => void;
  clearFilters: () => void;
  retry: () => void;
  openBoard: (id: string) => void;
  remove: () => void;
  /** Changes some of the widget's settings. */
  change: (settings: JsonObject) => void;
  /** Puts the settings back to those of a new widget. */
  reset: () => void;
  explain: () => void;
  /** Shows the items behind a part. */
  onPick: OnPick;
}

/** What a tile shows and knows. */
export interface WidgetBodyProps {
  widget: Widget;
  kind: WidgetKind | undefined;
  answer: WidgetAnswer | undefined;
  boards: Pick<ConnectedBoards, 'infos' | 'missing' | 'isLoading' | 'failed'>;
  boardIds: readonly string[];
  /** Why the engine could not compute. */
  error: unknown;
  actions: WidgetActions;
}

/** Why there is no value, and what can be done. A low tile has room for the beginning of it only: whoever points at it, or comes to what can be done, is told the rest. */
function State({
  name,
  icon,
  children,
  action,
  run,
}: {
  name: string;
  icon: IconName;
  children: string | readonly string[];
  action: string;
  run: () => void;
}) {
  const why = useId();
  const words = [children].flat().join('');
  return (
    <div className="tile-state" data-state={name} title={words}>
      <p id={why}>
        <Icon name={icon} />
        <span>{words}</span>
      </p>
      <Button onPress={run} aria-describedby={why}>
        {action}
      </Button>
    </div>
  );
}

/** The content of a tile. */
export function WidgetBody(props: WidgetBodyProps) {
  const { kind, answer, boards, boardIds, error, actions, widget } = props;
  if (!kind) {
    return (
      <State name="unknown" icon="info" action="Remove" run={actions.remove}>
        This version can't show widgets of type “{widget.kind}”.
      </State>
    );
  }
  const reads = !kind.readsNoBoards;
  if (reads && (!boardIds.length || (!boards.isLoading && boards.missing.length === boardIds.length))) {
    return (
      <State name="no-boards" icon="link" action="Connect boards" run={actions.connectBoards}>
        {boardIds.length ? 'No connected boards are available.' : 'No boards are connected.'}
      </State>
    );
  }
  if (reads && boards.failed.length) {
    const names = boards.failed.map((board) => board.name ?? 'a board').join(', ');
    return (
      <State name="error" icon="warning" action="Try again" run={actions.retry}>
        {names} couldn't be loaded. {reasonOf(boards.failed[0]?.error)}
      </State>
    );
  }
  if (error) {
    return (
      <State name="error" icon="warning" action="Try again" run={actions.retry}>
        Couldn't compute this widget. {reasonOf(error)}
      </State>
    );
  }
  if ((reads && boards.isLoading) || !answer || answer.state.name === 'loading')
    return <Loading label={`Loading ${widget.title}`} />;
  return <Answered {...props} kind={kind} answer={answer} />;
}

/** Such as `an effort column`. */
const named = (noun: string) => (noun.endsWith('s') ? noun : `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`);

function Answered({
  widget,
  kind,
  answer,
  boards,
  actions,
}: WidgetBodyProps & { kind: WidgetKind; answer: WidgetAnswer }) {
  const [asTable, setAsTable] = useState(false);
  const { state } = answer;
  switch (state.name) {
    case 'unmapped': {
      const names = (roles: readonly string[]) =>
        roles.map((role) => named(kind.roleNames[role]?.toLocaleLowerCase() ?? 'column')).join(' and ');
      const own = ownBoards(widget.settings, boards.infos);
      const nowhere = answer.roles
        .filter(
          ({ name, types }) =>
            state.roles.includes(name) && !own.some(({ columns }) => columns.some(({ type }) => types.includes(type))),
        )
        .map(({ name }) => name);
      const instead = nowhere.flatMap((role) => kind.without?.[role] ?? [])[0];
      const stored = own.find(({ id }) => id !== AGENT_SESSIONS);
      if (nowhere.length > 0 && (instead || stored)) {
        // There is nothing to choose from.
        return (
          <State
            name="unmapped"
            icon="settings"
            action={instead?.action ?? 'Open board'}
            run={() => (instead ? actions.change(instead.change) : actions.openBoard(stored?.id ?? ''))}
          >
            {`This widget needs ${names(nowhere)}, and ${own.length === 1 ? own[0]!.name : 'none of its boards'} has ${own.length === 1 ? 'none' : 'one'}.`}
          </State>
        );
      }
      return (
        <State name="unmapped" icon="settings" action="Choose columns" run={actions.edit}>
          Choose {names(state.roles) || 'a column'} for this widget.
        </State>
      );
    }
    case 'error':
      if (kind.readsNoBoards) {
        return (
          <State name="settings" icon="warning" action="Edit widget" run={actions.edit}>
            Page not shown: {state.message ?? 'no information'}.
          </State>
        );
      }
      return state.message ? (
        <State name="settings" icon="warning" action="Reset settings" run={actions.reset}>
          This widget's settings are invalid: {state.message}.
        </State>
      ) : (
        <State name="error" icon="warning" action="Try again" run={actions.retry}>
          Couldn't compute this widget.
        </State>
      );
    case 'no-boards': {
      // Those that it was made for may come back; to choose others would forget them.
      const { boards: own } = widget.settings;
      if (Array.isArray(own) && own.some((id) => boards.missing.includes(String(id)))) {
        return (
          <State name="no-boards" icon="link" action="Edit widget" run={actions.edit}>
            This widget's boards aren't available now.
          </State>
        );
      }
      return (
        <State name="no-boards" icon="settings" action="Choose boards" run={actions.edit}>
          No boards are selected for this widget.
        </State>
      );
    }
    case 'no-items': {
      const own = ownBoards(widget.settings, boards.infos);
      if (own.length > 0 && own.every(({ id }) => id === AGENT_SESSIONS)) {
        return (
          <div className="tile-state" data-state="no-items">
            <p>
              <Icon name="board" />
              <span>No sessions yet. They appear here automatically.</span>
            </p>
          </div>
        );
      }
      // One that has no columns for the widget may have items.
      const stored = own.filter(({ id }) => id !== AGENT_SESSIONS);
      const empty = stored.find(({ itemCount }) => itemCount === 0) ?? stored[0];
      return (
        <State name="no-items" icon="board" action="Open board" run={() => actions.openBoard(empty?.id ?? '')}>
          {own.length === 1 ? 'The connected board has no items yet.' : 'The connected boards have no items yet.'}
        </State>
      );
    }
    case 'all-filtered': {
      const { words, isOwn } = allFiltered(answer.reasons, state.total);
      return (
        <State
          name="all-filtered"
          icon="filter"
          action={isOwn ? 'Edit widget' : 'Clear filters'}
          run={isOwn ? actions.edit : actions.clearFilters}
        >
          {words}
        </State>
      );
    }
    case 'no-values': {
      const { words, action, change } = noValues(answer.reasons, answer.coverage);
      return (
        <State name="no-values" icon="info" action={action} run={change ? () => actions.change(change) : actions.edit}>
          {words}
        </State>
      );
    }
    default:
      return (
        <>
          <div className="tile-view">
            <kind.View
              {...configured(widget, answer)}
              widget={widget}
              answer={answer}
              boards={boards.infos}
              asTable={asTable}
              onPick={actions.onPick}
            />
          </div>
          <Foot
            title={widget.title}
            kind={kind}
            answer={answer}
            edit={actions.edit}
            explain={actions.explain}
            asTable={asTable}
            onTable={setAsTable}
          />
        </>
      );
  }
}

/** On what the value rests: how many boards contribute, whether it is approximate; and the table twin. */
function Foot({
  title,
  kind,
  answer,
  edit,
  explain,
  asTable,
  onTable,
}: {
  title: string;
  kind: WidgetKind;
  answer: WidgetAnswer;
  edit: () => void;
  explain: () => void;
  asTable: boolean;
  onTable: (asTable: boolean) => void;
}) {
  const { boardsUsed, boardsTotal } = answer.coverage;
  const skippedWhy = skippedLines(answer.coverage);
  const left = subitemsLeft(answer.coverage);
  const isPart = boardsUsed < boardsTotal;
  const coverage = `${boardsUsed} of ${boardsTotal} boards`;
  return (
    <div className="tile-foot">
      {isPart ? (
        <button
          type="button"
          className="tile-link"
          onClick={edit}
          title={['Boards without a column for this widget are left out', ...skippedWhy].join('\n')}
        >
          <Icon name="warning" size={12} />
          {coverage}
        </button>
      ) : (
        boardsTotal > 1 && <span title={skippedWhy.join('\n') || undefined}>{coverage}</span>
      )}
      {left > 0 && <span>{`${counted(left, 'subitem')} not counted`}</span>}
      <button
        type="button"
        className="tile-link tile-explain"
        data-approximate={answer.approximate || undefined}
        onClick={explain}
        aria-label={`${answer.approximate ? 'Approximate, explain' : 'Explain'} ${title}`}
      >
        <Icon name="info" size={12} />
        {answer.approximate && 'Approximate'}
      </button>
      {kind.hasTable && (
        <button type="button" className="tile-link tile-table" onClick={() => onTable(!asTable)}>
          {asTable ? 'Show as chart' : 'Show as table'}
        </button>
      )}
    </div>
  );
}
