import { memo, useState, type KeyboardEvent } from 'react';
import { Badge, Button, Icon, IconButton, Menu, Switch, copyText } from '@shell/components';
import { isPlanned, type Json, type Setting } from '@shell/settings';
import type { Refusal } from './data';
import { Editor, isWide } from './editors/Editor';
import { asCli, asCurl, inWords, isModified, stillRunning } from './model';

const APPLIES = {
  now: null,
  'next-session': 'Applies to new sessions',
  'next-start': 'Requires a restart',
  'next-cloud-launch': 'Applies at the next cloud launch',
} as const;

const CURL_NEEDS = 'Reads the token from the data directory. If you moved it, set PILOTHOUSE_DATA_DIR first.';

/** Why the setting has no effect now, and a stored value that isn't accepted. */
function notesOf(setting: Setting): string[] {
  const { effect, problem, schema, unit } = setting;
  const stored = problem ? [`Stored: ${inWords(schema, problem.stored, unit)}. ${problem.detail}`] : [];
  // The heading says why planned settings have no effect.
  if (isPlanned(setting)) return stored;
  // A pending restart has a badge and the bar.
  const reasons = effect.reasons
    .filter((reason) => !effect.active || reason.code !== 'restart-pending')
    .map(({ code, detail }) => (code === 'restart-pending' ? stillRunning(setting) : detail));
  return [...(effect.active ? [] : ['Not in effect.']), ...reasons, ...stored];
}

interface RowProps {
  setting: Setting;
  isActive: boolean;
  onActivate: (key: string) => void;
  onChange: (setting: Setting, value: Json, reset?: boolean) => Promise<Refusal>;
  onHistory: (key: string) => void;
  onJson: (setting: Setting) => void;
}

/** The value of a setting whose feature isn't built yet: shown, and not to be changed here. */
function PlannedValue({ setting: { schema, value, title, unit } }: { setting: Setting }) {
  if (typeof value === 'boolean') {
    return (
      <div className="editor-toggle">
        <Switch isSelected={value} isDisabled onChange={() => {}} aria-label={title} />
      </div>
    );
  }
  return (
    <Button isDisabled>
      <span className="sr-only">{title}:</span>
      <span className="row-summary">{inWords(schema, value, unit)}</span>
    </Button>
  );
}

/** One setting: name, description, and editor. */
export const Row = memo(function Row({ setting, isActive, onActivate, onChange, onHistory, onJson }: RowProps) {
  const [isOpen, setOpen] = useState(false);
  const [refused, setRefused] = useState<Refusal>(null);
  // Wide editors stay folded until asked for, so that a section can be read at a glance.
  const wide = isWide(setting.schema);
  const planned = isPlanned(setting);
  const reset = async () => setRefused(await onChange(setting, null, true));
  const notes = notesOf(setting);
  const isDifferent = isModified(setting);
  const editor = (
    <Editor
      schema={setting.schema}
      value={setting.value}
      label={setting.title}
      unit={setting.unit}
      onCommit={(value) => {
        setRefused(null);
        return onChange(setting, value);
      }}
    />
  );

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const row = event.currentTarget;
    if (event.key === 'Escape' && event.target !== row) {
      event.stopPropagation();
      row.focus();
    }
    if (event.key !== 'Enter' || event.target !== row) return;
    event.preventDefault();
    row.querySelector<HTMLElement>('.row-editor :is(input, textarea, button):not([disabled])')?.focus();
  };

  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Keys of the elements inside bubble up here.
    <div
      className="row"
      role="group"
      aria-label={setting.title}
      // Not aria-disabled, which would disable the row's menu too.
      data-planned={planned || undefined}
      tabIndex={isActive ? 0 : -1}
      data-key={setting.key}
      data-modified={isDifferent || undefined}
      onFocus={() => onActivate(setting.key)}
      onKeyDown={onKeyDown}
    >
      <div className="row-head">
        <h3 className="row-title">
          {setting.title}
          {isDifferent && <Badge tone="accent">Modified</Badge>}
          {setting.pendingRestart && (
            <Badge tone="warn" icon="restart">
              Restart to apply
            </Badge>
          )}
        </h3>
        <p className="row-text">{setting.description}</p>
        <p className="row-notes">
          <code>{setting.key}</code>
          {isDifferent && <span>Default: {inWords(setting.schema, setting.default, setting.unit)}</span>}
          {APPLIES[setting.applies] && <span>{APPLIES[setting.applies]}</span>}
          {setting.writableBy.includes('agent') && <span>Agents can change it</span>}
        </p>
        {notes.length > 0 && (
          <p className="row-effect">
            <Icon name="info" size={12} />
            <span>{notes.join(' ')}</span>
          </p>
        )}
      </div>
      <div className="row-editor">
        {planned ? (
          <PlannedValue setting={setting} />
        ) : wide ? (
          <Button aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
            <span className="sr-only">Edit {setting.title}:</span>
            <span className="row-summary">{inWords(setting.schema, setting.value, setting.unit)}</span>
            <Icon name={isOpen ? 'chevronUp' : 'chevronDown'} size={12} />
          </Button>
        ) : (
          editor
        )}
        {refused && (
          <span className="field-error" role="alert">
            {refused}
          </span>
        )}
      </div>
      <div className="row-actions">
        {isDifferent && <IconButton icon="reset" label={`Reset ${setting.title}`} onPress={() => void reset()} />}
        <Menu
          label={`More for ${setting.title}`}
          groups={[
            {
              entries: [
                { id: 'history', label: 'Show history', icon: 'history', onAction: () => onHistory(setting.key) },
                { id: 'json', label: 'Open as JSON', icon: 'eye', onAction: () => onJson(setting) },
              ],
            },
            {
              entries: [
                { id: 'key', label: 'Copy key', icon: 'copy', onAction: () => void copyText(setting.key, 'Key') },
                {
                  id: 'cli',
                  label: 'Copy as command',
                  icon: 'session',
                  onAction: () => void copyText(asCli(setting), 'Command'),
                },
                {
                  id: 'curl',
                  label: 'Copy as curl',
                  icon: 'link',
                  onAction: () =>
                    void copyText(asCurl(setting, location.origin, navigator.platform), 'Command', CURL_NEEDS),
                },
              ],
            },
            ...(setting.modified
              ? [
                  {
                    entries: [
                      { id: 'reset', label: 'Reset to default', icon: 'reset' as const, onAction: () => void reset() },
                    ],
                  },
                ]
              : []),
          ]}
        >
          <IconButton icon="more" label={`More for ${setting.title}`} />
        </Menu>
      </div>
      {wide && isOpen && !planned && <div className="row-wide">{editor}</div>}
    </div>
  );
});
