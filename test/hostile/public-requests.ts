/** Requests under 2 MB that anybody can send who knows a public key, made to keep the API busy. */
import { gzipSync } from 'node:zlib';
import LZString from 'lz-string';
import { countValues } from '../../src/platform/wire/value-count.ts';
import { inflatedRequests } from './inflated-requests.ts';
import { filled, heavyShapesOf, membersOf, shapesOf, wideShapesOf } from './shapes.ts';
import type { HostileRequest } from './world.ts';

/** As many bytes as a body may have, less what is around them. */
const ROOM = 1_900_000;
/** Values that are taken, just. */
const WIDE = 49_800;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** @param apiToken the public key of a project */
export function publicRequests(apiToken: string): HostileRequest[] {
  return [
    ...ofFlags(apiToken),
    ...ofOfrep(apiToken),
    ...ofCapture(apiToken),
    ...ofNewerDoors(apiToken),
    ...ofEncodings(apiToken),
    ...inflatedRequests(apiToken),
    ...ofUrls(apiToken),
  ];
}

function ofFlags(apiToken: string): HostileRequest[] {
  const flags = (what: string, members: () => string): HostileRequest => ({
    what: `flags: ${what}`,
    path: '/flags/?v=2',
    body: () => `{"token":"${apiToken}","distinct_id":"u",${members()}}`,
    headers: JSON_TYPE,
  });
  const slots: [what: string, around: (json: string) => string][] = [
    ['a property', (json) => `"person_properties":{"q":${json}}`],
    ['all properties', (json) => `"person_properties":${json}`],
    ['groups', (json) => `"groups":${json}`],
    ['the key of a group', (json) => `"groups":{"company":${json}}`],
    ['properties of groups', (json) => `"group_properties":{"company":${json}}`],
    ['types of groups with properties', (json) => `"group_properties":${json}`],
    ['contexts', (json) => `"evaluation_contexts":${json}`],
    ['names of flags', (json) => `"flag_keys":${json}`],
    ['a device', (json) => `"$device_id":${json}`],
    ['an earlier id', (json) => `"$anon_distinct_id":${json}`],
    ['an id', (json) => `"distinct_id":${json}`],
    ['a token', (json) => `"token":${json}`],
    ['another member', (json) => `"a":${json}`],
    ['a runtime', (json) => `"evaluation_runtime":${json}`],
  ];
  return slots.flatMap(([slot, around], index) =>
    [...(index === 0 ? shapesOf : heavyShapesOf)(ROOM), ...wideShapesOf(ROOM, WIDE)].map(({ what, json }) =>
      flags(`${slot}, ${what}`, () => around(json())),
    ),
  );
}

function ofOfrep(apiToken: string): HostileRequest[] {
  return ['/ofrep/v1/evaluate/flags', '/ofrep/v1/evaluate/flags/flag-0'].flatMap((path) =>
    [...heavyShapesOf(250_000), ...wideShapesOf(250_000, 10_000)].flatMap(({ what, json }) => [
      {
        what: `ofrep: ${path.endsWith('0') ? 'one flag' : 'all flags'}, a property, ${what}`,
        path,
        body: () => `{"context":{"targetingKey":"u","q":${json()}}}`,
        headers: { ...JSON_TYPE, Authorization: `Bearer ${apiToken}` },
      },
    ]),
  );
}

