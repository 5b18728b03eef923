/** The dialog with a hub's tool servers: a list, and the form that adds or changes one. */
import { useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { reasonOf } from '@shell/api';
import { client, type Schemas } from '@shell/client';
import {
  Button,
  Dialog,
  EmptyState,
  ErrorState,
  IconButton,
  Loading,
  Select,
  TextField,
  toast,
} from '@shell/components';
import { HUBS, type Hub } from '../data';
import { DraftFault, drafts, fieldOf, missing, saveDrafts, type Draft } from '../engines/data';
import { VariablesField } from '../engines/VariablesField';
import '../engines/engines.css';

type Server = Schemas['ToolServer'];

/** Maximum characters of a name. */
const NAME_CHARS_MAX = 40;

const useServers = (hubId: string) =>
  useQuery({
    queryKey: [...HUBS, hubId, 'servers'],
    queryFn: ({ signal }) =>
      client.get('/hubs/{hubId}/servers', { path: { hubId }, query: {}, signal }).then(({ items }) => items),
  });

/** Changes of tool servers. Each throws what is wrong. */
function useServerActions(hubId: string) {
  const cache = useQueryClient();
  const then = <T,>(request: Promise<T>): Promise<T> =>
    request.finally(() => void cache.invalidateQueries({ queryKey: [...HUBS, hubId, 'servers'] }));
  const put = async (
    name: string,
    body: { command: string; args: string[] } | { url: string },
    values: readonly Draft[],
  ) => {
    const saved = await client.put('/hubs/{hubId}/servers/{name}', {
      path: { hubId, name },
      body: 'url' in body ? { ...body, args: [] } : body,
    });
    await saveDrafts(
      saved.values,
      values,
      ({ name: valueName, value, isSecret }) =>
        client.put('/hubs/{hubId}/servers/{name}/values/{valueName}', {
          path: { hubId, name, valueName },
          body: { value, isSecret },
        }),
      (valueName) =>
        client.delete('/hubs/{hubId}/servers/{name}/values/{valueName}', { path: { hubId, name, valueName } }),
    );
  };
  return {
    put: (...of: Parameters<typeof put>) => then(put(...of)),
    remove: (name: string) => then(client.delete('/hubs/{hubId}/servers/{name}', { path: { hubId, name } })),
  };
}

export function ToolServers({ hub, onClose }: { hub: Hub; onClose: () => void }) {
  const { data: servers, error, refetch } = useServers(hub.id);
  const { remove } = useServerActions(hub.id);
  const [edited, edit] = useState<Server | 'new' | null>(null);
  if (edited !== null)
    return <ServerForm hub={hub} server={edited === 'new' ? null : edited} onClose={() => edit(null)} />;
  const removeServer = async (name: string) => {
    try {
      await remove(name);
      toast.done(`Removed ${name}`);
    } catch (failure) {
      toast.problem("Couldn't remove tool server", failure);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Tool servers of ${hub.name}`}
      size="medium"
      actions={
        <>
          <Button onPress={onClose}>Close</Button>
          <Button variant="primary" icon="plus" onPress={() => edit('new')}>
            Add tool server
          </Button>
        </>
      }
    >
      {error && !servers ? (
        <ErrorState title="Couldn't load tool servers" error={error} onRetry={() => void refetch()} />
      ) : !servers ? (
        <Loading label="Loading tool servers" />
      ) : servers.length === 0 ? (
        <EmptyState icon="settings" title="No tool servers">
          Sessions in this hub get its tool servers (MCP) when they start.
        </EmptyState>
      ) : (
        <ul className="tool-servers" aria-label="Tool servers">
          {servers.map((server) => (
            <li key={server.name}>
              <span className="tool-server-what">
                <span>{server.name}</span>
                <code>{server.url ?? [server.command, ...server.args].join(' ')}</code>
              </span>
              <IconButton icon="edit" label={`Edit ${server.name}`} onPress={() => edit(server)} />
              <IconButton icon="trash" label={`Remove ${server.name}`} onPress={() => void removeServer(server.name)} />
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}

function ServerForm({ hub, server, onClose }: { hub: Hub; server: Server | null; onClose: () => void }) {
  const { put } = useServerActions(hub.id);
  const [form, setForm] = useState({
    name: server?.name ?? '',
    kind: server?.url ? 'url' : 'command',
    command: server?.command ?? '',
    args: server?.args.join('\n') ?? '',
    url: server?.url ?? '',
  });
  const [values, setValues] = useState<readonly Draft[]>(() => drafts(server?.values ?? []));
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const [wrong, setWrong] = useState<ReadonlyMap<number, string>>(new Map());
  const [isBusy, setBusy] = useState(false);
  const set = (more: Partial<typeof form>) => setForm((before) => ({ ...before, ...more }));
  const isUrl = form.kind === 'url';
  const save = async () => {
    if (isBusy) return;
    const [name, command, url] = [form.name.trim(), form.command.trim(), form.url.trim()];
    const empty = {
      ...(name ? {} : { name: 'Enter a name.' }),
      ...(isUrl || command ? {} : { command: 'Enter a command.' }),
      ...(!isUrl || url ? {} : { url: 'Enter an address.' }),
    };
    const unfilled = missing(values);
    setFaults(empty);
    setWrong(unfilled);
    if (Object.keys(empty).length > 0 || unfilled.size > 0) return;
    setBusy(true);
    try {
      const args = form.args.split('\n').map((line) => line.trim());
      await put(name, isUrl ? { url } : { command, args: args.filter(Boolean) }, values);
      toast.done(`Saved ${name}`);
      onClose();
    } catch (failure) {
      if (failure instanceof DraftFault) setWrong(new Map([[failure.key, failure.message]]));
      else setFaults({ [fieldOf(failure) ?? 'name']: reasonOf(failure) });
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={server ? `Edit ${server.name}` : 'Add a tool server'}
      size="medium"
      actions={
        <>
          <Button onPress={onClose}>Back</Button>
          <Button variant="primary" isPending={isBusy} onPress={() => void save()}>
            Save server
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        autoFocus={!server}
        isDisabled={!!server}
        value={form.name}
        onChange={(name) => set({ name })}
        maxLength={NAME_CHARS_MAX}
        error={faults.name}
      />
      <Select
        label="Connection"
        value={form.kind}
        onChange={(kind) => set({ kind })}
        options={[
          { value: 'command', label: 'Command' },
          { value: 'url', label: 'Address' },
        ]}
      />
      {isUrl ? (
        <TextField
          label="Address"
          mono
          value={form.url}
          onChange={(url) => set({ url })}
          placeholder="https://tools.example/mcp"
          error={faults.url}
        />
      ) : (
        <>
          <TextField
            label="Command"
            mono
            value={form.command}
            onChange={(command) => set({ command })}
            placeholder="npx"
            help="A command on PATH, or an absolute path."
            error={faults.command}
          />
          <TextField
            label="Arguments"
            mono
            rows={3}
            spellCheck="false"
            value={form.args}
            onChange={(args) => set({ args })}
            help="One per line."
            error={faults.args}
          />
        </>
      )}
      <VariablesField
        label={isUrl ? 'Headers' : 'Environment variables'}
        what={isUrl ? 'header' : 'variable'}
        help="Secret values are hidden in transcripts."
        values={values}
        onChange={setValues}
        faults={wrong}
      />
    </Dialog>
  );
}
