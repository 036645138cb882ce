import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { createPool, type Pool } from '../../../src/platform/db/connection.ts';
import type { Column, ColumnType } from '../../../src/conditions/rows/columns.ts';
import { encodeFile } from '../../../src/exports/formats/file.ts';
import { createEmptyDatabase, type TestDatabase } from '../../support/database/database.ts';
import { chunked, chunkSizes, readAll } from '../../support/database/copy-stream.ts';

const COLUMNS: Column[] = [
  { name: 'uuid', type: 'uuid' },
  { name: 'text "quoted"', type: 'text' },
  { name: 'json', type: 'jsonb' },
  { name: 'instant', type: 'timestamptz' },
  { name: 'small', type: 'int4' },
  { name: 'large', type: 'int8' },
  { name: 'flag', type: 'bool' },
];

/** Text that Postgres can hold: no NUL, no lone surrogate; control characters, quotes, long runs, every plane. */
const text = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc.string({ unit: fc.constantFrom('"', '\\', '\n', '\u0001', '\u001f', '\u007f', 'é', '🦦', '\u2028', 'a') }),
    fc.string({ unit: 'grapheme', minLength: 60, maxLength: 300 }),
    fc
      .tuple(fc.string({ maxLength: 20 }), fc.nat(40_000))
      .map(([unit, count]) => unit.repeat(count / (unit.length + 1))),
  )
  .map((value) => value.replaceAll('\0', '').toWellFormed());
const json = fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }).map((value) => jsonbSafe(value));
const YEARS_4713_BC_TO_294276 = { min: -210_863_520_000_000_000n, max: 9_223_371_331_199_999_999n };
const instant = fc.oneof(
  fc.bigInt({ min: 0n, max: 2_000_000_000_000_000n }),
  fc.bigInt({ min: -2_000_000_000_000_000n, max: 0n }),
  fc.bigInt({ min: YEARS_4713_BC_TO_294276.min, max: YEARS_4713_BC_TO_294276.max }),
);

const row = fc.tuple(
  fc.uuid(),
  fc.option(text),
  fc.option(json),
  fc.option(instant),
  fc.option(fc.integer()),
  fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  fc.option(fc.boolean()),
);

type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;

/** jsonb refuses \u0000 and lone surrogates, and writes -0 as 0. */
function jsonbSafe(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value)
      .replaceAll('\\u0000', '')
      .replace(/\\ud[89a-f][0-9a-f]{2}/g, ''),
    (_, inner: unknown) => (inner === 0 ? 0 : inner),
  );
}

