/** The calendars by account, with their colors, problems, and actions, and the layers. */
import { useState } from 'react';
import { Button, Checkbox, ConfirmDialog, Icon, IconButton, Menu, Switch, type MenuGroup } from '@shell/components';
import { CalendarDialog, ImportDialog } from './AddDialogs';
import { Conflicts } from './Conflicts';
import { exportCalendar, useLayers, type CalendarActions } from './data';
import type { Account, Calendar } from './types';

export type Adding = 'local' | 'caldav' | 'subscription';

/** Ways to add a calendar. */
export const addGroups = (onAdd: (kind: Adding) => void): MenuGroup[] => [
  {
    entries: [
      { id: 'local', label: 'New calendar', icon: 'plus', onAction: () => onAdd('local') },
      { id: 'caldav', label: 'Add CalDAV account', icon: 'people', onAction: () => onAdd('caldav') },
      { id: 'subscription', label: 'Subscribe to calendar', icon: 'link', onAction: () => onAdd('subscription') },
    ],
  },
];

interface CalendarListProps {
  calendars: readonly Calendar[];
  accounts: readonly Account[];
  actions: CalendarActions;
  hasSessions: boolean;
  onSessions: (isShown: boolean) => void;
  onAdd: (kind: Adding) => void;
}

const hostOf = (url: string) => {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
};

export function CalendarList({ calendars, accounts, actions, hasSessions, onSessions, onAdd }: CalendarListProps) {
  const { hasBoards, showBoards } = useLayers();
  const [editing, setEditing] = useState<Calendar | null>(null);
  const [importing, setImporting] = useState<Calendar | null>(null);
  const [removing, setRemoving] = useState<Calendar | null>(null);
  const [leaving, setLeaving] = useState<Account | null>(null);
  const kind = (wanted: Calendar['kind']) => calendars.filter((one) => one.kind === wanted);
  const row = (calendar: Calendar) => (
    <CalendarRow
      key={calendar.id}
      calendar={calendar}
      actions={actions}
      onEdit={() => setEditing(calendar)}
      onImport={() => setImporting(calendar)}
      onRemove={() => setRemoving(calendar)}
    />
  );
  return (
    <aside className="cal-side" aria-label="Calendars">
      <div className="cal-side-head">
        <h2>Calendars</h2>
        <Menu label="Add calendar" groups={addGroups(onAdd)}>
          <IconButton icon="plus" label="Add calendar" />
        </Menu>
      </div>
      <Conflicts />
      {kind('local').length > 0 && <ul>{kind('local').map(row)}</ul>}
      {accounts.map((account) => {
        const name = `${account.username}, ${hostOf(account.url)}`;
        return (
          <section key={account.id} aria-label={name}>
            <div className="cal-side-head">
              <h3 title={account.url}>{name}</h3>
              <Menu
                label={`Actions for ${name}`}
                groups={[
                  {
                    entries: [
                      { id: 'sync', label: 'Sync now', icon: 'restart', onAction: () => void actions.sync(account) },
                      {
                        id: 'remove',
                        label: 'Remove account',
                        icon: 'trash',
                        isDanger: true,
                        onAction: () => setLeaving(account),
                      },
                    ],
                  },
                ]}
              >
                <IconButton icon="more" label={`Actions for ${name}`} />
              </Menu>
            </div>
            <ul>
              {kind('caldav')
                .filter(({ accountId }) => accountId === account.id)
                .map(row)}
            </ul>
          </section>
        );
      })}
      {kind('subscription').length > 0 && (
        <section aria-label="Subscriptions">
          <div className="cal-side-head">
            <h3>Subscriptions</h3>
          </div>
          <ul>{kind('subscription').map(row)}</ul>
        </section>
      )}
      <section aria-label="Layers" className="cal-layers">
        <h3>Layers</h3>
        <Switch isSelected={hasBoards} onChange={(isShown) => void showBoards(isShown)}>
          Board dates
        </Switch>
        <Switch isSelected={hasSessions} onChange={onSessions}>
          Sessions
        </Switch>
      </section>
      {editing && <CalendarDialog calendar={editing} actions={actions} onClose={() => setEditing(null)} />}
      {importing && <ImportDialog calendar={importing} onClose={() => setImporting(null)} />}
      <ConfirmDialog
        isOpen={removing !== null}
        onClose={() => setRemoving(null)}
        title={`${removing?.kind === 'local' ? 'Delete' : 'Remove'} ${removing?.name ?? ''}`}
        action={removing?.kind === 'local' ? 'Delete calendar' : 'Remove calendar'}
        onConfirm={() => removing && void actions.removeCalendar(removing)}
      >
        {removing?.kind === 'local'
          ? 'Deletes its events too. You can restore it for 30 days.'
          : 'Removed from Pilothouse only. It stays on the server.'}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={leaving !== null}
        onClose={() => setLeaving(null)}
        title={`Remove ${leaving?.username ?? ''}`}
        action="Remove account"
        onConfirm={() => leaving && void actions.removeAccount(leaving)}
      >
        Its calendars are removed from Pilothouse. Unsent changes are lost.
      </ConfirmDialog>
    </aside>
  );
}

function CalendarRow({
  calendar,
  actions,
  onEdit,
  onImport,
  onRemove,
}: {
  calendar: Calendar;
  actions: CalendarActions;
  onEdit: () => void;
  onImport: () => void;
  onRemove: () => void;
}) {
  const { name, color, isShown, isWritable, kind, accountId, problem } = calendar;
  const account = accountId === null ? null : { id: accountId };
  return (
    <li className="cal-calendar">
      <div className="cal-calendar-row" style={{ '--tint': color } as React.CSSProperties}>
        <Checkbox isSelected={isShown} onChange={(next) => void actions.updateCalendar(calendar, { isShown: next })}>
          <span className="cal-swatch" />
          <span className="cal-name">{name}</span>
        </Checkbox>
        <Menu
          label={`Actions for ${name}`}
          groups={[
            {
              entries: [
                { id: 'edit', label: 'Edit', icon: 'edit', onAction: onEdit },
                ...(isWritable
                  ? [{ id: 'import', label: 'Import .ics file', icon: 'upload' as const, onAction: onImport }]
                  : []),
                {
                  id: 'export',
                  label: 'Export .ics file',
                  icon: 'download',
                  onAction: () => void exportCalendar(calendar),
                },
                ...(account
                  ? [
                      {
                        id: 'sync',
                        label: 'Sync now',
                        icon: 'restart' as const,
                        onAction: () => void actions.sync(account),
                      },
                    ]
                  : []),
                {
                  id: 'remove',
                  label: kind === 'local' ? 'Delete' : 'Remove',
                  icon: 'trash',
                  isDanger: true,
                  onAction: onRemove,
                },
              ],
            },
          ]}
        >
          <IconButton icon="more" label={`Actions for ${name}`} />
        </Menu>
      </div>
      {problem && (
        <div className="cal-problem">
          <p>
            <Icon name="warning" size={12} /> {problem}
          </p>
          <p>
            {kind === 'subscription'
              ? 'Check its address. If it moved, remove it and subscribe to the new one.'
              : 'Sync again. If it still fails, remove the account and add it with a new app password.'}
          </p>
          {account && <Button onPress={() => void actions.sync(account)}>Sync now</Button>}
        </div>
      )}
    </li>
  );
}
