/** Sends what waits, one behind the other, and tries again while the program is away. */
import { againAfter_ms, ApiError } from '../api';
import { connectionNow, onConnection } from '../live';

/** First and longest gap before trying again, where the program doesn't say when. */
export const RETRY_FIRST_MS = 2_000;
export const RETRY_LONGEST_MS = 30_000;

/** What is sent, and what becomes of it. */
export interface Work<Job, Outcome extends object> {
  /** What can be sent now; nothing where all is sent, or waits for a decision. */
  next: () => Job | null | undefined;
  /** Sends it; `away` where the same can be tried again later. */
  send: (job: Job) => Promise<Outcome | { away: unknown }>;
  /** The program answered. */
  answered: (job: Job, outcome: Outcome) => void;
  /** The program is away, and it's tried again later. */
  waits: (job: Job, failure: unknown) => void;
}

/** The program is there, and says why it takes nothing for now. */
const isExplained = (failure: unknown): failure is ApiError =>
  failure instanceof ApiError && (failure.status === 429 || failure.status === 503);

export class Sender<Job, Outcome extends object> {
  /** What is on its way. */
  sending: Job | null = null;
  /** What waits, waits for the program. */
  isAway = false;
  /** Why the program takes nothing, where it said so. */
  why: string | null = null;
  /** Nothing is sent any more, and no answer counts. */
  isStopped = false;
  private isRunning = false;
  private isEnding = false;
  private gap_ms = RETRY_FIRST_MS;
  private retry: { timer: ReturnType<typeof setTimeout>; isNotBefore: boolean } | null = null;
  private unwatch: (() => void) | null = null;

  constructor(private readonly work: Work<Job, Outcome>) {}

  /**
   * Sends what can be sent. While the program is away, the connection or the time says when that is; where the program named
   * a time, nothing is sent before it.
   */
  async run(): Promise<void> {
    if (this.isRunning || this.isStopped || this.retry?.isNotBefore) return;
    if (this.isAway && connectionNow() !== 'live' && this.work.next()) return this.retry ? undefined : this.later(null);
    await this.go();
  }

  /** What waits was left by an earlier page: the program may be away still. */
  wait(): void {
    this.isAway = true;
    this.unwatch ??= onConnection(() => {
      if (connectionNow() === 'live') void this.run();
    });
  }

  /** Sends what can be sent without another try, and stops then. */
  end(): void {
    this.isEnding = true;
    if (!this.isRunning) this.stop();
  }

  stop(): void {
    this.isStopped = true;
    this.rest();
  }

  private async go(): Promise<void> {
    this.isRunning = true;
    try {
      for (let job = this.work.next(); job; job = this.work.next()) {
        this.sending = job;
        const outcome = await this.work.send(job).finally(() => (this.sending = null));
        if (this.isStopped) return;
        if ('away' in outcome) return this.put(job, outcome.away);
        this.gap_ms = RETRY_FIRST_MS;
        this.rest();
        this.work.answered(job, outcome);
      }
      // Nothing waits for the program any more, whether it's there or not.
      if (!this.retry?.isNotBefore) this.rest();
    } finally {
      this.isRunning = false;
    }
  }

  private put(job: Job, failure: unknown): void {
    if (this.isEnding) return this.stop();
    this.wait();
    this.why = isExplained(failure) ? failure.message : null;
    this.later(failure);
    this.work.waits(job, failure);
  }

  private later(failure: unknown): void {
    clearTimeout(this.retry?.timer);
    const isNotBefore = failure instanceof ApiError && failure.retryAfter !== null;
    const wait_ms = againAfter_ms(failure, isNotBefore ? RETRY_FIRST_MS : this.gap_ms);
    if (!isNotBefore) this.gap_ms = Math.min(this.gap_ms * 2, RETRY_LONGEST_MS);
    const again = () => {
      this.retry = null;
      // It's tried even where the connection seems to be away: only the answer tells.
      if (!this.isRunning) void this.go();
    };
    this.retry = { timer: setTimeout(again, wait_ms), isNotBefore };
  }

  private rest(): void {
    this.isAway = false;
    this.why = null;
    clearTimeout(this.retry?.timer);
    this.retry = null;
    this.unwatch?.();
    this.unwatch = null;
  }
}
