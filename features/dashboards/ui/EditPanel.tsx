import { Switch, SidePanel, TextField } from '@shell/components';
import type { BoardInfo } from './boards';
import type { JsonObject, Widget } from './model';
import type { Configured, WidgetKind } from './widgets/kind';

/** Settings of one widget, at the side: the dashboard stays in view and follows every change. */
export function EditPanel(props: {
  widget: Widget;
  kind: WidgetKind;
  configured: Configured;
  boards: readonly BoardInfo[];
  placeholder: string;
  onClose: () => void;
  onTitle: (title: string) => void;
  onSettings: (settings: JsonObject) => void;
}) {
  const { widget, kind, configured, boards, placeholder, onClose, onTitle, onSettings } = props;
  const { settings } = configured;
  return (
    <SidePanel title={`Edit ${kind.label.toLocaleLowerCase()}`} onClose={onClose}>
      <div className="edit-fields">
        <TextField label="Title" value={widget.title} placeholder={placeholder} maxLength={255} onChange={onTitle} autoFocus />
        <kind.Editor {...configured} onChange={onSettings} boards={boards} />
        <Switch isSelected={settings.includeSubitems === true} onChange={(includeSubitems) => onSettings({ ...settings, includeSubitems })}>
          Count subitems too
        </Switch>
        {!boards.length && <p className="field-help">Connect boards to choose columns.</p>}
      </div>
    </SidePanel>
  );
}
