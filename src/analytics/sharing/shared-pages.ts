/**
 * `/shared/:token`, `/embedded/:token` and `/shared_dashboard/:token`, each with `.json`: open to anybody with the link. A raw handler,
 * because these are pages, with cookies of their own, and no other site's script may read them.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isDatabaseAway } from '../../platform/db/away.ts';
import { MethodNotAllowed, NotFound, Throttled, Unavailable } from '../../platform/errors.ts';
import { answerFor, serverError } from '../../platform/http/error-body.ts';
import { send, type RawHandler } from '../../platform/http/raw-answers.ts';
import type { Answer } from '../../platform/http/route.ts';
import { createRateLimit } from '../../people/keys/rate-limits.ts';
import { describeError } from '../../platform/secrets/redact.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { ClientAddress } from '../../platform/wire/client-address.ts';
import { pageContentOf, lockedPageOf, type LoadShown } from './exported.ts';
import { createTextCache, type Text } from './text-cache.ts';
import { PRIVATE_HEADERS, type Page } from './page/document.ts';
import { missingPage, sharedPage, unlockPage } from './page/pages.ts';
import { cookieOf, readPassword, tokensOf, type Visit } from './visit.ts';
import type { Share, ShareStore } from './shares.store.ts';
import type { Unlocking } from './unlocking.ts';

export type SharedPages = { handle: RawHandler };

export type SharedPagesOptions = {
  shares: ShareStore;
  unlocking: Unlocking;
  loadShown: LoadShown;
  clientAddress: ClientAddress;
  /** Whether browsers use https; the cookie is then sent over https only. */
  isSecure: boolean;
  log: Logger;
};

/** Limit of each client address, because rendering a page takes milliseconds that other requests wait for. */
const VISITS = { perSecond: 20, burstSeconds: 10 };
const PATH = /^\/(?<door>shared|embedded|shared_dashboard)\/(?<token>[^/?#]*?)(?<json>\.json)?\/?(?:\?(?<query>.*))?$/;
const READING = ['GET', 'HEAD'];
const JSON_HEADERS = { ...PRIVATE_HEADERS, 'Content-Type': 'application/json' };
/** Stands for a malformed token, because no real one looks like it. */
const NO_TOKEN = '-';

export function createSharedPages(options: SharedPagesOptions): SharedPages {
  const { shares, unlocking, loadShown, clientAddress, isSecure, log } = options;
  const textCache = createTextCache();
  const visits = createRateLimit<string>(VISITS.perSecond, undefined, VISITS.burstSeconds);

  function handle(request: IncomingMessage, response: ServerResponse): boolean {
    const { door, token = '', json, query = '' } = PATH.exec(request.url ?? '')?.groups ?? {};
    if (door === undefined) return false;
    const isEmbedded = door === 'embedded' || new URLSearchParams(query).has('embedded');
    void answer(request, response, {
      path: `/${door}/${token}`,
      token: /^[\w-]{1,400}$/.test(token) ? token : NO_TOKEN,
      type: isEmbedded ? 'embed' : 'scene',
      asksForJson: json !== undefined || /\bapplication\/json\b/.test(request.headers.accept ?? ''),
    });
    return true;
  }

  /** Never rejects. */
  async function answer(request: IncomingMessage, response: ServerResponse, visit: Visit): Promise<void> {
    try {
      visits.charge(clientAddress(request), 1);
      const { method = '' } = request;
      if (![...READING, 'POST'].includes(method)) throw new MethodNotAllowed(method, [...READING, 'POST']);
      const share = await shares.find(visit.token);
      if (!share) throw new NotFound();
      await (method === 'POST' ? unlock : show)(request, response, visit, share);
    } catch (error) {
      fail(request, response, visit, error);
    }
  }

  async function show(request: IncomingMessage, response: ServerResponse, visit: Visit, share: Share): Promise<void> {
    const { passwordRequired, settings } = share.configuration;
    if (passwordRequired && !(await unlocking.isOpen(share, tokensOf(request)))) {
      if (visit.asksForJson) return sendJson(request, response, { status: 200, body: lockedPageOf(share) });
      return sendPage(request, response, 200, unlockPage(settings ?? {}));
    }
    // The cache needs no check of its own, because the link and the password were checked for this visit.
    const cacheKey = JSON.stringify([share, visit.type, visit.asksForJson]);
    sendText(request, response, 200, await textCache.getText(cacheKey, () => draw(share, visit)));
  }

  async function draw(share: Share, { type, asksForJson }: Visit): Promise<Text> {
    const exported = pageContentOf(share, type, await loadShown(share));
    if (asksForJson) return { bytes: Buffer.from(JSON.stringify(exported)), headers: JSON_HEADERS };
    const { html, headers } = sharedPage(exported);
    return { bytes: Buffer.from(html), headers };
  }

  async function unlock(request: IncomingMessage, response: ServerResponse, visit: Visit, share: Share): Promise<void> {
    if (!share.configuration.passwordRequired) throw new MethodNotAllowed('POST', READING);
    const { password, isForm } = await readPassword(request);
    const shareToken = await unlocking.unlock(share, password, clientAddress(request)).catch((error: unknown) => {
      if (!isForm || !(error instanceof Throttled)) throw error;
      const page = unlockPage(share.configuration.settings ?? {}, `Too many attempts. ${error.message}`);
      sendPage(request, response, 429, page, { 'Retry-After': String(error.retryAfterSeconds) });
      return null;
    });
    if (shareToken === null) return;
    if (shareToken === undefined) {
      if (!isForm) return sendJson(request, response, { status: 401, body: { error: 'Incorrect password' } });
      return sendPage(request, response, 401, unlockPage(share.configuration.settings ?? {}, 'Incorrect password'));
    }
    const cookie = { 'Set-Cookie': cookieOf(shareToken, visit, isSecure) };
    if (!isForm) return sendJson(request, response, { status: 200, headers: cookie, body: { shareToken } });
    response.writeHead(303, { ...PRIVATE_HEADERS, ...cookie, Location: visit.path }).end();
  }

  function fail(request: IncomingMessage, response: ServerResponse, visit: Visit, error: unknown): void {
    if (error instanceof NotFound && !visit.asksForJson) return sendPage(request, response, 404, missingPage);
    const isAway = isDatabaseAway(error);
    const knownAnswer = answerFor(isAway ? new Unavailable('The service cannot reach its database right now.') : error);
    if (isAway || !knownAnswer) log.error({ error: describeError(error) }, 'a shared page could not be shown');
    sendJson(request, response, knownAnswer ?? serverError);
  }

  return { handle };
}

function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  { html, headers }: Page,
  otherHeaders: Record<string, string> = {},
): void {
  sendText(request, response, status, { bytes: Buffer.from(html), headers: { ...headers, ...otherHeaders } });
}

function sendText(request: IncomingMessage, response: ServerResponse, status: number, { bytes, headers }: Text): void {
  if (!request.complete) request.resume();
  response.writeHead(status, { ...headers, 'Content-Length': bytes.length });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

function sendJson(request: IncomingMessage, response: ServerResponse, { headers, ...answer }: Answer): void {
  send(request, response, { ...answer, headers: { ...PRIVATE_HEADERS, ...headers } });
}
