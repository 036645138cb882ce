/** Readiness checks: the services and tables that the API cannot do without. */
import type { Pool } from '../db/connection.ts';
import { pendingMigrations } from '../db/migrate.ts';
import type { Check } from './readiness.ts';

/** Below this, no partition has been made for two months. */
export const PARTITIONED_DAYS = 30;

type Dependencies = {
  pool: Pool;
  /** Days from now for which the table of events has partitions. */
  partitionedDaysAhead(): Promise<number>;
  /** @throws while Temporal is away */
  ensureTemporal(): Promise<void>;
  /** The reason why nothing is delivered; undefined: deliveries work. */
  deliveryBlockReason(): Promise<string | undefined>;
};

export function apiChecks({ pool, partitionedDaysAhead, ensureTemporal, deliveryBlockReason }: Dependencies): Check[] {
  return [
    {
      name: 'schema',
      async check() {
        const pendingNames = await pendingMigrations(pool);
        return pendingNames.length > 0
          ? `${pendingNames.length} migrations are missing: run \`sluice migrate\``
          : undefined;
      },
    },
    {
      name: 'partitions',
      async check() {
        const days = await partitionedDaysAhead();
        return days < PARTITIONED_DAYS ? `events have partitions for ${days} days: run \`sluice migrate\`` : undefined;
      },
    },
    {
      name: 'temporal',
      async check() {
        await ensureTemporal();
        return undefined;
      },
    },
    // Advisory, because capture and the API still work.
    { name: 'deliveries', check: deliveryBlockReason, advisory: true },
  ];
}
