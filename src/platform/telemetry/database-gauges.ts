/** Figures on Postgres and on the connections of this process to it. */
import { Gauge, type Registry } from 'prom-client';
import { gaugeSet, type GaugeSet } from './gauge-set.ts';

/** State of the database at one moment. */
export type DatabaseFigures = {
  /** Size on disk by table, with indexes; partitions count as their table. */
  tableBytes: Readonly<Record<string, number>>;
  /** Open connections of all programs, and how many the server grants. */
  connections: { open: number; limit: number };
  /** Days from now for which the table of events has partitions. */
  partitionedDaysAhead: number;
  /** Seconds by which the deletion of hidden events is behind. */
  deletionBacklogSeconds: number;
};

/** Connections of one pool of this process. `waiting`: requests for a connection that wait. */
export type PoolUse = { pool: string; open: number; waiting: number; limit: number };

export function databaseGauges(registers: Registry[]): GaugeSet<DatabaseFigures> {
  const { gauge, makeSet } = gaugeSet(registers);
  const bytes = gauge('sluice_table_bytes', 'Size of a table on disk, with its indexes and partitions', ['table']);
  const open = gauge('sluice_database_connections', 'Open connections to the Postgres server, of all programs');
  const limit = gauge('sluice_database_connections_limit', 'Connections that the Postgres server grants');
  const days = gauge('sluice_event_partitions_days', 'Days from now for which the table of events has partitions');
  const backlog = gauge(
    'sluice_event_deletion_backlog_seconds',
    'From the oldest event that is hidden and not deleted yet to the instant from which events are kept',
  );
  return makeSet(({ tableBytes, connections, partitionedDaysAhead, deletionBacklogSeconds }: DatabaseFigures) => {
    bytes.reset();
    for (const [table, size] of Object.entries(tableBytes)) bytes.set({ table }, size);
    open.set(connections.open);
    limit.set(connections.limit);
    days.set(partitionedDaysAhead);
    backlog.set(deletionBacklogSeconds);
  });
}

/** @returns a function that sets all gauges together; pools with one name count together */
export function poolGauges(registers: Registry[]): (uses: readonly PoolUse[]) => void {
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames: ['pool'], registers });
  const open = gauge('sluice_pool_connections', 'Open connections of a pool of this process');
  const limit = gauge('sluice_pool_connections_limit', 'Connections that a pool of this process may open');
  const waiting = gauge('sluice_pool_waiting', 'Statements of this process that wait for a connection of a pool');
  return (uses) => {
    for (const metric of [open, limit, waiting]) metric.reset();
    for (const use of uses) {
      open.inc({ pool: use.pool }, use.open);
      limit.inc({ pool: use.pool }, use.limit);
      waiting.inc({ pool: use.pool }, use.waiting);
    }
  };
}
