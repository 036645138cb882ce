/** The web application: raw handlers, the list of routes, the middleware around them, and the answers when none matches. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import cors from '@koa/cors';
import { Router, type RouterContext } from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import helmet from 'koa-helmet';
import { MethodNotAllowed, NotFound, TooLarge, Unavailable } from '../errors.ts';
import { describeError } from '../secrets/redact.ts';
import type { Lane } from '../lane/request.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Gatekeeper } from './access.ts';
import { answerFor, serverError } from './error-body.ts';
import { openApiRoute } from './openapi/document.ts';
import { createHandler, type Handler } from './handler.ts';
import { groupPaths } from './path-order.ts';
import { pathsOf } from './paths.ts';
import { asRawHandler, type RawHandler } from './raw-answers.ts';
import type { Answer, DescribedRoute, Route } from './route.ts';
import type { Application } from './server.ts';
import { stringifyInTurns } from './stringify.ts';

export type AppOptions<Collaborators> = {
  routes: readonly Route<Collaborators>[];
  /** Raw handler that a server may also call on the connection, in front of `node:http`. It runs before all others. */
  lane?: Lane;
  /** Handlers tried before the routes, in this order. */
  rawHandlers?: readonly RawHandler[];
  /** Routes of the lane and the raw handlers, to be described with the others. */
  rawRoutes?: readonly DescribedRoute[];
  /** Creates the page of the OpenAPI document; absent: no page. */
  documentPage?(document: object): RawHandler;
  /** Second argument of every handler. */
  collaborators: Collaborators;
  gatekeeper: Gatekeeper;
  /** Address under which clients reach the application; links are built on it, never on the `Host` header. */
  publicUrl: string;
  /** Whether an unknown error means that a dependency is unavailable; the answer is then 503 instead of 500. */
  isAway?(error: unknown): boolean;
  log: Logger;
};

