/** HTTP at a server on Node: what other servers and proxies on the way do stays unproven. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { destinationOf } from '../../../src/exports/destinations/index.ts';
import { overlaps, parseKeySpace } from '../../../src/exports/destinations/key-space.ts';
import { validateConfig } from '../../../src/exports/integrations/destination-config.ts';
import { DestinationRejected, DestinationUnavailable, InvalidInput } from '../../../src/platform/errors.ts';
import { COLUMNS, buildRows, testInterval } from '../../support/exports/deliveries.ts';
import { itKeepsTheContract, type TestPlace } from '../../support/exports/destination-contract.ts';
import { faultIn } from '../../support/exports/provoked-faults.ts';
import { startHttpReceiver, type HttpReceiver } from '../../support/servers/http-receiver.ts';

const environment = { localRoot: undefined, allowedHosts: ['127.0.0.1'] };
const http = destinationOf('HTTP', environment);
const TOKEN = 'canary-token';
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const PROMISES = { first: 'at_least_once', redelivery: 'repeats_by_uuid', readers: 'half_while_sent' } as const;

type Config = Record<string, unknown>;
type Place = TestPlace & { receiver: HttpReceiver; config: Config };

const rowsOf = (body: string) => (JSON.parse(body) as { rows: { uuid: string }[] }).rows.map(({ uuid }) => uuid);
const buildLargeRow = (size: number) => ({ ...buildRows(1)[0]!, properties: { text: 'x'.repeat(size) } });

/** The field that the check of a configuration refuses; undefined: none. */
async function refusedField(fields: Config): Promise<string | null | undefined> {
  return http
    .validate(validateConfig(http, { url: 'http://127.0.0.1:8080/', token: TOKEN, ...fields }), environment)
    .then(
      () => undefined,
      (error: unknown) => (error as InvalidInput).attr,
    );
}

async function makePlace(config: Config = {}): Promise<Place> {
  const receiver = await startHttpReceiver();
  const taken = () => receiver.received.filter(({ isTaken }) => isTaken);
  return {
    receiver,
    destination: http,
    config: validateConfig(http, {
      url: `${receiver.url}/batch/`,
      token: TOKEN,
      body_format: 'template',
      max_batch_rows: 2,
      ...config,
    }),
    environment,
    file: { compression: null },
    snapshot: async () => ({}),
    async read() {
      const uuids = new Set(taken().flatMap(({ body }) => rowsOf(body)));
      return uuids.size === 0 ? undefined : [...uuids].sort();
    },
    leftovers: async () => 0,
    damages: [],
    arrivals: () =>
      taken().map(({ headers, body }) => ({ key: String(headers['idempotency-key']), uuids: rowsOf(body) })),
    stop: () => receiver.stop(),
  };
}

