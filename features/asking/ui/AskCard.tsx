/** The card of an input request or key proposal. Shown on its own page and on the session's page. */
import { useState } from 'react';
import { Link } from 'wouter';
import { ApiError, reasonOf } from '@shell/api';
import { Badge, Button, ErrorState, Icon, Loading, TextField, Time, toast } from '@shell/components';
import { targetOf, useDecisions, useOffered, type Ask } from './data';
import { SecretField } from './SecretField';
import './asking.css';

/** The outcome texts. */
export const ENDS: Record<Exclude<Ask['status'], 'waiting'>, string> = {
  provided: "Value provided. The agent can't see it.",
  declined: 'You declined.',
  saved: 'Key saved.',
  dismissed: 'Key dismissed. Nothing was stored.',
};

/** `takesFocus` on the card's own page; `isInSession` on the session's page. */
export function AskCard({
  ask,
  takesFocus = false,
  isInSession = false,
}: {
  ask: Ask;
  takesFocus?: boolean;
  isInSession?: boolean;
}) {
  const isKey = ask.kind === 'key';
  const waits = ask.status === 'waiting';
  return (
    <section
      className="ask"
      data-in-session={isInSession || undefined}
      {...(isInSession ? { 'data-ask': ask.id, tabIndex: -1 } : {})}
      aria-label={isKey ? `Key proposal: ${ask.name}` : `Input request: ${ask.name}`}
    >
      <header className="ask-head">
        <Icon name={isKey ? 'star' : 'keyboard'} />
        <h2 className="ask-name">{ask.name}</h2>
        {!waits && (
          <Badge tone={ask.status === 'provided' || ask.status === 'saved' ? 'good' : 'neutral'}>{ask.status}</Badge>
        )}
      </header>
      {ask.note && <p className="ask-note">{ask.note}</p>}
      <dl className="ask-facts">
        {!isInSession && (
          <>
            <dt>{isKey ? 'Proposed by' : 'Requested by'}</dt>
            <dd>
              {ask.sessionId ? (
                <Link href={`/sessions/${ask.sessionId}`}>{`Session ${ask.sessionId}`}</Link>
              ) : (
                'Your script'
              )}
            </dd>
          </>
        )}
        <dt>Destination</dt>
        <dd>
          <Goes ask={ask} />
        </dd>
        <dt>{isKey ? 'Proposed' : 'Requested'}</dt>
        <dd>
          <Time at={ask.createdAt} />
        </dd>
      </dl>
      {ask.status !== 'waiting' ? (
        <p role="status">{ENDS[ask.status]}</p>
      ) : isKey ? (
        <Offered ask={ask} />
      ) : (
        <Answer ask={ask} takesFocus={takesFocus} />
      )}
    </section>
  );
}

function Goes({ ask }: { ask: Ask }) {
  const { kind, name } = targetOf(ask);
  const where =
    kind === 'env'
      ? ", an environment variable from the session's next start"
      : ", a secret in this computer's keychain";
  return (
    <>
      <code>{name}</code>
      {where}
      {ask.replaces && ask.status === 'waiting' && (
        <strong className="ask-replaces">. Replaces the current value</strong>
      )}
      .
    </>
  );
}

/** An error, at a field or elsewhere. */
interface Problem {
  at: 'value' | 'name' | null;
  text: string;
}

const problemIn = (failure: unknown): Problem => {
  const at = (['value', 'name'] as const).find(
    (part) => failure instanceof ApiError && failure.errors.some(({ pointer }) => pointer === `/${part}`),
  );
  return {
    at: at ?? null,
    text: at && failure instanceof ApiError ? (failure.reasonAt(`/${at}`) ?? reasonOf(failure)) : reasonOf(failure),
  };
};

/** Runs one decision at a time and stores its error. */
function useRun() {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const run = async (decide: () => Promise<unknown>, done: string) => {
    if (isBusy) return false;
    setBusy(true);
    setProblem(null);
    try {
      await decide();
      toast.done(done);
      return true;
    } catch (failure) {
      setProblem(problemIn(failure));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { problem, setProblem, isBusy, run };
}

const errorAt = (problem: Problem | null, at: Problem['at']) => (problem?.at === at ? problem.text : undefined);

function Elsewhere({ problem }: { problem: Problem | null }) {
  if (!problem || problem.at) return null;
  return (
    <p role="alert" className="field-error">
      {problem.text}
    </p>
  );
}

function Answer({ ask, takesFocus }: { ask: Ask; takesFocus: boolean }) {
  const { answer, refuse } = useDecisions(ask);
  const { problem, setProblem, isBusy, run } = useRun();
  const [value, setValue] = useState('');
  const [isLong, setLong] = useState(false);
  const save = async () => {
    if (value.trim() === '') return setProblem({ at: 'value', text: 'Enter a value.' });
    if (await run(() => answer(value), `Provided ${ask.name}`)) setValue('');
  };
  return (
    <div className="ask-form">
      <SecretField
        label={ask.name}
        help="Hidden from the agent, transcript, and logs."
        value={value}
        onChange={setValue}
        onEnter={() => void save()}
        error={errorAt(problem, 'value')}
        isLong={isLong}
        takesFocus={takesFocus}
      />
      <Elsewhere problem={problem} />
      <div className="ask-actions">
        <Button variant="primary" isPending={isBusy} onPress={() => void save()}>
          Submit
        </Button>
        <Button onPress={() => void run(refuse, `Declined ${ask.name}`)}>Decline</Button>
        <Button variant="plain" aria-pressed={isLong} onPress={() => setLong(!isLong)}>
          {isLong ? 'Single line' : 'Multiple lines'}
        </Button>
      </div>
    </div>
  );
}

function Offered({ ask }: { ask: Ask }) {
  const { data, error, refetch } = useOffered(ask.id);
  if (error && !data) return <ErrorState title="Couldn't load key" error={error} onRetry={() => void refetch()} />;
  return data ? <OfferedKey ask={ask} offered={data.value} /> : <Loading label="Loading key" />;
}

function OfferedKey({ ask, offered }: { ask: Ask; offered: string }) {
  const { save, refuse } = useDecisions(ask);
  const { problem, setProblem, isBusy, run } = useRun();
  const [name, setName] = useState(targetOf(ask).name);
  const [value, setValue] = useState(offered);
  const store = async () => {
    if (value.trim() === '') return setProblem({ at: 'value', text: 'The key is empty.' });
    if (await run(() => save(name.trim(), value), `Saved ${name.trim()}`)) setValue('');
  };
  return (
    <div className="ask-form">
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        error={errorAt(problem, 'name')}
        onInputKeyDown={(event) => {
          if (event.key === 'Enter') void store();
        }}
      />
      <SecretField
        label="Key"
        help="Review it. Stored only when you save."
        value={value}
        onChange={setValue}
        onEnter={() => void store()}
        error={errorAt(problem, 'value')}
        isLong={offered.includes('\n')}
      />
      <Elsewhere problem={problem} />
      <div className="ask-actions">
        <Button variant="primary" isPending={isBusy} onPress={() => void store()}>
          Save
        </Button>
        <Button onPress={() => void run(refuse, `Dismissed ${ask.name}`)}>Dismiss</Button>
      </div>
    </div>
  );
}
