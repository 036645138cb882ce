/** A few kilobytes of gzip that become as much as `/batch/` takes: nothing but the first needs a key. */
import { gzipSync } from 'node:zlib';
import { listed, membersOf, nested } from './shapes.ts';
import type { HostileRequest } from './world.ts';

/** Bytes of a body of JSON, and of a form, less what is around them. */
const ROOM = 20 * 1024 * 1024 - 2_000;
const FORM_ROOM = 4 * 1024 * 1024 - 2_000;
/** Values of an event that are taken, just. */
const MOST = 49_900;

const inflated = (what: string, text: () => string, search = ''): HostileRequest => ({
  what: `inflated: ${what}`,
  path: `/batch/${search}`,
  body: () => gzipSync(text()),
});
const members = (count: number, head = 'k') =>
  `{${Array.from({ length: count }, (_, at) => `"${head}${at}":1`).join()}}`;
/** Events that hold all that they may. */
const wide = (count: number) => Array.from({ length: count }, (_, at) => members(MOST, `${at}k`)).join();
const padding = (bytes: number) => `"${'x'.repeat(bytes)}"`;

/** @param apiToken the public key of a project */
export function inflatedRequests(apiToken: string): HostileRequest[] {
  const repeated = (what: string, head: string, piece: string, room = ROOM) =>
    inflated(what, () => head + piece.repeat(room / piece.length));
  const event = (what: string, properties: () => string) =>
    inflated(`an event of ${what}`, () => {
      return `{"api_key":"${apiToken}","event":"e","distinct_id":"u","properties":${properties()}}`;
    });
  const batch = (what: string, count: number, each: (index: number) => string) =>
    inflated(`a batch of ${what}`, () => {
      return `{"api_key":"${apiToken}","batch":[${Array.from({ length: count }, (_, index) => each(index)).join()}]}`;
    });
  return [
    event('escapes of NUL', () => `{"a":"${String.raw`\u0000`.repeat(ROOM / 6 - 100)}"}`),
    repeated('a form of plus signs', 'data=', '+'),
    repeated('a form of plus signs that is taken', 'data=', '+', FORM_ROOM),
    repeated('a form of percent signs', 'data=', '%'),
    repeated('a form of percent signs that is taken', 'data=', '%', FORM_ROOM),
    repeated('a form of escapes that is taken', 'data=', '%7B', FORM_ROOM),
    repeated('a form of minus signs that is taken', 'data=[NaN,', '-', FORM_ROOM),
    repeated('text with spaces', 'A', ' '),
    inflated('text with spaces that is taken', () => `A${' '.repeat(FORM_ROOM)}A`),
    repeated('spaces', '', ' '),
    repeated('spaces before a bracket', '', ' '),
    inflated('base64 that is taken', () => 'A'.repeat(FORM_ROOM)),
    inflated('lz64 that is taken', () => 'A'.repeat(FORM_ROOM / 2), '?compression=lz64'),
    ...['-', 'N', 'I', '-I', 'NaN', '-Infinit', '"', '\\', '[', '{"":'].map((piece) =>
      repeated(`NaN and ${piece}`, '[NaN,', piece),
    ),
    inflated('NaN last', () => `[${listed(2_000_000, '1.5').slice(1, -1)},"${'é'.repeat(9_000_000)}",NaN]`),
    inflated('NaN last, after many names', () => `[${wide(5)},${padding(ROOM - 5_000_000)},NaN]`),
    inflated('a million members', () => membersOf(ROOM, (index) => `name-${index}`)),
    inflated('many members', () => `{"a":${padding(ROOM - 5_000_000)},"b":${members(MOST)}}`),
    inflated('deep lists', () => nested('[', ']', ROOM / 2 - 1)),
    inflated('deep lists that are taken', () => `[${padding(ROOM - 2_000_000)},${nested('[', ']', MOST)}]`),
    inflated('one number', () => `[${'1'.repeat(ROOM)}]`),
    inflated('one text of escapes', () => `["${String.raw`\u0041`.repeat(ROOM / 6)}"]`),
    event('a million members', () => membersOf(ROOM, (index) => `name-${index}`)),
    event('many members', () => `{"a":${padding(ROOM - 6_000_000)},"b":${members(MOST)}}`),
    event('many groups', () => `{"a":${padding(ROOM - 6_000_000)},"$groups":${members(MOST)}}`),
    event('many things that are set', () => `{"a":${padding(ROOM - 6_000_000)},"$set":${members(MOST)}}`),
    event('levels of objects', () => `{"a":${padding(ROOM - 4_000_000)},"b":${nested('{"a":', '}', MOST)}}`),
    event('quotes', () => `{"a":"${String.raw`\"`.repeat(ROOM / 2 - 200)}"}`),
    event(
      'control characters',
      () => `{"a":"${'\u007f'.repeat(ROOM / 2)}${String.raw`\u0001`.repeat(ROOM / 12 - 50)}"}`,
    ),
    batch('wide events', 10, (index) => {
      return `{"event":"e","distinct_id":"u","properties":{"a":${padding(900_000)},"b":${members(24_000, `${index}k`)}}}`;
    }),
    batch('events that are too wide', 6, (index) => {
      return `{"event":"e","distinct_id":"u","properties":{"a":${padding(900_000)},"b":${members(42_000, `${index}k`)}}}`;
    }),
    batch('events with groups', 10, (index) => {
      return `{"event":"e","distinct_id":"u","properties":{"a":${padding(900_000)},"$groups":${members(24_000, `${index}k`)}}}`;
    }),
    batch('many events', 10_000, (index) => {
      return `{"event":"e","distinct_id":"u${index}","properties":{${members(20, `${index}k`).slice(1, -1)},"a":${padding(1_600)}}}`;
    }),
    batch('too many events', 100_000, () => '{}'),
    batch('nothing', 10_000, () => padding(2_000)),
  ];
}