describe('HTTP', () => {
  itKeepsTheContract(PROMISES, () => makePlace());
  describe('with compressed bodies', () => itKeepsTheContract(PROMISES, () => makePlace({ gzip: true })));

  describe('a request', () => {
    let place: Place;
    const open = async (config: Config) => {
      place = await makePlace(config);
      return testInterval(place);
    };
    afterEach(() => place.stop());

    it('has the body, the headers and the key of its batch', async () => {
      const interval = await open({
        body_template:
          '{"from":"{{data_interval_start}}","to":"{{data_interval_end}}","key":"{{key}}","run":"{{run_id}}",' +
          '"export":"{{batch_export_id}}","model":"{{model}}","token":"{{token}}","rows":{{rows}}}',
        headers: ['Authorization: Bearer {{ token }}', 'X-Source: sluice'],
        token: 'with "quotes"',
      });
      const rows = buildRows(3);
      const { run } = await interval.deliver([rows]);
      const [first, second] = place.receiver.received;
      assert.equal(place.receiver.received.length, 2);
      const key = `${run.delivery.runId}/0/0`;
      assert.deepEqual(JSON.parse(first!.body), {
        from: run.delivery.start,
        to: run.delivery.end,
        key,
        run: run.delivery.runId,
        export: run.delivery.exportId,
        model: 'events',
        token: 'with "quotes"',
        rows: rows.slice(0, 2),
      });
      assert.deepEqual((JSON.parse(second!.body) as { rows: unknown }).rows, rows.slice(2));
      const { headers } = first!;
      assert.deepEqual(
        [headers['idempotency-key'], headers.authorization, headers['x-source'], headers['content-type']],
        [key, 'Bearer with "quotes"', 'sluice', 'application/json'],
      );
      assert.equal(second!.headers['idempotency-key'], `${run.delivery.runId}/0/1`);
      // The receiver sets a cookie with each answer.
      assert.deepEqual([second!.headers.cookie, place.receiver.connections()], [undefined, 1]);
    });

    it('has its rows in lines where the template wants that', async () => {
      const interval = await open({ body_template: '{{lines}}', headers: ['Content-Type: application/x-ndjson'] });
      const rows = buildRows(2);
      await interval.deliver([rows]);
      const [{ body, headers }] = place.receiver.received as [HttpReceiver['received'][number]];
      assert.equal(body, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      assert.equal(headers['content-type'], 'application/x-ndjson');
    });

    it('ends where the batch has enough bytes, and no row is too large', async () => {
      const interval = await open({ max_batch_rows: 5000, max_batch_mb: 1 });
      await interval.deliver([
        [
          buildLargeRow(600_000),
          buildLargeRow(600_000),
          buildLargeRow(3_000_000),
          buildLargeRow(10),
          buildLargeRow(10),
        ],
      ]);
      assert.deepEqual(
        place.arrivals!().map(({ uuids }) => uuids.length),
        [1, 1, 1, 2],
      );
    });

    for (const gzip of [false, true]) {
      it(`is signed, as documented${gzip ? ', also where it is compressed' : ''}`, async () => {
        const interval = await open({ signing_secret: SECRET, gzip });
        await interval.deliver([buildRows(1)]);
        const [{ body, headers }] = place.receiver.received as [HttpReceiver['received'][number]];
        const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
        assert.equal(id, headers['idempotency-key']);
        assert.ok(Math.abs(Date.now() / 1000 - Number(timestamp)) < 60);
        // As docs/destinations/http.md says it.
        const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
        const expected = createHmac('sha256', key)
          .update(`${String(id)}.${String(timestamp)}.${body}`)
          .digest('base64');
        assert.equal(signature, `v1,${expected}`);
      });
    }

    it('is made again after answers that pass, with the same key, and after no answer', async () => {
      const interval = await open({});
      place.receiver.answers.push(500, { status: 429, headers: { 'retry-after': '1' } }, 'reset', 408);
      const began = performance.now();
      await interval.deliver([buildRows(1)]);
      assert.ok(performance.now() - began > 1000, 'Retry-After was not waited for');
      const keys = place.receiver.received.map(({ headers }) => headers['idempotency-key']);
      assert.deepEqual([keys.length, new Set(keys).size], [5, 1]);
    }).timeout(60_000);

    for (const [status, code] of [
      [400, 'body_refused'],
      [401, 'token_refused'],
      [403, 'request_forbidden'],
      [404, 'url_not_found'],
      [413, 'batch_too_large'],
      [415, 'media_type_refused'],
      [409, 'request_refused'],
      [302, 'redirected'],
    ] as const) {
      it(`is final when it is answered ${status}, and made once`, async () => {
        const interval = await open({});
        place.receiver.answers.push({ status, headers: { location: `${place.receiver.url}/elsewhere` }, body: TOKEN });
        const fault = await faultIn('HTTP', interval.deliver([buildRows(3)]));
        assert.deepEqual([fault.code, place.receiver.received.length], [code, 1]);
        assert.ok(fault.field);
      });
    }

    it('has one of the other faults when the receiver stays away', async () => {
      const interval = await open({});
      await place.receiver.stop();
      const fault = await faultIn('HTTP', interval.deliver([buildRows(1)]));
      assert.deepEqual([fault.code, fault.field], ['connection_refused', 'destination__config__url']);
      place = await makePlace();
    }).timeout(60_000);

    it('takes an endless answer for one, and reads no more than a part of it', async () => {
      const interval = await open({});
      place.receiver.answers.push({ status: 200, body: 'x'.repeat(20_000_000) });
      const { receipt } = await interval.deliver([buildRows(3)]);
      assert.equal(receipt.rows, 3);
      assert.equal(place.receiver.connections(), 2);
    });
  });

  describe('the capture format', () => {
    it('needs its columns', async () => {
      assert.deepEqual(http.neededColumns?.({ body_format: 'template' }), []);
      const place = await makePlace({ body_format: 'capture' });
      const fault = await faultIn('HTTP', testInterval(place).deliver([buildRows(1)]));
      assert.equal(fault.code, 'columns_missing');
      assert.ok(!COLUMNS.some(({ name }) => name === 'distinct_id'));
      await place.stop();
    });
  });

  describe('a host', () => {
    for (const url of [
      'http://8.8.8.8/batch/',
      'https://user:secret@8.8.8.8/batch/',
      'https://8.8.8.8/batch/#part',
      'https://8.8.8.8:22/batch/',
      'https://10.0.0.1/batch/',
      'https://[::1]/batch/',
      'https://127.0.0.2/',
      'https://0x7f.1/',
      'https://no.such.host.invalid/',
      'ftp://8.8.8.8/',
      '/batch/',
    ]) {
      it(`is refused by the check of saving, testing and running: ${url}`, async () => {
        const config = validateConfig(http, { url, token: TOKEN });
        await assert.rejects(http.validate(config, environment), (error: unknown) => {
          assert.ok(error instanceof InvalidInput);
          assert.equal(error.attr, 'url');
          return true;
        });
      });
    }

    it('is checked again when it is connected to', async () => {
      const place = await makePlace();
      const closed = { ...environment, allowedHosts: [] };
      for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
        const url = place.receiver.url.replace('127.0.0.1', host);
        const moved = { ...place, config: { ...place.config, url }, environment: closed };
        const fault = await faultIn('HTTP', testInterval(moved).deliver([buildRows(1)]));
        assert.equal(fault.code, 'host_not_allowed', host);
      }
      assert.equal(place.receiver.connections(), 0);
      await place.stop();
    }).timeout(120_000);
  });

  it('refuses headers and templates that cannot be meant', async () => {
    assert.equal(await refusedField({}), undefined);
    for (const token of [undefined, null]) {
      assert.equal(await refusedField({ token }), 'token');
      assert.equal(await refusedField({ token, body_format: 'template' }), undefined);
      assert.equal(await refusedField({ token, body_format: 'template', headers: ['A: {{token}}'] }), 'token');
    }
    for (const header of [
      'x',
      'Host: other',
      'Cookie: a=b',
      'Idempotency-Key: 1',
      'Authorization: Bearer x',
      'x: a\nb: c',
      'X-Run: {{run_id}}',
      'X-Rows: {{ rows }}',
    ])
      assert.equal(await refusedField({ headers: [header] }), 'headers', header);
    assert.equal(await refusedField({ headers: ['A: 1', 'a: 2'] }), 'headers');
    for (const token of ['two\nlines', 'naïve'])
      assert.equal(await refusedField({ token, headers: ['A: {{token}}'] }), 'token', token);
    const template = (body_template: string) => refusedField({ body_format: 'template', body_template });
    for (const text of ['{}', '{"rows":{{rows}}', '{{rows}}{{rows}}', '{{rows}} {{nothing}}'])
      assert.equal(await template(text), 'body_template', text);
    for (const text of ['{{rows}}', '{"a":[{{ rows }}]}', '{{lines}}'])
      assert.equal(await template(text), undefined, text);
    assert.equal(
      await refusedField({ signing_secret: `whsec_${'='.repeat(2)}${'A'.repeat(32)}` }).catch(() => 'schema'),
      'schema',
    );
  });

  it('shows neither its URL nor its token in labels and receipts, and lets several exports share a receiver', async () => {
    const place = await makePlace();
    const { receipt } = await testInterval(place).deliver([buildRows(1)]);
    assert.deepEqual([receipt.location, http.label(place.config)], ['http (template)', 'HTTP (template)']);
    const shown = JSON.stringify([receipt, http.label(place.config)]);
    for (const hidden of [TOKEN, '127.0.0.1', '/batch/']) assert.ok(!shown.includes(hidden), hidden);
    const [one, other] = ['a', 'b'].map((exportId) =>
      parseKeySpace(http.keySpace(place.config, { projectId: 7, model: 'events', exportId })),
    );
    assert.equal(overlaps(one!, other!), false);
    await place.stop();
  });

  it('is tested by a batch without rows, once', async () => {
    const place = await makePlace();
    const [step] = http.steps;
    const context = {
      environment,
      signal: new AbortController().signal,
      projectId: 7,
      model: 'events',
      columns: [],
      merge: null,
    };
    await step!.run(place.config, context);
    place.receiver.answers.push(500);
    await assert.rejects(step!.run(place.config, context), DestinationUnavailable);
    place.receiver.answers.push(401);
    await assert.rejects(step!.run(place.config, context), DestinationRejected);
    const [first] = place.receiver.received;
    assert.equal(place.receiver.received.length, 3);
    assert.deepEqual([first!.body, first!.headers['sluice-test']], ['{"rows":[]}', 'true']);
    await place.stop();
  });
});
