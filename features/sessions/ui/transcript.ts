/**
 * Turns transcript entries into rows. Entries are many and small: the pieces of one text become one row, and so do all
 * updates of a tool call. Pure: entries in, rows out; rows are replaced, never changed.
 */
import { withoutMarkers } from './final/marker';
import { withTime } from './states';

/** A transcript entry, as the API returns it. */
export interface Entry {
  number: number;
  at: string;
  body: unknown;
}

/** A piece of a message. */
export type Chunk =
  | { type: 'text'; text: string }
  | { type: 'image'; mime: string; data: string; image?: number }
  | { type: 'link'; uri: string; name: string };

/** A tool call. */
export interface ToolUse {
  id: string;
  name?: string;
  title: string;
  kind: string;
  command?: string;
  paths?: string[];
  cwd?: string;
  input?: unknown;
}

export interface PlanStep {
  content: string;
  status: 'pending' | 'inProgress' | 'completed';
}

interface Head {
  /** The number of its first entry, which doesn't change as the row grows. */
  key: string;
  at: string;
  /** The number of its newest entry. */
  number: number;
}

/** What a message is to its turn; null if the engine doesn't tell. */
export type Phase = 'commentary' | 'finalAnswer' | null;
const phaseOf = (value: unknown): Phase => (value === 'commentary' || value === 'finalAnswer' ? value : null);

/** What a request is about. */
export type Asked = 'permission' | 'plan' | 'question';

export type Row = Head &
  (
    | { kind: 'prompt'; prompt: number; content: Chunk[]; note: string; isSteered: boolean }
    | { kind: 'text'; text: string; message: string | null; phase: Phase; isOpen: boolean }
    | { kind: 'thought'; text: string; isOpen: boolean }
    | { kind: 'picture'; mime: string; data: string }
    | { kind: 'link'; uri: string; name: string }
    | { kind: 'tool'; tool: ToolUse; state: string; output: unknown[]; reasons: readonly string[] }
    | { kind: 'plan'; plan: PlanStep[] }
    | {
        kind: 'ask';
        ask: string;
        /** The id of the tool call that needs permission. */
        tool: string;
        what: Asked;
        title: string;
        verdict: string | null;
        why: string;
        /** Whether Pilothouse answered it without you. */
        isAutomatic: boolean;
        isByRule: boolean;
        isRepeat: boolean;
      }
    | {
        kind: 'line';
        tone: 'quiet' | 'warn' | 'bad';
        text: string;
        detail: string;
        /** What a note is about; null for lines that are never folded. */
        note: 'sandbox' | 'allowed' | 'engine' | null;
      }
    | { kind: 'notes'; notes: readonly Note[] }
    /** What is folded away before a final message. */
    | { kind: 'steps'; count: number }
    /** The position of a marker. */
    | { kind: 'divider' }
  );

/** A line that is folded with its neighbors. */
export type Note = Extract<Row, { kind: 'line' | 'ask' }>;

/**
 * Characters after which a text continues in a new row, at the next good place: a row is redrawn with each new piece.
 */
const ROW_CHARS = 8_000;
/** Characters after which it continues in a new row anywhere. */
const ROW_CHARS_MAX = 20_000;

type Bag = Record<string, unknown>;
const bag = (value: unknown): Bag =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Bag) : {};
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The pieces of a list that can be shown. */
export const chunksOf = (value: unknown): Chunk[] => list(value).flatMap((one) => chunkOf(one) ?? []);

function chunkOf(value: unknown): Chunk | null {
  const { type, ...rest } = bag(value);
  if (type === 'text') return { type, text: text(rest.text) };
  // Images of a message are stored with it; this is only the index of the image.
  if (type === 'image')
    return {
      type,
      mime: text(rest.mime),
      data: text(rest.data),
      ...(typeof rest.image === 'number' ? { image: rest.image } : {}),
    };
  if (type === 'link') return { type, uri: text(rest.uri), name: text(rest.name) };
  return null;
}

