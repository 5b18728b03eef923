/** The models that answer small questions: providers, the chosen models, and prices. */
import { useState } from 'react';
import {
  Badge,
  Button,
  ConfirmDialog,
  EmptyState,
  ErrorState,
  IconButton,
  Loading,
  Page,
  Switch,
  toast,
} from '@shell/components';
import { KINDS, useChoices, useModelActions, useProviders, type Choices, type Provider } from './data';
import { ChoiceRow } from './ChoiceRow';
import { Prices } from './Prices';
import { ProviderDialog } from './ProviderDialog';
import './models.css';

export default function ModelsPage() {
  const providers = useProviders();
  const choices = useChoices();
  const [edited, edit] = useState<Provider | 'new' | null>(null);
  const failed = providers.error ?? choices.error;
  const isReady = providers.data !== undefined && choices.data !== undefined;
  return (
    <Page
      title="Models"
      actions={
        <Button icon="plus" variant="primary" onPress={() => edit('new')}>
          Add provider
        </Button>
      }
    >
      {failed && !isReady ? (
        <ErrorState
          title="Couldn't load models"
          error={failed}
          onRetry={() => void Promise.all([providers.refetch(), choices.refetch()])}
        />
      ) : !isReady ? (
        <Loading label="Loading models" />
      ) : providers.data.length === 0 ? (
        <EmptyState icon="star" title="No models yet">
          Add a provider, or use your Claude Code or Codex login, to write titles and digests.
        </EmptyState>
      ) : (
        <Models providers={providers.data} choices={choices.data} onEdit={edit} />
      )}
      {edited && <ProviderDialog provider={edited === 'new' ? null : edited} onClose={() => edit(null)} />}
    </Page>
  );
}

interface ModelsProps {
  providers: readonly Provider[];
  choices: Choices;
  onEdit: (provider: Provider) => void;
}

function Models({ providers, choices, onEdit }: ModelsProps) {
  const { choose, remove } = useModelActions();
  const [removed, ask] = useState<Provider | null>(null);
  const setFree = (freeOnly: boolean) =>
    choose({ freeOnly }).catch((failure: unknown) => toast.problem("Couldn't save setting", failure));
  return (
    <div className="models">
      <section aria-labelledby="models-chosen">
        <h2 id="models-chosen">Chosen models</h2>
        <ChoiceRow
          label="Utility model"
          help="Used by features without their own model."
          providers={providers}
          choice={choices.utility}
          onChoose={(utility) => choose({ utility })}
        />
        <ChoiceRow
          label="Model for images"
          help="Describes images for models that can't see them. Empty uses the utility model."
          providers={providers}
          choice={choices.vision}
          onChoose={(vision) => choose({ vision })}
        />
        <Switch isSelected={choices.freeOnly} onChange={(isOn) => void setFree(isOn)}>
          Use free models only
        </Switch>
      </section>
      <section aria-labelledby="models-providers">
        <h2 id="models-providers">Providers</h2>
        <ul className="models-providers">
          {providers.map((provider) => (
            <li key={provider.id}>
              <span className="models-name">{provider.name}</span>
              <Badge>{KINDS[provider.kind].label}</Badge>
              <span className="models-detail">
                {[provider.url, provider.hasKey ? placeOf(provider) : KINDS[provider.kind].needsKey && 'No key']
                  .filter(Boolean)
                  .join(', ')}
              </span>
              <span className="models-buttons">
                <IconButton icon="edit" label={`Edit ${provider.name}`} onPress={() => onEdit(provider)} />
                <IconButton icon="trash" label={`Delete ${provider.name}`} onPress={() => ask(provider)} />
              </span>
            </li>
          ))}
        </ul>
      </section>
      <Prices />
      <ConfirmDialog
        isOpen={removed !== null}
        onClose={() => ask(null)}
        title={`Delete ${removed?.name ?? ''}`}
        action="Delete provider"
        onConfirm={() =>
          removed &&
          void remove(removed.id).then(
            () => void toast.done(`Deleted ${removed.name}`),
            (failure: unknown) => void toast.problem("Couldn't delete provider", failure),
          )
        }
      >
        Deletes its key. Anything that uses its models will have no model.
      </ConfirmDialog>
    </div>
  );
}

const placeOf = ({ keyPlace }: Provider) => (keyPlace === 'keychain' ? 'key in the keychain' : 'key in a sealed file');
