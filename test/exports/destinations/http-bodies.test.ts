import assert from 'node:assert/strict';
import { batchesOf } from '../../../src/exports/destinations/http/batches.ts';
import { captureEvent } from '../../../src/exports/destinations/http/capture.ts';
import { checkTemplate } from '../../../src/exports/destinations/http/template.ts';
import { InvalidInput } from '../../../src/platform/errors.ts';
import { waitMs } from '../../../src/exports/destinations/http/sender.ts';

async function* blocksOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const batches = async (text: string, size: number, limits: { rows: number; bytes: number }) =>
  (await Array.fromAsync(batchesOf(blocksOf(text, size), limits))).map((lines) => lines.map(String));

describe('the batches of a part', () => {
  it('are the same, however its lines come in blocks', async () => {
    const lines = ['{"a":1}', '{"é":"ü"}', '{}', '{"long":"xxxxxxxxxxxxxxxxxxxxxxxx"}', '{"b":2}'];
    const text = lines.map((line) => `${line}\n`).join('');
    const expected = [[lines[0], lines[1]], [lines[2]], [lines[3]], [lines[4]]];
    for (const size of [1, 2, 3, 7, 20, 1000])
      assert.deepEqual(await batches(text, size, { rows: 2, bytes: 20 }), expected, `${size}`);
    assert.deepEqual(await batches(text, 1000, { rows: 100, bytes: 1e6 }), [lines]);
    assert.deepEqual(await batches('', 1, { rows: 1, bytes: 1 }), []);
  });
});

describe('an event of the capture format', () => {
  const UUID = '"0199b0c4-6c1e-7000-8000-5d3f3a1a9d10"';
  const line = (properties: string, chain = '""', event = '"pageview"') =>
    Buffer.from(
      `{"uuid":${UUID},"event":${event},"distinct_id":"d \\" é","person_id":null,"properties":${properties},` +
        `"person_properties":{"a":{}},"elements_chain":${chain},"timestamp":"2025-06-02T09:00:00.000001Z","created_at":null}`,
    );
  const made = (...given: Parameters<typeof line>) => captureEvent(line(...given)).toString();

  it('has the members that the API takes, and no others', () => {
    assert.equal(
      made('{"a": 1}'),
      `{"uuid":${UUID},"event":"pageview","distinct_id":"d \\" é","timestamp":"2025-06-02T09:00:00.000001Z",` +
        '"properties":{"a": 1,"$geoip_disable":true}}',
    );
    for (const none of ['{}', '{ }', 'null'])
      assert.ok(made(none).endsWith('"properties":{"$geoip_disable":true}}'), none);
  });

  it('keeps every digit and every character', () => {
    const properties =
      '{"big": 12345678901234567890, "tiny": 1.00, "text": "}],\\"\\\\ 漢字 😀", "in": [{"x": ["]"]}]}';
    assert.ok(made(properties).includes(properties.slice(1, -1)));
  });

  it('has the chain of elements where autocapture made it', () => {
    const chain = '"a:href=\\"/\\""';
    assert.ok(made('{}', chain, '"$autocapture"').endsWith(`{"$geoip_disable":true,"$elements_chain":${chain}}}`));
    assert.ok(!made('{}', chain).includes('elements_chain'));
    assert.ok(!made('{}', '""', '"$autocapture"').includes('elements_chain'));
  });

  it('is refused where a row is something else', () => {
    assert.throws(() => captureEvent(Buffer.from('{"uuid":"')), /not a JSON object/);
  });
});

describe('a body template', () => {
  it('is refused where rows would stand inside a text, which the values of events could then end', () => {
    for (const template of ['{"rows":"{{rows}}"}', '{"a":"rows: {{rows}}","b":1}', '"{{ rows }}"'])
      assert.throws(() => checkTemplate(template), InvalidInput, template);
    for (const template of ['{"rows":{{rows}}}', '{{rows}}', '{"key":"{{key}}","rows":[1,{{ rows }}]}'])
      assert.doesNotThrow(() => checkTemplate(template), template);
  });
});

describe('the wait before the next attempt', () => {
  it('grows, and is at least the time in Retry-After, up to a minute', () => {
    assert.deepEqual(
      [1, 2, 3, 20].map((attempt) => waitMs(attempt, undefined)),
      [500, 1000, 2000, 60_000],
    );
    assert.equal(waitMs(1, '3'), 3000);
    assert.equal(waitMs(1, '0'), 500);
    assert.equal(waitMs(1, '86400'), 60_000);
    assert.equal(waitMs(1, 'Thu, 01 Jan 1970 00:00:10 GMT', 4000), 6000);
    for (const odd of ['soon', '-1', '']) assert.equal(waitMs(1, odd), 500, odd);
  });
});
