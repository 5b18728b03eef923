/** The secrets that are kept, by their names: what there is and where, and forgetting one. */
import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { client } from '@shell/client';
import { ConfirmDialog, EmptyState, ErrorState, Icon, IconButton, Loading, Page, Time, toast } from '@shell/components';
import { ASKS, useSecrets, type Kept } from './data';
import './asking.css';

const purposeOf = (kept: Kept) => (kept.kind === 'env' ? `variable of session ${kept.sessionId ?? ''}` : 'secret of the account');
const placeOf = (kept: Kept) => (kept.place === 'keychain' ? "in this computer's keychain" : 'in a sealed file');

export default function SecretsPage() {
  const { data, error, refetch } = useSecrets();
  const cache = useQueryClient();
  const [forgetting, setForgetting] = useState<Kept | null>(null);
  const forget = (kept: Kept) =>
    client
      .delete('/secrets/{secretId}', { path: { secretId: kept.id } })
      .then(
        () => void toast.done(`Forgot ${kept.name}`),
        (failure: unknown) => void toast.problem('The secret was not forgotten', failure),
      )
      .then(() => cache.invalidateQueries({ queryKey: ASKS }));
  return (
    <Page title="Kept secrets">
      {error && !data ? (
        <ErrorState title="The secrets could not be read" error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading label="Loading the secrets" />
      ) : data.items.length === 0 ? (
        <EmptyState icon="star" title="No secrets are kept">
          When a session asks you for a value, or offers a key and you save it, its name stands here. The value never does.
        </EmptyState>
      ) : (
        <ul className="secrets-list">
          {data.items.map((kept) => (
            <li key={kept.id} className="secrets-row">
              <Icon name="star" />
              <code className="secrets-name">{kept.name}</code>
              <span className="secrets-detail">
                {`${purposeOf(kept)}, ${placeOf(kept)}, `}
                <Time at={kept.changedAt} />
              </span>
              <IconButton icon="trash" label={`Forget ${kept.name}`} onPress={() => setForgetting(kept)} />
            </li>
          ))}
        </ul>
      )}
      <ConfirmDialog isOpen={forgetting !== null} onClose={() => setForgetting(null)} title={`Forget ${forgetting?.name ?? ''}`} action="Forget secret" onConfirm={() => forgetting && void forget(forgetting)}>
        Its value is taken from where it is kept. Sessions that start from now on do not have it. This cannot be undone.
      </ConfirmDialog>
    </Page>
  );
}
