/** Headers with which a client says what it has seen, and what it wants to see. */
import type { IncomingHttpHeaders } from 'node:http';
import { Stale } from '../errors.ts';

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

/** `Prefer: return=representation` (RFC 7240): the object in the answer where it would be empty. */
export function prefersRepresentation({ prefer }: IncomingHttpHeaders): boolean {
  const wishes = Array.isArray(prefer) ? prefer.join(',') : (prefer ?? '');
  return /(^|[,;\s])return\s*=\s*"?representation"?($|[,;\s])/i.test(wishes);
}

export const REPRESENTATION_APPLIED = { 'Preference-Applied': 'return=representation' } as const;
