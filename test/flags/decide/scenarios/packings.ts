/** How a body may be packed, and what is refused. */
import { gzipSync } from 'node:zlib';
import LZString from 'lz-string';
import { EVERYBODY, type Scenario } from './scenario.ts';

const DECODING = 'posthog/rust/feature-flags/src/handler/decoding.rs';
const REQUEST = 'posthog/rust/feature-flags/src/flags/flag_request.rs';
const ERRORS = 'posthog/rust/feature-flags/src/api/errors.rs';
const PYTHON = 'posthog/posthog/api/test/test_decide.py';

const flags = [{ key: 'on', filters: EVERYBODY }];
const expected = { values: { on: true } };
const plain = (token: string) => JSON.stringify({ token, distinct_id: 'ada' });
const base64 = (token: string) => Buffer.from(plain(token)).toString('base64');
const FORM = 'application/x-www-form-urlencoded';
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

type Packing = [
  what: string,
  request: (token: string) => string | Uint8Array,
  type: string,
  more?: { query?: string; encoding?: string; source?: string },
];

const packings: Packing[] = [
  ['JSON', plain, 'application/json'],
  ['JSON with a character set', plain, 'application/json; charset=utf-8'],
  ['JSON as text', plain, 'text/plain'],
  ['gzip that nothing says, as posthog-js sends it', (token) => gzipSync(plain(token)), 'text/plain'],
  ['gzip that the query says', (token) => gzipSync(plain(token)), 'text/plain', { query: '&compression=gzip' }],
  ['gzip by its old name', (token) => gzipSync(plain(token)), 'text/plain', { query: '&compression=gzip-js' }],
  ['gzip that the header says', (token) => gzipSync(plain(token)), 'application/json', { encoding: 'gzip' }],
  ['base64', base64, 'text/plain'],
  ['base64 that the query says', base64, 'text/plain', { query: '&compression=base64' }],
  ['base64 without padding', (token) => base64(token).replace(/=+$/, ''), 'application/json'],
  ['a form with base64', (token) => form({ data: base64(token) }), FORM],
  ['a form with base64 that is not escaped', (token) => `data=${base64(token)}`, FORM],
  ['a form with base64 whose pluses became spaces', (token) => `data=${base64(token).replaceAll('+', ' ')}`, FORM],
  ['a form with JSON', (token) => form({ data: plain(token) }), FORM, { source: PYTHON }],
  [
    'a form with lz64, as old pages send it',
    (token) => form({ data: LZString.compressToBase64(plain(token)) }),
    FORM,
    { query: '&compression=lz64', source: PYTHON },
  ],
  [
    'numbers that JSON has not',
    (token) => plain(token).replace('}', ',"a":NaN,"b":[-Infinity]}'),
    'application/json',
    { source: REQUEST },
  ],
];

type Refusal = [what: string, request: (token: string) => string | Uint8Array, status: number, code: string];

const refusals: Refusal[] = [
  ['an empty body', () => '', 400, 'parse_error'],
  ['half of JSON', () => '{"token": "', 400, 'parse_error'],
  ['a list', () => '[]', 400, 'parse_error'],
  ['a text', () => '"ada"', 400, 'parse_error'],
  ['null', () => 'null', 400, 'parse_error'],
  ['bytes that are no UTF-8', () => Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 400, 'parse_error'],
  ['half of gzip', (token) => gzipSync(plain(token)).subarray(0, 20), 400, 'parse_error'],
  ['no token', () => '{"distinct_id": "ada"}', 401, 'not_authenticated'],
  ['an empty token', () => '{"token": "", "distinct_id": "ada"}', 401, 'not_authenticated'],
  ['the token of no project', () => '{"token": "phc_of_nobody", "distinct_id": "ada"}', 401, 'invalid_api_key'],
  ['nobody', (token) => JSON.stringify({ token }), 400, 'missing_distinct_id'],
  ['null for who asks', (token) => JSON.stringify({ token, distinct_id: null }), 400, 'missing_distinct_id'],
];

type WrongType = [what: string, request: object];
const wrongTypes: WrongType[] = [
  ['groups that are a text', { groups: 'acme' }],
  ['groups that are a list', { groups: ['acme'] }],
  ['properties of the person that are a text', { person_properties: 'pro' }],
  ['properties of the person that are a list', { person_properties: ['pro'] }],
  ['properties of groups that are a number', { group_properties: 7 }],
];

export const packed: Scenario[] = [
  ...packings.map(([what, request, type, { query = '', encoding, source = DECODING } = {}]) => ({
    what: `${what} is read`,
    source,
    flags,
    path: `/flags/?v=2${query}`,
    request,
    headers: { 'Content-Type': type, ...(encoding !== undefined && { 'Content-Encoding': encoding }) },
    expected,
  })),
  ...refusals.map(([what, request, status, code]) => ({
    what: `${what} is refused`,
    source: ERRORS,
    request,
    expected: { status, body: { code } },
  })),
  {
    what: 'an unknown compression is refused',
    source: DECODING,
    path: '/flags/?v=2&compression=zip',
    request: base64,
    expected: { status: 400 },
  },
  {
    what: 'an unknown type of content is refused',
    source: DECODING,
    request: plain,
    headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
    expected: { status: 400 },
  },
  ...wrongTypes.map(([what, request]) => ({
    what: `${what} are refused`,
    source: REQUEST,
    request,
    expected: { status: 400, body: { code: 'invalid_input' } },
  })),
];
