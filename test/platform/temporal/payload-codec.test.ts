import assert from 'node:assert/strict';
import { defaultPayloadConverter } from '@temporalio/common';
import { NotFound } from '../../../src/platform/errors.ts';
import { startHttpServer, type HttpServer } from '../../../src/platform/http/server.ts';
import { createKeyRing, generateKeyRing } from '../../../src/platform/secrets/key-ring.ts';
import { codecEndpoint } from '../../../src/platform/temporal/codec-endpoint.ts';
import { fromJson, payloadCodec, toJson, type PayloadJson } from '../../../src/platform/temporal/payload-codec.ts';
import { buildExport, buildExportWorld, eventually } from '../../support/exports/export-world.ts';

const VALUES = [{ exportId: 'a', rows: 5 }, 'Ünïcödé', null, new Uint8Array([0, 255, 10])];
const payloads = () => VALUES.map((value) => defaultPayloadConverter.toPayload(value));
const values = (of: Awaited<ReturnType<ReturnType<typeof payloadCodec>['decode']>>) =>
  of.map((payload) => defaultPayloadConverter.fromPayload(payload));
const codec = payloadCodec(createKeyRing(generateKeyRing()));

/** Every payload in a history, wherever it is: whatever has `data` beside `metadata`. What is searched by cannot be encrypted. */
function encodingsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
  const { metadata, data } = value as { metadata?: { encoding?: Uint8Array }; data?: unknown };
  if (metadata?.encoding && data !== undefined) return [Buffer.from(metadata.encoding).toString()];
  return Object.entries(value).flatMap(([name, member]) => (name === 'searchAttributes' ? [] : encodingsIn(member)));
}

describe('a payload in Temporal', () => {
  it('is encrypted, and decrypted to what it was', async () => {
    const encrypted = await codec.encode(payloads());
    for (const { metadata, data } of encrypted) {
      assert.deepEqual(Object.keys(metadata!), ['encoding']);
      assert.ok(!Buffer.from(data!).toString().includes('exportId'));
    }
    assert.deepEqual(values(await codec.decode(encrypted)), VALUES);
  });

  it('opens as it is when it was stored before there was a key', async () => {
    assert.deepEqual(values(await codec.decode(payloads())), VALUES);
  });

  it('does not open with another key', async () => {
    const other = payloadCodec(createKeyRing(generateKeyRing()));
    await assert.rejects(other.decode(await codec.encode(payloads())));
  });

  it('of a run and of a dispatcher is encrypted: inputs, results, failures and sentences', async () => {
    const world = await buildExportWorld();
    try {
      await world.startWorker();
      const { id } = await world.batchExports.create(world.projectId, buildExport());
      world.onStep = async ({ name }) => {
        if (name === 'before-plan') throw new NotFound('The word that must not be read.');
      };
      const range = { startAt: '2015-05-17T10:00:00Z', endAt: '2015-05-17T11:00:00Z' };
      const { workflow } = world.engine.temporal.client;
      await world.backfills.request(world.projectId, id, range);
      const run = await eventually('the run', async () => {
        return (await world.engine.stores.runs.list(world.projectId, id, { limit: 1 }))[0];
      });
      const handle = workflow.getHandle(run.workflowId, run.workflowRunId);
      await assert.rejects(handle.result(), ({ cause }: Error) =>
        /must not be read/.test(String((cause as Error).cause)),
      );
      for (const workflowId of [run.workflowId, `${id}-requests`]) {
        const history = await workflow.getHandle(workflowId).fetchHistory();
        const encodings = encodingsIn(history.events);
        assert.ok(encodings.length > 0);
        assert.deepEqual([...new Set(encodings)], ['binary/encrypted']);
        assert.ok(!JSON.stringify(history).includes('must not be read'));
      }
    } finally {
      await world.close();
    }
  });
});

describe('Temporal’s UI', () => {
  const token = 'a-token-that-nobody-guesses';
  const origin = 'http://127.0.0.1:8233';
  let server: HttpServer;
  before(async () => {
    const endpoint = codecEndpoint({ codec, token, origin });
    server = await startHttpServer(
      {
        async listener(request, response) {
          if (!endpoint(request, response)) response.writeHead(404).end();
        },
      },
      { host: '127.0.0.1', port: 0 },
    );
  });
  after(() => server.stop(0));

  const ask = (path: string, body: unknown, method = 'POST') =>
    fetch(`${server.url}/_codec/${path}`, {
      method,
      headers: { 'content-type': 'application/json', origin, 'x-namespace': 'sluice' },
      ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });

  it('has payloads opened, from its own pages only', async () => {
    const encrypted = (await codec.encode(payloads())).map(toJson);
    const answer = await ask(`${token}/decode`, { payloads: encrypted });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('access-control-allow-origin'), origin);
    const { payloads: opened } = (await answer.json()) as { payloads: PayloadJson[] };
    assert.deepEqual(values(opened.map(fromJson)), VALUES);
  });

  it('has what people type there encrypted', async () => {
    const answer = await ask(`${token}/encode`, { payloads: payloads().map(toJson) });
    const { payloads: configs } = (await answer.json()) as { payloads: PayloadJson[] };
    assert.deepEqual(values(await codec.decode(configs.map(fromJson))), VALUES);
  });

  it('may ask before it does', async () => {
    const answer = await ask(`${token}/decode`, undefined, 'OPTIONS');
    assert.equal(answer.status, 204);
    assert.match(answer.headers.get('access-control-allow-headers')!, /x-namespace/);
  });

  for (const path of ['another-token-that-is-long/decode', '/decode', `${token}/`, `${token}x/decode`]) {
    it(`gets 404 at ${path.replace(token, '<token>')}`, async () => {
      const answer = await ask(path, { payloads: [] });
      assert.equal(answer.status, 404);
      assert.equal(answer.headers.get('access-control-allow-origin'), null);
    });
  }

  for (const body of [
    '',
    '{}',
    '{"payloads":[{"metadata":{"encoding":"YmluYXJ5L2VuY3J5cHRlZA=="},"data":"djEuazEuYWFh"}]}',
  ]) {
    it(`gets 400 when it sends ${body || 'nothing'}`, async () => {
      assert.equal((await ask(`${token}/decode`, body)).status, 400);
    });
  }
});
