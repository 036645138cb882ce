/** Traces of the API as a process, seen by a server that stands in for the collector. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import { buildTenant } from '../../support/api/identity.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { post } from '../../support/events/capture.ts';
import { startApiProcess } from '../../support/servers/api-process.ts';
import { startOtlpReceiver, type OtlpReceiver } from '../../support/telemetry/otlp-receiver.ts';

const SRC = path.join(import.meta.dirname, '../../../src');
/** Above the two seconds that sending may take, below the ten that the exporter would take by itself. */
const STOPPED_WITHIN_MS = 8_000;
const SENDERS_TRACE = '0af7651916cd43dd8448eb211c80319c';

describe('traces', () => {
  let database: TestDatabase;
  let db: Knex;
  let token: string;
  let projectId: number;
  let collector: OtlpReceiver | undefined;
  before(async () => {
    database = await createTestDatabase();
    db = createKnex({ url: database.url, applicationName: 'test' });
    ({ apiToken: token, projectId } = await buildTenant(db));
  });
  afterEach(() => collector?.stop());
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  /** Starts an API that sends traces to the collector, sends it the events, and stops it. */
  async function capture(events: object[], environment: Record<string, string> = {}) {
    const lines: string[] = [];
    const api = await startApiProcess({
      databaseUrl: database.url,
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector!.url, OTEL_TRACES_SAMPLER: 'always_on', ...environment },
      onLog: (line) => lines.push(line),
    });
    const statuses: number[] = [];
    for (const event of events) {
      const headers = {
        traceparent: `00-${SENDERS_TRACE}-b7ad6b7169203331-00`,
        tracestate: 'evil=1',
        baggage: 'evil=1',
      };
      statuses.push((await post(`${api.url}/e/?evil=1`, event, headers)).status);
    }
    const startedAt = performance.now();
    await api.end('SIGTERM');
    return { statuses, stoppedInMs: performance.now() - startedAt, lines };
  }

  it('follow a request to its commit, and say nothing of what it held', async () => {
    collector = await startOtlpReceiver();
    const event = {
      api_key: token,
      event: 'evil',
      distinct_id: 'evil',
      properties: { evil: 'evil', $set: { evil: 1 } },
    };
    const { statuses } = await capture([event, { ...event, api_key: 'phc_evil' }]);
    assert.deepEqual(statuses, [200, 401]);

    const [stored, refused] = collector.spans.filter(({ name }) => name === 'capture');
    assert.deepEqual([stored!.service, stored!.parentSpanId, stored!.isFailed], ['sluice-api', '', false]);
    const { 'sluice.bytes': bytes, ...attributes } = stored!.attributes;
    assert.ok(Number(bytes) > 0);
    assert.deepEqual(attributes, {
      'sluice.project_id': projectId,
      'sluice.rows': 1,
      'http.response.status_code': 200,
    });
    const children = collector.spans.filter(({ parentSpanId }) => parentSpanId === stored!.spanId);
    assert.deepEqual(
      children.map(({ name, traceId }) => [name, traceId]),
      ['capture parse', 'capture commit'].map((name) => [name, stored!.traceId]),
    );
    assert.deepEqual(refused!.attributes, {
      'http.response.status_code': 401,
      'sluice.error_code': 'not_authenticated',
    });
    assert.notEqual(refused!.traceId, stored!.traceId);
    assert.ok(
      collector.spans.every(({ isFailed }) => !isFailed),
      'a mistake of a client is no failure',
    );
    for (const word of [
      'evil',
      token,
      SENDERS_TRACE,
      '127.0.0.1',
      Buffer.from(SENDERS_TRACE, 'hex').toString('latin1'),
    ])
      assert.ok(!collector.bytes().includes(word), `${word} was sent`);
  });

  it('hold up neither capture nor its end when the collector does not answer, and the log says so once', async () => {
    collector = await startOtlpReceiver({ answers: false });
    const event = { api_key: token, event: 'e', distinct_id: 'd' };
    const events = Array.from({ length: 20 }, () => event);
    const { statuses, stoppedInMs, lines } = await capture(events, { OTEL_BSP_SCHEDULE_DELAY: '10' });
    assert.deepEqual(new Set(statuses), new Set([200]));
    assert.ok(collector.spans.length > 0);
    assert.ok(stoppedInMs < STOPPED_WITHIN_MS, `${stoppedInMs} ms`);
    assert.equal(lines.filter((line) => line.includes('traces cannot be sent')).length, 1);
  });

  it('load nothing of OpenTelemetry while they are off', async () => {
    const script = `
      import { createRequire } from 'node:module';
      import { openTraces } from '${SRC}/platform/telemetry/open-traces.ts';
      import '${SRC}/app/commands/api.ts';
      import '${SRC}/app/commands/worker.ts';
      const { cache } = createRequire(import.meta.url);
      // Prometheus' client loads the package of interfaces, which does nothing by itself.
      const count = () => Object.keys(cache).filter((name) => /opentelemetry\\/(?!api\\/)/.test(name)).length;
      const isOff = (await openTraces({}, 'api')) === undefined;
      const isOffBySampler = (await openTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_TRACES_SAMPLER: 'always_off' }, 'api')) === undefined;
      const off = count();
      await openTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }, 'api');
      console.log(JSON.stringify({ isOff, isOffBySampler, off, on: count() > 0 }));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: SRC });
    assert.deepEqual(JSON.parse(stdout), { isOff: true, isOffBySampler: true, off: 0, on: true });
  });
});