function ofCapture(apiToken: string): HostileRequest[] {
  const one = (what: string, members: () => string): HostileRequest => ({
    what: `capture: ${what}`,
    path: '/i/v0/e/',
    body: () => `{"api_key":"${apiToken}","event":"e","distinct_id":"u",${members()}}`,
    headers: JSON_TYPE,
  });
  const batch = (what: string, each: (index: number) => object, most = mostOf(each)): HostileRequest => ({
    what: `batch: ${what}`,
    path: '/batch/',
    body: () => JSON.stringify({ api_key: apiToken, batch: filled(ROOM, each).slice(0, most) }),
    headers: JSON_TYPE,
  });
  const slots: [what: string, around: (json: string) => string][] = [
    ['a property', (json) => `"properties":{"q":${json}}`],
    ['all properties', (json) => `"properties":${json}`],
    ['what is set', (json) => `"$set":${json}`],
    ['what is set once', (json) => `"properties":{"$set_once":${json}}`],
    ['what is unset', (json) => `"properties":{"$unset":${json}}`],
    ['groups', (json) => `"properties":{"$groups":${json}}`],
    ['the elements chain', (json) => `"properties":{"$elements_chain":${json}}`],
    ['an address', (json) => `"properties":{"$ip":${json}}`],
    ['an instant', (json) => `"timestamp":${json}`],
    ['when it was sent', (json) => `"sent_at":${json}`],
    ['a uuid', (json) => `"uuid":${json}`],
    ['a name', (json) => `"event":${json}`],
    ['an id', (json) => `"distinct_id":${json}`],
    ['a token', (json) => `"api_key":${json}`],
    ['a batch', (json) => `"batch":${json}`],
  ];
  return [
    // Half of the room: an event may have a million characters of properties.
    ...slots.flatMap(([slot, around], index) =>
      [...(index === 0 ? shapesOf : heavyShapesOf)(ROOM / 2), ...wideShapesOf(ROOM / 2, WIDE / 2)].map(
        ({ what, json }) => one(`${slot}, ${what}`, () => around(json())),
      ),
    ),
    ...wideShapesOf(ROOM, 90_000).map(({ what, json }) =>
      one(`what is too wide, ${what}`, () => `"properties":{"q":${json()}}`),
    ),
    ...heavyShapesOf(ROOM).map(({ what, json }) =>
      one(`what is too large, ${what}`, () => `"properties":{"q":${json()}}`),
    ),
    ...heavyShapesOf(ROOM).map(({ what, json }): HostileRequest => {
      return { what: `capture: the body, ${what}`, path: '/e/', body: json, headers: JSON_TYPE };
    }),
    one('a group, what is known about it', () => {
      return `"event":"$groupidentify","properties":{"$group_type":"company","$group_key":"a","$group_set":${membersOf(900_000, (index) => index.toString(36))}}`;
    }),
    batch('distinct ids', (index) => ({ event: 'e', distinct_id: `u${index}` })),
    batch('empty events', () => ({})),
    batch('merges into one', (index) => ({
      event: '$identify',
      distinct_id: 'one',
      properties: { $anon_distinct_id: `a${index}` },
    })),
    batch('a chain of merges', (index) => ({
      event: '$identify',
      distinct_id: `c${index}`,
      properties: { $anon_distinct_id: `c${index + 1}` },
    })),
    batch('groups', (index) => ({
      event: '$groupidentify',
      distinct_id: 'u',
      properties: { $group_type: `t${index}`, $group_key: 'k', $group_set: { a: 1 } },
    })),
    batch('one group', (index) => ({
      event: '$groupidentify',
      distinct_id: 'u',
      properties: { $group_type: 't0', $group_key: 'k', $group_set: { [`p${index}`]: 1 } },
    })),
    // Each event's row has all that was set before it.
    batch(
      'changes of one person',
      (index) => ({ event: 'e', distinct_id: 'u', properties: { $set: { [`p${index}`]: 1 } } }),
      1000,
    ),
    batch('changes of a person with much', (index) => ({
      event: 'e',
      distinct_id: 'much',
      properties: { $set: { big: 'a'.repeat(index === 0 ? 500_000 : 1), [`p${index}`]: 1 } },
    })),
    batch('much that is set for many', (index) => ({
      event: 'e',
      distinct_id: `m${index}`,
      properties: { $set: Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`p${index}-${at}`, 1])) },
    })),
    batch('many small properties', (index) => ({
      event: 'e',
      distinct_id: `s${index}`,
      properties: Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`p${index}-${at}-${'a'.repeat(10)}`, 1])),
    })),
    batch('wrong timestamps', () => ({ event: 'e', distinct_id: 'u', timestamp: 'x'.repeat(30) })),
    batch('wrong uuids', () => ({ event: 'e', distinct_id: 'u', uuid: 'x'.repeat(36) })),
  ];
}

