import assert from 'node:assert/strict';
import { readAccessLogLine } from '../../../src/platform/sending/access-log.ts';
import { BadLine } from '../../../src/platform/sending/reading.ts';

const UUID = '00000000-0000-5000-8000-000000000000';
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64)';

type Fields = { address?: string; user?: string; time?: string; request?: string; rest?: string; agent?: string };

function logLine(fields: Fields = {}): string {
  const { address = '83.149.9.216', user = '-', time = '17/May/2015:10:05:03 +0000' } = fields;
  const { request = 'GET /a?b=c HTTP/1.1', rest = '200 203023 "http://example.org/"', agent = AGENT } = fields;
  return `${address} - ${user} [${time}] "${request}" ${rest} "${agent}"`;
}

function eventOf(line: string) {
  return JSON.parse(readAccessLogLine(line).json(UUID)) as {
    uuid: string;
    event: string;
    distinct_id: string;
    timestamp: string;
    properties: Record<string, unknown>;
  };
}

describe('a line of an access log', () => {
  it('becomes one event with everything that the line says', () => {
    const { distinct_id, ...event } = eventOf(logLine());
    assert.match(distinct_id, /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-/);
    assert.deepEqual(event, {
      uuid: UUID,
      event: 'http_request',
      timestamp: '2015-05-17T10:05:03.000Z',
      properties: {
        method: 'GET',
        path: '/a?b=c',
        protocol: 'HTTP/1.1',
        status: 200,
        bytes: 203023,
        referrer: 'http://example.org/',
        user_agent: AGENT,
        $ip: '83.149.9.216',
      },
    });
  });

  it('names the visitor by address and user agent together', () => {
    const one = eventOf(logLine()).distinct_id;
    assert.equal(eventOf(logLine({ request: 'GET /other HTTP/1.1' })).distinct_id, one);
    assert.notEqual(eventOf(logLine({ address: '10.0.0.1' })).distinct_id, one);
    assert.notEqual(eventOf(logLine({ agent: 'curl/8' })).distinct_id, one);
  });

  const times = [
    ['17/May/2015:10:05:03 +0200', '2015-05-17T08:05:03.000Z'],
    ['01/Jan/2016:00:15:00 -0930', '2016-01-01T09:45:00.000Z'],
    ['29/Feb/2016:23:59:60 +0000', '2016-03-01T00:00:00.000Z'],
  ] as const;
  for (const [time, expected] of times) {
    it(`reads ${time} as ${expected}`, () => {
      assert.equal(eventOf(logLine({ time })).timestamp, expected);
    });
  }

  it('leaves out what the log writes as a dash, and counts no bytes', () => {
    const { properties } = eventOf(logLine({ rest: '304 - "-"', agent: '-' }));
    assert.deepEqual(properties, {
      method: 'GET',
      path: '/a?b=c',
      protocol: 'HTTP/1.1',
      status: 304,
      bytes: 0,
      $ip: '83.149.9.216',
    });
  });

  it('keeps a request that is none, escaped quotes, the user, and reads no further than the user agent', () => {
    const { properties } = eventOf(
      `${logLine({ request: String.raw`\x16\x03\x01`, user: 'ada', agent: String.raw`say \"hi\"` })} 0.004 "10.1.1.1"`,
    );
    assert.equal(properties['request'], String.raw`\x16\x03\x01`);
    assert.equal(properties['user'], 'ada');
    assert.equal(properties['user_agent'], 'say "hi"');
  });

  it('may be cut off inside the user agent', () => {
    assert.equal(eventOf(logLine().slice(0, -9)).properties['user_agent'], AGENT.slice(0, -8));
  });

  const bad = [
    ['words', 'not a log line'],
    ['the common format', '1.2.3.4 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 12'],
    ['a day that does not exist', logLine({ time: '31/Feb/2015:10:05:03 +0000' })],
    ['a month that does not exist', logLine({ time: '17/Mai/2015:10:05:03 +0000' })],
    ['an hour that does not exist', logLine({ time: '17/May/2015:24:05:03 +0000' })],
  ] as const;
  for (const [what, line] of bad) {
    it(`is bad when it is ${what}`, () => {
      assert.throws(() => readAccessLogLine(line), BadLine);
    });
  }
});
