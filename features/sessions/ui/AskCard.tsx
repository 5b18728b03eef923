/** The card of a request, with everything you need to decide. The first answer counts, wherever you give it. */
import { lazy, Suspense, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Button, Checkbox, NumberField, Select, Switch, TextField, Time } from '@shell/components';
import { isTyping } from '@shell/shortcuts';
import type { Answer, Ask, Scope } from './data';
import { fieldsOf, filled, permissionOf, titleOf, type Field, type Offer } from './request';
import { ToolBody } from './RowView';
import { RuleText } from './RuleText';
import type { Row } from './transcript';

const Markdown = lazy(() => import('./shown/Markdown'));

interface Props {
  ask: Ask;
  /** The tool call in the transcript that needs permission. */
  use: (Row & { kind: 'tool' }) | undefined;
  onAnswer: (answer: Answer) => Promise<unknown>;
}

const NAMES: Readonly<Record<string, string>> = {
  permission: 'Needs approval',
  plan: 'Plan needs approval',
  question: 'Question',
  archive: 'Needs approval',
};

export function AskCard({ ask, use, onAnswer }: Props) {
  const [isSent, setSent] = useState(false);
  const answer = async (given: Answer) => {
    if (isSent) return;
    setSent(true);
    // The card disappears once answered; an answer that failed can be submitted again.
    if (!(await onAnswer(given))) setSent(false);
  };
  const body =
    ask.kind === 'question' ? (
      <Question ask={ask} isSent={isSent} onAnswer={answer} />
    ) : (
      <Leave ask={ask} use={use} isSent={isSent} onAnswer={answer} />
    );
  return (
    <Card ask={ask} onAnswer={answer}>
      {body}
    </Card>
  );
}

function Card({
  ask,
  onAnswer,
  children,
}: {
  ask: Ask;
  onAnswer: (answer: Answer) => Promise<void>;
  children: ReactNode;
}) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (
      ask.kind === 'question' ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.repeat ||
      isTyping(event.target)
    )
      return;
    const key = event.key.toLowerCase();
    if (key !== 'a' && key !== 'd') return;
    event.preventDefault();
    event.stopPropagation();
    void onAnswer({ allow: key === 'a' });
  };
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Keys of the elements inside bubble up here.
    <section
      className="session-ask"
      tabIndex={0}
      aria-label={`${NAMES[ask.kind] ?? 'Needs your answer'}: ${titleOf(ask.kind, ask.request)}`}
      data-ask={ask.id}
      onKeyDown={onKeyDown}
    >
      <header className="session-ask-head">
        <strong>{NAMES[ask.kind] ?? 'Needs your answer'}</strong>
        <span className="ask-age">
          Requested <Time at={ask.askedAt} />
        </span>
      </header>
      {children}
      {ask.why && <p className="ask-why">{ask.why}</p>}
    </section>
  );
}

const REACH: Readonly<Record<Offer['kind'], string>> = {
  allowOnce: 'allows once',
  allowAlways: 'always allows',
  rejectOnce: 'denies once',
  rejectAlways: 'always denies',
};

function Leave({
  ask,
  use,
  isSent,
  onAnswer,
}: {
  ask: Ask;
  use: Props['use'];
  isSent: boolean;
  onAnswer: (answer: Answer) => Promise<void>;
}) {
  const { tool, offers, plan } = permissionOf(ask.request);
  const isPlan = ask.kind === 'plan';
  const yes = offers.find(({ kind }) => kind === 'allowOnce');
  const no = offers.find(({ kind }) => kind === 'rejectOnce') ?? offers.find(({ kind }) => kind === 'rejectAlways');
  // Lasting permissions are Pilothouse's own rules: an engine's own rules aren't shown anywhere.
  const isOwn = (offer: Offer) => !isPlan && yes !== undefined && offer.kind === 'allowAlways';
  const others = offers.filter((offer) => offer !== yes && offer !== no && !isOwn(offer));
  return (
    <>
      <div className="ask-what">
        {isPlan && plan ? (
          <Suspense fallback={<p className="row-plain">{plan}</p>}>
            <Markdown text={plan} />
          </Suspense>
        ) : (
          <ToolBody tool={tool} output={use?.output ?? []} />
        )}
      </div>
      <div className="session-ask-actions">
        {yes && (
          <Button
            variant="primary"
            isPending={isSent}
            onPress={() => void onAnswer({ allow: true })}
            aria-keyshortcuts="A"
          >
            {isPlan ? 'Approve' : 'Allow'}
          </Button>
        )}
        {others.map((offer) => (
          <Button
            key={offer.id}
            onPress={() => void onAnswer({ allow: offer.kind.startsWith('allow'), offer: offer.id })}
          >
            {isPlan
              ? `${offer.kind.startsWith('allow') ? 'Approve' : 'Reject'}: ${offer.name}`
              : `${offer.name} (${REACH[offer.kind]})`}
          </Button>
        ))}
        <Button onPress={() => void onAnswer({ allow: false })} aria-keyshortcuts="D">
          {isPlan ? 'Reject' : 'Deny'}
        </Button>
        <span className="ask-keys" aria-hidden="true">
          {isPlan ? 'A approves, D rejects' : 'A allows, D denies'}
        </span>
      </div>
      {ask.alwaysAllows && <Always allows={ask.alwaysAllows} isSent={isSent} onAnswer={onAnswer} />}
    </>
  );
}

