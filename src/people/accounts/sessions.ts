/**
 * Sessions of logged-in users. The cookie `sessionid` is random and not readable by scripts; `posthog_csrftoken` is derived from it. Only
 * pages of this site can read `posthog_csrftoken` and send it in `X-CSRFToken`. A cookie that an attacker planted does not match the session.
 */
import { createHmac, createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { PermissionDenied } from '../../platform/errors.ts';
import type { Caller, Credentials } from '../../platform/http/access.ts';
import { cookieValues, setCookie } from '../../platform/http/parameters/cookies.ts';
import { ensureOwnPage } from '../../platform/http/own-page.ts';
import { networkOf } from '../../platform/wire/client-address.ts';
import { deviceOf } from './device.ts';
import { SESSION_DAYS, type SessionStore } from './sessions.store.ts';
import { ALL_SCOPES } from '../access/scopes.ts';

const SESSION_COOKIE = 'sessionid';
const CSRF_COOKIE = 'posthog_csrftoken';
const MAX_AGE_SECONDS = SESSION_DAYS * 24 * 3600;
const TOKEN = /^[\w-]{43}$/;
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** Values of `Set-Cookie`. */
export type Cookies = readonly string[];

/** A browser that logs in. */
export type Client = {
  headers: IncomingHttpHeaders;
  /** Address of the client, which only trusted proxies may report. */
  address: string;
};

export type Sessions = {
  /**
   * @returns undefined without a valid session
   * @throws PermissionDenied for a change from a page of another site, or without the CSRF token
   */
  callerOf(request: Pick<Credentials, 'headers' | 'method'>): Promise<Caller | undefined>;
  /** Begins a session, and replaces the one of the request. @param store of a transaction */
  begin(store: SessionStore, userId: number, client: Client): Promise<Cookies>;
  /** Ends the session of the request. @param store of a transaction */
  end(store: SessionStore, headers: IncomingHttpHeaders): Promise<Cookies>;
};

/** @param options with an https `publicUrl`, cookies are only sent over https */
export function createSessions({ sessions, publicUrl }: { sessions: SessionStore; publicUrl: string }): Sessions {
  const base = new URL(publicUrl);
  const options = { path: '/', secure: base.protocol === 'https:' };
  // tooth: cookie-not-for-scripts
  const cookies = (token: string, csrfToken: string, maxAge: number) => [
    setCookie({ ...options, name: SESSION_COOKIE, value: token, maxAge, httpOnly: true }),
    setCookie({ ...options, name: CSRF_COOKIE, value: csrfToken, maxAge }),
  ];

  return {
    async callerOf({ headers, method = 'GET' }) {
      const token = tokenOf(headers);
      const session = token === undefined ? undefined : await sessions.find(hashOf(token));
      if (token === undefined || !session) return undefined;
      if (!SAFE_METHODS.includes(method)) {
        ensureOwnPage(headers, base);
        // tooth: csrf-asked
        ensureCsrfToken(token, headers);
      }
      const { id, userId, authenticatedAt } = session;
      return {
        keyId: null,
        scopes: [ALL_SCOPES],
        onlyProjects: null,
        onlyOrganizations: null,
        session: { id, authenticatedAt },
        userId,
        projectId: null,
      };
    },

    async begin(store, userId, { headers, address }) {
      const former = tokenOf(headers);
      const token = randomBytes(32).toString('base64url');
      const session = { userId, device: deviceOf(headers['user-agent']), network: networkOf(address) };
      await store.begin({ ...session, tokenHash: hashOf(token) }, former === undefined ? undefined : hashOf(former));
      return cookies(token, csrfTokenOf(token), MAX_AGE_SECONDS);
    },

    async end(store, headers) {
      const token = tokenOf(headers);
      if (token !== undefined) await store.end(hashOf(token));
      return cookies('', '', 0);
    },
  };
}

/** Whether a request carries a session cookie; the session may have ended. */
export function carriesSession(headers: IncomingHttpHeaders): boolean {
  return tokenOf(headers) !== undefined;
}

/** @throws PermissionDenied unless the page that sent the request can read this site's cookies */
function ensureCsrfToken(token: string, headers: IncomingHttpHeaders): void {
  const csrfToken = headers['x-csrftoken'];
  if (csrfToken === undefined) throw new PermissionDenied('CSRF Failed: CSRF token missing.');
  const [is, wanted] = [Buffer.from(String(csrfToken)), Buffer.from(csrfTokenOf(token))];
  // tooth: csrf-compared
  if (is.length === wanted.length && timingSafeEqual(is, wanted)) return;
  throw new PermissionDenied("CSRF Failed: CSRF token from the 'X-Csrftoken' HTTP header incorrect.");
}

function csrfTokenOf(token: string): string {
  return createHmac('sha256', token).update('csrf').digest('base64url');
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function tokenOf(headers: IncomingHttpHeaders): string | undefined {
  const [token] = cookieValues(headers, SESSION_COOKIE);
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}
