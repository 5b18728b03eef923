import { useEffect } from 'react';
import { Switch, SidePanel, TextField } from '@shell/components';
import type { BoardInfo } from './boards';
import type { WidgetAnswer } from './engine';
import type { Json } from '@shell/settings';
import type { JsonObject, Widget } from './model';
import { OwnBoards, OwnRules, ownBoards } from './OwnItems';
import type { Configured, WidgetKind } from './widgets/kind';
import { idle } from './words';

/** Settings of one widget, at the side: the dashboard stays in view and follows every change. */
export function EditPanel(props: {
  widget: Widget;
  kind: WidgetKind;
  configured: Configured;
  answer: WidgetAnswer | undefined;
  boards: readonly BoardInfo[];
  boardIds: readonly string[];
  placeholder: string;
  onClose: () => void;
  onTitle: (title: string) => void;
  onSettings: (settings: JsonObject) => void;
}) {
  const { widget, kind, configured, answer, boards, boardIds, placeholder, onClose, onTitle, onSettings } = props;
  const { settings } = configured;
  useEffect(
    // The menu that opened it has the focus again, unless it is elsewhere already.
    () => () => {
      if (document.activeElement === document.body)
        document
          .querySelector<HTMLElement>(`[data-widget="${CSS.escape(widget.id)}"] .tile-tools button:last-of-type`)
          ?.focus();
    },
    [widget.id],
  );
  const own = ownBoards(settings, boards);
  const setRules = (rules: Json[] | undefined) => {
    const { rules: _before, ...rest } = settings;
    onSettings(rules ? { ...rest, rules } : rest);
  };
  return (
    <SidePanel title={`Edit ${kind.label.toLocaleLowerCase()}`} onClose={onClose}>
      <div className="edit-fields">
        <TextField
          label="Title"
          value={widget.title}
          placeholder={placeholder}
          maxLength={255}
          onChange={onTitle}
          autoFocus
        />
        <kind.Editor {...configured} answer={answer} onChange={onSettings} boards={own} />
        {!kind.readsNoBoards && (
          <>
            <OwnBoards settings={settings} onChange={onSettings} boards={boards} boardIds={boardIds} />
            {boards.length > 0 && (
              <OwnRules
                label="Rules of this widget"
                rules={settings.rules}
                onRules={setRules}
                boards={own}
                inert={idle(answer?.coverage, 'rules')}
              />
            )}
            <Switch
              isSelected={settings.includeSubitems === true}
              onChange={(includeSubitems) => onSettings({ ...settings, includeSubitems })}
            >
              Include subitems
            </Switch>
            {!boards.length && <p className="field-help">Connect boards to choose columns.</p>}
          </>
        )}
      </div>
    </SidePanel>
  );
}
