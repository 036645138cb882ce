/** Two projects with the same kinds of rows, and a way to run custom queries over one of them, as a run of an export does. */
import { createPool, type Pool } from '../../../src/platform/db/connection.ts';
import { compileQuery, type CompiledQuery } from '../../../src/conditions/custom-queries/compile.ts';
import { createTestDatabase } from '../database/database.ts';

export const OURS = 1;
export const THEIRS = 2;

export const INTERVAL = { start: '2024-02-29T00:00:00.000000Z', end: '2024-03-01T00:00:00.000000Z' };

/** Properties of the event `rich`: one value of every kind. */
export const RICH = {
  $browser: 'Firefox',
  'my key': 'spaced',
  from: 'a keyword',
  a: { b: 'deep', list: [10, { k: 'v' }, null], n: 7 },
  n: 12,
  f: 1.5,
  neg: -3,
  zero: 0,
  big: 1e300,
  huge: '123456789012345678901234567890',
  largest: '9223372036854775807',
  text_n: '42',
  exponent: '1.5e3',
  bad: '12abc',
  yes: true,
  no: 'false',
  when: '2024-02-29T12:30:00.5+02:00',
  day: '2024-02-29',
  never: '2023-02-29',
  secs: 1_700_000_000,
  empty: '',
  nothing: null,
  url: 'https://user@www.example.com:8080/a/b?c=d#e',
  quote: `it's "q" \\ back`,
  unicode: 'Zażółć 🙂',
  id: '018F8C52-0000-7000-8000-000000000000',
};

/** event, distinct id, properties, person's properties, timestamp */
const EVENTS: [string, string, object, object, string][] = [
  ['rich', 'ann', RICH, { email: 'ann@example.com', plan: { name: 'pro' } }, '2024-02-29T10:20:30.123456Z'],
  ['bare', 'bob', {}, {}, '2024-02-28T23:59:59.999999Z'],
  ['paid', 'bob', { price: 20, currency: 'EUR' }, { email: 'bob@example.com' }, '2024-03-31T12:00:00Z'],
  ['paid', 'cid', { price: '5.5', currency: 'USD' }, {}, '0001-01-01T00:00:00Z'],
  ['odd', 'dot', { price: ['x'], currency: { of: 'x' }, n: 'NaN' }, { email: 5 }, '9999-12-31T23:59:59.999999Z'],
];

/** The parts of a compiled query that a run reads. */
type Runnable = Pick<CompiledQuery, 'relation' | 'where'> & {
  columns: readonly Omit<CompiledQuery['columns'][number], 'expression'>[];
};

export type QueriedProjects = {
  pool: Pool;
  /** Runs a query over our project. @returns its rows in the order of distinct ids, with all values as texts */
  run(query: string): Promise<Record<string, string | null>[]>;
  /** Like `run`, for a compiled query. */
  rowsOf(compiled: Runnable): Promise<Record<string, string | null>[]>;
  /** Number of rows in the tables that queries read. */
  countStored(): Promise<number>;
  close(): Promise<void>;
};

export async function buildQueriedProjects(): Promise<QueriedProjects> {
  const database = await createTestDatabase();
  const pool = createPool({ url: database.url, applicationName: 'test', maxConnections: 2 });
  for (const project of [OURS, THEIRS]) {
    const events = EVENTS.map(([event, distinctId, properties, personProperties, timestamp], i) => ({
      // Each project has its own distinct ids, so a row shows its project whatever a query computes.
      distinct_id: `${distinctId}-${project}`,
      event,
      properties,
      person_properties: personProperties,
      timestamp,
      uuid: `00000000-0000-4000-8000-0000000000${project}${i}`,
    }));
    await pool.query(
      `with clock as (select ingest_now() as now),
            given as (select * from clock, json_to_recordset($2) as (uuid uuid, event text, distinct_id text, properties jsonb,
                      person_properties jsonb, "timestamp" timestamptz)),
            versions as (insert into person_versions
              select distinct on (distinct_id) $1::int, distinct_id, row_number() over (), uuid, person_properties, true, now, false, now from given
              order by distinct_id, "timestamp" desc)
       insert into events
       select $1, uuid, event, distinct_id, uuid, properties, person_properties, 'a:href="/"', "timestamp", now, now, now, 100 from given`,
      [project, JSON.stringify(events)],
    );
  }

  async function rowsOf({ relation, columns, where }: Runnable) {
    const client = await pool.connect();
    const table = relation === 'events' ? 'events' : '(select * from person_versions) as persons';
    const selected = columns.map(({ sql, type }, i) => `(${sql})::${type}::text as c${i}`).join(', ');
    try {
      await client.query(`begin read only; set local statement_timeout = '5s'`);
      const { rows } = await client.query<(string | null)[]>({
        text: `select ${selected} from ${table} where project_id = ${OURS} and ${where} order by distinct_id, person_id`,
        rowMode: 'array',
      });
      return rows.map((row) => Object.fromEntries(columns.map(({ name }, i) => [name, row[i] ?? null])));
    } finally {
      await client.query('rollback');
      client.release();
    }
  }

  return {
    pool,
    rowsOf,
    run: async (query) => rowsOf(compileQuery(query, INTERVAL)),
    async countStored() {
      const { rows } = await pool.query<{ count: string }>(
        'select (select count(*) from events) + (select count(*) from person_versions) as count',
      );
      return Number(rows[0]!.count);
    },
    async close() {
      await pool.end();
      await database.drop();
    },
  };
}