const replay = (what: string, body: () => string | Uint8Array): HostileRequest => ({
  what: `replay: ${what}`,
  path: '/s/',
  body,
  headers: JSON_TYPE,
});

const violations = (count: number, body: () => object) => () =>
  JSON.stringify(Array.from({ length: count }, () => ({ type: 'csp-violation', body: body() })));

/** The newer envelope, reports of browsers, and replay. */
function ofNewerDoors(apiToken: string): HostileRequest[] {
  const v1 = (what: string, each: (index: number) => object): HostileRequest => ({
    what: `v1: ${what}`,
    path: '/i/v1/analytics/events',
    body: () => JSON.stringify({ batch: filled(ROOM, eventOf(each)).slice(0, mostOf(eventOf(each))) }),
    headers: { ...JSON_TYPE, Authorization: `Bearer ${apiToken}`, 'PostHog-Sdk-Info': `${'x'.repeat(140)}/1` },
  });
  const report = (what: string, body: () => string, search = ''): HostileRequest => ({
    what: `report: ${what}`,
    path: `/report/?token=${apiToken}${search}`,
    body,
    headers: { 'Content-Type': 'application/reports+json', 'User-Agent': 'Mozilla/'.repeat(900) },
  });
  return [
    v1('many events', () => ({})),
    v1('options', () => ({
      session_id: 's',
      window_id: 'w',
      options: { process_person_profile: '1', product_tour_id: 1 },
    })),
    v1('options that are none', () => ({ options: { process_person_profile: 'x'.repeat(100) } })),
    v1('one uuid', () => ({ uuid: uuidOf(1) })),
    v1('no uuids', () => ({ uuid: 'x'.repeat(36) })),
    report(
      'as many as are taken',
      violations(500, () => ({ documentURL: 'https://a.example/' })),
    ),
    report(
      'too many',
      violations(40_000, () => ({})),
    ),
    report(
      'a sample',
      violations(500, () => ({ documentURL: 'a'.repeat(1_900) })),
      '&sample_rate=0.5',
    ),
    report('of other kinds', () => `[${'{"type":"x"},'.repeat(49_000)}0]`),
    ...heavyShapesOf(900_000).map(({ what, json }) => report(what, () => `{"csp-report":{"document-uri":${json()}}}`)),
    replay('no key', () => 'x'.repeat(ROOM)),
    replay('many beginnings of keys', () => `{"a":"${'phc'.repeat(ROOM / 3)}"}`),
    replay('a bomb of gzip', () => gzipSync(Buffer.alloc(20 * 1024 * 1024, '{'))),
  ];
}

function eventOf(each: (index: number) => object): (index: number) => object {
  return (index) => ({ event: 'e', uuid: uuidOf(index), distinct_id: 'u', ...each(index) });
}

function uuidOf(index: number): string {
  return `01a1fb4f-740a-709c-bc99-${index.toString(16).padStart(12, '0')}`;
}

/** As many events as their values allow. */
function mostOf(each: (index: number) => object): number {
  return Math.min(10_000, Math.floor(WIDE / (countValues(Buffer.from(JSON.stringify(each(1))), WIDE) + 1)));
}

const numbers = () => JSON.stringify(filled(ROOM / 4, (index) => index));

