/** Headers with which a client says what it has seen, and what it wants to see. */
import type { IncomingHttpHeaders } from 'node:http';
import { Stale } from '../../errors.ts';

/** The entity tag of a version. */
export function entityTag(version: string): string {
  return `"${version}"`;
}

/**
 * @returns the version that the caller read (`If-Match: "3"`); undefined when it does not insist on one
 * @throws Stale for tags that we do not give out
 */
export function expectedVersion({ 'if-match': text }: IncomingHttpHeaders): string | undefined {
  if (text === undefined || text.trim() === '*') return undefined;
  const version = /^"(\d{1,19})"$/.exec(text.trim())?.[1];
  if (version === undefined) throw new Stale('`If-Match` is not the entity tag of a version of this object.');
  return version;
}

/** Whether the client has what carries the tag already (`If-None-Match`): weak and strong tags compare alike (RFC 9110). */
export function hasAlready({ 'if-none-match': text }: IncomingHttpHeaders, tag: string): boolean {
  if (text === undefined) return false;
  return text.trim() === '*' || text.split(',').some((one) => opaqueTag(one) === opaqueTag(tag));
}

function opaqueTag(tag: string): string {
  return tag.trim().replace(/^W\//, '');
}

/** `Prefer: return=representation` (RFC 7240): the object in the answer where it would be empty. */
export function prefersRepresentation({ prefer }: IncomingHttpHeaders): boolean {
  const wishes = Array.isArray(prefer) ? prefer.join(',') : (prefer ?? '');
  return /(^|[,;\s])return\s*=\s*"?representation"?($|[,;\s])/i.test(wishes);
}

export const REPRESENTATION_APPLIED = { 'Preference-Applied': 'return=representation' } as const;
