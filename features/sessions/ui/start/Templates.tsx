/** The menu of prompt templates, and the dialogs that save and manage them. */
import { useState } from 'react';
import { reasonOf } from '@shell/api';
import { Button, Dialog, EmptyState, IconButton, Menu, TextField } from '@shell/components';
import { useTemplateActions, useTemplates, type Template } from './data';

/** Templates in the menu; the dialog lists all. */
const MENU_MAX = 12;
/** Maximum characters of a name. */
const NAME_CHARS_MAX = 100;

/** `text` is the message so far; `onInsert` gets a template's text. */
export function Templates({ text, onInsert }: { text: string; onInsert: (text: string) => void }) {
  const { data: templates } = useTemplates();
  const [open, setOpen] = useState<'save' | 'manage' | null>(null);
  const all = templates ?? [];
  const close = () => setOpen(null);
  const isEmpty = text.trim() === '';
  return (
    <>
      <Menu
        label="Templates"
        placement="bottom start"
        groups={[
          ...(all.length > 0
            ? [
                {
                  label: 'Insert',
                  entries: all.slice(0, MENU_MAX).map((one) => ({
                    id: one.id,
                    label: one.name,
                    onAction: () => onInsert(one.text),
                  })),
                },
              ]
            : []),
          {
            entries: [
              {
                id: 'save',
                label: 'Save as template',
                ...(isEmpty ? { detail: 'Write a message first' } : {}),
                isDisabled: isEmpty,
                onAction: () => setOpen('save'),
              },
              { id: 'manage', label: 'Manage templates', onAction: () => setOpen('manage') },
            ],
          },
        ]}
      >
        <Button icon="copy">Templates</Button>
      </Menu>
      {open === 'save' && <SaveTemplate text={text} templates={all} onClose={close} />}
      {open === 'manage' && (
        <ManageTemplates
          templates={all}
          onClose={close}
          onInsert={(inserted) => {
            close();
            onInsert(inserted);
          }}
        />
      )}
    </>
  );
}

/** A field for a name, and what is done with it. */
function NameDialog(props: {
  title: string;
  action: (name: string) => string;
  name?: string;
  onClose: () => void;
  onSave: (name: string) => Promise<unknown>;
}) {
  const { title, action, onClose, onSave } = props;
  const [name, setName] = useState(props.name ?? '');
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const given = name.trim();
  const save = async () => {
    if (isBusy) return;
    if (given === '') return setFault('Enter a name.');
    setBusy(true);
    try {
      await onSave(given);
      onClose();
    } catch (failure) {
      setFault(reasonOf(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button variant="primary" isPending={isBusy} onPress={() => void save()}>
            {action(given)}
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        value={name}
        onChange={(next) => {
          setName(next);
          setFault(null);
        }}
        maxLength={NAME_CHARS_MAX}
        error={fault}
        autoFocus
        onInputKeyDown={(event) => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) void save();
        }}
      />
    </Dialog>
  );
}

function SaveTemplate({
  text,
  templates,
  onClose,
}: {
  text: string;
  templates: readonly Template[];
  onClose: () => void;
}) {
  const { save, change } = useTemplateActions();
  const same = (name: string) => templates.find((one) => one.name === name);
  return (
    <NameDialog
      title="Save as template"
      action={(name) => (same(name) ? 'Replace template' : 'Save template')}
      onClose={onClose}
      onSave={(name) => {
        const known = same(name);
        return known ? change(known.id, { text }) : save(name, text);
      }}
    />
  );
}

function ManageTemplates({
  templates,
  onClose,
  onInsert,
}: {
  templates: readonly Template[];
  onClose: () => void;
  onInsert: (text: string) => void;
}) {
  const { change, remove } = useTemplateActions();
  const [renamed, rename] = useState<Template | null>(null);
  return (
    <Dialog isOpen onClose={onClose} title="Prompt templates" size="medium">
      {templates.length === 0 ? (
        <EmptyState icon="copy" title="No templates yet">
          Write a message and choose &quot;Save as template&quot;.
        </EmptyState>
      ) : (
        <ul aria-label="Prompt templates">
          {templates.map((one) => (
            <li key={one.id} className="template">
              <span className="template-text">
                <span>{one.name}</span>
                <span className="template-start">{one.text.slice(0, 200)}</span>
              </span>
              <Button aria-label={`Insert ${one.name}`} onPress={() => onInsert(one.text)}>
                Insert
              </Button>
              <IconButton icon="edit" label={`Rename ${one.name}`} onPress={() => rename(one)} />
              <IconButton icon="trash" label={`Delete ${one.name}`} onPress={() => void remove(one)} />
            </li>
          ))}
        </ul>
      )}
      {renamed && (
        <NameDialog
          title="Rename template"
          action={() => 'Rename'}
          name={renamed.name}
          onClose={() => rename(null)}
          onSave={(name) => change(renamed.id, { name })}
        />
      )}
    </Dialog>
  );
}
