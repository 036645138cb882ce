/** Headers of conditional requests: the versions and tags that clients send, and those that answers return. */
import type { IncomingHttpHeaders } from 'node:http';
import { Stale } from '../../errors.ts';
import type { Answer } from '../route.ts';

/** The entity tag of a version. */
export function entityTag(version: string | number): string {
  return `"${version}"`;
}

/** The `Location` of an object that was created at the address of its collection. */
export function locationHeader(collection: URL, id: string | number): { Location: string } {
  return { Location: new URL(`${collection.pathname.replace(/\/?$/, '/')}${id}/`, collection).href };
}

/**
 * @returns the version that the caller read (`If-Match: "3"`); undefined when there is none
 * @throws Stale for tags that we do not give out
 */
export function expectedVersion({ 'if-match': text }: IncomingHttpHeaders): string | undefined {
  if (text === undefined || text.trim() === '*') return undefined;
  const version = /^"(\d{1,19})"$/.exec(text.trim())?.[1];
  if (version === undefined) throw new Stale('`If-Match` is not the entity tag of a version of this object.');
  return version;
}

/**
 * @param expected from `expectedVersion`
 * @throws Stale when the object has another version
 */
export function ensureVersion(expected: string | undefined, version: string | number, subject: string): void {
  if (expected === undefined || expected === String(version)) return;
  throw new Stale(`The ${subject} was changed since you read it.`);
}

/** Whether the client has the version with this tag already (`If-None-Match`): weak and strong tags compare alike (RFC 9110). */
export function matchesTag({ 'if-none-match': text }: IncomingHttpHeaders, tag: string): boolean {
  if (text === undefined) return false;
  return text.trim() === '*' || text.split(',').some((candidate) => opaqueTag(candidate) === opaqueTag(tag));
}

function opaqueTag(tag: string): string {
  return tag.trim().replace(/^W\//, '');
}

/** @param representation the answer with the object, for a client that prefers it: `Prefer: return=representation` (RFC 7240) */
export async function preferRepresentation(
  headers: IncomingHttpHeaders,
  answer: Answer,
  representation: () => Answer | Promise<Answer>,
): Promise<Answer> {
  if (!prefersRepresentation(headers)) return answer;
  const body = await representation();
  const applied = { 'Preference-Applied': 'return=representation' };
  return { ...body, headers: { ...answer.headers, ...body.headers, ...applied } };
}

function prefersRepresentation({ prefer }: IncomingHttpHeaders): boolean {
  const wishes = Array.isArray(prefer) ? prefer.join(',') : (prefer ?? '');
  return /(^|[,;\s])return\s*=\s*"?representation"?($|[,;\s])/i.test(wishes);
}
