/** Connections of an API process to Postgres, except those of the export engine and of flag definitions. */
import { QUERY_OPTIONS } from '../analytics/queries/query-connection.ts';
import { INGEST_TIMEOUTS } from '../events/ingest/ingest.ts';
import { LOOKUP_OPTIONS } from '../events/table/lookup.ts';
import { DECIDE_POOL } from '../flags/decide/facts.ts';
import { RESULTS_POOL } from '../flags/extensions/experiments/results/results.store.ts';
import { createKnex, createPool, STORE_TIMEOUTS } from '../platform/db/connection.ts';
import { POOLS } from '../platform/db/pools.ts';

/** Connects lazily. The rooms share `identity`, because every request needs organizations, users and keys. */
export function openConnections(url: string) {
  const identity = createKnex({ url, ...POOLS.identity, ...STORE_TIMEOUTS });
  const events = {
    db: identity,
    lookups: createKnex({ url, ...LOOKUP_OPTIONS }),
    ingest: createPool({ url, ...POOLS.capture, ...INGEST_TIMEOUTS }),
  };
  const flags = {
    db: createKnex({ url, ...POOLS.flags, ...STORE_TIMEOUTS }),
    lookups: createKnex({ url, ...LOOKUP_OPTIONS }),
    counts: createPool({ url, ...LOOKUP_OPTIONS }),
    decide: createPool({ url, ...DECIDE_POOL }),
    studies: createPool({ url, ...RESULTS_POOL }),
  };
  const analytics = {
    db: createKnex({ url, ...POOLS.dashboards, ...STORE_TIMEOUTS }),
    queries: createPool({ url, ...QUERY_OPTIONS }),
  };
  return {
    identity,
    events,
    flags,
    analytics,
    async close(): Promise<void> {
      const stores = [identity, events.lookups, flags.db, flags.lookups, analytics.db];
      const pools = [events.ingest, flags.counts, flags.decide, flags.studies, analytics.queries];
      await Promise.all([...stores.map((knex) => knex.destroy()), ...pools.map((pool) => pool.end())]);
    },
  };
}
