/** Requests to the API, typed by its OpenAPI document. `unwrap` turns refusals into `ApiError`; without a session the console asks for a password. */
import createClient from 'openapi-fetch';
import { sessionFetch } from './session-fetch.ts';
import type { components, paths } from './schema.d.ts';

export const api = createClient<paths>({ baseUrl: '/', fetch: sessionFetch });

/** A schema of that document, without the fields that are always null in answers. */
export type AnswerOf<Name extends keyof components['schemas']> = WithoutNulls<components['schemas'][Name]>;

type WithoutNulls<T> = T extends (infer One)[]
  ? WithoutNulls<One>[]
  : T extends object
    ? { [Name in keyof T as NonNullable<T[Name]> extends never ? never : Name]: WithoutNulls<T[Name]> }
    : T;

/** The envelope of a refusal. */
export type Refusal = { type: string; code: string; detail: string; attr: string | null };

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** The field that caused the refusal, such as `destination.config.bucket_name`. */
  readonly attr: string | null;
  /** The whole body: some refusals carry more than the envelope. */
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    const refusal = (typeof body === 'object' && body !== null ? body : {}) as Partial<Refusal>;
    super(refusal.detail ?? SENTENCES_BY_STATUS[status] ?? `The server answered ${status}.`);
    this.name = 'ApiError';
    this.status = status;
    this.code = refusal.code ?? '';
    this.attr = refusal.attr ?? null;
    this.body = body;
  }
}

/** Sentences for a proxy's answers, which have no error envelope; 0: there was no answer. */
const SENTENCES_BY_STATUS: Readonly<Record<number, string>> = {
  0: 'The server cannot be reached.',
  502: 'The server is not available right now.',
  503: 'The server is busy or starting. Try again in a moment.',
  504: 'The server took too long to answer.',
};

type Answer<Data> = { data?: Data; error?: unknown; response: Response };

/** @returns the body of an answer @throws ApiError for a refusal, and with status 0 where there was no answer */
export async function unwrap<Data>(answer: Promise<Answer<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await answer.catch((cause: unknown): never => {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiError(0, undefined);
  });
  if (!response.ok) throw new ApiError(response.status, error);
  return data as NonNullable<Data>;
}

/** Replaces the API's `Not found.` for objects that were shown, or are linked: somebody may have deleted them meanwhile. */
export const GONE = 'It no longer exists, or you may not see it.';

/** The message to show for anything that was thrown. */
export function messageOf(error: unknown): string {
  if (!(error instanceof ApiError)) return 'Something went wrong in the console. Reload the page.';
  return error.message === 'Not found.' ? GONE : error.message;
}

/** @returns the message of a refusal that names this field, or a field inside it */
export function fieldErrorOf(error: unknown, field: string): string | undefined {
  return error instanceof ApiError && error.attr?.split(/[.[]/)[0] === field ? error.message : undefined;
}