function ofEncodings(apiToken: string): HostileRequest[] {
  const person = () => `{"token":"${apiToken}","distinct_id":"u","person_properties":{"q":${numbers()}}}`;
  const bodies: [what: string, search: string, body: () => string | Uint8Array, headers?: Record<string, string>][] = [
    ['opening braces', '', () => '{'.repeat(ROOM)],
    ['opening brackets', '', () => '['.repeat(ROOM)],
    ['opening braces and brackets', '', () => '{"":['.repeat(ROOM / 5)],
    ['NaN in no JSON', '', () => `{${'NaN '.repeat(ROOM / 4)}`],
    [
      'Python’s NaN',
      '',
      () => `{"token":"${apiToken}","distinct_id":"u","person_properties":{"q":[${'NaN,'.repeat(ROOM / 4)}1]}}`,
    ],
    ['Ns', '', () => `{"NaN":NaN,"q":[${'N'.repeat(ROOM)}`],
    ['quotes', '', () => '"'.repeat(ROOM)],
    ['quotes in a list', '', () => `["NaN${'"'.repeat(ROOM)}`],
    ['backslashes', '', () => `{"NaN${'\\'.repeat(ROOM)}`],
    ['bytes that are no UTF-8', '', () => new Uint8Array(ROOM).fill(0xff)],
    ['zeros', '', () => new Uint8Array(ROOM)],
    ['spaces', '', () => ' '.repeat(ROOM)],
    ['spaces and a brace', '', () => `${' '.repeat(ROOM)}{`],
    ['a form', '', () => `data=${'%7B'.repeat(ROOM / 3)}`, FORM_TYPE],
    ['a form of percent signs', '', () => `data=${'%'.repeat(ROOM)}`, FORM_TYPE],
    ['a form of plus signs', '', () => `data=${'+'.repeat(ROOM)}`, FORM_TYPE],
    ['a form of many fields', '', () => 'data&'.repeat(ROOM / 5), FORM_TYPE],
    ['a form of many compressions', '', () => 'compression&'.repeat(ROOM / 12), FORM_TYPE],
    ['base64', '?compression=base64', () => Buffer.alloc(ROOM * 0.7, 'a').toString('base64')],
    ['base64 of JSON', '?compression=base64', () => Buffer.from(person()).toString('base64')],
    ['base64 with a fault at its end', '?compression=base64', () => `${'A'.repeat(ROOM)}!`],
    ['equals signs', '?compression=base64', () => '='.repeat(ROOM)],
    ['a bomb of gzip', '?compression=gzip', () => gzipSync(Buffer.alloc(64 * 1024 * 1024, 'a'))],
    ['a bomb of gzip that just fits', '?compression=gzip', () => gzipSync(Buffer.alloc(2 * 1024 * 1024, '['))],
    ['a bomb of gzip below 8 kB', '?compression=gzip', () => gzipSync(Buffer.alloc(2 * 1024 * 1024, '['))],
    ['gzip of JSON', '', () => gzipSync(person()), { 'Content-Encoding': 'gzip' }],
    ['gzip of many members', '', () => gzipSync(`{"a":${membersOf(ROOM, (index) => index.toString(36))}}`)],
    ['a bomb of lz64', '?compression=lz64', () => LZString.compressToBase64('a'.repeat(4 * 1024 * 1024))],
    ['no lz64', '?compression=lz64', () => 'A'.repeat(ROOM)],
    ['lz64 of noise', '?compression=lz64', () => lzNoise()],
    ['lz64 of JSON', '?compression=lz64', () => LZString.compressToBase64(person())],
    ['lz64 that grows slowly', '?compression=lz64', () => LZString.compressToBase64(words())],
  ];
  return ['/flags/', '/decide/', '/e/', '/batch/', '/engage/'].flatMap((path) =>
    bodies
      .filter((_, index) => path !== '/engage/' || index < 5)
      .map(([what, search, body, headers = JSON_TYPE]) => {
        return { what: `${path} ${what}`, path: path + search, body, headers };
      }),
  );
}

/** Characters of the alphabet as they come: each code is another entry. */
function lzNoise(): string {
  let state = 1;
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return Array.from({ length: ROOM }, () => letters[((state = (state * 48_271) % 2_147_483_647) >> 8) % 64]).join('');
}

