/** Your own prices of models. */
import { useState } from 'react';
import { reasonOf } from '@shell/api';
import { Button, ErrorState, IconButton, Loading, TextField, toast } from '@shell/components';
import { money, useModelActions, usePrices } from './data';

const CURRENCY = 'USD';
const EMPTY = { model: '', input: '', output: '' };

export function Prices() {
  const { data: prices, error, refetch } = usePrices();
  const { setPrice, removePrice } = useModelActions();
  const [draft, setDraft] = useState(EMPTY);
  const [fault, setFault] = useState<string | null>(null);
  const set = (more: Partial<typeof EMPTY>) => setDraft((before) => ({ ...before, ...more }));
  const save = async () => {
    const [input, output] = [draft.input, draft.output].map((text) => (text.trim() ? Number(text) : NaN));
    if (!draft.model.trim()) return setFault('Enter the name of a model.');
    if (!Number.isFinite(input) || !Number.isFinite(output)) return setFault('Enter both prices as numbers.');
    try {
      await setPrice({ model: draft.model.trim(), input: input!, output: output! });
      setDraft(EMPTY);
      setFault(null);
    } catch (failure) {
      setFault(reasonOf(failure));
    }
  };
  return (
    <section aria-labelledby="models-prices">
      <h2 id="models-prices">Prices</h2>
      <p className="models-help">
        Models of Anthropic and OpenAI have built-in prices. Set others here, in US dollars per million tokens.
      </p>
      {error && !prices ? (
        <ErrorState title="Couldn't load prices" error={error} onRetry={() => void refetch()} />
      ) : !prices ? (
        <Loading label="Loading prices" />
      ) : (
        <ul className="models-prices">
          {prices.map(({ model, input, output }) => (
            <li key={model}>
              <code>{model}</code>
              <span className="models-detail">{`${money(input, CURRENCY)} input, ${money(output, CURRENCY)} output`}</span>
              <IconButton
                icon="trash"
                label={`Remove price of ${model}`}
                onPress={() =>
                  void removePrice(model).catch((failure: unknown) => toast.problem("Couldn't remove price", failure))
                }
              />
            </li>
          ))}
        </ul>
      )}
      <form
        className="models-price"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField label="Model" value={draft.model} onChange={(model) => set({ model })} mono error={fault} />
        <TextField label="Input per million" value={draft.input} onChange={(input) => set({ input })} suffix="$" />
        <TextField label="Output per million" value={draft.output} onChange={(output) => set({ output })} suffix="$" />
        <Button type="submit">Set price</Button>
      </form>
    </section>
  );
}
