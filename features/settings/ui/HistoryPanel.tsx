import { useQueryClient } from '@tanstack/react-query';
import { Badge, Button, EmptyState, ErrorState, Icon, Loading, SidePanel, Time } from '@shell/components';
import type { Json, Setting } from '@shell/settings';
import { undo, useHistory, type Change } from './data';
import { inForce, inWords } from './model';

const ACTORS: Record<string, string> = {
  owner: 'You',
  cli: 'Command line',
  agent: 'An agent',
  member: 'A member',
  app: 'Pilothouse',
};

/** Who changed it, when, from what to what; with `settingKey` null for all settings. */
export function HistoryPanel({
  settingKey,
  settings,
  onClose,
}: {
  settingKey: string | null;
  settings: readonly Setting[];
  onClose: () => void;
}) {
  const { data, error, refetch, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useHistory(settingKey);
  const byKey = new Map(settings.map((setting) => [setting.key, setting]));
  const changes = data?.pages.flatMap((page) => page.items) ?? [];
  const title = settingKey ? `History of ${byKey.get(settingKey)?.title ?? settingKey}` : 'Settings history';
  return (
    <SidePanel title={title} onClose={onClose}>
      {isPending && <Loading label="Loading history" />}
      {error && <ErrorState title="Couldn't load history" error={error} onRetry={() => void refetch()} />}
      {data && changes.length === 0 && (
        <EmptyState icon="history" title="No changes yet">
          Changes to settings appear here. You can undo each one.
        </EmptyState>
      )}
      <ol className="changes">
        {changes.map((change) => (
          <ChangeEntry key={change.change} change={change} setting={byKey.get(change.key)} showTitle={!settingKey} />
        ))}
      </ol>
      {hasNextPage && (
        <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          Show earlier changes
        </Button>
      )}
    </SidePanel>
  );
}

function ChangeEntry({
  change,
  setting,
  showTitle,
}: {
  change: Change;
  setting: Setting | undefined;
  showTitle: boolean;
}) {
  const client = useQueryClient();
  const words = (value: Json) =>
    setting
      ? inWords(setting.schema, inForce(setting, value), setting.unit)
      : value === null
        ? 'default'
        : inWords({}, value);
  const title = setting?.title ?? change.key;
  return (
    <li className="change" data-undone={change.undone || undefined}>
      {showTitle && <strong>{title}</strong>}
      <p className="change-values">
        <span>{words(change.from)}</span> <Icon name="chevronRight" size={12} />
        <span className="sr-only">became</span> <span>{words(change.to)}</span>
      </p>
      <p className="change-notes">
        {ACTORS[change.actor.kind] ?? change.actor.kind}
        {change.actor.session && <code>{change.actor.session}</code>}
        <Time at={change.at} />
      </p>
      {change.undone ? (
        <Badge>Undone</Badge>
      ) : (
        <Button
          aria-label={`Undo: ${title}, ${words(change.from)} to ${words(change.to)}`}
          icon="undo"
          onPress={() => void undo(client, { key: change.key, title }, change.change)}
        >
          Undo
        </Button>
      )}
    </li>
  );
}
