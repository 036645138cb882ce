/** `sluice flags import --from`: another Sluice is the source, since it serves the same API. PostHog itself cannot be reached from here. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sluice, temporaryFolder, type Folder } from '../../support/flags/flag-import.ts';
import {
  filtersOnFlags,
  filtersWith,
  startFlagsApi,
  type Body,
  type Flag,
  type FlagsApi,
} from '../../support/api/flags-api.ts';
import { buildPersonalKey, buildTenant } from '../../support/api/identity.ts';

const pro = { type: 'person', key: 'plan', operator: 'exact', value: ['pro'] };

/** A server that answers as the test says, and remembers who asked with which key. */
async function source(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.setHeader('Content-Type', 'application/json');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked: received,
    [Symbol.asyncDispose]: () => new Promise<void>((closed) => void server.close(() => closed())),
  };
}

describe('sluice flags import --from', () => {
  let here: FlagsApi;
  let there: FlagsApi;
  let folder: Folder;
  let key: string;
  let projectId: number;

  before(async () => {
    [here, there, folder] = [await startFlagsApi(), await startFlagsApi(), await temporaryFolder()];
  });
  after(async () => {
    await here.stop();
    await there.stop();
    await folder.remove();
  });
  beforeEach(async () => {
    const tenant = await buildTenant(here.sluice.db);
    projectId = tenant.projectId;
    key = await buildPersonalKey(here.sluice.db, tenant, 'feature_flag:write', 'cohort:write');
  });

  const run = (from: string, words: string[] = [], environment: Record<string, string> = {}) =>
    sluice(
      [
        'flags',
        'import',
        '--url',
        here.sluice.url,
        '--from',
        from,
        '--from-project',
        String(there.ours.projectId),
        ...words,
      ],
      { SLUICE_API_KEY: key, POSTHOG_API_KEY: there.key, ...environment },
    );
  const flagsHere = async () => {
    const answer = await fetch(`${here.sluice.url}/api/projects/${projectId}/feature_flags/?order=id&limit=1000`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    return ((await answer.json()) as { results: Flag[] }).results;
  };

  it('brings all flags of another Sluice, page by page, with the cohorts that they name', async () => {
    const made = await fetch(`${there.sluice.url}/api/projects/${there.ours.projectId}/cohorts/`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${there.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'Pro', filters: { properties: { type: 'AND', values: [pro] } } }),
    });
    const { id } = (await made.json()) as { id: number };
    const base = await there.create({
      key: 'base',
      filters: filtersWith({ type: 'cohort', key: 'id', operator: 'in', value: id }),
    });
    await there.create({ key: 'child', filters: filtersOnFlags([base.id]) });
    await there.sluice.db.raw(
      `insert into feature_flags (project_id, key, name, filters, active, ensure_experience_continuity, evaluation_runtime,
         bucketing_identifier, evaluation_contexts, tags, is_remote_configuration, has_encrypted_payloads)
       select project_id, 'many-' || n, name, filters, active, ensure_experience_continuity, evaluation_runtime,
         bucketing_identifier, evaluation_contexts, tags, is_remote_configuration, has_encrypted_payloads
       from feature_flags, generate_series(1, 510) n where id = :id`,
      { id: base.id },
    );
    const { code, lines, stderr } = await run(there.sluice.url);
    assert.equal(lines.at(-1), '1 cohort: 1 created. 512 flags: 512 created.', stderr);
    assert.deepEqual([code, lines.includes('created  flag    child')], [0, true]);
    const all = await flagsHere();
    const { key: _, id: childHere, filters } = all.find((flag) => flag.key === 'child')!;
    assert.deepEqual([all.length, filters], [512, filtersOnFlags([all.find((flag) => flag.key === 'base')!.id])]);
    assert.ok(childHere > 0);
    const { lines: again } = await run(there.sluice.url, ['--update']);
    assert.equal(again.at(-1), '1 cohort: 1 exists. 512 flags: 512 exists.');
  });

  it('reads keys from files, and requests cohorts only where a flag names one', async () => {
    await using server = await source((_, response) =>
      response.end(JSON.stringify([{ id: 1, key: 'one', filters: filtersWith(pro) }])),
    );
    const files = {
      from: await folder.write('from.key', 'phx_theirs\n'),
      here: await folder.write('here.key', `${key}\n`),
    };
    const { code } = await run(server.url, ['--from-key-file', files.from, '--key-file', files.here], {
      SLUICE_API_KEY: 'phx_wrong',
      POSTHOG_API_KEY: 'phx_wrong',
    });
    assert.equal(code, 0);
    const path = `/api/projects/${there.ours.projectId}/feature_flags/?limit=500`;
    assert.deepEqual(server.asked, [`GET ${path} Bearer phx_theirs`]);
  });

  it('sends the key of the source nowhere else: neither to where a page names the next, nor after a redirect', async () => {
    await using other = await source((_, response) => response.end('[]'));
    await using server = await source(({ url = '' }, response) => {
      if (url.includes('offset'))
        return response.end(
          JSON.stringify({ results: [{ id: 2, key: 'two', filters: filtersWith(pro) }], next: null }),
        );
      const results = [{ id: 1, key: 'one', filters: filtersWith(pro) }];
      return response.end(JSON.stringify({ results, next: `${other.url}/elsewhere/?limit=500&offset=1` }));
    });
    const { lines } = await run(server.url);
    assert.equal(lines.at(-1), '0 cohorts. 2 flags: 2 created.');
    await using moved = await source((_, response) => response.writeHead(302, { Location: other.url }).end());
    const redirected = await run(moved.url);
    assert.match(redirected.stderr, /^sluice: http:\S+ answers 302, a redirect, which is not followed/);
    assert.deepEqual([redirected.code, other.asked], [1, []]);
  });

  it('takes no address to which the key would travel in the open', async () => {
    const { code, stderr } = await run('http://flags.example');
    assert.deepEqual(
      [code, stderr],
      [1, 'sluice: --from must use https unless it is on this machine, because the key is sent there.\n'],
    );
  });

  it('says at once that no server answers', async () => {
    const gone = await source(() => {});
    await gone[Symbol.asyncDispose]();
    const { code, stderr } = await run(gone.url);
    assert.deepEqual([code, stderr], [1, `sluice: ${gone.url}/ does not answer (ECONNREFUSED).\n`]);
    const forbidden = await run('http://127.0.0.1:1');
    assert.equal(
      forbidden.stderr,
      'sluice: http://127.0.0.1:1/ does not answer (HTTP clients refuse this port, which is for another protocol).\n',
    );
  });

  it('ends with a source whose pages do not end', async () => {
    let pages = 0;
    await using same = await source(({ url }, response) => {
      const results = [{ id: 1, key: 'one', filters: filtersWith(pro) }];
      response.end(JSON.stringify({ results, next: `http://x${url}` }));
    });
    assert.match(
      (await run(same.url)).stderr,
      /says that feature_flags\/ has another page, but does not give a new address/,
    );
    let inCircle = 0;
    await using circle = await source((_, response) => {
      inCircle += 1;
      const results = [{ id: inCircle, key: `k${inCircle}`, filters: filtersWith(pro) }];
      response.end(JSON.stringify({ results, next: `http://x/?offset=${inCircle % 3}` }));
    });
    assert.match((await run(circle.url)).stderr, /says that feature_flags\//);
    assert.equal(inCircle, 4);
    await using endless = await source((_, response) => {
      pages += 1;
      const results = Array.from({ length: 10_000 }, (__, index) => ({
        id: pages * 10_000 + index,
        key: `k${pages}-${index}`,
      }));
      response.end(JSON.stringify({ results, next: `http://x/?offset=${pages}` }));
    });
    const { code, stderr } = await run(endless.url);
    assert.match(stderr, /lists more than 100000 feature_flags\/\n$/);
    assert.deepEqual([code, pages], [1, 11]);
  });

  it('explains what is wrong with an answer, in a sentence', async () => {
    const answers: [number, string, RegExp][] = [
      [200, '{"results": 5}', /The answer of http:\S+ to feature_flags\/: results is missing or not an array\.$/],
      [200, '<html>', /The answer of http:\S+ to feature_flags\/ is not valid JSON/],
      [200, '[{"key": 5}]', /^sluice: http:\S+: feature_flags\/\[0\]\.key is missing or not a text/],
      [
        401,
        '{"detail": "Invalid personal API key."}',
        /refused the key of POSTHOG_API_KEY: Invalid personal API key\.$/,
      ],
      [
        403,
        '{"detail": "API key missing required scope"}',
        /does not list feature_flags\/: API key missing required scope$/,
      ],
      [404, '', /does not list feature_flags\/ of the project \d+: 404 Not Found$/],
    ];
    for (const [status, body, message] of answers) {
      await using server = await source((_, response) => response.writeHead(status).end(body));
      const { code, stderr, stdout } = await run(server.url);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr.trimEnd(), message);
      assert.equal(stderr.trimEnd().split('\n').length, 1);
    }
  });

  it('prints of an error its text in short, without the key and without what moves the cursor', async () => {
    const text = `\u001b[2J\u009b\u202e${there.key} ${'x'.repeat(10_000)}`;
    for (const status of [401, 403]) {
      await using server = await source((_, response) =>
        response.writeHead(status).end(JSON.stringify({ detail: text })),
      );
      const { code, stderr } = await run(server.url);
      assert.equal(code, 1);
      assert.match(stderr, /: \\u\{1b\}\[2J\\u\{9b\}\\u\{202e\}\[key\] x{400,500}…\n$/);
    }
  });

  it('waits as long as Retry-After says', async () => {
    let requestCount = 0;
    await using server = await source((_, response) => {
      requestCount += 1;
      if (requestCount === 1) return response.writeHead(429, { 'Retry-After': '1' }).end('{}');
      return response.end(JSON.stringify([{ id: 1, key: 'one', filters: filtersWith(pro) }] satisfies Body[]));
    });
    const { code, stderr } = await run(server.url);
    assert.deepEqual([code, requestCount], [0, 2]);
    assert.match(stderr, /^Waiting for http:\S+: it accepts no requests with this key for the next 1 s\.\n$/);
  });
});
