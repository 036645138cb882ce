/**
 * Pools of connections to our own Postgres: their names, as `pg_stat_activity` shows them, and their sizes. Each pool that a process opens
 * takes both from here, so the sum is known: an API process and a worker together must fit into `max_connections`.
 */

type PoolSettings = { applicationName: string; maxConnections: number };

/** Number of pools with one name in a process of each role. */
type PoolCounts = { api: number; worker: number };

const pool = (applicationName: string, maxConnections: number) => ({ applicationName, maxConnections }) as const;

/** Stores of the API: short statements of requests, which wait their turn at ten. */
const STORE_CONNECTIONS = 10;

export const POOLS = {
  /** Stores of exports. Transactions of activities and of the API's requests, each short. */
  engine: pool('sluice-engine', 10),
  /** Stores of organizations, users, projects and keys. */
  identity: pool('sluice-identity', STORE_CONNECTIONS),
  /** Stores of flags, cohorts, experiments and surveys. */
  flags: pool('sluice-flags', STORE_CONNECTIONS),
  /** Stores of dashboards, insights and links. */
  dashboards: pool('sluice-dashboards', STORE_CONNECTIONS),
  /** Transactions of capture, one for each group commit; more of them would only wait for each other's locks and disk. */
  capture: pool('sluice-capture', 4),
  /** Facts of decisions, which SDKs wait three seconds for. */
  decide: pool('sluice-decide', 8),
  /** Changed definitions of flags; few, because one statement reads many. */
  definitions: pool('sluice-definitions', 3),
  /** Lists of events and persons, counts of cohorts: few, because each may read many rows while capture writes. */
  lookup: pool('sluice-lookup', 4),
  /** Computing of insights: few, as each may read many events. */
  insights: pool('sluice-insights', 5),
  /** Results of experiments: few, for the same reason. */
  experiments: pool('sluice-experiments', 2),
  /** Short commands, which do one thing after another. */
  keys: pool('sluice-keys', 1),
  users: pool('sluice-users', 1),
  up: pool('sluice-up', 1),
  retention: pool('sluice-retention', 1),
  /** A connection that reads versions, then one that copies. */
  backup: pool('sluice-backup', 1),
  migrate: pool('sluice-migrate', 1),
  /** Migrations: one connection for statements, one for partitions. */
  migrations: pool('sluice-migrate', 2),
} as const satisfies Record<string, PoolSettings>;

/**
 * Connections for deliveries: one for each part at once, and some for sealing, planning, comparing and health, which must not wait
 * for parts that take minutes.
 */
export function rowsPool(partsAtOnce: number): PoolSettings {
  return pool('sluice-rows', partsAtOnce + 6);
}

/** Names of connections outside every pool: LISTEN, and the turn of migrators. */
export const LISTENER = 'sluice-listener';

/** Pools of a process, except `rowsPool`, which both roles have once. The API opens `lookup` three times. */
const POOL_USES: Partial<Record<keyof typeof POOLS, PoolCounts>> = {
  engine: { api: 1, worker: 1 },
  identity: { api: 1, worker: 0 },
  flags: { api: 1, worker: 0 },
  dashboards: { api: 1, worker: 0 },
  capture: { api: 1, worker: 0 },
  decide: { api: 1, worker: 0 },
  definitions: { api: 1, worker: 0 },
  lookup: { api: 3, worker: 0 },
  insights: { api: 1, worker: 0 },
  experiments: { api: 1, worker: 0 },
};
/** The API listens for changes of flags, and of exports. */
const LISTENERS: PoolCounts = { api: 2, worker: 0 };

export type Role = keyof PoolCounts;

/** Pools that a process of the role opens. */
export function poolCount(role: Role): number {
  return Object.values(POOL_USES).reduce((sum, uses) => sum + uses[role], 1);
}

/** Connections that a process of the role may have open at once. */
export function connectionLimit(role: Role, partsAtOnce: number): number {
  const pooled = Object.entries(POOL_USES).map(
    ([name, uses]) => uses[role] * POOLS[name as keyof typeof POOLS].maxConnections,
  );
  return pooled.reduce((sum, connections) => sum + connections, rowsPool(partsAtOnce).maxConnections) + LISTENERS[role];
}
