import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '@shell/api';
import { client, type Schemas } from '@shell/client';
import {
  Badge,
  Button,
  Checkbox,
  ConfirmDialog,
  copyText,
  Dialog,
  ErrorState,
  Loading,
  Select,
  Time,
  toast,
} from '@shell/components';
import type { Saved } from '../draft/draft';
import { counted } from '../words';
import { PUBLICATION } from './data';
import { PreviewPage } from './PreviewPage';

type Publication = Schemas['Publication'];
type Preview = Schemas['PublicationPreview'];

const HOLDS: Record<Preview['holds'][number], string> = {
  labels: 'labels',
  'board-names': 'board names',
  'group-names': 'group names',
  'sprint-names': 'sprint names',
  'item-names': 'item names',
  'cell-texts': 'cell text',
  'people-names': "people's names",
};
const WHY: Record<Preview['leftOut'][number]['why'], string> = {
  'shows-items': 'it shows individual items',
  'inert-rule': 'one of its filters no longer works, so it might show more than you intend',
  'no-result': 'it has no result',
};

/** What stands on the page only where it is ticked. */
type Ticked = Pick<Publication, 'names' | 'texts'>;
const TICKED_BY: Partial<Record<Preview['holds'][number], keyof Ticked>> = {
  'people-names': 'names',
  'item-names': 'texts',
  'cell-texts': 'texts',
};
const NUMBERED: Record<keyof Ticked, string> = {
  names: 'People are shown as numbers. ',
  texts: 'Items and cell text are shown as numbers. ',
};

/** `Select` takes no null: the end stays as it is. */
const AS_IT_IS = -1;
const ENDS = [
  { value: 0, label: 'Never' },
  { value: 1, label: 'After a day' },
  { value: 7, label: 'After 7 days' },
  { value: 30, label: 'After 30 days' },
  { value: 90, label: 'After 90 days' },
];

/** How often the dialog looks whether the port of published pages can be opened by now; all else is told, but an end. */
const LOOK_MS = 5_000;
/** Timers take no more. */
const TIMER_MAX_MS = 2 ** 31 - 1;

function lookAgainMs(now: Publication | undefined): number | false {
  if (now?.problem) return LOOK_MS;
  if (!now?.published || !now.expiresAt) return false;
  return Math.min(TIMER_MAX_MS, Math.max(1_000, Date.parse(now.expiresAt) - Date.now()));
}

/** Why it is not saved, where waiting does not help. */
function whyUnsaved(saved: Saved): string | null {
  switch (saved.kind) {
    case 'offline':
      return "Can't reach Pilothouse. You can publish once your changes are saved.";
    case 'refused':
      return `Not saved: ${saved.reason}`;
    case 'gone':
      return 'This dashboard was deleted by someone else.';
    default:
      return null;
  }
}

