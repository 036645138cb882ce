/**
 * Maintenance of the source while faults go on: an operator deletes expired events again and again, and half way lets events refer to
 * states of persons. A command that a fault ends is repeated, as its help says.
 */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createPool } from '../../src/platform/db/connection.ts';
import type { Installation } from './installation.ts';
import { FIRST_HOUR } from './operator.ts';
import { LAUNCHER } from './server-process.ts';

const run = promisify(execFile);
/** Every event of the load is younger, also its history of 2015. */
export const RETENTION_DAYS = Math.ceil((Date.now() - FIRST_HOUR) / 86_400_000) + 30;
/** How often a command may fail once there are no faults. */
const QUIET_ATTEMPTS = 5;
const EXPIRED_EVENTS = 20_000;
const COMMAND_PAUSE_MS = 5_000;
const COMMAND_TIMEOUT_MS = 60_000;

export type Housekeeping = {
  /** Commands that ended well, and those that a fault ended. */
  counts: { 'retention commands': number; 'commands that faults ended': number; 'expired events': number };
  /** Turns references on, beside faults. */
  beginReferring(): void;
  /** @returns sentences of what is wrong */
  finish(): Promise<string[]>;
};

/**
 * Stores events of 2012, with their claims, as if none of that time had been deleted yet.
 * @param count 0: a worker that was deleting meanwhile may have noted that none is left, so the next command looks again
 */
async function storeExpiredEvents({ source, projectId }: Installation, count = EXPIRED_EVENTS): Promise<void> {
  const pool = createPool({ url: source.url(), applicationName: 'chaos', maxConnections: 1 });
  try {
    await pool.query(
      `with expired as (
         select gen_random_uuid() as uuid, timestamptz '2012-01-01Z' + make_interval(secs => n) as at, now
         from generate_series(1, $2::int) as n, (select ingest_now() as now) as clock
       ), claims as (
         insert into event_ids (project_id, uuid) select $1, uuid from expired
       ), again as (
         update event_retention set deleted_until = '-infinity' where project_id = $1
       )
       insert into events select $1, uuid, 'expired', 'someone', uuid, '{}', '{}', '', at, now, now, at, 100 from expired`,
      [projectId, count],
    );
  } finally {
    await pool.end();
  }
}

export function startHousekeeping(installation: Installation): Housekeeping {
  const counts = { 'retention commands': 0, 'commands that faults ended': 0, 'expired events': 0 };
  const stopping = new AbortController();
  let switching: Promise<void> | undefined;

  /** @throws Error when it fails again and again without faults */
  async function command(...args: string[]): Promise<void> {
    for (let quietAttempts = 0; ; quietAttempts += stopping.signal.aborted ? 1 : 0) {
      try {
        await run(process.execPath, [LAUNCHER, ...args], {
          env: installation.environment,
          timeout: COMMAND_TIMEOUT_MS,
        });
        return;
      } catch (error) {
        if (quietAttempts === QUIET_ATTEMPTS) throw error;
        counts['commands that faults ended']++;
        await sleep(1_000);
      }
    }
  }

  async function keepDeleting(): Promise<void> {
    while (!stopping.signal.aborted) {
      const isStored = await storeExpiredEvents(installation).then(
        () => true,
        () => false,
      );
      if (isStored) counts['expired events'] += EXPIRED_EVENTS;
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
      try {
        await Promise.all([deleting, switching]);
        await storeExpiredEvents(installation, 0);
        await command('retention', '--yes');
      } catch (error) {
        return [`a command fails without faults: ${(error as Error).message}`];
      }
      return [
        ...(counts['expired events'] === 0 ? ['no expired events were stored'] : []),
        ...(await findLeft(installation, switching !== undefined)),
      ];
    },
  };
}

/** Compares what is left: no expired event, events of both forms, and each with the property of its person that it has set. */
export async function findLeft({ source }: Pick<Installation, 'source'>, isReferring: boolean): Promise<string[]> {
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