describe('JSON lines', () => {
  let database: TestDatabase;
  let pool: Pool;

  before(async () => {
    database = await createEmptyDatabase();
    pool = createPool({ url: database.url, applicationName: 'test', maxConnections: 1 });
    await pool.query(`create table source (n int, ${COLUMNS.map(definition).join(', ')})`);
  });

  after(async () => {
    await pool?.end();
    await database?.drop();
  });

  async function copyOut(sql: string): Promise<Buffer> {
    const client = await pool.connect();
    try {
      return await readAll(client.query(copyTo(`copy (${sql}) to stdout (format binary)`)));
    } finally {
      client.release();
    }
  }

  const encodeValue = async (type: ColumnType, sql: string) => {
    const columns: Column[] = [
      { name: 'uuid', type: 'uuid' },
      { name: 'value', type },
    ];
    const copied = await copyOut(`select '00000000-0000-4000-8000-000000000000'::uuid, (${sql})::${type}`);
    return (JSON.parse((await encode(copied, columns)).lines[0]!) as { value: unknown }).value;
  };

  it('says of any rows what Postgres holds, however the stream is cut', async function () {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 20 }), chunkSizes, async (rows, sizes) => {
        await pool.query('truncate source');
        for (const [n, values] of rows.entries()) {
          const [id, string, value, microseconds, ...rest] = values;
          await pool.query(
            `insert into source values ($1, $2, $3, $4,
               case when $5::bigint is not null then '2000-01-01Z'::timestamptz
                 + make_interval(days => ($5::bigint / 86400000000)::int)
                 + make_interval(secs => ($5::bigint % 86400000000 / 1000000)::int)
                 + ($5::bigint % 1000000) * interval '1 microsecond' end, $6, $7, $8)`,
            [n, id, string, value === null ? null : JSON.stringify(value), microseconds, ...rest],
          );
        }
        const copied = await copyOut(`select ${COLUMNS.map(({ name }) => pg.escapeIdentifier(name)).join(', ')}
          from source order by n`);
        const { bytes, lines, summary } = await encode(copied, COLUMNS, sizes);
        assert.equal(lines.length, rows.length);
        for (const [n, line] of lines.entries()) assert.deepEqual(JSON.parse(line), expectedRow(rows[n]!));
        assert.equal(summary.rows, rows.length);
        assert.equal(summary.contentBytes, bytes.length);
        assert.equal(summary.contentSha256, createHash('sha256').update(bytes).digest('hex'));
        assert.equal(summary.digest, digestOf(rows.map(([id]) => id)));
      }),
      { numRuns: 60 },
    );
  });

  it('writes instants in UTC with six decimals, before 1970 and at any distance', async () => {
    const cases = {
      '2015-05-17T10:05:03.000001Z': '2015-05-17 12:05:03.000001+02',
      '1969-12-31T23:59:59.999999Z': '1969-12-31 23:59:59.999999Z',
      '1999-12-31T23:59:59.999999Z': '1999-12-31 23:59:59.999999Z',
      '2000-02-29T00:00:00.000000Z': '2000-02-29 00:00:00Z',
      '1900-03-01T00:00:00.100000Z': '1900-03-01 00:00:00.1Z',
      '0001-01-01T00:00:00.000000Z': '0001-01-01 00:00:00Z',
      '0000-12-31T23:59:59.999999Z': '0001-12-31 23:59:59.999999Z BC',
      '-000043-03-15T12:00:00.000000Z': '0044-03-15 12:00:00Z BC',
      '9999-12-31T23:59:59.999999Z': '9999-12-31 23:59:59.999999Z',
      '+294276-12-31T23:59:59.999999Z': '294276-12-31 23:59:59.999999Z',
      infinity: 'infinity',
      '-infinity': '-infinity',
    };
    for (const [iso, sql] of Object.entries(cases)) assert.equal(await encodeValue('timestamptz', `'${sql}'`), iso);
  });

  it('writes 64-bit integers as they are', async () => {
    const copied = await copyOut(`select '00000000-0000-4000-8000-000000000000'::uuid, 9223372036854775807`);
    const { lines } = await encode(copied, [
      { name: 'uuid', type: 'uuid' },
      { name: 'n', type: 'int8' },
    ]);
    assert.equal(lines[0], '{"uuid":"00000000-0000-4000-8000-000000000000","n":9223372036854775807}');
  });

  it('writes values that are larger than every buffer', async () => {
    const length = 3 * 1024 * 1024;
    const plain = (await encodeValue('text', `repeat('x', ${length})`)) as string;
    assert.equal(plain, 'x'.repeat(length));
    const control = (await encodeValue('text', `repeat(E'\\x01"ü', ${length / 4})`)) as string;
    assert.equal(control, '\u0001"ü'.repeat(length / 4));
    const nested = (await encodeValue('jsonb', `jsonb_build_object('a', repeat(E'\\n', ${length}))`)) as object;
    assert.deepEqual(nested, { a: '\n'.repeat(length) });
  });
});

const definition = ({ name, type }: Column) => `${pg.escapeIdentifier(name)} ${type}`;

async function encode(copied: Uint8Array, columns: readonly Column[], sizes: readonly number[] = [65_536]) {
  const file = encodeFile(chunked(copied, sizes), { columns, format: 'JSONLines', compression: null });
  const bytes = await readAll(file.bytes);
  return { bytes, lines: bytes.toString().split('\n').slice(0, -1), summary: file.summary() };
}

function expectedRow([id, string, value, microseconds, small, large, flag]: Row) {
  return {
    uuid: id,
    'text "quoted"': string,
    json: value,
    instant: microseconds === null ? null : isoFromMicroseconds(microseconds),
    small,
    large: large === null ? null : Number(large),
    flag,
  };
}

/** The definition in words, in BigInt. */
function digestOf(uuids: readonly string[]): string {
  const low60 = uuids.map((uuid) => BigInt(`0x${uuid.replaceAll('-', '').slice(17)}`));
  return (low60.reduce((sum, value) => sum + value, 0n) % 2n ** 64n).toString();
}

/** By way of Date, which knows the calendar, shifted by whole 400-year cycles into its range. */
function isoFromMicroseconds(since2000: bigint): string {
  const cycle = 146_097n * 86_400_000_000n;
  const cycles = since2000 > 8_000_000_000_000_000_000n ? 100n : 0n;
  const sinceEpoch = since2000 + 946_684_800_000_000n - cycles * cycle;
  const micro = ((sinceEpoch % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const date = new Date(Number((sinceEpoch - micro) / 1000n));
  const year = date.getUTCFullYear() + Number(cycles) * 400;
  const text =
    year >= 0 && year <= 9999
      ? String(year).padStart(4, '0')
      : `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`;
  return `${text}${date.toISOString().slice(-20, -4)}${String(micro).padStart(6, '0')}Z`;
}
