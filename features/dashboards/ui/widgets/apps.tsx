/**
 * Apps: a page of somebody else's in a frame that is closed off. Off the menu: drawn where a config names it.
 *
 * Whoever wrote the config, nothing is loaded before the owner has allowed that address at this page; what is then framed is a
 * page of our own, which may load that address and nothing else. Nothing is ever sent into the frame.
 */
import { reasonOf } from '@shell/api';
import { Button, Icon, IconButton, Loading, TextField } from '@shell/components';
import type { AppsResult } from '@shell/engine/types';
import { KINDS } from '@shell/gen/titles';
import { isRefused, useAllowedApps } from '../apps/allowed';
import type { EditorProps, ViewProps, WidgetKind } from './kind';

function Asks({ app, allow }: { app: AppsResult; allow: () => Promise<void> }) {
  return (
    <div className="tile-state app-live" data-state="not-allowed">
      <p>
        <Icon name="info" />
        <span>
          This would load a page of <strong>{app.origin}</strong>. It can show what it likes here, and is told nothing of your boards. It is loaded only once you allow it.
        </span>
      </p>
      <p className="app-address">{app.address}</p>
      <Button onPress={() => void allow()}>Allow this page</Button>
    </div>
  );
}

function View({ widget, answer }: ViewProps) {
  if (answer.kind !== 'apps' || !answer.result) return null;
  return (
    <>
      <Page app={answer.result} title={widget.title} />
      <p className="app-drawn">{`A page of ${answer.result.origin}: shown only in the program.`}</p>
    </>
  );
}

/** The page itself, or why it is not there. Neither is in a picture or on paper: an address may be all that protects a page. */
function Page({ app, title }: { app: AppsResult; title: string }) {
  const { list, allow } = useAllowedApps();
  const frame = list.data?.items.find(({ address }) => address === app.address)?.frame;
  if (list.isPending) return <Loading label={`Loading ${title}`} />;
  if (!list.data) {
    return (
      <div className="tile-state app-live" data-state="not-allowed">
        <p>
          <Icon name="info" />
          <span>{isRefused(list.error) ? `A page of ${app.origin} is shown to the owner of the account only.` : `It is not known whether this page may be shown. ${reasonOf(list.error)}`}</span>
        </p>
        {!isRefused(list.error) && <Button onPress={() => void list.refetch()}>Try again</Button>}
      </div>
    );
  }
  if (!frame) return <Asks app={app} allow={() => allow(app.address)} />;
  return (
    <>
      <iframe
        key={frame}
        className="app-frame app-live"
        src={`${import.meta.env.BASE_URL}${frame}`}
        title={`${title}, a page of ${app.origin}`}
        sandbox="allow-scripts allow-forms"
        allow=""
        referrerPolicy="no-referrer"
        loading="lazy"
      />
      <p className="figure-detail app-live">{`A page of ${app.origin}`}</p>
    </>
  );
}

function Editor({ settings, onChange, answer }: EditorProps) {
  const { list, forbid } = useAllowedApps();
  const address = typeof settings.address === 'string' ? settings.address : '';
  const wrong = answer?.state.name === 'error' ? answer.state.message : undefined;
  const items = list.data?.items ?? [];
  return (
    <>
      <TextField
        label="Address"
        value={address}
        placeholder="https://"
        inputMode="url"
        help="https, or http of this computer. It is loaded once you have allowed it in the widget."
        error={address && wrong ? `This page is not shown: ${wrong}.` : null}
        onChange={(text) => onChange({ ...settings, address: text.trim() })}
      />
      {items.length > 0 && (
        <fieldset className="mapping">
          <legend className="field-label">Pages allowed on this computer</legend>
          {items.map(({ id, address: allowed }) => (
            <div className="app-allowed" key={id}>
              <span className="app-address">{allowed}</span>
              <IconButton icon="close" label={`Allow ${allowed} no more`} onPress={() => void forbid(id)} />
            </div>
          ))}
        </fieldset>
      )}
    </>
  );
}

const kind: WidgetKind = {
  kind: 'apps',
  label: 'App',
  detail: 'A page of somebody else’s',
  icon: 'link',
  order: 80,
  isOffMenu: true,
  readsNoBoards: true,
  size: { w: 6, h: 8 },
  min: { w: 3, h: 3 },
  create: () => ({ address: '' }),
  describe: () => KINDS.apps,
  roleNames: {},
  explain: () => ['A page of somebody else’s. Nothing in it comes from Pilothouse, and nothing of your boards goes to it.'],
  limits: ['It is shown once you have allowed its address, on this computer only; a config that somebody else wrote allows nothing.', 'It is not in pictures, on paper or where the dashboard is published: there only its origin is named.'],
  Editor,
  View,
};

export default kind;
