/** Rows of batch exports, and their conversion. */
import { anyDestination } from '../destinations/index.ts';
import type { BatchExport, BatchExportChange } from './batch-export.ts';
import type { Cadence } from '../domain/cadence.ts';
import { integrationFromRow, type IntegrationRow } from '../integrations/integrations.store.ts';

/** Columns of a batch export's fields; the row's type, reads and writes are derived from this table. */
const COLUMNS = {
  id: 'id',
  projectId: 'project_id',
  createdBy: 'created_by',
  name: 'name',
  model: 'model',
  content: 'content',
  hashKey: 'hash_key',
  destinationType: 'destination_type',
  destinationConfig: 'destination_config',
  destinationSecrets: 'destination_secrets',
  keySpace: 'key_space',
  interval: 'interval',
  timezone: 'timezone',
  offsetDay: 'offset_day',
  offsetHour: 'offset_hour',
  jitterSeconds: 'jitter_seconds',
  maxConcurrentRuns: 'max_concurrent_runs',
  paused: 'paused',
  lastPausedAt: 'last_paused_at',
  pausedReason: 'paused_reason',
  pause: 'pause',
  freshnessTargetSeconds: 'freshness_target_seconds',
  redeliverStale: 'redeliver_stale',
  notifications: 'notifications',
  notificationSecret: 'notification_secret',
  retainedFrom: 'retained_from',
  startAt: 'start_at',
  endAt: 'end_at',
  createdAt: 'created_at',
  lastUpdatedAt: 'last_updated_at',
  version: 'version',
} as const satisfies Record<Exclude<keyof BatchExport, 'integration'>, string>;

type Columns = typeof COLUMNS;

/** A row of `batch_exports` with its integration. */
export type Row = { [Field in keyof Columns as Columns[Field]]: BatchExport[Field] } & {
  integration_id: number | null;
  integration: IntegrationRow | null;
  deleted_at: string | null;
};

export function fromRow(row: Row): BatchExport {
  const fields = Object.entries(COLUMNS).map(([field, column]) => [field, row[column]]);
  return {
    ...(Object.fromEntries(fields) as Pick<BatchExport, keyof Columns>),
    destinationConfig: { ...legacyDefaults(row.destination_type), ...row.destination_config },
    integration: row.integration && integrationFromRow(row.integration),
  };
}

/** Values of configuration fields that did not exist when the row was stored. */
function legacyDefaults(type: string): Readonly<Record<string, unknown>> | undefined {
  return anyDestination(type).legacyDefaults;
}

export type CadenceRow = Pick<Row, 'interval' | 'timezone' | 'offset_day' | 'offset_hour'>;

export function cadenceFromRow({ interval, timezone, offset_day, offset_hour }: CadenceRow): Cadence {
  return { interval, timezone, offsetDay: offset_day, offsetHour: offset_hour };
}

export function cadenceColumns({ interval, timezone, offsetDay, offsetHour }: Cadence): CadenceRow {
  return { interval, timezone, offset_day: offsetDay, offset_hour: offsetHour };
}

/** Converts a change to columns, and leaves out absent fields. */
export function toColumns({ integration, ...change }: BatchExportChange): Record<string, unknown> {
  const fields = Object.entries(change) as [keyof Columns, unknown][];
  return {
    ...Object.fromEntries(fields.flatMap(([field, value]) => (value === undefined ? [] : [[COLUMNS[field], value]]))),
    ...(integration !== undefined && { integration_id: integration?.id ?? null }),
  };
}
