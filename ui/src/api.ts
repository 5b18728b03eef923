/**
 * Requests to Pilothouse. Every response other than a success becomes an `ApiError` with the server's own texts, so
 * that pages don't translate status codes.
 */
import { fetchInWorker, type FetchedResponse } from './workerFetch';
import { currentToken, tokenRefused } from './session';

/** A problem with one field of a request. */
export interface FieldProblem {
  /** JSON pointer into the request: `/value`, `/changes/toastDisplayDurationSeconds`. */
  pointer: string;
  code: string;
  /** The accepted values. */
  detail: string;
}

/** A rejected or failed request. `message` is a sentence for the user. */
export class ApiError extends Error {
  /** HTTP status, or 0 without a response. */
  readonly status: number;
  /** Stable kebab-case code; `unreachable` without a response. */
  readonly code: string;
  readonly title: string;
  readonly errors: readonly FieldProblem[];
  /** Seconds after which a retry can succeed. */
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

  /** The problem with the field at `pointer`, or else with the whole request. */
  reasonAt(pointer: string): string {
    return this.errors.find((e) => e.pointer === pointer)?.detail ?? this.message;
  }
}

/**
 * Whether a retry can succeed later: Pilothouse is unreachable, signed this page out, limits the rate, or is read-only.
 */
export const isForNow = (failure: unknown): boolean =>
  failure instanceof ApiError && [0, 401, 429, 503].includes(failure.status);

/** Milliseconds until a retry: at least `least`, and at least what `Retry-After` asks for. */
export const againAfter_ms = (failure: unknown, least: number): number =>
  Math.max(least, 1000 * ((failure instanceof ApiError ? failure.retryAfter : null) ?? 0));

/** The message of anything that was thrown. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'Unexpected error.');

/** Options of a request. */
export interface RequestOptions {
  query?: Record<string, string | number | boolean | null | undefined>;
  /** Sent as JSON; a file is sent unchanged. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** ETag that must still be current. Otherwise the request fails with 412 and changes nothing. */
  ifMatch?: string;
  /** ETag of the cached version. The response is 304 if nothing changed. */
  ifNoneMatch?: string;
  /** A request that changes nothing but isn't a GET, because its input is too long for a URL. */
  isReading?: boolean;
  /** For large responses: a worker reads them, so that the page stays responsive. */
  isLarge?: boolean;
  /** Sends the request even while the page closes. Bodies that are too large for that are sent as a usual request. */
  keepalive?: boolean;
}

/** Browsers allow 64 KiB of such bodies in progress. The rest is left for other requests. */
const KEEPALIVE_BYTES_MAX = 60 * 1024;

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

const answered = new Set<() => void>();

/** Calls `listener` after each successful response. Returns a function that stops it. */
export function onAnswer(listener: () => void): () => void {
  answered.add(listener);
  return () => answered.delete(listener);
}

/** Sends a request with the token. */
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

/** `fetch` with the token. A rejected token ends the page's sign-in; no error is thrown here. */
export const authFetch = (input: RequestInfo | URL, init?: RequestInit): Promise<Response> =>
  sent(init?.headers ?? (input instanceof Request ? input.headers : undefined), (headers) =>
    fetch(input, { ...init, headers, credentials: 'omit', cache: 'no-store' }),
  );

/** Without workers, the page reads all responses itself. */
const hasAside = typeof Worker !== 'undefined';

/** A whole response. */
export interface Answer {
  status: number;
  headers: Headers;
  /** Empty if there is none. */
  body: ArrayBuffer;
}

/** Messages without a response. Only reads and queued changes are retried. */
const UNREAD = "Can't reach Pilothouse. Reconnecting...";
const UNSAVED = "Can't reach Pilothouse. Not saved.";
const UNKNOWN = 'Connection lost. Check whether your change was saved.';

/** Sends a request. Returns the whole response if it succeeded or is a 304; otherwise throws `ApiError`. */
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
    // Read to the end here, because an interrupted response counts as none.
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
      // The status is enough.
    }
  }
  return new ApiError(status, problem, Number.isNaN(retryAfter) ? null : retryAfter);
}

/** A value with its ETag, which is sent with changes. */
export interface Tagged<T> {
  /** Null if the cached version is still current. */
  data: T | null;
  etag: string | null;
}

async function json<T>(method: Method, path: string, options?: RequestOptions): Promise<T> {
  const { status, body } = await request(method, path, options);
  return (status === 204 ? undefined : parsed(body)) as T;
}

/** Requests that send and receive JSON. */
export const api = {
  get: <T>(path: string, options?: RequestOptions) => json<T>('GET', path, options),
  post: <T>(path: string, body?: unknown, options?: RequestOptions) => json<T>('POST', path, { ...options, body }),
  put: <T>(path: string, body?: unknown, options?: RequestOptions) => json<T>('PUT', path, { ...options, body }),
  patch: <T>(path: string, body?: unknown, options?: RequestOptions) => json<T>('PATCH', path, { ...options, body }),
  delete: <T>(path: string, options?: RequestOptions) => json<T>('DELETE', path, options),
  /** Like `get`, with the ETag. Pass `ifNoneMatch` to skip an unchanged body. */
  async tagged<T>(path: string, options?: RequestOptions): Promise<Tagged<T>> {
    const { status, headers, body } = await request('GET', path, options);
    return { data: status === 304 ? null : (parsed(body) as T), etag: headers.get('ETag') };
  },
};
