/** Counts the uses of feature flags, from the `$feature_flag_called` events that SDKs send. */
import { isRetainedSql } from '../events/table/retained-from.ts';
import { SQL_STATE, sqlState } from '../platform/db/sql-states.ts';
import type { Knex } from '../platform/db/connection.ts';
import { InvalidInput } from '../platform/errors.ts';

/** Time from a client. `zoned` is false for a time without an offset, which is read in the query's time zone. */
export type GivenInstant = { instant: string; zoned: boolean };

export type UsageQuery = {
  /** Keys of flags that are left out. */
  hidden: readonly string[];
  /** Absent: all flags. */
  key?: string | undefined;
  /** IANA name of the time zone that divides calls into days. */
  timezone: string;
  /** Absent: the period has `DEFAULT_DAYS` days. */
  from?: GivenInstant | undefined;
  /** Absent: now. */
  to?: GivenInstant | undefined;
  limit: number;
  offset: number;
};

/** All calls of one flag with the same answer on one day. */
export type FlagUsage = {
  key: string;
  response: unknown;
  day: string;
  calls: number;
  /** Number of distinct persons, by the person stored with each event. */
  persons: number;
};

export const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;
const TIMEOUT_SECONDS = 10;

type Period = { from: string; to: string };

const PERIOD = `
  with until as (
    select coalesce(
      case when :toZoned then cast(:to as timestamptz) else cast(:to as timestamp) at time zone :timezone end, now()
    ) as instant
  )
  select instant as "to", coalesce(
    case when :fromZoned then cast(:from as timestamptz) else cast(:from as timestamp) at time zone :timezone end,
    (date_trunc('day', instant at time zone :timezone) - make_interval(days => ${DEFAULT_DAYS - 1})) at time zone :timezone
  ) as "from" from until`;

const USAGE = `
  with calls as (
    select properties ->> '$feature_flag' as key, coalesce(properties -> '$feature_flag_response', 'null') as response,
      to_char("timestamp" at time zone :timezone, 'YYYY-MM-DD') as day, person_id
    from events
    where project_id = :projectId and ${isRetainedSql(':projectId')} and event = '$feature_flag_called' and "timestamp" >= :from and "timestamp" < :to
  ), usage as (
    select key, response, day, count(*)::int as calls, count(distinct person_id)::int as persons
    from calls where key = coalesce(:key, key) and key <> all (:hidden) group by key, response, day
  ), page as (
    select * from usage order by day desc, key, response limit :limit offset :offset
  )
  select (select count(*)::int from usage) as count, (select coalesce(jsonb_agg(page), '[]') from page) as results`;

export function flagUsageStore(db: Knex) {
  return {
    /**
     * Lists the newest day first.
     * @throws InvalidInput for an unknown time zone, and for a period that is empty, too long or has too many calls
     */
    async list(projectId: number, query: UsageQuery): Promise<{ count: number; results: FlagUsage[] }> {
      const { key = null, hidden, timezone, limit, offset } = query;
      const period = await resolvePeriod(db, query);
      return db
        .transaction(async (transaction) => {
          await transaction.raw(`set local statement_timeout = '${TIMEOUT_SECONDS}s'`);
          const values = { projectId, key, hidden: [...hidden], timezone, limit, offset, ...period };
          const { rows } = await transaction.raw<{ rows: { count: number; results: FlagUsage[] }[] }>(USAGE, values);
          return rows[0]!;
        })
        .catch((error: unknown) => {
          if (sqlState(error) !== SQL_STATE.queryCanceled) throw error;
          throw new InvalidInput('There are too many calls to count at once: choose a shorter period.', 'date_from');
        });
    },
  };
}

async function resolvePeriod(db: Knex, { timezone, from, to }: UsageQuery): Promise<Period> {
  const values = {
    timezone,
    from: from?.instant ?? null,
    fromZoned: from?.zoned ?? false,
    to: to?.instant ?? null,
    toZoned: to?.zoned ?? false,
  };
  const { rows } = await db.raw<{ rows: Period[] }>(PERIOD, values).catch((error: unknown): never => {
    if (sqlState(error) !== SQL_STATE.invalidParameterValue) throw error;
    throw new InvalidInput('This is not the name of a time zone.', 'timezone');
  });
  const period = rows[0]!;
  const days = (Date.parse(period.to) - Date.parse(period.from)) / 86_400_000;
  if (days <= 0) throw new InvalidInput('The period must start before it ends.', 'date_from');
  if (days > MAX_DAYS) throw new InvalidInput(`The period may have at most ${MAX_DAYS} days.`, 'date_from');
  return period;
}

export type FlagUsageStore = ReturnType<typeof flagUsageStore>;
