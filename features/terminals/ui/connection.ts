/** Connects one terminal: receives its output, and sends what is typed and its size. */
import { ApiError, authFetch } from '@shell/api';
import { client } from '@shell/client';
import { parseEvents } from '@shell/sse';

/** Characters sent at once: at most 12 KiB, which the server accepts. */
const INPUT_CHARS = 4_096;
/** Bytes that may wait to be shown before the program waits for the page. */
const UNSHOWN_BYTES_MAX = 128 * 1024;
/** Delays before reconnecting. */
const GAP_MS = 300;
const LONGEST_GAP_MS = 5_000;

/** What shows the terminal. */
export interface Screen {
  /** Resolves when the bytes are shown. Queries in a replay aren't answered. */
  write: (bytes: Uint8Array, isReplay: boolean) => Promise<void>;
  reset: () => void;
  /** The shell has ended. */
  exit: (exitCode: number | null) => void;
  /** The terminal was closed. */
  closed: () => void;
  /** Whether the connection works. */
  connected: (isConnected: boolean) => void;
  /** Typed characters were lost. */
  inputLost: (error: unknown) => void;
}

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

/** The first characters of a text, without half of a pair. */
function start(text: string): string {
  const isPair = text.length > INPUT_CHARS && /[\ud800-\udbff]/.test(text[INPUT_CHARS - 1]!);
  return text.slice(0, isPair ? INPUT_CHARS - 1 : INPUT_CHARS);
}

export class Connection {
  private readonly end = new AbortController();
  private position: string | null = null;
  private typed = '';
  private isSending = false;
  private size: { columns: number; rows: number } | null = null;
  private isResizing = false;
  private hasEnded = false;
  private unshownBytes = 0;

  constructor(
    private readonly id: string,
    private readonly screen: Screen,
  ) {
    void this.follow();
  }

  close() {
    this.end.abort();
  }

  /** Sends what is typed in its order: one request at a time, with all that was typed since the last. */
  type(text: string) {
    if (this.hasEnded) return;
    this.typed += text;
    void this.send();
  }

  /** Sends the newest size. */
  resize(columns: number, rows: number) {
    this.size = { columns, rows };
    void this.sendSize();
  }

  private async send() {
    if (this.isSending) return;
    this.isSending = true;
    try {
      while (this.typed !== '' && !this.end.signal.aborted) {
        const data = start(this.typed);
        this.typed = this.typed.slice(data.length);
        await client.post('/terminals/{terminalId}/input', { path: { terminalId: this.id }, body: { data } });
      }
    } catch (error) {
      // What follows may depend on what is lost.
      this.typed = '';
      if (!this.hasEnded && !this.end.signal.aborted) this.screen.inputLost(error);
    } finally {
      this.isSending = false;
    }
  }

  private async sendSize() {
    if (this.isResizing) return;
    this.isResizing = true;
    try {
      while (this.size && !this.hasEnded && !this.end.signal.aborted) {
        const body = this.size;
        this.size = null;
        await client.patch('/terminals/{terminalId}', { path: { terminalId: this.id }, body });
      }
    } catch {
      // The next change of the size sends it again.
    } finally {
      this.isResizing = false;
    }
  }

  private async follow() {
    const { signal } = this.end;
    let gap = GAP_MS;
    while (!signal.aborted && !this.hasEnded) {
      try {
        await untilVisible(signal);
        await this.receive();
        gap = GAP_MS;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ApiError && error.status === 404) {
          this.hasEnded = true;
          return this.screen.closed();
        }
        this.screen.connected(false);
        gap = Math.min(2 * gap, LONGEST_GAP_MS);
      }
      if (!this.hasEnded && !document.hidden) await rest(gap, signal);
    }
  }

  /** Receives output until the page is hidden or the stream ends: a browser has few connections for all of its pages. */
  private async receive() {
    const away = new AbortController();
    const leave = () => document.hidden && away.abort();
    document.addEventListener('visibilitychange', leave);
    try {
      const after = this.position === null ? '' : `?after=${this.position}`;
      const response = await authFetch(`/terminals/${encodeURIComponent(this.id)}/output${after}`, {
        signal: AbortSignal.any([this.end.signal, away.signal]),
        headers: { Accept: 'text/event-stream' },
      });
      if (!response.ok || !response.body)
        throw new ApiError(response.status, (await response.json().catch(() => ({}))) as Record<string, unknown>);
      this.screen.connected(true);
      for await (const { name, data, id } of parseEvents(response.body)) {
        await this.take(name, data);
        if (id !== null) this.position = id;
      }
    } catch (error) {
      if (!away.signal.aborted) throw error;
    } finally {
      document.removeEventListener('visibilitychange', leave);
    }
  }

  private async show(bytes: Uint8Array, isReplay: boolean) {
    this.unshownBytes += bytes.length;
    const shown = this.screen.write(bytes, isReplay).then(() => {
      this.unshownBytes -= bytes.length;
    });
    if (this.unshownBytes > UNSHOWN_BYTES_MAX) await shown;
  }

  private async take(name: string, data: string) {
    switch (name) {
      case 'output':
      case 'replay':
        return this.show(bytesOf(data), name === 'replay');
      case 'reset':
        return this.screen.reset();
      case 'exit':
        this.hasEnded = true;
        return this.screen.exit((JSON.parse(data) as { exitCode: number | null }).exitCode);
      case 'closed':
        this.hasEnded = true;
        return this.screen.closed();
    }
  }
}

function untilVisible(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    document.addEventListener('visibilitychange', done);
    signal.addEventListener('abort', done);
  });
}

function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
