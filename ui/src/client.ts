/**
 * Requests whose paths, inputs, and responses the compiler checks against the API's operations (`gen/api.ts`), and the
 * types of their records. They are sent by `api`, with its errors.
 */
import { api, type RequestOptions } from './api';
import type { components, paths } from './gen/api';
import type { Json } from './settings';

/** JSON without a more exact type. */
type Known<T> = unknown extends T ? Json : T extends object ? { [Member in keyof T]: Known<T[Member]> } : T;

/** The API's records by name: `Schemas['BoardRecord']`. */
export type Schemas = { [Name in keyof components['schemas']]: Known<components['schemas'][Name]> };

/** A record with more exact types for some members. Contradicting types don't compile. */
export type Exact<T, More extends { [Member in keyof More]: Member extends keyof T ? T[Member] : never }> = Omit<
  T,
  keyof More
> &
  More;

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Operation<Path extends keyof paths, M extends Method> = Exclude<paths[Path][M], undefined>;
type PathOf<M extends Method> = {
  [Path in keyof paths]: [Operation<Path, M>] extends [never] ? never : Path;
}[keyof paths];

type PathPart<O> = O extends { parameters: { path: infer Part extends object } } ? { path: Part } : { path?: never };
type QueryPart<O> = O extends { parameters: { query?: never } }
  ? { query?: never }
  : O extends { parameters: { query?: infer Part } }
    ? { query?: { [Name in keyof Part]: Part[Name] | null } }
    : never;
type IfMatchPart<O> = O extends { parameters: { header?: infer Part extends object } }
  ? 'If-Match' extends keyof Part
    ? { ifMatch?: string }
    : { ifMatch?: never }
  : never;
type BodyPart<O> = O extends { requestBody: { content: { 'application/json': infer Body } } }
  ? { body: Body }
  : O extends { requestBody?: never }
    ? { body?: never }
    : O extends { requestBody?: { content: { 'application/json': infer Body } } }
      ? { body?: Body }
      : { body?: never };
/** As one object type: from a union of intersections the compiler can't infer. */
type Flat<T> = { [Member in keyof T]: T[Member] };
type Input<O> = Flat<
  PathPart<O> & QueryPart<O> & IfMatchPart<O> & BodyPart<O> & Pick<RequestOptions, 'signal' | 'keepalive' | 'isReading'>
>;
/** Optional if no member is required. */
type Given<O> = object extends Input<O> ? [input?: Input<O>] : [input: Input<O>];

type Success = 200 | 201 | 202 | 204;
type Answer<O> = O extends { responses: infer All }
  ? {
      [Status in keyof All & Success]: All[Status] extends { content: { 'application/json': infer Body } }
        ? Known<Body>
        : undefined;
    }[keyof All & Success]
  : never;

/** The URL: `/boards/{boardId}` with the IDs filled in. */
const filled = (path: string, parts: Readonly<Record<string, unknown>> = {}) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(parts[name])));

interface AnyInput extends RequestOptions {
  path?: Record<string, unknown>;
}

function caller<M extends Method>(method: M) {
  return <Path extends PathOf<M>>(
    path: Path,
    ...given: Given<Operation<Path, M>>
  ): Promise<Answer<Operation<Path, M>>> => {
    const [{ path: parts, body, ...options } = {}] = given as unknown as [AnyInput?];
    const address = filled(path, parts);
    const more = Object.keys(options).length > 0 ? [options] : [];
    // Changes always send JSON, even without members.
    return method === 'get' || method === 'delete'
      ? api[method](address, ...more)
      : api[method as 'post' | 'put' | 'patch'](address, body ?? {}, ...more);
  };
}

/** `client.get('/settings/{key}', { path: { key } })`. */
export const client = {
  get: caller('get'),
  post: caller('post'),
  put: caller('put'),
  patch: caller('patch'),
  delete: caller('delete'),
};
