/**
 * Requests to the program. Every answer that is not a success becomes an `ApiError` with the program's own words, so
 * that a page can show what happened without translating status codes.
 */
import { fetchInWorker, type FetchedResponse } from './workerFetch';
import { currentToken, tokenRefused } from './session';

/** One wrong place of what was sent. */
export interface FieldProblem {
  /** JSON pointer into the request: `/value`, `/changes/toastDisplayDurationSeconds`. */
  pointer: string;
  code: string;
  /** What is accepted there. */
  detail: string;
}

/** A refused or failed request. `message` is a sentence for the person. */
export class ApiError extends Error {
  /** HTTP status, or 0 when the program did not answer. */
  readonly status: number;
  /** Stable kebab-case word; `unreachable` when the program did not answer. */
  readonly code: string;
  readonly title: string;
  readonly errors: readonly FieldProblem[];
  /** Seconds after which trying again may succeed. */
  readonly retryAfter: number | null;
  /** The whole problem document, with members such as `suggestions`. */
  readonly problem: Readonly<Record<string, unknown>>;

  constructor(status: number, problem: Record<string, unknown>, retryAfter: number | null = null) {
    const text = (member: string, otherwise: string) =>
      typeof problem[member] === 'string' ? (problem[member] as string) : otherwise;
    super(text('detail', `Pilothouse returned status ${status} without a reason.`));
    this.name = 'ApiError';
    this.status = status;
    this.code = text('code', 'unknown');
    this.title = text('title', 'Request rejected');
    this.errors = Array.isArray(problem.errors) ? (problem.errors as FieldProblem[]) : [];
    this.retryAfter = retryAfter;
    this.problem = problem;
  }

  /** What is said about the place that `pointer` names, else about the whole request. */
  reasonAt(pointer: string): string {
    return this.errors.find((e) => e.pointer === pointer)?.detail ?? this.message;
  }
}

/** The program is away, does not know this page any more, is asked too much or takes no changes: asked again later it may. */
export const isForNow = (failure: unknown): boolean =>
  failure instanceof ApiError && [0, 401, 429, 503].includes(failure.status);

/** When to ask again after a failure: not before the program says, nor before `least`. */
export const againAfter_ms = (failure: unknown, least: number): number =>
  Math.max(least, 1000 * ((failure instanceof ApiError ? failure.retryAfter : null) ?? 0));

/** The sentence to show for anything that was thrown. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'Unexpected error.');

/** Options of a request. */
export interface RequestOptions {
  query?: Record<string, string | number | boolean | null | undefined>;
  /** Sent as JSON, a file as it is. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** ETag that must still hold, or the program answers 412 and changes nothing. */
  ifMatch?: string;
  /** ETag that we hold: the program answers 304 when nothing changed. */
  ifNoneMatch?: string;
  /** It changes nothing, although it is no GET: what is asked for is too long for an address. */
  isReading?: boolean;
  /** The answer is large: a worker reads it, for the page not to stand still meanwhile. */
  isLarge?: boolean;
  /** Sends it even while the page goes away. A larger body than browsers allow for that goes as a usual request. */
  keepalive?: boolean;
}

/** Browsers refuse more than 64 KiB of such bodies under way; a little is left for others. */
const KEEPALIVE_BYTES_MAX = 60 * 1024;

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

const answered = new Set<() => void>();

/** Calls `listener` whenever the program has answered something; returns how to stop. */
export function onAnswer(listener: () => void): () => void {
  answered.add(listener);
  return () => answered.delete(listener);
}

/** Sends with the token. */
async function sent<R extends FetchedResponse>(
  given: HeadersInit | undefined,
  send: (headers: Headers) => Promise<R>,
): Promise<R> {
  const token = currentToken();
  const headers = new Headers(given);
  if (token) headers.set('Authorization', `Bearer ${token}`);
  const response = await send(headers);
  if (response.status === 401 && token) tokenRefused(token);
  if (response.ok) for (const listener of answered) listener();
  return response;
}

/** `fetch` with the token. A refused token ends the page's session; the error is not thrown here. */
export const authFetch = (input: RequestInfo | URL, init?: RequestInit): Promise<Response> =>
  sent(init?.headers ?? (input instanceof Request ? input.headers : undefined), (headers) =>
    fetch(input, { ...init, headers, credentials: 'omit', cache: 'no-store' }),
  );

