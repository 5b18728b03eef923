/** What stands in a tile, drawn again only where something in it is another: charts cost more than the page around them. */
import { steady } from '@shell/steady';
import { OnlyThis } from './toolbar/OnlyThis';
import { Reach } from './toolbar/Reach';
import type { ComponentProps } from 'react';
import type { ConnectedBoards } from './boards';
import { WidgetBody, type WidgetActions, type WidgetBodyProps } from './WidgetBody';

type Props = Omit<WidgetBodyProps, 'boards' | 'actions'> &
  WidgetActions &
  Pick<ConnectedBoards, 'infos' | 'missing' | 'isLoading' | 'failed'> & {
    title: string;
    onlyThis: ComponentProps<typeof OnlyThis>['value'];
    reach: ComponentProps<typeof Reach>['parts'];
    faults: ComponentProps<typeof Reach>['faults'];
    /** The widget's own rules in words. */
    rules: readonly string[];
  };

/** What is cut off here is in Explain. */
const Own = ({ said }: { said: string }) => (
  <p className="tile-rules" title={said}>
    {said}
  </p>
);

export const TileContent = steady(
  ({
    widget,
    title,
    kind,
    answer,
    boardIds,
    error,
    infos,
    missing,
    isLoading,
    failed,
    onlyThis,
    reach,
    faults,
    rules,
    ...actions
  }: Props) => (
    <OnlyThis value={onlyThis}>
      <WidgetBody
        widget={{ ...widget, title }}
        kind={kind}
        answer={answer}
        boards={{ infos, missing, isLoading, failed }}
        boardIds={boardIds}
        error={error}
        actions={actions}
      />
      <div className="tile-notes">
        {rules.length > 0 && <Own said={`Only: ${rules.join('; ')}`} />}
        <Reach parts={reach} faults={faults} />
      </div>
    </OnlyThis>
  ),
);