const SCOPES: readonly { value: Scope; label: string }[] = [
  { value: 'session', label: 'In this session' },
  { value: 'hub', label: 'In this hub' },
  { value: 'everywhere', label: 'Everywhere' },
];

/** Allows a request and creates a rule from it, showing the rule and its scope first. */
function Always({
  allows,
  isSent,
  onAnswer,
}: {
  allows: string;
  isSent: boolean;
  onAnswer: (answer: Answer) => Promise<void>;
}) {
  const [scope, setScope] = useState<Scope>('session');
  return (
    <div className="ask-always" role="group" aria-label="Always allow">
      <p>
        Rule: <RuleText text={allows} />
      </p>
      <Select aria-label="Scope" options={SCOPES} value={scope} onChange={setScope} />
      <Button isDisabled={isSent} onPress={() => void onAnswer({ allow: true, always: true, scope })}>
        Always allow
      </Button>
    </div>
  );
}

function Question({
  ask,
  isSent,
  onAnswer,
}: {
  ask: Ask;
  isSent: boolean;
  onAnswer: (answer: Answer) => Promise<void>;
}) {
  const request = ask.request as { message?: unknown; schema?: unknown } | null;
  const message = typeof request?.message === 'string' ? request.message : '';
  const fields = fieldsOf(request?.schema);
  const [values, setValues] = useState<Readonly<Record<string, unknown>>>({});
  const [missing, setMissing] = useState<readonly string[]>([]);
  const send = () => {
    const given = filled(fields, values);
    setMissing(given.missing);
    if (given.missing.length === 0) void onAnswer({ allow: true, value: given.value });
  };
  const put = (name: string, value: unknown) => setValues((before) => ({ ...before, [name]: value }));
  return (
    <>
      {!fields.some(({ label }) => label === message) && <p className="row-plain">{message}</p>}
      <div className="ask-fields">
        {fields.map((field) => (
          <FieldOf
            key={field.name}
            field={field}
            value={values[field.name] ?? field.initial}
            onChange={(value) => put(field.name, value)}
            error={missing.includes(field.name) ? 'Required' : null}
            onEnter={send}
          />
        ))}
      </div>
      <div className="session-ask-actions">
        <Button variant="primary" isPending={isSent} onPress={send}>
          Submit
        </Button>
        <Button onPress={() => void onAnswer({ allow: false, value: {} })}>Decline</Button>
      </div>
    </>
  );
}

function FieldOf({
  field,
  value,
  onChange,
  error,
  onEnter,
}: {
  field: Field;
  value: unknown;
  onChange: (value: unknown) => void;
  error: string | null;
  onEnter: () => void;
}) {
  const { label, help } = field;
  switch (field.kind) {
    case 'text':
      return (
        <TextField
          label={label}
          help={help}
          error={error}
          rows={field.isLong ? 4 : 1}
          value={String(value ?? '')}
          onChange={onChange}
          onInputKeyDown={(event) => event.key === 'Enter' && !field.isLong && onEnter()}
        />
      );
    case 'number':
      return (
        <NumberField
          label={label}
          help={help}
          error={error}
          value={Number(value)}
          onChange={onChange}
          {...(field.isWhole ? { step: 1 } : {})}
          {...(field.min === undefined ? {} : { minValue: field.min })}
          {...(field.max === undefined ? {} : { maxValue: field.max })}
        />
      );
    case 'choice':
      return (
        <Select
          label={label}
          help={help}
          error={error}
          options={field.options}
          value={typeof value === 'string' ? value : null}
          onChange={onChange}
        />
      );
    case 'yesNo':
      return (
        <Switch isSelected={value === true} onChange={onChange}>
          {label}
        </Switch>
      );
    case 'several': {
      const chosen = Array.isArray(value) ? (value as string[]) : [];
      return (
        <fieldset className="ask-several">
          <legend className="field-label">{label}</legend>
          {field.options.map((option) => (
            <Checkbox
              key={option.value}
              isSelected={chosen.includes(option.value)}
              onChange={(isChosen) =>
                onChange(isChosen ? [...chosen, option.value] : chosen.filter((one) => one !== option.value))
              }
            >
              {option.label}
            </Checkbox>
          ))}
          {error && <span className="field-error">{error}</span>}
        </fieldset>
      );
    }
  }
}