function words(): string {
  return Array.from({ length: 250_000 }, (_, index) => (index * 7919).toString(36)).join('');
}

function ofUrls(apiToken: string): HostileRequest[] {
  const paths = [
    '/flags/?v=2',
    '/decide/?v=3',
    '/e/?a=1',
    '/ofrep/v1/evaluate/flags?a=1',
    `/api/surveys/?token=${apiToken}`,
    `/api/early_access_features/?token=${apiToken}`,
    `/api/web_experiments/?token=${apiToken}`,
    `/array/${apiToken}/config.js?a=1`,
    `/array/${apiToken}/array.js?a=1`,
    '/shared/abc?a=1',
    '/api/projects/1/query/?a=1',
    '/api/schema/?a=1',
    '/_livez/?a=1',
    '/_readyz/?a=1',
    '/nothing/?a=1',
  ];
  const tails: [what: string, text: string][] = [
    ['nothing more', ''],
    ['many parameters', `&${'a=1&'.repeat(3000)}`],
    ['one name', `&${'token=1&'.repeat(1500)}`],
    ['ampersands', '&'.repeat(14_000)],
    ['percent signs', `&data=${'%'.repeat(14_000)}`],
    ['escapes', `&data=${'%7B'.repeat(4500)}`],
    ['plus signs', `&data=${'+'.repeat(14_000)}`],
  ];
  const longPaths = ['/'.repeat(14_000), '/a'.repeat(7000), '/%2F'.repeat(3500), `/array/${'%41'.repeat(4000)}/config`];
  const headers: [what: string, headers: Record<string, string>][] = [
    ['addresses', { 'X-Forwarded-For': '1.2.3.4,'.repeat(1500) }],
    ['brackets', { 'X-Forwarded-For': '['.repeat(12_000) }],
    ['cookies', { Cookie: 'a=b; '.repeat(2500) }],
    ['one cookie', { Cookie: `sessionid=${'a'.repeat(12_000)}` }],
    ['equals signs in cookies', { Cookie: '='.repeat(12_000) }],
    ['a bearer', { Authorization: `Bearer ${' '.repeat(12_000)}x` }],
    ['a basic name', { Authorization: `Basic ${'A'.repeat(12_000)}` }],
    ['tags', { 'If-None-Match': '"a",'.repeat(3000), 'If-Match': 'W/"'.repeat(1000) }],
    ['languages', { 'Accept-Language': 'a;q=0.1,'.repeat(1500), Accept: 'a/b;q=0.1,'.repeat(100) }],
    ['encodings', { 'Accept-Encoding': 'a;q=0.1,'.repeat(1500) }],
    ['an agent', { 'User-Agent': 'posthog-'.repeat(1500) }],
    ['an origin', { Origin: `https://${'a.'.repeat(6000)}` }],
    ['a type', { 'Content-Type': `application/json${' ;'.repeat(6000)}` }],
    ['many headers', Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`x-${index}`, 'a']))],
  ];
  const bare = paths.map((path) => path.replace('a=1', 'b=1'));
  return [
    ...paths.flatMap((path) =>
      tails.map(([what, tail]): HostileRequest => ({
        what: `GET ${path.slice(0, 40)} ${what}`,
        method: 'GET',
        path: path + tail,
      })),
    ),
    ...longPaths.map((path): HostileRequest => ({ what: `GET a path ${path.slice(0, 20)}`, method: 'GET', path })),
    ...bare.flatMap((path) =>
      headers.map(([what, values]): HostileRequest => {
        const isGet = !/^\/(flags|decide|e|ofrep)/.test(path);
        return {
          what: `headers of ${path.slice(0, 30)}, ${what}`,
          method: isGet ? 'GET' : 'POST',
          path,
          ...(!isGet && { body: () => `{"token":"${apiToken}","distinct_id":"u"}` }),
          headers: values,
        };
      }),
    ),
  ];
}
