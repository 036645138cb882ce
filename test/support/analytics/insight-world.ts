/** Capture and the query engine over a database of their own: tests send events and run queries. */
import { randomUUID } from 'node:crypto';
import assert from 'node:assert/strict';
import { createPool, type Knex, type Pool } from '../../../src/platform/db/connection.ts';
import { QUERY_OPTIONS } from '../../../src/analytics/queries/query-connection.ts';
import { parseQuery } from '../../../src/analytics/queries/parsing/parse.ts';
import type { QueryResult } from '../../../src/analytics/queries/computing/result.ts';
import { runQuery } from '../../../src/analytics/queries/computing/run.ts';
import { post, startCapture } from '../events/capture.ts';
import { createTestDatabase } from '../database/database.ts';
import { buildTenant, type Tenant } from '../api/identity.ts';
import type { StoredRow } from './query-oracle.ts';

export type SentEvent = { event: string; distinct_id: string; timestamp: string; uuid?: string; properties?: object };

export type InsightWorld = {
  databaseUrl: string;
  db: Knex;
  pool: Pool;
  ours: Tenant;
  theirs: Tenant;
  /** Imports events as history, so they keep their timestamps. */
  send(events: readonly SentEvent[], to?: Tenant): Promise<void>;
  /** Runs a query of our project. @param now the time of the query */
  run(query: unknown, now?: string): Promise<QueryResult>;
  setTimeZone(name: string): Promise<void>;
  /** All events of our project, with their current persons. */
  rows(): Promise<StoredRow[]>;
  close(): Promise<void>;
};

export async function startInsightWorld(): Promise<InsightWorld> {
  const database = await createTestDatabase();
  const capture = await startCapture(database.url);
  const { db } = capture;
  const pool = createPool({ url: database.url, ...QUERY_OPTIONS });
  const ours = await buildTenant(db, { historicalFromProjectKey: true });
  const theirs = await buildTenant(db, { historicalFromProjectKey: true });
  return {
    databaseUrl: database.url,
    db,
    pool,
    ours,
    theirs,
    async send(events, to = ours) {
      const batch = events.map((event) => ({ properties: {}, uuid: randomUUID(), ...event }));
      const body = { api_key: to.apiToken, batch, historical_migration: true };
      assert.equal((await post(`${capture.url}/batch/`, body)).status, 200);
    },
    run: (query, now = new Date().toISOString()) =>
      runQuery(pool, { id: ours.projectId }, parseQuery(query), { now: Date.parse(now) }),
    async setTimeZone(name) {
      await db('projects').where({ id: ours.projectId }).update({ timezone: name });
    },
    async rows() {
      const events = await db('events').where({ project_id: ours.projectId });
      const ids = await db('person_distinct_ids').where({ project_id: ours.projectId });
      const persons = new Map(ids.map((row) => [row.distinct_id, row.person_id]));
      return events.map((row) => ({
        uuid: row.uuid,
        event: row.event,
        person: persons.get(row.distinct_id) ?? row.person_id,
        at: Date.parse(row.timestamp),
        properties: row.properties,
        personProperties: row.person_properties,
      }));
    },
    async close() {
      await pool.end();
      await capture.stop();
      await database.drop();
    },
  };
}
