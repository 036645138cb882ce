/** One hour of events in Postgres: stored under the rules of the ingest transaction, vacuumed as autovacuum would, and sealed. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { Pool, PoolClient } from '../../src/platform/db/connection.ts';
import { createSealer } from '../../src/events/table/seal.ts';
import type { Slice } from '../../src/events/reading/selection.ts';
import { unfilteredContent } from '../../src/conditions/rows/content.ts';
import { benchEvents } from '../events.ts';

export const PROJECT = 1;
const START = '2026-01-15T10:00:00.000000Z';
const END = '2026-01-15T11:00:00.000000Z';
/** The number of events that are generated; further rows are copies of them, with other uuids. */
const DISTINCT_ROWS = 100_000;

/** Replaces all events by `count`, a multiple of 100,000. @returns the slice that holds them */
export async function loadEvents(pool: Pool, count: number): Promise<Slice> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('truncate events');
    await insertEvents(client, count / DISTINCT_ROWS);
    await client.query('commit');
    await client.query('vacuum (analyze) events');
  } finally {
    client.release();
  }
  const cutoff = await createSealer(pool).seal();
  return { projectId: PROJECT, start: START, end: END, cutoff, content: unfilteredContent('events') };
}

async function insertEvents(client: PoolClient, copies: number): Promise<void> {
  await client.query('create temp table made (n int, uuid uuid, event json) on commit drop');
  // Neither byte occurs in JSON, so it needs no quoting.
  const copy = copyFrom(String.raw`copy made from stdin (format csv, delimiter E'\x02', quote E'\x01')`);
  await pipeline(Readable.from(lines()), client.query(copy));
  for (let i = 0; i < copies; i++) {
    await client.query(
      `insert into events
       select $1::int, md5(uuid::text || $2::int)::uuid, event ->> 'event', event ->> 'distinct_id', uuid,
              (event -> 'properties')::jsonb, '{}', '', at, at, now, at, octet_length(event::text) + 250
       from (select ingest_now() as now) as clock, made,
            lateral (select $4::timestamptz + interval '1 hour' * ($2::int + n::float8 / $5::int) / $3::int as at) as times
       order by n`,
      [PROJECT, i, copies, START, DISTINCT_ROWS],
    );
  }
}

function* lines(): Generator<string> {
  let n = 0;
  for (const event of benchEvents(DISTINCT_ROWS)) yield `${n++}\x02${event.uuid}\x02${JSON.stringify(event)}\n`;
}