/** A tool call, whatever the engine sent. */
export function toolOf(value: unknown): ToolUse {
  const tool = bag(value);
  const paths = list(tool.paths).filter((path) => typeof path === 'string');
  return {
    id: text(tool.id),
    title: text(tool.title),
    kind: text(tool.kind) || 'other',
    ...(typeof tool.name === 'string' ? { name: tool.name } : {}),
    ...(typeof tool.command === 'string' ? { command: tool.command } : {}),
    ...(paths.length ? { paths } : {}),
    ...(typeof tool.cwd === 'string' ? { cwd: tool.cwd } : {}),
    ...('input' in tool ? { input: tool.input } : {}),
  };
}

export function planOf(value: unknown): PlanStep[] {
  const steps = list(value).map(bag);
  const status = (said: unknown): PlanStep['status'] =>
    said === 'completed' || said === 'inProgress' ? said : 'pending';
  return steps.map((step) => ({ content: text(step.content), status: status(step.status) }));
}

/** The position at which a text can be split and still render the same: after an empty line outside code blocks. */
function cutAt(whole: string): number {
  let at = -1;
  let inCode = false;
  let from = 0;
  for (const line of whole.split('\n')) {
    if (/^\s*(```|~~~)/.test(line)) inCode = !inCode;
    else if (line.trim() === '' && !inCode && from > ROW_CHARS / 2 && from + line.length + 1 < whole.length)
      at = from + line.length + 1;
    from += line.length + 1;
  }
  if (at > 0) return at;
  if (whole.length <= ROW_CHARS_MAX) return -1;
  const line = whole.lastIndexOf('\n', ROW_CHARS_MAX - 1) + 1;
  return line > ROW_CHARS / 2 ? line : ROW_CHARS_MAX;
}

/** The title of a failure, by its class. */
export const FAILURES: Readonly<Record<string, string>> = {
  transient: 'Service unavailable',
  limit: 'Usage limit reached',
  auth: 'Not logged in',
  contextFull: 'Context window full',
  request: 'Request rejected',
  crash: 'Engine crashed',
  unknown: 'Unexpected error',
};

const FAILURE_TEXTS: ReadonlySet<string> = new Set(Object.values(FAILURES));

/** How the session is sandboxed, for entries that don't say so themselves. */
const WALLS: Readonly<Record<string, string>> = {
  up: 'Sandboxed: sensitive files are hidden',
  open: 'Not sandboxed',
  none: 'Sandbox unavailable',
};

/** The rows of a transcript, or of its newest part. */
export class Rows {
  /** Replaced on each change, so it can be compared. */
  rows: readonly Row[] = [];
  /** The number of the entry with which a turn last ended; 0 if none did. */
  ended = 0;
  private readonly entries: Entry[] = [];
  private next: Row[] = [];
  private tools = new Map<string, number>();
  private asks = new Map<string, number>();
  /** The index of the to-do list of the current turn; -1 if it has none. */
  private plan = -1;

  get first(): number {
    return this.entries[0]?.number ?? 0;
  }
  /** Number of loaded entries. */
  get size(): number {
    return this.entries.length;
  }
  get last(): number {
    return this.entries.at(-1)?.number ?? 0;
  }

  /** Appends newer entries; ones that are already there are skipped. */
  append(entries: readonly Entry[]): void {
    const fresh = entries.filter((entry) => entry.number > this.last);
    if (fresh.length === 0) return;
    for (const entry of fresh) {
      if (entry.number <= this.last) continue;
      this.entries.push(entry);
      this.take(entry);
    }
    this.rows = [...this.next];
  }

  /** Prepends older entries. All rows are rebuilt, since the first one may have begun earlier. */
  prepend(entries: readonly Entry[]): void {
    const first = this.first || Infinity;
    const older = entries.filter((entry) => entry.number < first);
    if (older.length === 0) return;
    this.entries.unshift(...older);
    this.next = [];
    this.tools = new Map();
    this.asks = new Map();
    this.plan = -1;
    for (const entry of this.entries) this.take(entry);
    this.rows = [...this.next];
  }

  private add(entry: Entry, row: DistributiveOmit<Row, keyof Head>): number {
    this.close();
    this.next.push({ ...row, key: `${entry.number}`, at: entry.at, number: entry.number } as Row);
    return this.next.length - 1;
  }

  /** Ends the current text: what follows belongs to a new row. */
  private close() {
    const last = this.next.at(-1);
    if (last && 'isOpen' in last && last.isOpen) this.next[this.next.length - 1] = { ...last, isOpen: false };
  }

  private line(
    entry: Entry,
    said: string,
    {
      tone = 'quiet',
      detail = '',
      note = null,
    }: Partial<Pick<Extract<Row, { kind: 'line' }>, 'tone' | 'detail' | 'note'>> = {},
  ) {
    this.add(entry, { kind: 'line', tone, text: said, detail, note });
  }

  private take(entry: Entry) {
    const body = bag(entry.body);
    switch (body.entry) {
      case 'prompt':
        if (body.steered !== true) this.plan = -1;
        return void this.add(entry, {
          kind: 'prompt',
          prompt: Number(body.prompt) || 0,
          content: chunksOf(body.content),
          note: text(body.note),
          isSteered: body.steered === true,
        });
      case 'nudge':
        return this.line(entry, sentToAgent(text(body.text)));
      case 'state':
        return this.stood(entry, body);
      case 'answer':
        return this.answered(entry, body);
      case 'note':
        return this.line(entry, text(body.why));
      case 'wall':
        return this.line(entry, text(body.why) || (WALLS[text(body.wall)] ?? ''), {
          // A missing sandbox stays in view.
          note: body.wall === 'none' ? null : 'sandbox',
        });
      case 'hook':
        if (body.verdict === 'allowed')
          return this.line(entry, text(body.why), { detail: text(body.what), note: 'allowed' });
        return this.line(entry, `Blocked (${text(body.what) || text(body.tool)})`, { detail: text(body.why) });
      case 'lost':
        return this.line(entry, `${Number(body.count) || 'Some'} entries lost`, { tone: 'bad' });
      case 'engine':
        return this.told(entry, bag(body.told), Number(body.cutBytes) || 0);
    }
  }

  /** States that the surrounding rows already show aren't repeated. */
  private stood(entry: Entry, body: Bag) {
    const state = typeof body.state === 'string' ? body.state : text(bag(body.state).state);
    if (['running', 'idle', 'awaitingPermission', 'awaitingInput', 'launching', 'queued', 'draft'].includes(state))
      return;
    // The failure itself is the row before, with the engine's message.
    const last = this.next.at(-1);
    if (state === 'retrying' && last?.kind === 'line' && last.text === body.why) return;
    // Stopped follows, for the same reason.
    if (state === 'stopping' && text(body.why).startsWith('Stopped by')) return;
    if ((state === 'failed' || state === 'parked') && last?.kind === 'line' && FAILURE_TEXTS.has(last.text)) return;
    const tone = state === 'failed' ? 'bad' : ['retrying', 'interrupted', 'parked'].includes(state) ? 'warn' : 'quiet';
    const { until } = bag(body.state);
    const why = text(body.why);
    const detail = typeof until === 'number' ? withTime(why, until) : why;
    this.line(entry, `state:${state}`, { tone, detail });
  }

  private answered(entry: Entry, body: Bag) {
    const id = text(body.id);
    const at = this.asks.get(id);
    const row = at === undefined ? undefined : this.next[at];
    if (at === undefined || row?.kind !== 'ask') return;
    this.next[at] = {
      ...row,
      verdict: text(body.verdict),
      why: text(body.why),
      isAutomatic: typeof body.why === 'string',
      isByRule: typeof body.rule === 'string',
      isRepeat: body.isRepeat === true,
      number: entry.number,
    };
  }

  private told(entry: Entry, told: Bag, cutBytes: number) {
    switch (told.event) {
      case 'said':
        return this.said(entry, chunkOf(told.chunk), 'text', {
          message: typeof told.message === 'string' ? told.message : null,
          phase: phaseOf(told.phase),
        });
      case 'thought':
        return this.said(entry, chunkOf(told.chunk), 'thought');
      case 'tool':
        return this.used(entry, told, cutBytes);
      case 'planned':
        return this.planned(entry, planOf(told.plan));
      case 'permission': {
        const request = bag(told.request);
        const tool = toolOf(request.tool);
        const plan = text(bag(tool.input).plan);
        if (tool.kind === 'switchMode' && plan !== '')
          return this.asked(entry, text(request.id), 'plan', plan.trimStart().replace(/^#+\s*/, ''), tool.id);
        return this.asked(entry, text(request.id), 'permission', tool.command || tool.title, tool.id);
      }
      case 'asked': {
        const question = bag(told.question);
        return this.asked(entry, text(question.id), 'question', text(question.message));
      }
      case 'withdrawn':
        return this.answered(entry, { id: told.id, verdict: 'withdrawn' });
      case 'retrying':
        return this.line(entry, 'Engine is retrying', { tone: 'warn', detail: text(told.what) });
      case 'compacting':
        return this.line(entry, told.done ? 'Context compacted' : 'Compacting context');
      case 'notice':
        return this.line(entry, text(told.text), { note: 'engine' });
      case 'turnEnded': {
        this.ended = entry.number;
        const failure = bag(told.failure);
        if (typeof failure.kind === 'string')
          return this.line(entry, FAILURES[failure.kind] ?? FAILURES.unknown!, {
            tone: 'bad',
            detail: text(told.detail),
          });
        if (told.stop === 'cancelled') return this.line(entry, 'Turn canceled');
        if (told.stop === 'denied') return this.line(entry, 'Turn ended: a request was denied', { tone: 'warn' });
        if (told.stop === 'refusal')
          return this.line(entry, 'Model declined to answer', { tone: 'warn', detail: text(told.detail) });
        if (told.stop === 'maxTokens')
          return this.line(entry, 'Response truncated: length limit reached', { tone: 'warn' });
        return this.close();
      }
      case 'exited':
        return this.line(entry, 'Engine stopped', { detail: text(told.stderr) });
    }
  }

  /** A turn's to-do list keeps its row, unless it's done and another one begins. */
  private planned(entry: Entry, plan: PlanStep[]) {
    const before = this.next[this.plan];
    if (before?.kind === 'plan') {
      const { done, all } = planCount(before.plan);
      const goesOn = done < all || plan.some(({ content }) => before.plan.some((step) => step.content === content));
      if (goesOn) return void (this.next[this.plan] = { ...before, plan, number: entry.number });
    }
    this.plan = this.add(entry, { kind: 'plan', plan });
  }

  private said(
    entry: Entry,
    chunk: Chunk | null,
    kind: 'text' | 'thought',
    { message = null, phase = null }: { message?: string | null; phase?: Phase } = {},
  ) {
    if (!chunk) return;
    if (chunk.type === 'image') return void this.add(entry, { kind: 'picture', mime: chunk.mime, data: chunk.data });
    if (chunk.type === 'link') return void this.add(entry, { kind: 'link', uri: chunk.uri, name: chunk.name });
    const last = this.next.at(-1);
    const goesOn =
      last?.kind === kind &&
      last.isOpen &&
      (last.kind === 'thought' ||
        (last.phase === phase && (message === null || last.message === null || last.message === message)));
    if (!goesOn) {
      this.add(
        entry,
        kind === 'text'
          ? { kind, text: chunk.text, message, phase, isOpen: true }
          : { kind, text: chunk.text, isOpen: true },
      );
    } else {
      this.next[this.next.length - 1] = { ...last, text: last.text + chunk.text, number: entry.number };
    }
    this.cut(entry);
  }

  private cut(entry: Entry) {
    for (let last = this.next.at(-1); last?.kind === 'text' && last.text.length > ROW_CHARS; last = this.next.at(-1)) {
      const at = cutAt(last.text);
      if (at < 0) return;
      this.next[this.next.length - 1] = { ...last, text: last.text.slice(0, at), isOpen: false };
      this.next.push({ ...last, key: `${last.key}+`, text: last.text.slice(at), number: entry.number });
    }
  }

  private used(entry: Entry, told: Bag, cutBytes: number) {
    const tool = toolOf(told.tool);
    const state = text(told.state) || 'pending';
    const note = cutBytes
      ? [
          {
            type: 'content',
            content: { type: 'text', text: `Output too large to store (${cutBytes.toLocaleString()} bytes).` },
          },
        ]
      : [];
    const at = this.tools.get(tool.id);
    const before = at === undefined ? undefined : this.next[at];
    const given =
      typeof told.more === 'string'
        ? grown(before?.kind === 'tool' && isAtWork(before.state) ? before.output : [], told.more)
        : list(told.output);
    const output = [...given, ...note];
    // A restarted engine counts its tool calls from the beginning, so a finished one isn't continued.
    if (at !== undefined && before?.kind === 'tool' && isAtWork(before.state)) {
      this.next[at] = {
        ...before,
        tool: { ...before.tool, ...tool },
        state,
        output: output.length ? output : before.output,
        number: entry.number,
      };
      return;
    }
    this.tools.set(tool.id, this.add(entry, { kind: 'tool', tool, state, output, reasons: [] }));
  }

  private asked(entry: Entry, id: string, what: Asked, title: string, tool = '') {
    const open = { verdict: null, why: '', isAutomatic: false, isByRule: false, isRepeat: false };
    this.asks.set(id, this.add(entry, { kind: 'ask', ask: id, tool, what, title, ...open }));
  }
}

/** A note of Pilothouse to the agent, marked as such: it addresses the agent, not the reader. */
function sentToAgent(note: string): string {
  const words = note.replace(/^\[Pilothouse: |\]$/gm, '');
  return `Sent to the agent: "${words.charAt(0).toUpperCase()}${words.slice(1)}"`;
}

const isAtWork = (state: string) => state !== 'completed' && state !== 'failed';

/** A command's output with its next part. */
function grown(output: readonly unknown[], more: string): unknown[] {
  const before = text(bag(bag(output.at(-1)).content).text);
  return before + more === '' ? [] : [{ type: 'content', content: { type: 'text', text: before + more } }];
}

/** The number of a row's first entry; parts of a long text have the same one. */
export const firstOf = (row: Row | undefined) => (row ? parseInt(row.key, 10) : 0);

/**
 * The index of the row that shows an entry; -1 if all rows come after it. Rows of tool calls grow while later rows are
 * added.
 */
export function rowOf(rows: readonly Row[], entry: number): number {
  const last = rows.findLastIndex((row) => firstOf(row) <= entry);
  const begins = firstOf(rows[last]);
  const part = rows.findIndex((row) => firstOf(row) === begins && row.number >= entry);
  return part < 0 ? last : part;
}

/** The source of an agent's message, of which a row may be a part. */
export const messageOf = (rows: readonly Row[], row: Row): string =>
  withoutMarkers(
    rows.flatMap((one) => (one.kind === 'text' && firstOf(one) === firstOf(row) ? [one.text] : [])).join(''),
  );

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** The numbers of completed steps and of all steps of a plan. */
export const planCount = (plan: readonly PlanStep[]) => ({
  done: plan.filter((step) => step.status === 'completed').length,
  all: plan.length,
});
