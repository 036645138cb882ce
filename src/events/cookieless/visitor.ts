/**
 * The id of a visitor for a day: HMAC-SHA-256 (RFC 2104) with the day's salt as its key. Its inputs are those of upstream
 * (`rust/common/cookieless` of PostHog, which uses SipHash), as a JSON array, so two visitors never have the same text.
 */
import { createHmac } from 'node:crypto';
import { visitorId } from './ids.ts';
import type { DaySalt } from './salts.ts';

/** Data by which visitors are told apart. */
export type VisitorTraits = {
  projectId: number;
  /** Address of the client. */
  address: string;
  site: string;
  userAgent: string;
  /** An addition of the page, which may know more to tell its visitors apart. */
  extra: unknown;
};

export type Visitor = {
  distinctId: string;
  deviceId: string;
  /** Ten bytes as hex, for the id of a session. */
  session: string;
};

const EXTRA_LENGTH = 100;
const USER_AGENT_LENGTH = 1_000;
const ID_BYTES = 16;
const SESSION_BYTES = 10;

export function visitorOf({ salt }: DaySalt, { projectId, address, site, userAgent, extra }: VisitorTraits): Visitor {
  const extraText = typeof extra === 'string' ? extra.slice(0, EXTRA_LENGTH) : '';
  const traits = JSON.stringify([projectId, address, site, userAgent.slice(0, USER_AGENT_LENGTH), extraText]);
  const hash = createHmac('sha256', salt).update(traits).digest();
  const id = hash.toString('base64url', 0, ID_BYTES);
  return {
    distinctId: visitorId(id),
    deviceId: `cookielessd_${id}`,
    session: hash.toString('hex', ID_BYTES, ID_BYTES + SESSION_BYTES),
  };
}
