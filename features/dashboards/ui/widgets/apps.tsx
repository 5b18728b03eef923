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
          Third-party page from <strong>{app.origin}</strong>. It can show anything here but can't read your boards. It
          loads only after you allow it.
        </span>
      </p>
      <p className="app-address">{app.address}</p>
      <Button onPress={() => void allow()}>Allow page</Button>
    </div>
  );
}

function View({ widget, answer }: ViewProps) {
  if (answer.kind !== 'apps' || !answer.result) return null;
  return (
    <>
      <Page app={answer.result} title={widget.title} />
      <p className="app-drawn">{`Third-party page from ${answer.result.origin}. Shown only in Pilothouse.`}</p>
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
          <span>
            {isRefused(list.error)
              ? `Only the account's owner can see pages from ${app.origin}.`
              : `Couldn't check whether this page is allowed. ${reasonOf(list.error)}`}
          </span>
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
        title={`${title}, page from ${app.origin}`}
        sandbox="allow-scripts allow-forms"
        allow=""
        referrerPolicy="no-referrer"
        loading="lazy"
      />
      <p className="figure-detail app-live">{`Page from ${app.origin}`}</p>
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
        help="Use https, or http on this computer. Loads after you allow it in the widget."
        error={address && wrong ? `Page not shown: ${wrong}.` : null}
        onChange={(text) => onChange({ ...settings, address: text.trim() })}
      />
      {items.length > 0 && (
        <fieldset className="mapping">
          <legend className="field-label">Pages allowed on this computer</legend>
          {items.map(({ id, address: allowed }) => (
            <div className="app-allowed" key={id}>
              <span className="app-address">{allowed}</span>
              <IconButton icon="close" label={`Remove ${allowed}`} onPress={() => void forbid(id)} />
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
  detail: 'Third-party page',
  icon: 'link',
  order: 80,
  isOffMenu: true,
  readsNoBoards: true,
  size: { w: 6, h: 8 },
  min: { w: 3, h: 3 },
  create: () => ({ address: '' }),
  describe: () => KINDS.apps,
  roleNames: {},
  explain: () => ["Third-party page. It doesn't come from Pilothouse and can't read your boards."],
  limits: [
    "Shown only after you allow its address on this computer. An imported config can't allow it.",
    'Exports, prints, and published pages name only its origin.',
  ],
  Editor,
  View,
};

export default kind;
