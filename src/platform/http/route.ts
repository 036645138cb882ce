/** A route: declared as data, handled as a function of values. Routing, OpenAPI and the authorization matrix read the data. */
import type { IncomingHttpHeaders } from 'node:http';
import { Type, type Static, type TObject, type TSchema } from '../schema.ts';
import type {
  Access,
  Caller,
  ObjectAccess,
  Organization,
  OrganizationAccess,
  Project,
  ProjectAccess,
  PublicAccess,
  Rights,
  UserAccess,
} from './access.ts';
import type { CsvFile } from './form.ts';

/**
 * Result of a handler, written out by the app. A body that is a Buffer is JSON already; a stream is sent as it comes, with the
 * content type that the headers name, and destroyed when the client disconnects.
 */
export type Answer = {
  status: number;
  headers?: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`, of which there may be several. */
  cookies?: readonly string[];
  body?: unknown;
};

/** An answer whose body is the value as JSON. */
export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers, body };
}

/** An answer without a body, even if the status would allow one. */
export function noBody(status: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers };
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The values that a handler works on, already checked against the route's schemas. */
export type RouteRequest<A extends Access, P extends TObject, Q extends TObject, B extends TSchema, F> = {
  project: A extends { scope: string } ? Project : undefined;
  /** Rights of the caller in the project. */
  rights: A extends { scope: string } ? Rights : undefined;
  /**
   * Checks the caller's access again, for an answer that lasts long.
   * @returns the rights that they have now
   * @throws as for a new request; rate limits do not count it
   */
  readmit(): Promise<A extends { scope: string } ? Rights : undefined>;
  organization: A extends { organization: string } ? Organization : undefined;
  caller: A extends { public: true } ? undefined : Caller;
  params: Static<P>;
  query: Static<Q>;
  body: [B] extends [never] ? undefined : Static<B>;
  /** Result of reading the file; undefined: no file. */
  file: F | undefined;
  headers: IncomingHttpHeaders;
  /** This request's address as clients know it: on the configured public address, never on the `Host` header. */
  url: URL;
  /** The peer of the connection; what proxies say about it is in the headers. */
  remoteAddress: string;
  /** Aborted when the client is gone, so that long work can stop. */
  signal: AbortSignal;
};

export type RouteDefinition<
  A extends Access,
  P extends TObject,
  Q extends TObject,
  B extends TSchema,
  Collaborators,
  F,
> = {
  method: Method;
  /** Always with the trailing slash; requests may leave it out. `:name` marks a parameter. */
  path: `/${string}/` | '/';
  access: A;
  params?: P;
  /** Unknown query parameters are ignored. */
  query?: Q;
  /**
   * JSON that must match. Unknown top-level fields are dropped before the handler sees them; misspelt fields are refused.
   * Absent: no body is read.
   */
  body?: B;
  /** Refuses all unknown top-level fields, because a misspelt one would do harm. */
  strict?: true;
  /** The body may also be a form without files: fields other than texts are then JSON. */
  urlEncoded?: true;
  /** Whether the body may also be a form with a file, or a file alone. */
  file?: CsvFile<F>;
  /** Answers of success, by status; null is an empty body. */
  answers: Readonly<Record<number, TSchema | null>>;
  summary: string;
  description?: string;
  /** Operation id in the OpenAPI document, if the one derived from method, path and access would be wrong. */
  operationId?: string;
  tag?: string;
  /** Error statuses in addition to those that follow from access, parameters and body: 402, 409, 412, 429. */
  errors?: readonly number[];
  /** All error statuses in the envelope, replacing the derived ones. */
  refusals?: readonly number[];
  /** Credentials that the handler itself checks, by name of the scheme. */
  security?: readonly ('apiKey' | 'session' | 'projectKey' | 'projectKeyHeader')[];
  /** An example body; absent: made from the schema. */
  example?: unknown;
  /** The media type of answers other than JSON, for all or for some statuses. */
  produces?: string | Readonly<Record<number, string>>;
  /** Another media type of successful answers, which clients may choose. */
  alsoProduces?: { type: string; example: string };
  handle(request: RouteRequest<A, P, Q, B, F>, collaborators: Collaborators): Promise<Answer>;
};

/** A route whose schemas' types are forgotten, as lists of routes hold it. */
export type Route<Collaborators> = Omit<
  RouteDefinition<Access, TObject, TObject, TSchema, Collaborators, unknown>,
  'handle'
> & {
  handle(request: unknown, collaborators: Collaborators): Promise<Answer>;
};

/** Description of a route that a raw handler answers. */
export type DescribedRoute = Omit<Route<never>, 'handle' | 'path'> & { path: `/${string}` };

const Nothing = Type.Object({});
type Nothing = typeof Nothing;

/** Refuses names that an access does not have: an inferred type may have any, and a misspelt `sensitive` would demand nothing. */
type CheckedAccess<A extends Access, P extends TObject> = {
  [Name in keyof A]: Name extends keyof KindOf<A>
    ? Name extends 'object'
      ? CheckedObject<A[Name], P>
      : A[Name]
    : never;
};
type KindOf<A extends Access> = A extends { scope: string }
  ? ProjectAccess
  : A extends { organization: string }
    ? OrganizationAccess
    : A extends { authenticated: true }
      ? UserAccess
      : PublicAccess;

/** An object is named by a parameter of the route; a name that is put together at run time cannot be checked. */
type CheckedObject<O, P extends TObject> = {
  [Name in keyof O]: Name extends keyof ObjectAccess
    ? Name extends 'param'
      ? string extends O[Name]
        ? O[Name]
        : keyof Static<P> | 'project_id'
      : O[Name]
    : never;
};

/** Declares a route. `access` has no default: a route without one does not compile. */
export function route<
  const A extends Access,
  Collaborators,
  P extends TObject = Nothing,
  Q extends TObject = Nothing,
  B extends TSchema = never,
  F = undefined,
>(definition: RouteDefinition<A, P, Q, B, Collaborators, F> & { access: CheckedAccess<A, P> }): Route<Collaborators> {
  return definition;
}
