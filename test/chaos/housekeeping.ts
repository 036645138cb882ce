/**
 * Maintenance of the source while faults go on: an operator deletes expired events again and again, and half way lets events refer to
 * states of persons. A command that a fault ends is repeated, as its help says.
 */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createPool } from '../../src/platform/db/connection.ts';
import type { Installation } from './installation.ts';
import { LAUNCHER } from './server-process.ts';

const run = promisify(execFile);
/** Every event of the load is younger, also its history of 2015. */
export const RETENTION_DAYS = 4_250;
const EXPIRED_EVENTS = 100_000;
const COMMAND_PAUSE_MS = 5_000;
const COMMAND_TIMEOUT_MS = 60_000;

export type Housekeeping = {
  /** Commands that ended well, and those that a fault ended. */
  counts: { 'retention commands': number; 'commands that faults ended': number };
  /** Turns references on, beside faults. */
  beginReferring(): void;
  /** @returns sentences of what is wrong */
  finish(): Promise<string[]>;
};

/** Stores events of 2012, with their claims. Call it before there are workers, which hide and delete them. */
export async function storeExpiredEvents(url: string, projectId: number): Promise<void> {
  const pool = createPool({ url, applicationName: 'chaos', maxConnections: 1 });
  try {
    await pool.query(
      `with expired as (
         select md5(n::text)::uuid as uuid, timestamptz '2012-01-01Z' + make_interval(secs => n) as at, now
         from generate_series(1, $2::int) as n, (select ingest_now() as now) as clock
       ), claims as (
         insert into event_ids (project_id, uuid) select $1, uuid from expired
       )
       insert into events select $1, uuid, 'expired', 'someone', uuid, '{}', '{}', '', at, now, now, at, 100 from expired`,
      [projectId, EXPIRED_EVENTS],
    );
  } finally {
    await pool.end();
  }
}

export function startHousekeeping(installation: Installation): Housekeeping {
  const counts = { 'retention commands': 0, 'commands that faults ended': 0 };
  const stopping = new AbortController();
  let switching: Promise<void> | undefined;

  async function command(...args: string[]): Promise<void> {
    for (;;) {
      try {
        await run(process.execPath, [LAUNCHER, ...args], {
          env: installation.environment,
          timeout: COMMAND_TIMEOUT_MS,
        });
        return;
      } catch {
        counts['commands that faults ended']++;
        await sleep(1_000);
      }
    }
  }

  async function keepDeleting(): Promise<void> {
    while (!stopping.signal.aborted) {
      await command('retention', '--yes');
      counts['retention commands']++;
      await sleep(COMMAND_PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  const deleting = keepDeleting();
  return {
    counts,
    beginReferring() {
      switching = command('states', '--refer');
    },
    async finish() {
      stopping.abort();
      await deleting;
      await switching;
      return findLeft(installation, switching !== undefined);
    },
  };
}

/** Compares what is left: no expired event, events of both forms, and each with the property of its person that it has set. */
async function findLeft({ source }: Installation, isReferring: boolean): Promise<string[]> {
  const pool = createPool({ url: source.url(), applicationName: 'chaos', maxConnections: 1 });
  try {
    const { rows } = await pool.query<{ expired: number; referring: number; copying: number; mistaken: number }>(
      `select count(*) filter (where event = 'expired')::int as expired, count(*) filter (where person_state is not null)::int as referring,
         count(*) filter (where person_state is null)::int as copying,
         (select count(*) from events_with_persons
          where properties #>> '{$set,seen}' is distinct from person_properties ->> 'seen' and properties ? '$set')::int as mistaken
       from events`,
    );
    const { expired, referring, copying, mistaken } = rows[0]!;
    console.log(
      `housekeeping: ${copying} events with copies, ${referring} that refer to states, ${expired} expired ones`,
    );
    return [
      ...(expired > 0 ? [`${expired} expired events are still there`] : []),
      ...(isReferring && referring === 0 ? ['no event refers to a state'] : []),
      ...(mistaken > 0 ? [`${mistaken} events have the properties of another state`] : []),
      ...(copying === 0 ? ['no event carries a copy'] : []),
    ];
  } finally {
    await pool.end();
  }
}
