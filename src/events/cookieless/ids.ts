/** Distinct ids that stand for no person for longer than a day; docs/cookieless.md explains why. */

/** The distinct id that SDKs send for every visitor without cookies. */
const SENTINEL = '$posthog_cookieless';

/** Prefix of visitors' ids, ours and upstream's, which tells them from ids that clients make. */
const PREFIX = 'cookieless_';
const VISITOR = /^cookieless_[\w+/-]{22}$/;

/** Length of an id; longer ids are cut before they are stored. */
const MAX_LENGTH = 200;

/** Whether the id, once cut, stands for all visitors without cookies. */
export function isSentinel(distinctId: unknown): boolean {
  return typeof distinctId === 'string' && distinctId.slice(0, MAX_LENGTH).trim() === SENTINEL;
}

/** Whether the id may not identify, create or merge a person. */
export function identifiesNobody(distinctId: string): boolean {
  return isSentinel(distinctId) || VISITOR.test(distinctId.trim());
}

/** @param hash 22 characters */
export function visitorId(hash: string): string {
  return PREFIX + hash;
}