/** Not known everywhere; there the page reads all itself. */
const hasAside = typeof Worker !== 'undefined';

/** A whole answer. */
export interface Answer {
  status: number;
  headers: Headers;
  /** Empty where there is none. */
  body: ArrayBuffer;
}

/** What is said where no answer came: only readings, and what waits by itself, are asked again. */
const UNREAD = "Can't reach Pilothouse. Reconnecting...";
const UNSAVED = "Can't reach Pilothouse. Not saved.";
const UNKNOWN = 'Connection lost. Check whether your change was saved.';

/** Sends a request and returns the whole answer if it succeeded or is a 304; throws `ApiError` otherwise. */
export async function request(method: Method, path: string, options: RequestOptions = {}): Promise<Answer> {
  const headers: Record<string, string> = { Accept: 'application/json', ...options.headers };
  const isFile = options.body instanceof Blob;
  if (options.body !== undefined) headers['Content-Type'] = isFile ? 'application/octet-stream' : 'application/json';
  if (options.ifMatch) headers['If-Match'] = options.ifMatch;
  if (options.ifNoneMatch) headers['If-None-Match'] = options.ifNoneMatch;
  const body = options.body === undefined ? null : isFile ? (options.body as Blob) : JSON.stringify(options.body);
  const isSmall =
    body === null || (typeof body === 'string' && new TextEncoder().encode(body).length <= KEEPALIVE_BYTES_MAX);
  let answer: Answer;
  let isTaken: boolean;
  let isHeard = false;
  try {
    const address = path + queryString(options.query);
    const signal = options.signal ?? null;
    const response =
      options.isLarge && method === 'GET' && hasAside
        ? await sent(headers, (all) => fetchInWorker(address, all, signal))
        : await authFetch(address, { method, headers, signal, keepalive: options.keepalive === true && isSmall, body });
    isHeard = true;
    // Read to its end here: an answer that breaks off is none.
    answer = { status: response.status, headers: response.headers, body: await response.arrayBuffer() };
    isTaken = response.ok || response.status === 304;
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError(0, {
      code: 'unreachable',
      title: 'No response',
      detail: method === 'GET' || options.isReading ? UNREAD : isHeard ? UNKNOWN : UNSAVED,
    });
  }
  if (isTaken) return answer;
  throw toError(answer);
}

function queryString(query: RequestOptions['query']): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== null && value !== undefined) params.set(name, String(value));
  }
  return params.size ? `?${params}` : '';
}

const parsed = (body: ArrayBuffer): unknown => JSON.parse(new TextDecoder().decode(body));

function toError({ status, headers, body }: Answer): ApiError {
  const retryAfter = Number.parseInt(headers.get('Retry-After') ?? '', 10);
  let problem: Record<string, unknown> = {};
  if (/[/+]json\b/.test(headers.get('Content-Type') ?? '')) {
    try {
      problem = parsed(body) as Record<string, unknown>;
    } catch {
      // Its status has to do.
    }
  }
  return new ApiError(status, problem, Number.isNaN(retryAfter) ? null : retryAfter);
}

/** A value and the ETag to send back with a change of it. */
export interface Tagged<T> {
  /** Null when the ETag that we hold is still right. */
  data: T | null;
  etag: string | null;
}

async function json<T>(method: Method, path: string, options?: RequestOptions): Promise<T> {
  const { status, body } = await request(method, path, options);
  return (status === 204 ? undefined : parsed(body)) as T;
}

/** Requests that send and answer JSON. */
export const api = {
  get: <T>(path: string, options?: RequestOptions) => json<T>('GET', path, options),
  post: <T>(path: string, body?: unknown, options?: RequestOptions) => json<T>('POST', path, { ...options, body }),
  put: <T>(path: string, body?: unknown, options?: RequestOptions) => json<T>('PUT', path, { ...options, body }),
  patch: <T>(path: string, body?: unknown, options?: RequestOptions) => json<T>('PATCH', path, { ...options, body }),
  delete: <T>(path: string, options?: RequestOptions) => json<T>('DELETE', path, options),
  /** As `get`, with the ETag; pass `ifNoneMatch` to be spared an unchanged body. */
  async tagged<T>(path: string, options?: RequestOptions): Promise<Tagged<T>> {
    const { status, headers, body } = await request('GET', path, options);
    return { data: status === 304 ? null : (parsed(body) as T), etag: headers.get('ETag') };
  },
};