/** Shows what would leave, publishes it, and takes it back. */
export function PublishDialog({
  id,
  name,
  saved,
  onClose,
}: {
  id: string;
  name: string;
  saved: Saved;
  onClose: () => void;
}) {
  const cache = useQueryClient();
  const path = { dashboardId: id };
  const key = [...PUBLICATION, id];
  const [chosen, setChosen] = useState<Partial<Ticked>>({});
  const [end, setEnd] = useState(AS_IT_IS);
  const [isRevoking, setRevoking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const {
    data: now,
    error,
    refetch,
  } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => client.get('/dashboards/{dashboardId}/publication', { path, signal }),
    gcTime: 0,
    refetchInterval: ({ state }) => lookAgainMs(state.data),
  });
  const ticked: Ticked = { names: now?.names ?? false, texts: now?.texts ?? false, ...chosen };
  // What is not saved yet is not published either. In a conflict mine is.
  const isSaved = saved.kind === 'saved' || saved.kind === 'conflict';
  const unsaved = whyUnsaved(saved);
  const preview = useQuery({
    queryKey: ['dashboards', 'publication-preview', id, ticked],
    queryFn: ({ signal }) =>
      client.get('/dashboards/{dashboardId}/publication/preview', { path, query: ticked, signal }),
    enabled: !!now && isSaved,
    gcTime: 0,
  });

  const publish = async (seen: Preview) => {
    setBusy(true);
    try {
      const body = { ...ticked, digest: seen.digest, ...(end === AS_IT_IS ? {} : { expiresInDays: end }) };
      cache.setQueryData(key, await client.post('/dashboards/{dashboardId}/publication', { path, body }));
      setEnd(AS_IT_IS);
      toast.done(`Published ${name}`);
    } catch (problem) {
      if (problem instanceof ApiError && problem.code === 'preview-stale') await preview.refetch();
      toast.problem(`Couldn't publish ${name}`, problem);
    } finally {
      setBusy(false);
    }
  };
  const revoke = async () => {
    try {
      await client.delete('/dashboards/{dashboardId}/publication', { path });
      await refetch();
      toast.done(`${name} unpublished`);
    } catch (problem) {
      toast.problem(`Couldn't unpublish ${name}`, problem);
    }
  };

  const seen = isSaved && !preview.isFetching ? preview.data : undefined;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Publish to web"
      size="large"
      actions={
        <>
          {now?.published && (
            <Button variant="danger" onPress={() => setRevoking(true)}>
              Unpublish
            </Button>
          )}
          <Button onPress={onClose}>Close</Button>
          <Button variant="primary" isDisabled={!seen} isPending={isBusy} onPress={() => seen && void publish(seen)}>
            {now?.published ? 'Publish again' : 'Publish'}
          </Button>
        </>
      }
    >
      {error && !now ? (
        <ErrorState title="Couldn't load publication" error={error} onRetry={() => void refetch()} />
      ) : !now ? (
        <Loading label="Loading publication" />
      ) : (
        <div className="publish">
          <State now={now} seen={seen} />
          <p className="publish-note">
            The page shows the results at the time you publish. Anyone with the address can read it without signing in
            until you unpublish it. It's reachable on this computer only; to share it, use a web server or tunnel that
            preserves the Host header.
          </p>
          <div className="publish-options">
            <Checkbox isSelected={ticked.names} onChange={(names) => setChosen({ ...chosen, names })}>
              Show people's names
            </Checkbox>
            <Checkbox isSelected={ticked.texts} onChange={(texts) => setChosen({ ...chosen, texts })}>
              Show item names and cell text
            </Checkbox>
            <Select
              label="Expires"
              options={now.published && now.expiresAt ? [{ value: AS_IT_IS, label: 'No change' }, ...ENDS] : ENDS}
              value={end === AS_IT_IS && !(now.published && now.expiresAt) ? 0 : end}
              onChange={setEnd}
            />
          </div>
          {unsaved ? (
            <p role="alert">{unsaved}</p>
          ) : preview.error && !preview.data ? (
            <ErrorState title="Couldn't load preview" error={preview.error} onRetry={() => void preview.refetch()} />
          ) : seen ? (
            <What seen={seen} ticked={ticked} />
          ) : (
            <Loading label="Loading preview" />
          )}
        </div>
      )}
      <ConfirmDialog
        isOpen={isRevoking}
        onClose={() => setRevoking(false)}
        onConfirm={() => void revoke()}
        title={`Unpublish ${name}?`}
        action="Unpublish"
      >
        The page is removed immediately, and its address never works again. If you publish again, you get a new address.
      </ConfirmDialog>
    </Dialog>
  );
}

/** Why nothing is on the web. */
function whyNot({ publishedAt, restored }: Publication): string {
  if (!publishedAt) return 'Not published.';
  if (restored) return 'Unpublished when the database was restored from a backup. Publish to get a new address.';
  return 'The publication expired, and its address no longer works.';
}

function State({ now, seen }: { now: Publication; seen: Preview | undefined }) {
  if (!now.published) return <p role="status">{whyNot(now)}</p>;
  return (
    <>
      <p role="status" className="publish-state">
        <Badge tone="good">Published</Badge> {now.publishedAt && <Time at={now.publishedAt} />}
        {seen && (seen.digest === now.digest ? '. No changes since.' : '. The results have changed since.')}{' '}
        {now.expiresAt && <>Expires {<Time at={now.expiresAt} isAhead />}.</>}
      </p>
      {now.address ? (
        <p className="publish-address">
          <a href={now.address} target="_blank" rel="noreferrer">
            {now.address}
          </a>
          <Button icon="copy" onPress={() => void copyText(now.address ?? '', 'Address')}>
            Copy address
          </Button>
        </p>
      ) : (
        <p role="alert">Can't be read now: {now.problem}</p>
      )}
    </>
  );
}

const LISTED = new Intl.ListFormat('en-US');

/** What leaves and what stays, in words and as it will look. */
function What({ seen, ticked }: { seen: Preview; ticked: Ticked }) {
  const count = seen.document.widgets.length;
  const unticked = (one: Preview['holds'][number]) => {
    const tick = TICKED_BY[one];
    return tick && !ticked[tick] ? [tick] : [];
  };
  const held = seen.holds.filter((one) => !unticked(one).length).map((one) => HOLDS[one]);
  const numbered = [...new Set(seen.holds.flatMap(unticked))];
  return (
    <section className="publish-what" aria-label="Published content">
      <p>
        {`Published: the title and ${count} ${count === 1 ? 'widget' : 'widgets'} with ${LISTED.format(['numbers', ...held])}. `}
        {numbered.map((tick) => NUMBERED[tick])}
        No other boards, items, or IDs are published.
      </p>
      {seen.boardsMissing > 0 && (
        <p>{`${counted(seen.boardsMissing, 'connected board')} ${seen.boardsMissing === 1 ? 'is' : 'are'} missing, and the page says so.`}</p>
      )}
      {seen.leftOut.length > 0 && (
        <ul className="publish-left">
          {seen.leftOut.map(({ title, why }, at) => (
            <li key={at}>{`${title} isn't published: ${WHY[why]}.`}</li>
          ))}
        </ul>
      )}
      <PreviewPage html={seen.html} />
    </section>
  );
}
