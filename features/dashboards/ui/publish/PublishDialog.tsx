import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '@shell/api';
import { client, type Schemas } from '@shell/client';
import { Badge, Button, Checkbox, ConfirmDialog, Dialog, ErrorState, Loading, Select, Time, toast } from '@shell/components';
import type { Saved } from '../draft/draft';
import { counted } from '../words';
import { PUBLICATION } from './data';
import { PreviewPage } from './PreviewPage';

type Publication = Schemas['Publication'];
type Preview = Schemas['PublicationPreview'];

const HOLDS: Record<Preview['holds'][number], string> = {
  labels: 'labels',
  'board-names': 'names of boards',
  'group-names': 'names of groups',
  'sprint-names': 'names of sprints',
  'item-names': 'names of items',
  'cell-texts': 'texts of cells',
  'people-names': 'names of people',
};
const WHY: Record<Preview['leftOut'][number]['why'], string> = {
  'shows-items': 'it shows items themselves',
  'inert-rule': 'a filter of it does not work any more, so that it might show more than was meant',
  'no-result': 'it has no result',
};

/** What stands on the page only where it is ticked. */
type Ticked = Pick<Publication, 'names' | 'texts'>;
const TICKED_BY: Partial<Record<Preview['holds'][number], keyof Ticked>> = { 'people-names': 'names', 'item-names': 'texts', 'cell-texts': 'texts' };
const NUMBERED: Record<keyof Ticked, string> = { names: 'People are numbered, not named. ', texts: 'Items and texts of cells are numbered, not named. ' };

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
      return 'Not saved yet: the program does not answer. It goes on once your changes are saved.';
    case 'refused':
      return `Not saved: ${saved.reason}`;
    case 'gone':
      return 'The dashboard was deleted by someone else.';
    default:
      return null;
  }
}

/** Shows what would leave, publishes it, and takes it back. */
export function PublishDialog({ id, name, saved, onClose }: { id: string; name: string; saved: Saved; onClose: () => void }) {
  const cache = useQueryClient();
  const path = { dashboardId: id };
  const key = [...PUBLICATION, id];
  const [chosen, setChosen] = useState<Partial<Ticked>>({});
  const [end, setEnd] = useState(AS_IT_IS);
  const [isRevoking, setRevoking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const { data: now, error, refetch } = useQuery({ queryKey: key, queryFn: ({ signal }) => client.get('/dashboards/{dashboardId}/publication', { path, signal }), gcTime: 0, refetchInterval: ({ state }) => lookAgainMs(state.data) });
  const ticked: Ticked = { names: now?.names ?? false, texts: now?.texts ?? false, ...chosen };
  // What is not saved yet is not published either. In a conflict mine is.
  const isSaved = saved.kind === 'saved' || saved.kind === 'conflict';
  const unsaved = whyUnsaved(saved);
  const preview = useQuery({
    queryKey: ['dashboards', 'publication-preview', id, ticked],
    queryFn: ({ signal }) => client.get('/dashboards/{dashboardId}/publication/preview', { path, query: ticked, signal }),
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
      toast.problem(`${name} was not published`, problem);
    } finally {
      setBusy(false);
    }
  };
  const revoke = async () => {
    try {
      await client.delete('/dashboards/{dashboardId}/publication', { path });
      await refetch();
      toast.done(`${name} is off the web`);
    } catch (problem) {
      toast.problem(`${name} was not revoked`, problem);
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
              Revoke
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
        <ErrorState title="What is published could not be read" error={error} onRetry={() => void refetch()} />
      ) : !now ? (
        <Loading label="Loading what is published" />
      ) : (
        <div className="publish">
          <State now={now} seen={seen} />
          <p className="publish-note">
            The page shows the results as they are when you publish, and changes only when you publish again. Whoever has the address can read it, without signing in, until you revoke it. It works on this computer only: for
            others, put a web server or a tunnel in front of it that asks with the Host of the address.
          </p>
          <div className="publish-options">
            <Checkbox isSelected={ticked.names} onChange={(names) => setChosen({ ...chosen, names })}>
              Show names of people
            </Checkbox>
            <Checkbox isSelected={ticked.texts} onChange={(texts) => setChosen({ ...chosen, texts })}>
              Show names of items and texts of cells
            </Checkbox>
            <Select label="Revoke by itself" options={now.published && now.expiresAt ? [{ value: AS_IT_IS, label: 'As it is' }, ...ENDS] : ENDS} value={end === AS_IT_IS && !(now.published && now.expiresAt) ? 0 : end} onChange={setEnd} />
          </div>
          {unsaved ? (
            <p role="alert">{unsaved}</p>
          ) : preview.error && !preview.data ? (
            <ErrorState title="The preview could not be made" error={preview.error} onRetry={() => void preview.refetch()} />
          ) : seen ? (
            <What seen={seen} ticked={ticked} />
          ) : (
            <Loading label="Making the preview" />
          )}
        </div>
      )}
      <ConfirmDialog isOpen={isRevoking} onClose={() => setRevoking(false)} onConfirm={() => void revoke()} title={`Revoke ${name}?`} action="Revoke">
        The page is gone at once, and its address never works again. Publishing later makes another one.
      </ConfirmDialog>
    </Dialog>
  );
}

/** Why nothing is on the web. */
function whyNot({ publishedAt, restored }: Publication): string {
  if (!publishedAt) return 'Not published.';
  if (restored) return 'It was published before the database was restored from a backup, and is off the web since: it may have been revoked meanwhile. Publishing makes another address.';
  return 'It was published and has expired. Its address does not work any more.';
}

function State({ now, seen }: { now: Publication; seen: Preview | undefined }) {
  const copy = async (address: string) => {
    try {
      await navigator.clipboard.writeText(address);
      toast.done('Address copied');
    } catch (problem) {
      toast.problem('The address could not be copied', problem);
    }
  };
  if (!now.published) return <p role="status">{whyNot(now)}</p>;
  return (
    <>
      <p role="status" className="publish-state">
        <Badge tone="good">Published</Badge> {now.publishedAt && <Time at={now.publishedAt} />}
        {seen && (seen.digest === now.digest ? ', and nothing changed since.' : ', and the results have changed since.')} {now.expiresAt && <>Gone by itself {<Time at={now.expiresAt} isAhead />}.</>}
      </p>
      {now.address ? (
        <p className="publish-address">
          <a href={now.address} target="_blank" rel="noreferrer">
            {now.address}
          </a>
          <Button icon="copy" onPress={() => void copy(now.address ?? '')}>
            Copy address
          </Button>
        </p>
      ) : (
        <p role="alert">Nobody can read it now: {now.problem}</p>
      )}
    </>
  );
}

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
    <section className="publish-what" aria-label="What will be published">
      <p>
        {`This leaves: the title and ${count} ${count === 1 ? 'widget' : 'widgets'} with computed numbers${held.length ? `, ${held.join(', ')}` : ''}. `}
        {numbered.map((tick) => NUMBERED[tick])}
        No board, no item and no identifier does, beyond what you see here:
      </p>
      {seen.boardsMissing > 0 && <p>{`${counted(seen.boardsMissing, 'connected board')} ${seen.boardsMissing === 1 ? 'is' : 'are'} not there any more; the page says so.`}</p>}
      {seen.leftOut.length > 0 && (
        <ul className="publish-left">
          {seen.leftOut.map(({ title, why }, at) => (
            <li key={at}>{`${title} stays: ${WHY[why]}.`}</li>
          ))}
        </ul>
      )}
      <PreviewPage html={seen.html} />
    </section>
  );
}
