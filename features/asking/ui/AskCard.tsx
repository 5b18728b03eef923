/** What a session asks for or offers, with the field in which a person answers. It stands on a page of its own and beside a session. */
import { useState } from 'react';
import { Link } from 'wouter';
import { ApiError, reasonOf } from '@shell/api';
import { Badge, Button, ErrorState, Icon, Loading, TextField, Time, toast } from '@shell/components';
import { targetOf, useDecisions, useOffered, type Ask } from './data';
import { SecretField } from './SecretField';
import './asking.css';

/** How it ended, for the person. */
export const ENDS: Record<Exclude<Ask['status'], 'waiting'>, string> = {
  provided: 'The value was given. The session knows that, and not the value.',
  declined: 'You did not give the value.',
  saved: 'The key was saved.',
  dismissed: 'The key was not saved; nothing of it is kept.',
};

/** `takesFocus` where the card is what the page is about; `isInSession` on the page of the session that asks. */
export function AskCard({ ask, takesFocus = false, isInSession = false }: { ask: Ask; takesFocus?: boolean; isInSession?: boolean }) {
  const isKey = ask.kind === 'key';
  const waits = ask.status === 'waiting';
  return (
    <section className="ask" data-in-session={isInSession || undefined} {...(isInSession ? { 'data-ask': ask.id, tabIndex: -1 } : {})} aria-label={isKey ? `Key offered: ${ask.name}` : `Value asked for: ${ask.name}`}>
      <header className="ask-head">
        <Icon name={isKey ? 'star' : 'keyboard'} />
        <h2 className="ask-name">{ask.name}</h2>
        {!waits && <Badge tone={ask.status === 'provided' || ask.status === 'saved' ? 'good' : 'neutral'}>{ask.status}</Badge>}
      </header>
      {ask.note && <p className="ask-note">{ask.note}</p>}
      <dl className="ask-facts">
        {!isInSession && (
          <>
            <dt>{isKey ? 'Offered by' : 'Asked by'}</dt>
            <dd>{ask.sessionId ? <Link href={`/sessions/${ask.sessionId}`}>{`Session ${ask.sessionId}`}</Link> : 'A script of yours'}</dd>
          </>
        )}
        <dt>Goes to</dt>
        <dd>
          <Goes ask={ask} />
        </dd>
        <dt>{isKey ? 'Offered' : 'Asked'}</dt>
        <dd>
          <Time at={ask.createdAt} />
        </dd>
      </dl>
      {ask.status !== 'waiting' ? <p role="status">{ENDS[ask.status]}</p> : isKey ? <Offered ask={ask} /> : <Answer ask={ask} takesFocus={takesFocus} />}
    </section>
  );
}

function Goes({ ask }: { ask: Ask }) {
  const { kind, name } = targetOf(ask);
  const where = kind === 'env' ? ', a variable of the session from its next start on' : ", a secret in this computer's keychain";
  return (
    <>
      <code>{name}</code>
      {where}
      {ask.replaces && ask.status === 'waiting' && <strong className="ask-replaces">. The value that is kept there now is replaced</strong>}.
    </>
  );
}

/** What went wrong, at the value or elsewhere. */
interface Problem {
  at: 'value' | 'name' | null;
  text: string;
}

const problemIn = (failure: unknown): Problem => {
  const at = (['value', 'name'] as const).find((part) => failure instanceof ApiError && failure.errors.some(({ pointer }) => pointer === `/${part}`));
  return { at: at ?? null, text: at && failure instanceof ApiError ? (failure.reasonAt(`/${at}`) ?? reasonOf(failure)) : reasonOf(failure) };
};

/** Runs one decision at a time, and says what went wrong with it. */
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
    if (value.trim() === '') return setProblem({ at: 'value', text: 'Type the value first.' });
    if (await run(() => answer(value), `Gave ${ask.name}`)) setValue('');
  };
  return (
    <div className="ask-form">
      <SecretField
        label={ask.name}
        help="It goes where it says above. The agent, its transcript and the log never have it."
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
          Save
        </Button>
        <Button onPress={() => void run(refuse, `Declined ${ask.name}`)}>Decline</Button>
        <Button variant="plain" aria-pressed={isLong} onPress={() => setLong(!isLong)}>
          {isLong ? 'One line' : 'Several lines'}
        </Button>
      </div>
    </div>
  );
}

function Offered({ ask }: { ask: Ask }) {
  const { data, error, refetch } = useOffered(ask.id);
  if (error && !data) return <ErrorState title="The key could not be read" error={error} onRetry={() => void refetch()} />;
  return data ? <OfferedKey ask={ask} offered={data.value} /> : <Loading label="Loading the key" />;
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
        label="Kept as"
        value={name}
        onChange={setName}
        error={errorAt(problem, 'name')}
        onInputKeyDown={(event) => {
          if (event.key === 'Enter') void store();
        }}
      />
      <SecretField
        label="Key"
        help="Look it through and correct it. It is kept only when you save it."
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
