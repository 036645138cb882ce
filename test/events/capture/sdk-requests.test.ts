/** Requests of released SDKs, as they were recorded: what they sent is what is stored. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import LZString from 'lz-string';
import { post, useCapture } from '../../support/events/capture.ts';

type SentEvent = {
  uuid?: string;
  event: string;
  distinct_id?: string;
  timestamp: string;
  properties: Record<string, unknown>;
  $set?: unknown;
  $set_once?: unknown;
};
type SentBatch = { batch: SentEvent[]; sent_at?: string; sentAt?: string };
type Recorded = {
  sdk: string;
  url: string;
  content_type: string;
  content_encoding?: string;
  bytes: 'plain' | 'gzip';
  json: SentEvent | SentEvent[] | SentBatch;
};
type Row = Required<Pick<SentEvent, 'uuid' | 'event' | 'distinct_id' | 'timestamp' | 'properties'>> & {
  created_at: string;
};

const { cases } = JSON.parse(readFileSync(new URL('sdk-requests.json', import.meta.url), 'utf8')) as {
  cases: Recorded[];
};

/** Properties that the server adds. */
const ADDED = /^\$(ip|group_\d|geoip_\w+)$/;
const LARGEST_LEAD_MS = 23 * 3_600_000;

function eventsOf(json: Recorded['json']): SentEvent[] {
  if (Array.isArray(json)) return json;
  return 'batch' in json ? json.batch : [json];
}

/** When the client's clock said that it sent them; undefined when it did not say. */
function sentAtOf({ json, url }: Recorded): number | undefined {
  const sentAt = 'batch' in json ? (json.sent_at ?? json.sentAt) : undefined;
  const query = new URL(url, 'http://x').searchParams.get('_');
  if (sentAt !== undefined) return Date.parse(sentAt);
  return query === null ? undefined : Number(query);
}

function assertStored(row: Row, sent: SentEvent, sentAt: number | undefined): void {
  const { event, distinct_id, timestamp, properties, $set, $set_once } = sent;
  assert.equal(row.event, event);
  assert.equal(row.distinct_id, distinct_id ?? properties['distinct_id']);
  const { $elements_chain: _, ...kept } = properties;
  const expected = { ...($set !== undefined && { $set }), ...($set_once !== undefined && { $set_once }), ...kept };
  const own = Object.entries(row.properties).filter(([name]) => name in expected || !ADDED.test(name));
  assert.deepEqual(Object.fromEntries(own), expected);
  const received = Date.parse(row.created_at);
  const happened = Date.parse(timestamp) - ((sentAt ?? received) - received);
  const isBelieved = happened <= received + LARGEST_LEAD_MS;
  assert.ok(Math.abs(Date.parse(row.timestamp) - (isBelieved ? happened : received)) <= 1, row.timestamp);
}

describe('a request of a released SDK', () => {
  const world = useCapture({ emptied: true });

  const jsonOf = ({ json }: Recorded) => JSON.stringify(json).replaceAll('phc_x', world.tenant.apiToken);

  async function replay(recorded: Recorded, url: string, body: string | Buffer, headers: Record<string, string>) {
    const answer = await post(world.server.url + url, body, headers);
    assert.deepEqual([answer.status, answer.body], [200, { status: 1 }]);
    const { rows } = await world.server.pool.query<Row>('select * from events');
    const events = eventsOf(JSON.parse(jsonOf(recorded)) as Recorded['json']);
    assert.equal(rows.length, events.length);
    for (const event of events) {
      // Where an event has no uuid, it is the only one.
      const row = rows.find(({ uuid }) => uuid === (event.uuid ?? uuid));
      assert.ok(row, `${event.event} is missing`);
      assertStored(row, event, sentAtOf(recorded));
    }
  }

  for (const [index, recorded] of cases.entries()) {
    const { sdk, url, content_type: type, content_encoding: encoding, bytes } = recorded;
    const names = eventsOf(recorded.json).map(({ event }) => event);
    it(`is stored: request ${index}, ${sdk}, ${names.join(', ')}`, async () => {
      const body = bytes === 'gzip' ? gzipSync(jsonOf(recorded)) : jsonOf(recorded);
      const headers = { 'Content-Type': type, ...(encoding !== undefined && { 'Content-Encoding': encoding }) };
      await replay(recorded, url, body, headers);
    });
  }

  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const olderForms: [string, (json: string) => Record<string, string>][] = [
    ['base64', (json) => ({ data: Buffer.from(json).toString('base64') })],
    ['lz64', (json) => ({ data: LZString.compressToBase64(json), compression: 'lz64' })],
  ];
  for (const [compression, fields] of olderForms) {
    for (const [index, recorded] of cases.entries()) {
      if (recorded.sdk !== 'posthog-js/1.174.2') continue;
      it(`is stored: request ${index} in a form with ${compression}, as older versions of ${recorded.sdk} sent it`, async () => {
        const url = recorded.url.replace('compression=gzip-js', `compression=${compression}`);
        await replay(recorded, url, new URLSearchParams(fields(jsonOf(recorded))).toString(), form);
      });
    }
  }
});
