import assert from 'node:assert/strict';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { isDatabaseAway } from '../../../src/platform/db/away.ts';
import { Conflict, NotAuthenticated, NotFound, PermissionDenied, Throttled } from '../../../src/platform/errors.ts';
import type { Caller, Gatekeeper } from '../../../src/platform/http/access.ts';
import { RIGHTS_OF_PROJECT_KEY } from '../../../src/people/access/rights.ts';
import { json, noBody, route } from '../../../src/platform/http/route.ts';
import { nullable, stringEnum, Type } from '../../../src/platform/schema.ts';
import { PUBLIC_URL, startApi, type Api } from '../../support/api/api.ts';

const GOOD: Caller = {
  keyId: 'k',
  scopes: ['*'],
  onlyProjects: null,
  onlyOrganizations: null,
  session: null,
  userId: 1,
  projectId: null,
};

/** Key `good` may do everything in project 1. */
const gatekeeper: Gatekeeper = {
  async authenticate({ headers }) {
    if (headers.authorization !== 'Bearer good') throw new NotAuthenticated();
    return GOOD;
  },
  current: async (_caller, token) => (token === 'two' ? 2 : 1),
  async enter(_caller, projectId) {
    if (projectId === 2) throw new PermissionDenied();
    if (projectId !== 1) throw new NotFound();
    return { project: { id: 1, organizationId: 'o', name: 'One' }, rights: RIGHTS_OF_PROJECT_KEY };
  },
  async enterOrganization() {
    throw new NotFound();
  },
  allow() {},
  throttle() {},
  async guard() {},
};

const Thing = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 5 }),
  size: Type.Integer({ minimum: 1, maximum: 9, default: 3 }),
  color: nullable(stringEnum(['red', 'blue']), { default: 'red' }),
  at: Type.Optional(Type.String({ format: 'date-time' })),
  inner: Type.Optional(Type.Object({ deep: Type.Boolean(), list: Type.Optional(Type.Array(Type.String())) })),
});

const answers = { 200: null };

/** Resolves when nobody reads any more. */
const streamEnded = Promise.withResolvers<void>();

async function* endlessStream(): AsyncGenerator<string> {
  try {
    for (;;) {
      yield 'more';
      await setTimeout(5);
    }
  } finally {
    streamEnded.resolve();
  }
}

const routes = [
  route({
    method: 'post',
    path: '/things/:id/',
    access: { scope: 'thing:write' },
    params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
    query: Type.Object({ n: Type.Integer({ default: 7 }), tags: Type.Optional(Type.Array(Type.String())) }),
    body: Thing,
    answers,
    summary: 'Echo',
    handle: async ({ project, rights, caller, params, query, body, url }) =>
      json(201, { project, rights, caller, params, query, body, url }),
  }),
  route({
    method: 'get',
    path: '/things/',
    access: { scope: 'thing:read' },
    answers,
    summary: 'Nothing',
    handle: async () => noBody(200),
  }),
  route({
    method: 'get',
    path: '/things/stream/',
    access: { scope: 'thing:read' },
    answers,
    summary: 'One after the other, without an end',
    handle: async () => ({
      status: 200,
      headers: { 'Content-Type': 'text/plain' },
      body: Readable.from(endlessStream()),
    }),
  }),
  route({
    method: 'put',
    path: '/api/strict/',
    access: { public: true },
    body: Type.Object({ grace_seconds: Type.Integer({ default: 0 }), label: Type.Optional(Type.String()) }),
    strict: true,
    answers: { 200: Type.Object({ id: Type.Integer() }) },
    summary: 'Echo what it knows',
    handle: async ({ body }) => json(200, body),
  }),
  route({
    method: 'get',
    path: '/fail/:how/',
    access: { public: true },
    params: Type.Object({ how: Type.String() }),
    answers,
    summary: 'Fails',
    async handle({ params }) {
      if (params.how === 'conflict') throw new Conflict('Busy.');
      if (params.how === 'throttled') throw new Throttled(2.5);
      if (params.how === 'locked') throw Object.assign(new Error('no'), { severity: 'ERROR', code: '55P03' });
      throw new Error('connect postgres://user:hunter2@db.internal failed', { cause: 'phx_Secret' });
    },
  }),
];

