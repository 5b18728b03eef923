/** The list of stored secrets by name, and deleting one. */
import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { client } from '@shell/client';
import { ConfirmDialog, EmptyState, ErrorState, Icon, IconButton, Loading, Page, Time, toast } from '@shell/components';
import { ASKS, useSecrets, type Kept } from './data';
import './asking.css';

const purposeOf = (kept: Kept) =>
  kept.kind === 'env' ? `variable of session ${kept.sessionId ?? ''}` : 'account secret';
const placeOf = (kept: Kept) => (kept.place === 'keychain' ? "in this computer's keychain" : 'in a sealed file');

export default function SecretsPage() {
  const { data, error, refetch } = useSecrets();
  const cache = useQueryClient();
  const [forgetting, setForgetting] = useState<Kept | null>(null);
  const forget = (kept: Kept) =>
    client
      .delete('/secrets/{secretId}', { path: { secretId: kept.id } })
      .then(
        () => void toast.done(`Deleted ${kept.name}`),
        (failure: unknown) => void toast.problem("Couldn't delete secret", failure),
      )
      .then(() => cache.invalidateQueries({ queryKey: ASKS }));
  return (
    <Page title="Secrets">
      {error && !data ? (
        <ErrorState title="Couldn't load secrets" error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading label="Loading secrets" />
      ) : data.items.length === 0 ? (
        <EmptyState icon="star" title="No secrets">
          Secrets that you give to sessions are listed here by name only.
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
              <IconButton icon="trash" label={`Delete ${kept.name}`} onPress={() => setForgetting(kept)} />
            </li>
          ))}
        </ul>
      )}
      <ConfirmDialog
        isOpen={forgetting !== null}
        onClose={() => setForgetting(null)}
        title={`Delete ${forgetting?.name ?? ''}`}
        action="Delete secret"
        onConfirm={() => forgetting && void forget(forgetting)}
      >
        Deletes the stored value. New sessions won't have it. This can't be undone.
      </ConfirmDialog>
    </Page>
  );
}
