/** Ask: questions about Pilothouse, answered by a tutor's session. */
import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { reasonOf } from '@shell/api';
import { client } from '@shell/client';
import { Button, LinkRow, Loading, Page, Select, TextField } from '@shell/components';
import { canStart, SESSIONS, useEngines, useHubs, useSessions } from '../data';
import './ask.css';

const EXAMPLES = [
  'How do I import a board?',
  'Which sessions need me, and why?',
  'Turn on the daily briefing.',
  'How do I let a session push to GitHub?',
];
/** The purpose of the tutor's hub. */
const TUTOR = 'tutor';

export default function AskPage() {
  const { data: engines } = useEngines();
  const ready = engines?.filter((engine) => canStart(engine) && engine.id !== 'practice');
  return (
    <Page title="Ask">
      {!ready ? (
        <Loading label="Detecting engines" />
      ) : (
        <div className="tutor">
          {ready.length === 0 ? (
            <p role="status" className="tutor-needs">
              Ask needs an engine that answers. Install one, or log in, under <Link href="/engines">Engines</Link>.
            </p>
          ) : (
            <Question engines={ready} />
          )}
          <Earlier />
        </div>
      )}
    </Page>
  );
}

function Question({ engines }: { engines: readonly { id: string; name: string; isDefault: boolean }[] }) {
  const [, navigate] = useLocation();
  const cache = useQueryClient();
  const [prompt, setPrompt] = useState('');
  const [engine, setEngine] = useState((engines.find(({ isDefault }) => isDefault) ?? engines[0]!).id);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const ask = async () => {
    if (!prompt.trim()) return setError('Enter a question.');
    setBusy(true);
    setError(null);
    try {
      const { id } = await client.post('/ask', { body: { prompt: prompt.trim(), engine } });
      await cache.invalidateQueries({ queryKey: SESSIONS });
      navigate(`/sessions/${id}`);
    } catch (failure) {
      setError(reasonOf(failure));
      setBusy(false);
    }
  };
  return (
    <form
      className="tutor-form"
      onSubmit={(event) => {
        event.preventDefault();
        void ask();
      }}
    >
      <TextField
        label="Question"
        rows={3}
        value={prompt}
        onChange={setPrompt}
        placeholder="How do I …?"
        help="Answered from the documentation and your current state. Enter to ask, Shift+Enter for a new line."
        error={error}
        onInputKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          void ask();
        }}
      />
      <div className="tutor-row">
        {engines.length > 1 && (
          <Select
            aria-label="Engine"
            value={engine}
            onChange={setEngine}
            options={engines.map(({ id, name }) => ({ value: id, label: name }))}
          />
        )}
        <Button type="submit" variant="primary" isPending={isBusy}>
          Ask
        </Button>
      </div>
      <ul className="tutor-examples" aria-label="Examples">
        {EXAMPLES.map((example) => (
          <li key={example}>
            <Button onPress={() => setPrompt(example)}>{example}</Button>
          </li>
        ))}
      </ul>
    </form>
  );
}

/** Earlier questions, the newest first. */
function Earlier() {
  const { data: hubs } = useHubs();
  const hub = hubs?.find(({ purpose }) => purpose === TUTOR);
  return hub ? <Questions hub={hub.id} /> : null;
}

function Questions({ hub }: { hub: string }) {
  const { data } = useSessions(hub);
  const sessions = data?.pages[0]?.items ?? [];
  if (sessions.length === 0) return null;
  return (
    <section aria-labelledby="ask-earlier">
      <h2 id="ask-earlier">Earlier questions</h2>
      <ul>
        {sessions.slice(0, 20).map(({ id, title, changedAt }) => (
          <LinkRow key={id} href={`/sessions/${id}`} icon="session" name={title} changedAt={changedAt} />
        ))}
      </ul>
    </section>
  );
}
