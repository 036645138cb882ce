/** Reads a handler's input from a request: the caller, then the parameters, then the body. */
import type { IncomingMessage } from 'node:http';
import { NotFound } from '../errors.ts';
import { compile, type ErrorObject, type TSchema } from '../schema.ts';
import type { Access, Caller, Gatekeeper, Organization, Project, Rights } from './access.ts';
import { isUrlEncoded, readJson, readUrlEncoded } from './body.ts';
import { ensureLogin } from './login.ts';
import { ensureOwnPage } from './own-page.ts';
import { fieldValues, isForm, readForm } from './form.ts';
import { pathValues, queryValues } from './parameters/parameters.ts';
import type { Answer, Route } from './route.ts';
import { createFieldFilter } from './unknown-fields.ts';
import { invalidInput } from './validation.ts';

type RequestWithBody = HandlerRequest & {
  /** The JSON body, read once, when it is first asked for. */
  body(): Promise<unknown>;
};

type HandlerRequest = {
  request: IncomingMessage;
  /** Parameters of the path, decoded. */
  params: Readonly<Record<string, string>>;
  path: string;
  search: string;
  /** Aborted when the answer was sent, or the client is gone. */
  signal: AbortSignal;
};

export type Handler = (rawRequest: HandlerRequest) => Promise<Answer>;

const MAX_PROJECT_ID = 2 ** 31 - 1;

/** Compiles the route's schemas once. The handler throws what `error-body.ts` translates. */
export function createHandler<Collaborators>(
  route: Route<Collaborators>,
  { collaborators, gatekeeper, base }: { collaborators: Collaborators; gatekeeper: Gatekeeper; base: URL },
): Handler {
  // Answers 404 for an identifier that cannot exist.
  const checkParams = createChecker(route.params, () => new NotFound());
  const checkQuery = createChecker(route.query, invalidInput);
  const checkBody = createChecker(route.body, invalidInput);
  const dropUnknownFields = createFieldFilter(route);

  async function readBody({ request, body }: RequestWithBody): Promise<{ body?: unknown; file?: unknown }> {
    if (!checkBody) return {};
    if (route.urlEncoded && isUrlEncoded(request)) {
      return { body: checkBody(dropUnknownFields(fieldValues(route.body, await readUrlEncoded(request)))) };
    }
    if (!route.file || !isForm(request)) return { body: checkBody(dropUnknownFields(await body())) };
    const { fields, file } = await readForm(request, route.file);
    return { body: checkBody(dropUnknownFields(fieldValues(route.body, fields))), file };
  }

  return async (rawRequest) => {
    const { request, params, path, search, signal } = rawRequest;
    const handled = { ...rawRequest, body: callOnce(() => readJson(request)) };
    if ('public' in route.access && route.access.ownPages && route.method !== 'get')
      ensureOwnPage(request.headers, base);
    const admission = await admit(route.access, handled, gatekeeper);
    if (admission.caller) gatekeeper.throttle(admission.caller);
    const pathParams = route.params ? checkParams?.(pathValues(route.params, params)) : {};
    if (admission.project) await guard(route.access, admission, params, gatekeeper);
    const values = {
      ...admission,
      readmit: async () => {
        const readmitted = await admit(route.access, handled, gatekeeper);
        if (readmitted.project) await guard(route.access, readmitted, params, gatekeeper);
        return readmitted.rights;
      },
      params: pathParams,
      query: route.query ? checkQuery?.(queryValues(route.query, new URLSearchParams(search))) : {},
      ...(await readBody(handled)),
      headers: request.headers,
      url: addressOf(base, path, search),
      remoteAddress: request.socket.remoteAddress ?? '',
      signal,
    };
    return route.handle(values, collaborators);
  };
}

async function admit(access: Access, request: RequestWithBody, gatekeeper: Gatekeeper): Promise<AdmittedRequest> {
  if ('public' in access) return {};
  const { headers, headersDistinct, method, url } = request.request;
  const caller = await gatekeeper.authenticate({ headers, headersDistinct, method, url, body: request.body });
  ensureLogin(caller, access);
  const tenant = await enter(access, caller, request, gatekeeper);
  return { caller, ...tenant };
}

type AdmittedRequest = { caller?: Caller; project?: Project; rights?: Rights; organization?: Organization };

async function enter(
  access: Exclude<Access, { public: true }>,
  caller: Caller,
  request: RequestWithBody,
  gatekeeper: Gatekeeper,
): Promise<AdmittedRequest> {
  if ('authenticated' in access) {
    gatekeeper.allow(caller, access);
    return {};
  }
  if ('organization' in access) {
    const id = request.params['organization_id'] ?? '';
    return { organization: await gatekeeper.enterOrganization(caller, id, access) };
  }
  return gatekeeper.enter(caller, await resolveProjectId(request, caller, gatekeeper), access);
}

/** Checks access to the object first, so callers without access learn nothing from other errors. */
async function guard(
  access: Access,
  admission: AdmittedRequest,
  params: RequestWithBody['params'],
  gatekeeper: Gatekeeper,
) {
  if (!('scope' in access) || !access.object) return;
  const { caller, project, rights } = admission as Required<AdmittedRequest>;
  const { object } = access;
  await gatekeeper.guard({ caller, project, rights }, { ...access, object }, params[object.param] ?? '');
}

/** Returns the project id in the path, or resolves `@current`, which SDKs send. */
async function resolveProjectId(
  { params, search }: RequestWithBody,
  caller: Caller,
  gatekeeper: Gatekeeper,
): Promise<number> {
  const text = params['project_id'] ?? '';
  if (text === '@current') return gatekeeper.current(caller, new URLSearchParams(search).get('token') ?? undefined);
  const projectId = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (projectId < 1 || projectId > MAX_PROJECT_ID) throw new NotFound('Project not found.');
  return projectId;
}

/** @returns a function that fills defaults in and returns the value, or throws what `refuse` makes of ajv's errors */
function createChecker<S extends TSchema>(
  schema: S | undefined,
  refuse: (errors: readonly ErrorObject[], schema: S) => Error,
): ((value: unknown) => unknown) | undefined {
  if (!schema) return undefined;
  const valid = compile(schema);
  return (value) => {
    if (!valid(value)) throw refuse(valid.errors ?? [], schema);
    return value;
  };
}

/** Reads the body once, for authentication, which may find a key in it, and for the handler. */
function callOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= make());
}

function addressOf(base: URL, path: string, search: string): URL {
  const url = new URL(base);
  url.pathname = base.pathname.replace(/\/$/, '') + path;
  url.search = search;
  return url;
}