/** Puts the routes together; adds `/api/schema/`, their OpenAPI document. */
export function createApp<Collaborators>(options: AppOptions<Collaborators>): Application {
  const { collaborators, gatekeeper, publicUrl, lane, rawHandlers = [], rawRoutes = [], log } = options;
  const described = [...rawRoutes, ...options.routes];
  const { document, route: documentRoute } = openApiRoute<Collaborators>(described, publicUrl);
  const routes = [...options.routes, documentRoute];
  const base = new URL(publicUrl);
  const router = new Router({ sensitive: true });
  // Routes that any web page may call, because their keys are public or they need none.
  const openToPages = new Router({ sensitive: true });

  const handledPaths = routes.flatMap((route) => {
    const handle = respondWith(createHandler(route, { collaborators, gatekeeper, base }));
    // The router matches a pattern without a trailing slash both with and without it.
    return pathsOf(route).map((path) => ({ path: path.replace(/(?<=.)\/$/, ''), route, handle }));
  });
  for (const { entries, isCovered } of groupPaths(handledPaths)) {
    for (const { path, route, handle } of entries) {
      router[route.method](path, handle);
      if ('public' in route.access && !route.access.ownPages) openToPages.all(path, () => {});
    }
    if (isCovered) router.all(entries[0]!.path, refuseMethod(entries.map(({ route }) => route.method)));
  }

  const app = new Koa();
  const documentPages = options.documentPage ? [options.documentPage(document)] : [];
  app.use(answerRaw([...(lane ? [asRawHandler(lane)] : []), ...rawHandlers, ...documentPages]));
  app.use(describeRequests(log, options.isAway ?? (() => false)));
  app.use(helmet());
  // Old SDKs (posthog-js 1.174) send requests with credentials, so their browsers accept only the page's own origin in the answer, not `*`.
  // There are no credentials here that a browser would send along from another site.
  // tooth: cross-origin
  const originOf = (ctx: Context) => (openToPages.match(ctx.path, 'GET').route ? ctx.get('Origin') : '');
  app.use(cors({ origin: originOf, credentials: true, maxAge: 86_400 }));
  app.use(router.routes());
  app.use(answerNoRoute);
  app.on('error', (error: unknown, ctx?: Context) => {
    // Event streams end with their connections, so this is not logged.
    const isGone = (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (ctx?.respond !== false && !isGone) log.warn({ error: describeError(error) }, 'a response could not be sent');
  });
  return { listener: app.callback(), lane };
}

/** Runs outermost, so no middleware adds to a raw answer, which is then the same as on the fast path. */
function answerRaw(handlers: readonly RawHandler[]) {
  return (ctx: Context, next: Next) => {
    if (!handlers.some((handle) => handle(ctx.req, ctx.res))) return next();
    ctx.respond = false;
    return undefined;
  };
}

function respondWith(handle: Handler) {
  return async (ctx: RouterContext) => {
    const clientGone = new AbortController();
    ctx.res.once('close', () => clientGone.abort(new Unavailable('The client no longer waits for the answer.')));
    const { req: request, params, path, search } = ctx;
    const answer = await handle({ request, params, path, search, signal: clientGone.signal });
    send(ctx, isJson(answer.body) ? { ...answer, body: Buffer.from(await stringifyInTurns(answer.body)) } : answer);
  };
}

/** Around all routes: every request gets an id and a log line, every failure its envelope. */
function describeRequests(log: Logger, isAway: (error: unknown) => boolean) {
  return async (ctx: Context, next: Next) => {
    const startedAt = performance.now();
    const requestId = randomUUID();
    ctx.set('X-Request-Id', requestId);
    let failure: unknown;
    try {
      await next();
    } catch (error) {
      const databaseIsAway = isAway(error);
      if (databaseIsAway)
        log.warn({ requestId, code: (error as { code?: unknown }).code }, 'the database could not be reached');
      const answer = databaseIsAway
        ? answerFor(new Unavailable('The service cannot reach its database right now.'))
        : answerFor(error);
      if (!answer) failure = error;
      // The rest of a body that is too large is not read, so nothing else can come on this connection.
      if (error instanceof TooLarge && !ctx.req.complete) ctx.set('Connection', 'close');
      send(ctx, answer ?? serverError);
    }
    // Logs neither the query (capture takes keys there) nor a path that matched no route (it may hold a token).
    const path = (ctx['_matchedRoute'] as string | undefined) ?? null;
    const durationMs = Math.round(performance.now() - startedAt);
    const line = { requestId, method: ctx.method, path, status: ctx.status, durationMs };
    if (failure) log.error({ ...line, error: describeError(failure) }, 'the request could not be answered');
    else log.debug(line, 'request');
  };
}

/** Whether the body still has to be serialized as JSON. */
function isJson(body: unknown): boolean {
  return body !== undefined && !(body instanceof Readable) && !Buffer.isBuffer(body);
}

function send(ctx: Context, { status, headers = {}, cookies = [], body }: Answer): void {
  ctx.status = status;
  ctx.set({ ...headers });
  if (cookies.length > 0) ctx.set('Set-Cookie', [...cookies]);
  if (body === undefined) {
    ctx.body = '';
    ctx.remove('Content-Type');
    return;
  }
  if (body instanceof Readable) {
    ctx.body = body;
    return;
  }
  ctx.type = 'application/json';
  ctx.body = Buffer.isBuffer(body) ? body : JSON.stringify(body);
}

/** Refuses other methods on a path whose literal segment would match the parameter of another route. */
function refuseMethod(methods: readonly string[]) {
  const offeredMethods = methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
  return (ctx: Context) => answerOtherMethod(ctx, offeredMethods);
}

/** The path is unknown, or known with other methods only. */
function answerNoRoute(ctx: Context): void {
  const layers = (ctx['matched'] ?? []) as { methods: string[] }[];
  const methods = layers.flatMap((layer) => layer.methods);
  if (methods.length === 0) throw new NotFound();
  answerOtherMethod(ctx, methods);
}

/** @throws MethodNotAllowed, unless the client asks for the allowed methods */
function answerOtherMethod(ctx: Context, methods: readonly string[]): void {
  const allowed = [...new Set(methods)].sort();
  if (ctx.method !== 'OPTIONS') throw new MethodNotAllowed(ctx.method, allowed);
  send(ctx, { status: 204, headers: { Allow: [...allowed, 'OPTIONS'].join(', ') } });
}