const THING = '/api/projects/1/things/0198f3a0-0000-7000-8000-000000000001/';

describe('the web application', () => {
  let api: Api;
  const post = (body: unknown, path = THING, headers = {}) => api.request('POST', path, { key: 'good', body, headers });

  before(async () => {
    api = await startApi({ routes, collaborators: {}, gatekeeper, isAway: isDatabaseAway });
  });
  after(() => api.stop());

  it('refuses requests without a key, for an unknown project, or for a foreign one', async () => {
    assert.equal((await api.request('POST', THING, { body: '{' })).status, 401);
    assert.equal((await post({}, THING.replace('/1/', '/2/'))).status, 403);
    for (const project of ['3', '0', '-1', 'x', '9999999999', '99999999999', '%00', '1.0', '@other']) {
      assert.equal((await post({}, THING.replace('/1/', `/${project}/`))).status, 404, project);
    }
    assert.equal((await post({}, THING.replace('/1/', '/@current/') + '?token=two')).status, 403);
  });

  it('hands the handler checked values, with defaults', async () => {
    const { status, body } = await post('{"name":"a","ignored":1,"__proto__":{"x":1}}', `${THING}?tags=a&tags=b&x=1`);
    assert.equal(status, 201);
    assert.deepEqual(body, {
      project: { id: 1, organizationId: 'o', name: 'One' },
      caller: GOOD,
      rights: { membership: null, isProjectAdmin: false },
      params: { id: '0198f3a0-0000-7000-8000-000000000001' },
      query: { n: 7, tags: ['a', 'b'] },
      body: { name: 'a', size: 3, color: 'red' },
      url: `${PUBLIC_URL}${THING}?tags=a&tags=b&x=1`,
    });
  });

  it('finds a route under both prefixes, with and without the trailing slash', async () => {
    for (const path of [THING, THING.slice(0, -1), THING.replace('projects', 'environments')]) {
      assert.equal((await post({ name: 'a' }, path)).status, 201, path);
    }
  });

  it('refuses values that the schema refuses, naming the field', async () => {
    const { status, body } = await post({ name: 'a', size: 10 });
    assert.equal(status, 400);
    assert.deepEqual(body, {
      type: 'validation_error',
      code: 'max_value',
      detail: 'Ensure this value is less than or equal to 9.',
      attr: 'size',
    });
    const nul = await post({ name: 'a\0' });
    assert.deepEqual([nul.status, (nul.body as { attr: string }).attr], [400, 'name']);
  });

  it('refuses half a surrogate pair anywhere in the body', async () => {
    assert.equal((await post('{"name": "a", "x": {"\\ud800": 1}}')).status, 400);
  });

  it('explains what is wrong with bodies that are no JSON', async () => {
    for (const [body, headers, status, code] of [
      ['{', {}, 400, 'parse_error'],
      [Buffer.from([0x22, 0xff, 0x22]), {}, 400, 'parse_error'],
      ['{}', { 'Content-Type': 'text/plain' }, 415, 'unsupported_media_type'],
      ['{}', { 'Content-Type': 'application/json; charset=utf-7' }, 415, 'unsupported_media_type'],
      ['{}', { 'Content-Encoding': 'gzip' }, 415, 'unsupported_media_type'],
      [`"${'x'.repeat(1024 * 1024)}"`, {}, 413, 'payload_too_large'],
      ['['.repeat(100_000) + ']'.repeat(100_000), {}, 413, 'payload_too_large'],
    ] as const) {
      const answer = await post(body, THING, headers);
      assert.deepEqual([answer.status, (answer.body as { code: string }).code], [status, code]);
    }
  });

  it('names the media type that it does not read', async () => {
    const { body } = await post('{}', THING, { 'Content-Type': 'Text/Plain; charset=utf-8' });
    assert.deepEqual(body, {
      type: 'invalid_request',
      code: 'unsupported_media_type',
      detail: 'Unsupported media type "text/plain" in request.',
      attr: null,
    });
  });

  it('closes the connection of a body that it will not read to its end', async () => {
    const request = httpRequest(`${api.url}${THING}`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer good',
        'content-type': 'application/json',
        'content-length': 2 * 1024 * 1024,
        connection: 'keep-alive',
      },
    });
    request.on('error', () => {});
    request.write('"');
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    assert.deepEqual([answer.statusCode, answer.headers.connection], [413, 'close']);
    answer.resume();
    await once(answer, 'close');
  });

  it('refuses a parameter given twice or of another type, and takes an impossible id for an unknown one', async () => {
    for (const query of ['n=1&n=2', 'n=x', 'n=1.5', 'n=', 'tags=%00']) {
      assert.equal((await post({ name: 'a' }, `${THING}?${query}`)).status, 400, query);
    }
    for (const id of ['x', '%00', '..%2f', '%ff', '-1', '9'.repeat(30)]) {
      assert.equal((await post({ name: 'a' }, `/api/projects/1/things/${id}/`)).status, 404, id);
    }
  });

  it('answers 200 with a body of no bytes', async () => {
    const { status, headers, body } = await api.request('GET', '/api/projects/1/things/', { key: 'good' });
    assert.deepEqual([status, body, headers.get('content-length'), headers.get('content-type')], [200, '', '0', null]);
  });

  it('knows the methods of a path', async () => {
    const wrong = await api.request('DELETE', '/api/projects/1/things/');
    assert.equal(wrong.status, 405);
    assert.equal(wrong.headers.get('allow'), 'GET, HEAD');
    assert.deepEqual(wrong.body, {
      type: 'invalid_request',
      code: 'method_not_allowed',
      detail: 'Method "DELETE" not allowed.',
      attr: null,
    });
    const head = await api.request('HEAD', '/api/projects/1/things/', { key: 'good' });
    assert.deepEqual([head.status, head.body], [200, '']);
    const options = await api.request('OPTIONS', '/api/projects/1/things/');
    assert.deepEqual([options.status, options.headers.get('allow')], [204, 'GET, HEAD, OPTIONS']);
    const overridden = await api.request('POST', '/api/projects/1/things/', {
      key: 'good',
      headers: { 'X-HTTP-Method-Override': 'GET' },
    });
    assert.equal(overridden.status, 405);
  });

  it('does not find what is not there', async () => {
    for (const path of [
      '/',
      '//api/schema/',
      '/API/schema/',
      '/api/..;/schema/',
      '/api%2fschema/',
      `/${'x'.repeat(9000)}`,
    ]) {
      const { status, body } = await api.request('GET', path);
      assert.equal(status, 404, path);
      assert.deepEqual(body, { type: 'invalid_request', code: 'not_found', detail: 'Not found.', attr: null });
    }
  });

  it('lets web pages call public routes only, whatever they send along', async () => {
    const headers = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'GET' };
    const preflight = await api.request('OPTIONS', '/fail/x/', { headers });
    assert.equal(preflight.headers.get('access-control-allow-origin'), headers.Origin);
    assert.equal(preflight.headers.get('access-control-allow-credentials'), 'true');
    for (const method of ['OPTIONS', 'GET']) {
      const answer = await api.request(method, '/api/projects/1/things/', { key: 'good', headers });
      assert.equal(answer.headers.get('access-control-allow-origin'), null);
      assert.equal(answer.headers.get('access-control-allow-credentials'), null);
    }
    const failed = await api.request('GET', '/fail/conflict/', { headers });
    assert.equal(failed.headers.get('access-control-allow-origin'), headers.Origin);
  });

  it('sends Retry-After', async () => {
    const { status, headers } = await api.request('GET', '/fail/throttled/');
    assert.deepEqual([status, headers.get('retry-after')], [429, '3']);
    const locked = await api.request('GET', '/fail/locked/');
    assert.deepEqual([locked.status, locked.headers.get('retry-after')], [503, '5']);
  });

  it('keeps to itself what broke, in the answer and, as far as it is secret, in the log', async () => {
    const { status, body } = await api.request('GET', '/fail/hard/?api_key=phc_inquery');
    assert.equal(status, 500);
    assert.deepEqual(body, { type: 'server_error', code: 'error', detail: 'A server error occurred.', attr: null });
    assert.match(api.logText(), /the request could not be answered/);
    assert.match(api.logText(), /postgres:\/\/\[redacted\]@db.internal/);
    assert.doesNotMatch(api.logText(), /hunter2|phx_Secret|phc_inquery|Bearer/);
  });

  it('builds links on its public address, whatever the Host header says', async () => {
    const { port } = api.server.address() as { port: number };
    const socket = connect(port, '127.0.0.1');
    const body = '{"name":"a"}';
    socket.end(
      `POST ${THING} HTTP/1.1\r\nHost: evil@x\r\nX-Forwarded-Host: evil\r\nAuthorization: Bearer good\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    await once(socket, 'close');
    assert.match(answer, /^HTTP\/1.1 201/);
    assert.match(answer, /"url":"https:\/\/sluice.example\/api/);
    assert.doesNotMatch(answer, /evil/);
  });

  it('sends a stream as it comes, until no client reads', async () => {
    const gone = new AbortController();
    const address = `${api.url}/api/projects/1/things/stream/`;
    const answer = await fetch(address, { headers: { Authorization: 'Bearer good' }, signal: gone.signal });
    assert.equal(answer.headers.get('content-type'), 'text/plain');
    const { value } = await answer.body!.getReader().read();
    assert.match(Buffer.from(value!).toString(), /^more/);
    gone.abort();
    await streamEnded.promise;
  });

  it('refuses what it does not know where a route is strict, but for what it answers and the key', async () => {
    for (const [member, hint] of [
      ['grace', ' The nearest is `grace_seconds`.'],
      ['lable', ' The nearest is `label`.'],
      ['__proto__x'.repeat(50), ''],
    ] as const) {
      const { status, body } = await api.request('PUT', '/api/strict/', { body: { [member]: 1, id: 2 } });
      assert.equal(status, 400);
      const detail = `There is no such field.${hint}`;
      assert.partialDeepStrictEqual(body, { code: 'invalid_input', attr: member.slice(0, 100), detail });
    }
    const taken = { label: 'x', id: 2, personal_api_key: 'phx_' };
    const { status, body } = await api.request('PUT', '/api/strict/', { body: taken });
    assert.deepEqual([status, body], [200, { label: 'x', grace_seconds: 0 }]);
  });

  it('describes itself', async () => {
    const { status, body } = await api.request('GET', '/api/schema/');
    assert.equal(status, 200);
    const { openapi, paths } = body as { openapi: string; paths: Record<string, Record<string, object>> };
    assert.equal(openapi, '3.1.0');
    const operation = paths['/api/environments/{project_id}/things/{id}/']?.['post'] as Record<string, unknown>;
    assert.equal(operation['x-scope'], 'thing:write');
    const { schema } = (operation['requestBody'] as { content: Record<string, { schema: { required: string[] } }> })
      .content['application/json'] ?? { schema: { required: [] } };
    assert.deepEqual(schema.required, ['name']);
    const strict = paths['/api/strict/']?.['put'];
    assert.partialDeepStrictEqual(strict, {
      requestBody: { required: false, content: { 'application/json': { schema: { additionalProperties: false } } } },
    });
  });
});
